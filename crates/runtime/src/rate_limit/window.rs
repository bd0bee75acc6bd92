//! Rolling windows, which compute the earliest time of the next request from the times of earlier requests.
//!
//! The caller passes in the current time and the margin. Nothing here waits or reads a clock.
//!
//! The service counts requests on arrival, and network jitter can shorten the interval between two arrivals. Each window
//! is therefore extended by a safety margin, which is learned from 429s.

use std::collections::VecDeque;
use std::time::Duration;

/// A time on the clock of a rate limiter, as the duration since an origin that the owner of the state chooses.
///
/// Processes cannot read each other's clocks, so the state of a rate limiter contains no `Instant`. The built-in rate
/// limiter counts from one year before its creation. A rate limiter whose state is on a server counts from the epoch of
/// that server.
#[doc(hidden)]
pub type LimiterTime = Duration;

/// A limit of `requests` in any interval of this length. A request counts as many times as its weight.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "__shared-rate-limit", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Window {
    pub(super) requests: usize,
    pub(super) length: Duration,
}

/// Windows, with the times of the sent requests that still count.
///
/// A request whose weight is above a window's limit waits until the window is empty, and fills it.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "__shared-rate-limit", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Windows {
    pub(super) windows: Vec<Window>,
    /// The times of the sent requests, the latest last.
    #[cfg_attr(feature = "__shared-rate-limit", serde(with = "super::stored_times"))]
    sent: VecDeque<LimiterTime>,
    /// The total weight of the requests that have passed but are not yet reported as sent. Each of them counts as if it
    /// was sent now.
    pub(super) unsent: usize,
}

impl Windows {
    pub(super) fn new(windows: Vec<Window>) -> Self {
        Self { windows, sent: VecDeque::new(), unsent: 0 }
    }

    /// Returns the time from which all windows have room for one more request of this weight; `None` if they already
    /// have room. The time can change when a pending request is reported as sent.
    pub(super) fn room_from(&self, now: LimiterTime, margin: Duration, weight: usize) -> Option<LimiterTime> {
        let room = |window: &Window| {
            // Requests that are not yet sent count as if they were sent now.
            let index = (self.sent.len() + self.unsent).checked_sub(window.requests.saturating_sub(weight) + 1)?;
            self.sent.get(index).unwrap_or(&now).checked_add(distance(window.length, margin))
        };
        self.windows.iter().filter_map(room).max()
    }

    /// Returns the interval between evenly spaced requests at the maximum rate that all windows allow; `None` without
    /// windows.
    pub(super) fn gap(&self, margin: Duration) -> Option<Duration> {
        let requests = |window: &Window| u32::try_from(window.requests).unwrap_or(u32::MAX).max(1);
        self.windows.iter().map(|window| distance(window.length, margin) / requests(window)).max()
    }

    /// Returns the maximum time for which a request is counted in a window.
    pub(super) fn memory(&self, margin: Duration) -> Duration {
        self.windows.iter().map(|window| distance(window.length, margin)).max().unwrap_or_default()
    }

    /// Stops counting a request as unsent, after it was sent or cancelled.
    pub(super) fn settle(&mut self, weight: usize) {
        self.unsent = self.unsent.saturating_sub(weight);
    }

    /// Counts a request that is sent now. Reports may arrive out of order, so the time is inserted in sorted order.
    pub(super) fn count(&mut self, now: LimiterTime, margin: Duration, weight: usize) {
        let max = self.windows.iter().map(|window| window.requests).max().unwrap_or(0);
        let memory = self.memory(margin);
        let position = self.sent.partition_point(|sent| *sent <= now);
        for _ in 0..weight.min(max) {
            self.sent.insert(position, now);
        }
        let is_over = |sent: &LimiterTime| now.saturating_sub(*sent) >= memory;
        while self.sent.len() > max || self.sent.front().is_some_and(is_over) {
            self.sent.pop_front();
        }
    }
}

/// The minimum margin is the length of the window divided by this number.
const MIN_DIVISOR: u32 = 100;

/// The maximum learned margin, as a multiple of the shortest window. With this margin, the rate is a sixth of the
/// limit.
const MAX_WINDOWS: u32 = 5;

/// A learned margin begins to shrink immediately if it is larger than the shortest window divided by this number.
/// Jitter alone does not lead to such a margin, so another program probably uses the same limit, and that program may
/// end soon.
const JITTER_DIVISOR: u32 = 4;

