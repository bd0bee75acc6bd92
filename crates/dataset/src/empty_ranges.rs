//! Ranges in which the service had no record when they were requested.
//!
//! A response without records may be the fault of an overload, and a search for the first record requests only a few
//! pages of the range that it skips. Therefore the first run at least an hour later requests one page of such a range
//! once more, at another position. If it has no record either, the range is settled, with the date. A range before the
//! first record of a series is then requested again at most once in seven days.

use std::ops::Range;
use std::time::Duration;

use runtime::Timestamp;
use serde::{Deserialize, Serialize};

/// The time after which an empty range is confirmed.
const CONFIRM_AFTER: Duration = Duration::from_secs(3600);

/// The time after which a range before the first record is requested again.
const PROBE_AFTER: Duration = Duration::from_secs(7 * 86_400);

/// A range without records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EmptyRange {
    pub(crate) from: Timestamp,
    pub(crate) to: Timestamp,
    /// The time of the first response without a record.
    pub(crate) found: Timestamp,
    /// The time of the last response that has confirmed it.
    pub(crate) confirmed: Option<Timestamp>,
}

impl EmptyRange {
    fn overlaps(&self, range: &Range<Timestamp>) -> bool {
        self.from < range.end && range.start < self.to
    }

    /// `true` if the range is before the first record; `ends` is the range from the first to the last record.
    fn is_before(&self, ends: Option<&Range<Timestamp>>) -> bool {
        ends.is_none_or(|ends| self.to <= ends.start)
    }

    /// `true` if one response can confirm this range and another one.
    fn is_confirmed_with(&self, other: &Self) -> bool {
        match (self.confirmed, other.confirmed) {
            (None, None) => self.found.floor(CONFIRM_AFTER) == other.found.floor(CONFIRM_AFTER),
            (one, other) => one.is_some() && other.is_some(),
        }
    }

    /// The page of this length to request at a time; its position depends on the day.
    fn probe(&self, page: Duration, now: Timestamp) -> Range<Timestamp> {
        let length = self.to - self.from;
        if length <= page {
            return self.from..self.to;
        }
        let day = now.unix_seconds().div_euclid(86_400).rem_euclid(7);
        let part = u32::try_from(day).unwrap_or_default() + 2;
        let start = self.from + length.saturating_sub(page) / 10 * part;
        let start = start.floor(Duration::from_secs(1));
        start..(start + page).min(self.to)
    }
}

/// The empty ranges of a series, in order. No two of them overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EmptyRanges(Vec<EmptyRange>);

impl EmptyRanges {
    pub(crate) fn ranges(&self) -> Vec<Range<Timestamp>> {
        let mut ranges = Vec::with_capacity(self.0.len());
        for known in &self.0 {
            ranges.push(known.from..known.to);
        }
        ranges
    }

    /// `true` if a range without records contains a time.
    pub(crate) fn has(&self, time: Timestamp) -> bool {
        self.0.iter().any(|known| known.from <= time && time < known.to)
    }

    /// `true` if a range without records ends at a time.
    pub(crate) fn touches(&self, time: Timestamp) -> bool {
        self.0.iter().any(|known| known.to == time)
    }

    /// Notes a response without records at a time.
    pub(crate) fn note_empty(&mut self, range: &Range<Timestamp>, now: Timestamp) {
        let mut next = range.start;
        let mut new = Vec::new();
        for known in self.0.iter_mut().filter(|known| known.overlaps(range)) {
            if known.found + CONFIRM_AFTER <= now {
                known.confirmed = Some(now);
            }
            if next < known.from {
                new.push(EmptyRange { from: next, to: known.from, found: now, confirmed: None });
            }
            next = next.max(known.to);
        }
        if next < range.end {
            new.push(EmptyRange { from: next, to: range.end, found: now, confirmed: None });
        }
        self.0.append(&mut new);
        self.join();
    }

    /// Notes a response with records, whose range is no longer empty. Returns the rest of the ranges that it
    /// contradicts; they remain empty until a response says otherwise.
    pub(crate) fn note_records(&mut self, range: &Range<Timestamp>) -> Vec<Range<Timestamp>> {
        let mut rest = Vec::new();
        for known in self.0.extract_if(.., |known| known.overlaps(range)) {
            let before = EmptyRange { to: range.start.min(known.to), ..known.clone() };
            let after = EmptyRange { from: range.end.max(known.from), ..known };
            rest.extend([before, after]);
        }
        rest.retain(|part| part.from < part.to);
        let ranges = rest.iter().map(|part| part.from..part.to).collect();
        self.0.append(&mut rest);
        self.0.sort_by_key(|known| known.from);
        ranges
    }

