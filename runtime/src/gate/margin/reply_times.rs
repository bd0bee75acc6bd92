//! How much the times of replies differ.
//!
//! Reply times come in, their spread goes out: by how much the latest of the recent come later than the fastest.
//! What made them late is not known here.

use std::collections::VecDeque;
use std::time::Duration;

/// The latest reply times.
#[derive(Debug, Default)]
pub(super) struct ReplyTimes {
    latest: VecDeque<Duration>,
    spread: Duration,
    /// How many came since the spread was taken.
    new: usize,
}

/// So many are kept.
const KEPT: usize = 256;

/// The spread is taken of every so many new ones, as many as a tenth of those that there are but no more than these.
const AT_MOST_NEW: usize = 16;

/// The slowest of so many are left out: they come of rare hiccups, and to allow for those costs more than a refusal.
const ONE_OUT_OF: usize = 80;

/// How much of what was seen is taken for all that there is, in hundredths.
const SEEN: u32 = 105;

impl ReplyTimes {
    pub(super) fn add(&mut self, time: Duration) {
        if self.latest.len() == KEPT {
            self.latest.pop_front();
        }
        self.latest.push_back(time);
        self.new += 1;
        if self.new >= AT_MOST_NEW.min(self.latest.len() / 10) {
            self.new = 0;
            self.spread = spread(self.latest.iter().copied().collect());
        }
    }

    /// How much later than the fastest replies the others come, but for a few.
    pub(super) fn spread(&self) -> Duration {
        self.spread
    }
}

fn spread(mut times: Vec<Duration>) -> Duration {
    let Some(fastest) = times.iter().min().copied() else { return Duration::ZERO };
    let place = times.len() - 1 - times.len() / ONE_OUT_OF;
    let (_, slowest, _) = times.select_nth_unstable(place);
    slowest.saturating_sub(fastest).saturating_mul(SEEN) / 100
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(milliseconds: impl IntoIterator<Item = u64>) -> u128 {
        let mut times = ReplyTimes::default();
        milliseconds.into_iter().for_each(|time| times.add(Duration::from_millis(time)));
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
}