/// The maximum length of windows and pauses, which is longer than any useful window or pause. Without a maximum, a time
/// could overflow the clock.
pub(super) const YEAR: Duration = Duration::from_secs(366 * 24 * 60 * 60);

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
        let grown = (self.at(now).saturating_mul(8) / 5).min(self.shortest.saturating_mul(MAX_WINDOWS));
        (self.learned, self.held) = match now.checked_sub(self.until) {
            None => (grown, self.held),
            Some(shrinking) if shrinking < self.held.saturating_mul(RECENT_FACTOR) => {
                (self.learned, self.held.saturating_mul(HOLD_FACTOR).min(MAX_HOLD))
            }
            Some(_) => (grown, FIRST_HOLD),
        };
        if self.learned > self.shortest / JITTER_DIVISOR {
            self.held = Duration::ZERO;
        }
        self.until = now.saturating_add(self.held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn min_margin() -> Duration {
        Duration::ZERO
    }

    /// Sends requests as early as the windows allow, and returns their times in milliseconds.
    fn check(windows: &[(usize, Duration)], count: usize) -> Vec<u128> {
        let start = LimiterTime::ZERO;
        let windows = windows.iter().map(|(requests, length)| Window { requests: *requests, length: *length });
        let mut windows = Windows::new(windows.collect());
        let mut now = start;
        let mut left = Vec::new();
        for _ in 0..count {
            now = windows.room_from(now, min_margin(), 1).map_or(now, |room| room.max(now));
            windows.unsent += 1;
            windows.settle(1);
            windows.count(now, min_margin(), 1);
            left.push(now.saturating_sub(start).as_millis());
        }
        left
    }

    #[test]
    fn requests_are_sent_as_early_as_all_windows_allow() {
        assert_eq!(check(&[], 3), [0, 0, 0]);
        assert_eq!(check(&[(2, SECOND)], 5), [0, 0, 1010, 1010, 2020]);
        assert_eq!(check(&[(2, SECOND), (3, 10 * SECOND)], 5), [0, 0, 1010, 10_100, 10_100]);
        assert_eq!(check(&[(1, SECOND), (1, SECOND / 2)], 3), [0, 1010, 2020]);
    }

    #[test]
    fn window_keeps_at_most_its_limit_of_times() {
        let mut windows = Windows::new(vec![Window { requests: 10, length: SECOND }]);
        (0..100).for_each(|_| windows.count(LimiterTime::ZERO, min_margin(), 1));
        assert_eq!(windows.sent.len(), 10);
        windows.count(2 * SECOND, min_margin(), 1);
        assert_eq!(windows.sent.len(), 1);
    }

    #[test]
    fn heavy_request_uses_the_room_of_several() {
        let mut windows = Windows::new(vec![Window { requests: 10, length: SECOND }]);
        let at = |milliseconds| Duration::from_millis(milliseconds);
        let leave = |windows: &mut Windows, milliseconds, weight| {
            windows.unsent += weight;
            windows.settle(weight);
            windows.count(at(milliseconds), min_margin(), weight);
        };
        leave(&mut windows, 0, 4);
        leave(&mut windows, 100, 5);
        assert_eq!(windows.room_from(at(100), min_margin(), 1), None);
        assert_eq!(windows.room_from(at(100), min_margin(), 5), Some(at(1010)));
        assert_eq!(windows.room_from(at(100), min_margin(), 6), Some(at(1110)));
        // A request whose weight is above the limit waits until the window is empty, and fills it.
        assert_eq!(windows.room_from(at(100), min_margin(), 25), Some(at(1110)));
        leave(&mut windows, 1110, 25);
        assert_eq!(windows.room_from(at(1200), min_margin(), 1), Some(at(2120)));
    }

    #[test]
    fn no_window_exceeds_its_limit() {
        fastrand::seed(7);
        for _ in 0..20 {
            let window = |_| Window { requests: fastrand::usize(1..30), length: SECOND / fastrand::u32(1..100) };
            let windows: Vec<_> = (0..fastrand::usize(1..4)).map(window).collect();
            let mut state = Windows::new(windows.clone());
            let mut now = LimiterTime::ZERO;
            let mut left = Vec::new();
            for _ in 0..300 {
                now += Duration::from_micros(fastrand::u64(0..2) * fastrand::u64(0..50_000));
                if state.room_from(now, min_margin(), 1).is_none_or(|room| room <= now) {
                    state.unsent += 1;
                    state.settle(1);
                    if fastrand::u8(0..10) > 0 {
                        state.count(now, min_margin(), 1);
                        left.push(now);
                    }
                }
            }
            for Window { requests, length } in windows {
                let pairs = left.iter().zip(left.iter().skip(requests));
                assert!(
                    pairs.into_iter().all(|(first, next)| next.saturating_sub(*first) > length),
                    "{requests} in {length:?}"
                );
            }
        }
    }

    #[test]
    fn late_report_of_an_earlier_request_is_counted() {
        let mut windows = Windows::new(vec![Window { requests: 2, length: SECOND }]);
        let at = |milliseconds| Duration::from_millis(milliseconds);
        windows.count(at(5300), min_margin(), 1);
        windows.count(at(5100), min_margin(), 1);
        assert_eq!(windows.room_from(at(5400), min_margin(), 1), Some(at(6110)));
        windows.count(at(5200), min_margin(), 1);
        assert_eq!(windows.room_from(at(5400), min_margin(), 1), Some(at(6210)));
    }

    #[test]
    fn request_being_sent_counts_until_reported() {
        let mut windows = Windows::new(vec![Window { requests: 2, length: SECOND }]);
        let start = LimiterTime::ZERO;
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        windows.unsent += 1;
        assert_eq!(windows.room_from(start, min_margin(), 1), None);
        windows.unsent += 1;
        assert_eq!(windows.room_from(at(5000), min_margin(), 1), Some(at(6010)));
        windows.settle(1);
        windows.count(at(5500), min_margin(), 1);
        assert_eq!(windows.room_from(at(5600), min_margin(), 1), Some(at(6510)));
        windows.settle(1);
        assert_eq!(windows.room_from(at(5600), min_margin(), 1), None);
        windows.unsent += 1;
        windows.settle(1);
        windows.count(at(5700), min_margin(), 1);
        assert_eq!(windows.room_from(at(5700), min_margin(), 1), Some(at(6510)));
    }
}

#[cfg(test)]
mod margin_tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Returns the length, in milliseconds, to which a window of one second is extended at each of `times`, after a 429
    /// at each of `rate_limited`. The times are in seconds.
    fn check(rate_limited: &[u64], times: &[u64]) -> Vec<u128> {
        let mut margin = LearnedMargin::new(SECOND);
        let (mut rate_limited, mut distances) = (rate_limited.iter().peekable(), Vec::new());
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
