//! The safety margin by which each window is extended, because requests may arrive closer together than they are sent.
//!
//! The margin is learned from 429s: it grows after each of them, keeps its value for a while, and then shrinks.

use std::time::Duration;

use super::limiter_time::{LimiterTime, YEAR};

/// The minimum margin is the length of the window divided by this number.
const MIN_DIVISOR: u32 = 100;

/// The maximum learned margin, as a multiple of the shortest window. With this margin, the rate is a sixth of the
/// limit.
const MAX_WINDOWS: u32 = 5;

/// A learned margin begins to shrink immediately if it is larger than the shortest window divided by this number.
/// Jitter alone does not lead to such a margin, so another program probably uses the same limit, and that program may
/// end soon.
const JITTER_DIVISOR: u32 = 4;

/// The initial hold time. After a 429, the margin keeps its value for the hold time, and then begins to shrink.
const FIRST_HOLD: Duration = Duration::from_secs(10);

/// The hold time is multiplied by this factor if a 429 arrives soon after the margin has begun to shrink, which means
/// within `RECENT_FACTOR` times the hold time.
const HOLD_FACTOR: u32 = 8;
const RECENT_FACTOR: u32 = 4;

const MAX_HOLD: Duration = Duration::from_secs(2 * 60 * 60);

/// The half-life of a shrinking margin.
const HALF_LIFE: Duration = Duration::from_secs(10);

/// Returns the time for which a sent request counts in a window of this length: the length plus the margin.
pub(super) fn distance(length: Duration, margin: Duration) -> Duration {
    length.saturating_add(margin.max(length / MIN_DIVISOR)).min(YEAR)
}

/// The margin learned from 429s.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "__shared-rate-limit", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct LearnedMargin {
    /// The length of the shortest window.
    shortest: Duration,
    /// The margin after the last 429; zero before the first 429, like the two times below.
    learned: Duration,
    /// The time at which the learned margin begins to shrink.
    until: LimiterTime,
    /// The hold time, for which the learned margin keeps its value.
    held: Duration,
}

impl LearnedMargin {
    /// Returns the margin before the first 429, for a limit with this shortest window.
    pub(super) fn new(shortest: Duration) -> Self {
        Self { shortest, learned: Duration::ZERO, until: LimiterTime::ZERO, held: Duration::ZERO }
    }

    /// Returns the current margin. A window whose minimum margin is larger uses that minimum instead; see `distance`.
    pub(super) fn at(&self, now: LimiterTime) -> Duration {
        if self.learned.is_zero() {
            return self.shortest / MIN_DIVISOR;
        }
        let shrunk = now.saturating_sub(self.until).as_secs_f64() / HALF_LIFE.as_secs_f64();
        self.learned.mul_f64((-shrunk).exp2()).max(self.shortest / MIN_DIVISOR)
    }

    /// Learns from a 429. If the margin had not begun to shrink, it was too small, and grows. If it had recently begun
    /// to shrink, it was large enough before that, and is restored for a longer time. In all other cases, it grows from
    /// its current value, and the initial hold time applies.
    pub(super) fn rate_limited(&mut self, now: LimiterTime) {
        let grown = (self.at(now).saturating_mul(8) / 5).min(self.max());
        match now.checked_sub(self.until) {
            None => self.learned = grown,
            Some(shrinking) if shrinking < self.held.saturating_mul(RECENT_FACTOR) => {
                self.held = self.held.saturating_mul(HOLD_FACTOR).min(MAX_HOLD);
            }
            Some(_) => {
                self.learned = grown;
                self.held = FIRST_HOLD;
            }
        }
        if self.learned > self.shortest / JITTER_DIVISOR {
            self.held = Duration::ZERO;
        }
        self.until = now.saturating_add(self.held);
    }

    fn max(&self) -> Duration {
        self.shortest.saturating_mul(MAX_WINDOWS)
    }

    /// Limits every value of a margin that was stored elsewhere to what 429s lead to, for a limit with this shortest
    /// window.
    #[cfg(feature = "__shared-rate-limit")]
    pub(super) fn restrict(&mut self, shortest: Duration, now: LimiterTime) {
        self.shortest = shortest;
        self.learned = self.learned.min(self.max());
        self.held = self.held.min(MAX_HOLD);
        self.until = self.until.min(now.saturating_add(MAX_HOLD));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Returns the length, in milliseconds, to which a window of one second is extended at each of `times`, after a 429
    /// at each of `rate_limited`. The times are in seconds.
    fn check(rate_limited: &[u64], times: &[u64]) -> Vec<u128> {
        let mut margin = LearnedMargin::new(SECOND);
        let mut rate_limited = rate_limited.iter().peekable();
        let mut distances = Vec::new();
        for time in times {
            while let Some(at) = rate_limited.next_if(|at| *at <= time) {
                margin.rate_limited(Duration::from_secs(*at));
            }
            distances.push(distance(SECOND, margin.at(Duration::from_secs(*time))).as_millis());
        }
        distances
    }

    #[test]
    fn each_429_extends_the_windows() {
        assert_eq!(check(&[1, 2, 3], &[0, 1, 2, 3]), [1010, 1016, 1025, 1040]);
        // After ten seconds the margin begins to shrink, by half every ten seconds.
        assert_eq!(check(&[1, 2, 3], &[3, 13, 23, 33, 60]), [1040, 1040, 1020, 1010, 1010]);
        let many: Vec<_> = (0..1000).collect();
        assert_eq!(check(&many, &[999]), [6000]);
    }

    #[test]
    fn a_margin_that_shrank_too_soon_returns_for_longer() {
        assert_eq!(check(&[1, 2, 3, 20], &[19, 20, 20 + 80, 20 + 90]), [1027, 1040, 1040, 1020]);
        // The result is the same if the 429 arrives just as the margin begins to shrink.
        assert_eq!(check(&[1, 11], &[11, 11 + 80, 11 + 85]), [1016, 1016, 1011]);
        // After a much later 429, the margin begins again at its first value.
        assert_eq!(check(&[1, 100], &[99, 100, 110, 120]), [1010, 1016, 1016, 1010]);
        // Each further 429 arrives twenty seconds after the margin has begun to shrink. The margin keeps its value for
        // at most two hours.
        assert_eq!(check(&[1, 31, 131, 791, 5931], &[13_131, 13_151]), [1016, 1010]);
    }

    /// Another program with the same key causes many 429s, and may end at any time.
    #[test]
    fn a_large_margin_shrinks_at_once() {
        assert_eq!(check(&[1; 7], &[1, 11, 21, 100]), [1268, 1134, 1067, 1010]);
        assert_eq!(check(&[1, 1, 1, 1, 1, 1, 1, 4], &[4]), [1348]);
    }

    #[test]
    fn a_long_window_has_a_larger_margin() {
        let mut margin = LearnedMargin::new(SECOND);
        (0..3).for_each(|_| margin.rate_limited(LimiterTime::ZERO));
        let distance = |length| distance(length, margin.at(LimiterTime::ZERO));
        assert_eq!(
            [1, 60, 86_400].map(|seconds| distance(Duration::from_secs(seconds)).as_millis()),
            [1040, 60_600, 87_264_000]
        );
        assert_eq!(distance(Duration::MAX), YEAR);
    }
}