    /// Removes the ranges that are between two times.
    pub(crate) fn forget_within(&mut self, ends: &Range<Timestamp>) {
        self.0.retain(|known| known.from < ends.start || ends.end < known.to);
    }

    /// The pages to request at a time, of ranges before the first record or after the last, whose range is
    /// `ends`. If the range of the job `is_recent`, the range before the first record is also requested every seven days.
    pub(crate) fn probes(
        &self,
        page: Duration,
        now: Timestamp,
        ends: Option<&Range<Timestamp>>,
        is_recent: bool,
    ) -> Vec<Range<Timestamp>> {
        let mut probes = Vec::new();
        for known in &self.0 {
            let is_end = known.is_before(ends) || ends.is_some_and(|ends| ends.end <= known.from);
            if is_end && known.confirmed.is_none() && known.found + CONFIRM_AFTER <= now {
                probes.push(known.probe(page, now));
            }
        }
        let is_checked_again = is_recent && ends.is_some();
        if is_checked_again
            && let Some(longest) = self.longest_confirmed_before(ends)
            && longest.confirmed.is_some_and(|confirmed| confirmed + PROBE_AFTER <= now)
        {
            probes.push(longest.probe(page, now));
        }
        probes
    }

    fn longest_confirmed_before(&self, ends: Option<&Range<Timestamp>>) -> Option<&EmptyRange> {
        let confirmed = self.0.iter().filter(|known| known.is_before(ends) && known.confirmed.is_some());
        confirmed.max_by_key(|known| known.to - known.from)
    }

    /// Sorts the ranges, and joins those that touch if both are confirmed, or if both were found within the same hour.
    /// If the range grows in each of many runs, its older part is then confirmed while its newer part is not.
    fn join(&mut self) {
        self.0.sort_by_key(|known| known.from);
        let mut joined: Vec<EmptyRange> = Vec::with_capacity(self.0.len());
        for next in std::mem::take(&mut self.0) {
            match joined.last_mut() {
                Some(last) if last.to == next.from && last.is_confirmed_with(&next) => {
                    last.to = next.to;
                    last.found = last.found.max(next.found);
                    last.confirmed = last.confirmed.min(next.confirmed);
                }
                _ => joined.push(next),
            }
        }
        self.0 = joined;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3600;
    const PAGE: Duration = Duration::from_secs(100);

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_seconds(seconds)
    }

    fn range(from: i64, to: i64) -> Range<Timestamp> {
        at(from)..at(to)
    }

    #[test]
    fn an_empty_range_is_confirmed_once_after_an_hour() {
        let mut empty = EmptyRanges::default();
        empty.note_empty(&range(0, 5000), at(10_000));
        let first = range(5000, 9000);
        let probes = |empty: &EmptyRanges, now: i64| empty.probes(PAGE, at(now), Some(&first), true);
        assert_eq!(probes(&empty, 10_000 + HOUR - 1), []);
        let later = 10_000 + HOUR;
        let [probe] = &probes(&empty, later)[..] else { panic!("{empty:?}") };
        assert!(probe.end - probe.start == PAGE && probe.start > at(0) && probe.end < at(5000), "{probe:?}");
        empty.note_empty(probe, at(later));
        assert_eq!(probes(&empty, later + HOUR), []);
        let week = later + 7 * 86_400;
        assert_eq!((probes(&empty, week - 1).len(), probes(&empty, week).len()), (0, 1));
        assert_eq!(empty.probes(PAGE, at(week), Some(&first), false), []);
    }

    #[test]
    fn a_range_that_grows_in_frequent_runs_is_confirmed() {
        let mut empty = EmptyRanges::default();
        let minute = |index: i64| 100_000 + index * 60;
        for run in 0..600 {
            empty.note_empty(&range(0, minute(run)), at(minute(run)));
            assert!(empty.0.len() <= 3, "run {run}: {empty:?}");
        }
        let last = at(minute(599));
        let confirmed: Vec<_> = empty.0.iter().filter(|known| known.confirmed.is_some()).collect();
        let [old] = &confirmed[..] else { panic!("{empty:?}") };
        assert!(old.from == at(0) && last - old.to <= CONFIRM_AFTER * 2, "{empty:?}");
    }

    #[test]
    fn the_rest_of_a_contradicted_range_stays_empty_until_it_is_requested() {
        let mut empty = EmptyRanges::default();
        empty.note_empty(&range(0, 5000), at(10_000));
        empty.note_empty(&range(5000, 6000), at(10_000));
        assert_eq!(empty.0.len(), 1);
        assert_eq!(empty.note_records(&range(2000, 2100)), [range(0, 2000), range(2100, 6000)]);
        assert_eq!((empty.0.len(), empty.note_records(&range(0, 9000))), (2, vec![]));
        assert_eq!(empty.0.len(), 0);
    }
}
