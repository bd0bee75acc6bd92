//! A set of times, as ranges.

use std::ops::Range;

use runtime::{Interval, Timestamp};
use serde::{Deserialize, Serialize};

/// Time ranges in order. No two of these ranges overlap or touch, whatever the file lists from which they are read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<(Timestamp, Timestamp)>")]
pub(crate) struct TimeRanges(Vec<(Timestamp, Timestamp)>);

impl TimeRanges {
    /// Adds a range, merged with the ranges that it overlaps or touches.
    pub(crate) fn add(&mut self, range: Range<Timestamp>) {
        if range.end <= range.start {
            return;
        }
        let first = self.0.partition_point(|(_, end)| *end < range.start);
        let last = self.0.partition_point(|(start, _)| *start <= range.end);
        let touched = self.0.get(first..last).unwrap_or_default();
        let start = touched.first().map_or(range.start, |(start, _)| range.start.min(*start));
        let end = touched.last().map_or(range.end, |(_, end)| range.end.max(*end));
        self.0.splice(first..last, [(start, end)]);
    }

    /// Adds all ranges of `other`.
    pub(crate) fn extend(&mut self, other: &Self) {
        other.ranges().for_each(|range| self.add(range));
    }

    /// The times that are not in `other`.
    pub(crate) fn without(&self, other: &Self) -> Self {
        let mut rest = Vec::with_capacity(self.0.len());
        for &(mut next, end) in &self.0 {
            let first = other.0.partition_point(|(_, end)| *end <= next);
            for (start, until) in other.0.get(first..).unwrap_or_default() {
                if *start >= end {
                    break;
                }
                rest.push((next, *start));
                next = *until;
            }
            rest.push((next, end));
        }
        rest.retain(|(start, end)| start < end);
        Self(rest)
    }

    /// The times that are also in `other`.
    pub(crate) fn intersection(&self, other: &Self) -> Self {
        self.without(&self.without(other))
    }

    /// The parts of a range that are not in the set.
    pub(crate) fn uncovered(&self, range: Range<Timestamp>) -> Self {
        Self::from(range).without(self)
    }

    /// The parts of all ranges that are in another range.
    pub(crate) fn within(&self, range: &Range<Timestamp>) -> Self {
        self.ranges().map(|known| known.start.max(range.start)..known.end.min(range.end)).collect()
    }

    /// The parts of all ranges that are before a time.
    pub(crate) fn until(&self, end: Timestamp) -> Self {
        self.within(&(Timestamp::from_unix_seconds(i64::MIN)..end))
    }

    /// The number of intervals in all ranges; without a regular step, the number of ranges.
    pub(crate) fn steps(&self, interval: Interval) -> u64 {
        if !interval.has_steps() {
            return self.0.len() as u64;
        }
        let mut steps = 0_u64;
        for range in self.ranges() {
            steps = steps.saturating_add(interval.count(&range));
        }
        steps
    }

    /// The range from the start of the first range to the end of the last range.
    pub(crate) fn bounds(&self) -> Option<Range<Timestamp>> {
        Some(self.0.first()?.0..self.0.last()?.1)
    }

    /// Returns whether a range contains a time.
    pub(crate) fn contains(&self, time: Timestamp) -> bool {
        let index = self.0.partition_point(|(_, end)| *end <= time);
        self.0.get(index).is_some_and(|(start, _)| *start <= time)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The ranges in order of time.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = Range<Timestamp>> {
        self.0.iter().map(|(start, end)| *start..*end)
    }
}

impl From<Vec<(Timestamp, Timestamp)>> for TimeRanges {
    fn from(ranges: Vec<(Timestamp, Timestamp)>) -> Self {
        ranges.into_iter().map(|(start, end)| start..end).collect()
    }
}

impl From<Range<Timestamp>> for TimeRanges {
    fn from(range: Range<Timestamp>) -> Self {
        std::iter::once(range).collect()
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
        assert_eq!(coverage.ranges().collect::<Vec<_>>(), expected(ranges), "{known:?}");
        let rest = coverage.uncovered(range(&(0, 100)));
        assert_eq!(rest.ranges().collect::<Vec<_>>(), expected(uncovered), "{known:?}");
    }

    #[test]
    fn removed_range_is_no_longer_covered() {
        let range = |from: i64, to: i64| Timestamp::from_unix_seconds(from)..Timestamp::from_unix_seconds(to);
        let all: TimeRanges = [range(0, 10), range(20, 30)].into_iter().collect();
        let mut rest = all.without(&range(5, 25).into());
        assert_eq!(rest, [range(0, 5), range(25, 30)].into_iter().collect());
        rest.extend(&all);
        let until = [range(0, 10), range(20, 22)].into_iter().collect();
        assert_eq!((rest.clone(), rest.until(Timestamp::from_unix_seconds(22))), (all, until));
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
