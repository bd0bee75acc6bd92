//! The first record of a series, as runs have seen it that asked for earlier ones.
//!
//! A series begins late because its coin was listed late, or because the service has only its newest records. Then the
//! first record moves with the clock. The start of a range is requested only once, so one later run requests the page
//! around the time to which the clock would have moved the first record.

use std::ops::Range;
use std::time::Duration;

use runtime::{Interval, Timestamp};
use serde::{Deserialize, Serialize};

/// The first record that a response had, although earlier ones were requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sighting {
    /// The time of the service.
    pub(crate) seen: Timestamp,
    pub(crate) first: Timestamp,
}

/// The time after a sighting from which a first record can be seen to have moved.
const CHECK_AFTER: Duration = Duration::from_secs(3600);

/// The number of intervals by which a first record has to move.
const CHECK_INTERVALS: u64 = 2;

/// The first and the last sighting of a series.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FirstSeen {
    earliest: Option<Sighting>,
    latest: Option<Sighting>,
    /// The time at which a response would have shown that the first record has moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    checked: Option<Timestamp>,
}

impl FirstSeen {
    pub(crate) fn note(&mut self, sighting: Sighting) {
        self.earliest.get_or_insert(sighting);
        self.latest = Some(sighting);
    }

    /// Notes a sighting if by it the first record has moved with the clock.
    pub(crate) fn note_moved(&mut self, sighting: Sighting, interval: Interval) {
        let with = Self { latest: Some(sighting), ..self.clone() };
        if with.has_moved(interval) {
            *self = with;
        }
    }

    /// The time of the first record by now, if it moves with the clock; `None` if a response has shown whether it
    /// does, or if it is too early.
    pub(crate) fn expected(&self, interval: Interval, now: Timestamp) -> Option<Timestamp> {
        let Sighting { seen, first } = self.latest?;
        if self.checked.is_some() || self.has_moved(interval) || now < seen + CHECK_AFTER {
            return None;
        }
        let passed = interval.passed(&(seen..now));
        let count = i64::try_from(passed).ok()?;
        (passed >= CHECK_INTERVALS).then(|| interval.moved(first, count))
    }

    /// Notes a response for a range, which may show whether the first record has moved.
    pub(crate) fn note_checked(&mut self, range: &Range<Timestamp>, interval: Interval, now: Timestamp) {
        let Some(expected) = self.expected(interval, now) else { return };
        if interval.moved(range.start, 2) <= expected && interval.moved(expected, 1) <= range.end {
            self.checked = Some(now);
        }
    }

    /// The age of the first record in intervals, when a run last asked for earlier ones; `None` if no run has.
    pub(crate) fn age(&self, interval: Interval) -> Option<u64> {
        let Sighting { seen, first } = self.latest?;
        (first <= seen).then(|| interval.passed(&(first..seen)))
    }

    /// `true` if the first record has moved with the clock between two runs.
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

    #[test]
    fn the_page_of_a_first_record_that_may_have_moved_is_requested_once() {
        let hour = Interval::from(Duration::from_secs(3600));
        let at = |hours: i64| Timestamp::from_unix_seconds(hours * 3600);
        let mut series = FirstSeen::default();
        assert_eq!(series.expected(hour, at(2000)), None);
        series.note(Sighting { seen: at(1000), first: at(280) });
        assert_eq!((series.expected(hour, at(1001)), series.expected(hour, at(1024))), (None, Some(at(304))));
        for (from, to) in [(0, 304), (303, 400), (304, 400)] {
            series.note_checked(&(at(from)..at(to)), hour, at(1024));
            assert!(series.expected(hour, at(1024)).is_some(), "{from} {to}");
        }
        series.note_checked(&(at(302)..at(305)), hour, at(1024));
        assert_eq!(series.expected(hour, at(1024)), None);
    }
}
