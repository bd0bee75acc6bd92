//! The spread of response times.
//!
//! The spread is the difference between the slowest and the fastest of the recent response times.

use std::collections::VecDeque;
use std::time::Duration;

/// The latest response times, and their spread when it was last measured.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "__gate-state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct ReplyTimes {
    #[cfg_attr(feature = "__gate-state", serde(with = "crate::rate_limit::written::durations"))]
    latest: VecDeque<Duration>,
    #[cfg_attr(feature = "__gate-state", serde(with = "crate::rate_limit::written::duration"))]
    spread: Duration,
    /// The number of response times since then.
    new: usize,
}

/// The number of response times that are kept.
const KEPT: usize = 256;

/// The spread is measured again after this many new response times, or a tenth of all.
const STALE: usize = 16;

/// The slowest of this many response times is omitted: it is a rare outlier, and a margin for it costs more speed than
/// a 429.
const ONE_OUT_OF: usize = 80;

/// The share of the measured spread that the margin allows for, in hundredths.
const SEEN: u32 = 105;

impl ReplyTimes {
    pub(super) fn add(&mut self, time: Duration) {
        if self.latest.len() == KEPT {
            self.latest.pop_front();
        }
        self.latest.push_back(time);
        self.new += 1;
    }

    /// The spread when it was last measured, without the slowest outliers.
    pub(super) fn spread(&self) -> Duration {
        self.spread
    }

    /// Returns whether the spread is due to be measured again.
    pub(super) fn is_stale(&self) -> bool {
        self.new >= STALE.min(self.latest.len() / 10)
    }

    /// Measures the spread.
    pub(super) fn measure(&mut self) {
        self.new = 0;
        let mut times: Vec<_> = self.latest.iter().copied().collect();
        let Some(fastest) = times.iter().min().copied() else { return };
        let place = times.len() - 1 - times.len() / ONE_OUT_OF;
        let (_, slowest, _) = times.select_nth_unstable(place);
        self.spread = slowest.saturating_sub(fastest).saturating_mul(SEEN) / 100;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(milliseconds: impl IntoIterator<Item = u64>) -> u128 {
        let mut times = ReplyTimes::default();
        milliseconds.into_iter().for_each(|time| times.add(Duration::from_millis(time)));
        times.measure();
        times.spread().as_millis()
    }

    #[test]
    fn spreads() {
        assert_eq!(check([]), 0);
        assert_eq!(check([50]), 0);
        assert_eq!(check([50, 20, 30]), 31);
        assert_eq!(check((0..200).map(|index| 50 + index % 21)), 21);
        // What was long ago is forgotten.
        assert_eq!(check((0..320).map(|index| if index < 40 { 900 } else { 50 + index % 21 })), 21);
    }

    #[test]
    fn hiccups_are_left_out() {
        assert_eq!(check((0..200).map(|index| if index == 100 || index == 101 { 200 } else { 50 })), 0);
        assert_eq!(check((0..200).map(|index| if (100..104).contains(&index) { 150 } else { 50 })), 105);
    }

    #[test]
    fn the_spread_is_measured_again_after_a_tenth_of_all() {
        let mut times = ReplyTimes::default();
        (0..100).for_each(|_| times.add(Duration::from_millis(50)));
        times.measure();
        for new in 1..=STALE {
            times.add(Duration::from_millis(80));
            assert_eq!(times.is_stale(), new > 10, "{new}");
        }
        (0..KEPT).for_each(|_| times.add(Duration::from_millis(50)));
        times.measure();
        for new in 1..=2 * STALE {
            times.add(Duration::from_millis(80));
            assert_eq!(times.is_stale(), new >= STALE, "{new}");
        }
    }
}
