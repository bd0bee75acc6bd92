//! A set of times, as ranges.
//!
//! Ranges are added in any order and may overlap. [`uncovered`](TimeRanges::uncovered) returns the parts of another
//! range that are not in the set.

use std::ops::Range;
use std::time::Duration;

use runtime::Timestamp;
use serde::{Deserialize, Serialize};

/// Time ranges in order. No two of these ranges overlap or touch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<(Timestamp, Timestamp)>", into = "Vec<(Timestamp, Timestamp)>")]
pub(crate) struct TimeRanges(Vec<Range<Timestamp>>);

impl TimeRanges {
    /// Adds a range, merged with the ranges that it overlaps or touches.
    pub(crate) fn add(&mut self, range: Range<Timestamp>) {
        if range.end <= range.start {
            return;
        }
        let first = self.0.partition_point(|known| known.end < range.start);
        let last = self.0.partition_point(|known| known.start <= range.end);
        let touched = self.0.get(first..last).unwrap_or_default();
        let start = touched.first().map_or(range.start, |known| known.start.min(range.start));
        let end = touched.last().map_or(range.end, |known| known.end.max(range.end));
        self.0.splice(first..last, [start..end]);
    }

    /// Returns the uncovered parts of a range.
    pub(crate) fn uncovered(&self, range: &Range<Timestamp>) -> Vec<Range<Timestamp>> {
        let (mut uncovered, mut next) = (Vec::new(), range.start);
        for known in &self.0 {
            if known.end <= next {
                continue;
            }
            if known.start >= range.end {
                break;
            }
            if next < known.start {
                uncovered.push(next..known.start);
            }
            next = known.end;
        }
        if next < range.end {
            uncovered.push(next..range.end);
        }
        uncovered
    }

    /// Removes a range.
    pub(crate) fn remove(&mut self, range: &Range<Timestamp>) {
        let rest =
            |known: &Range<Timestamp>| [known.start..known.end.min(range.start), known.start.max(range.end)..known.end];
        *self = self.0.iter().flat_map(rest).collect();
    }

    /// Returns the parts of all ranges that are before a time.
    pub(crate) fn until(&self, end: Timestamp) -> Self {
        self.0.iter().map(|known| known.start..known.end.min(end)).collect()
    }

    /// Returns the parts of all ranges that are in another range.
    pub(crate) fn within(&self, range: &Range<Timestamp>) -> Self {
        self.0.iter().map(|known| known.start.max(range.start)..known.end.min(range.end)).collect()
    }

    /// Returns the number of intervals of this length in all ranges.
    pub(crate) fn steps(&self, step: Duration) -> u64 {
        self.0.iter().map(|range| steps(range, step) as u64).sum()
    }

    /// Adds all ranges of `other`.
    pub(crate) fn extend(&mut self, other: &Self) {
        other.0.iter().for_each(|range| self.add(range.clone()));
    }

    /// Returns the ranges in order of time.
    pub(crate) fn ranges(&self) -> &[Range<Timestamp>] {
        &self.0
    }
}

/// Returns the number of intervals in a range, rounded up.
pub(crate) fn steps(range: &Range<Timestamp>, step: Duration) -> usize {
    if range.end <= range.start {
        return 0;
    }
    usize::try_from((range.end - range.start).as_nanos().div_ceil(step.as_nanos().max(1))).unwrap_or(usize::MAX)
}

impl From<Vec<(Timestamp, Timestamp)>> for TimeRanges {
    fn from(ranges: Vec<(Timestamp, Timestamp)>) -> Self {
        ranges.into_iter().map(|(start, end)| start..end).collect()
    }
}

impl From<TimeRanges> for Vec<(Timestamp, Timestamp)> {
    fn from(ranges: TimeRanges) -> Self {
        ranges.0.into_iter().map(|range| (range.start, range.end)).collect()
    }
}

impl FromIterator<Range<Timestamp>> for TimeRanges {
    fn from_iter<I: IntoIterator<Item = Range<Timestamp>>>(ranges: I) -> Self {
        let mut all = Self::default();
        ranges.into_iter().for_each(|range| all.add(range));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Seconds<'t> = &'t [(i64, i64)];

    fn check(known: Seconds<'_>, ranges: Seconds<'_>, uncovered: Seconds<'_>) {
        let range = |(from, to): &(i64, i64)| Timestamp::from_unix_seconds(*from)..Timestamp::from_unix_seconds(*to);
        let coverage: TimeRanges = known.iter().map(range).collect();
        let expected = |ranges: Seconds<'_>| ranges.iter().map(range).collect::<Vec<_>>();
        assert_eq!(coverage.ranges(), expected(ranges), "{known:?}");
        assert_eq!(coverage.uncovered(&range(&(0, 100))), expected(uncovered), "{known:?}");
    }

    #[test]
    fn removed_range_is_no_longer_covered() {
        let range = |from: i64, to: i64| Timestamp::from_unix_seconds(from)..Timestamp::from_unix_seconds(to);
        let all: TimeRanges = [range(0, 10), range(20, 30)].into_iter().collect();
        let mut rest = all.clone();
        rest.remove(&range(5, 25));
        assert_eq!(rest.ranges(), [range(0, 5), range(25, 30)]);
        rest.extend(&all);
        assert_eq!(
            (rest.clone(), rest.until(Timestamp::from_unix_seconds(22)).ranges()),
            (all, &[range(0, 10), range(20, 22)][..])
        );
    }

    #[test]
    fn overlapping_ranges_are_merged_and_the_rest_is_uncovered() {
        check(&[], &[], &[(0, 100)]);
        check(&[(0, 100)], &[(0, 100)], &[]);
        check(&[(20, 30), (50, 60)], &[(20, 30), (50, 60)], &[(0, 20), (30, 50), (60, 100)]);
        check(&[(50, 60), (20, 30), (30, 50)], &[(20, 60)], &[(0, 20), (60, 100)]);
        check(&[(10, 50), (20, 30), (40, 70)], &[(10, 70)], &[(0, 10), (70, 100)]);
        check(&[(-9, 5), (95, 200), (7, 7)], &[(-9, 5), (95, 200)], &[(5, 95)]);
        check(&[(-9, 200)], &[(-9, 200)], &[]);
        check(&[(-9, -5), (200, 300)], &[(-9, -5), (200, 300)], &[(0, 100)]);
    }
}
