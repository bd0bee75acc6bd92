//! The first record of a series, as runs have seen it that asked for earlier ones.
//!
//! A series begins late because its coin was listed late, or because the service has only its newest records. Then the
//! first record moves with the clock.

use runtime::{Interval, Timestamp};
use serde::{Deserialize, Serialize};

/// The first record that a response had, although earlier ones were requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sighting {
    /// The time of the service.
    pub(crate) seen: Timestamp,
    pub(crate) first: Timestamp,
}

/// The first and the last sighting of a series.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FirstSeen {
    earliest: Option<Sighting>,
    latest: Option<Sighting>,
}

impl FirstSeen {
    pub(crate) fn note(&mut self, sighting: Sighting) {
        self.earliest.get_or_insert(sighting);
        self.latest = Some(sighting);
    }

    /// Returns how many intervals before the request the series began; `None` if no run has asked for earlier records.
    pub(crate) fn age(&self, interval: Interval) -> Option<u64> {
        let Sighting { seen, first } = self.latest?;
        (first <= seen).then(|| interval.passed(&(first..seen)))
    }

    /// Returns whether the first record has moved with the clock between two runs.
    pub(crate) fn has_moved(&self, interval: Interval) -> bool {
        let Some((earliest, latest)) = self.earliest.zip(self.latest) else { return false };
        if latest.first < interval.moved(earliest.first, 1) || latest.seen < earliest.seen {
            return false;
        }
        let of_record = latest.first - earliest.first;
        let of_clock = latest.seen - earliest.seen;
        of_record.abs_diff(of_clock) <= interval.longest()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_first_record_that_moves_with_the_clock_is_a_cap() {
        let hour = Interval::from(Duration::from_secs(3600));
        let at = |hours: i64| Timestamp::from_unix_seconds(hours * 3600);
        for (seen, first, has_moved) in [(1024, 304, true), (1024, 280, false), (1024, 700, false), (1000, 280, false)]
        {
            let mut series = FirstSeen::default();
            series.note(Sighting { seen: at(1000), first: at(280) });
            assert_eq!((series.age(hour), series.has_moved(hour)), (Some(720), false));
            series.note(Sighting { seen: at(seen), first: at(first) });
            assert_eq!(series.has_moved(hour), has_moved, "{seen} {first}");
        }
    }
}
