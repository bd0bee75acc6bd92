//! The ranges of a run that are not being fetched yet.
//!
//! The input is a plan. The output is ranges in an order in which each file is written only a few times, and that need no
//! more requests than the plan.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::iter::Peekable;
use std::ops::Range;

use runtime::Timestamp;

use super::plan::{BackfillPlan, PageGrid};
use crate::partition::{Partition, period};

/// A range of a series that is requested.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SeriesRange {
    pub(super) series: usize,
    pub(super) range: Range<Timestamp>,
    /// The steps of this range that the account counts as failed, because an earlier request has failed.
    pub(super) failed_steps: u64,
}

impl SeriesRange {
    pub(super) fn new(series: usize, range: Range<Timestamp>) -> Self {
        Self { series, range, failed_steps: 0 }
    }
}

/// The ranges of a run that are not being fetched yet.
pub(super) struct PendingRanges {
    planned: Peekable<PartsByPeriod>,
    /// Ranges that are requested again.
    again: VecDeque<SeriesRange>,
    /// The number of requests of all of these ranges.
    pub(super) requests: u64,
    /// The planned end of each series.
    ends: Vec<Timestamp>,
    /// The end of the range of each series.
    asked_ends: Vec<Timestamp>,
}

/// A planned range, and the pages in which it is requested.
struct PlannedRange {
    series: usize,
    range: Range<Timestamp>,
    pages: Option<PageGrid>,
}

impl PendingRanges {
    /// The planned ranges, the longest first. `divided_by` is the shortest partition of the files if the journal
    /// cannot contain all rows of the run. The ranges are then divided, and ordered by the periods of that partition.
    pub(super) fn new(plan: &BackfillPlan, divided_by: Option<Partition>, asked_ends: Vec<Timestamp>) -> Self {
        let mut all: Vec<PlannedRange> = Vec::new();
        for (index, series) in plan.series.iter().enumerate() {
            for ranges in [&series.unsettled, &series.gaps, &series.probes] {
                for range in ranges {
                    all.push(PlannedRange { series: index, range: range.clone(), pages: series.pages });
                }
            }
        }
        all.sort_by_key(|planned| Reverse(planned.range.end - planned.range.start));
        Self {
            planned: PartsByPeriod::new(all, divided_by).peekable(),
            again: VecDeque::new(),
            requests: plan.requests(),
            ends: plan.series.iter().map(|series| series.range.end).collect(),
            asked_ends,
        }
    }

    pub(super) fn has_next(&mut self) -> bool {
        self.planned.peek().is_some() || !self.again.is_empty()
    }

    /// Removes and returns the next range.
    ///
    /// A planned range ends at the present. If the clock of this machine is behind, the service has more records, so
    /// the range is requested up to the end that was asked for, and the history ends at the present of the service.
    pub(super) fn pop(&mut self) -> Option<SeriesRange> {
        let mut next = self.planned.next().or_else(|| self.again.pop_front())?;
        let is_last = self.ends.get(next.series) == Some(&next.range.end);
        if let Some(end) = self.asked_ends.get(next.series).filter(|_| is_last) {
            next.range.end = next.range.end.max(*end);
        }
        Some(next)
    }

    /// Adds a range that is requested again, with this number of requests.
    pub(super) fn push(&mut self, range: SeriesRange, requests: u64) {
        self.again.push_back(range);
        self.requests += requests;
    }
}

/// The parts of planned ranges, ordered by the period in which each part begins.
struct PartsByPeriod {
    all: Vec<PlannedRange>,
    partition: Option<Partition>,
    /// The next period; `None` after the last one.
    next: Option<Range<Timestamp>>,
    /// The parts of the period before the next one that are left.
    left: VecDeque<SeriesRange>,
}

impl PartsByPeriod {
    fn new(all: Vec<PlannedRange>, partition: Option<Partition>) -> Self {
        let start = all.iter().map(|planned| planned.range.start).min();
        let next = start.map(|start| period(partition, start));
        Self { all, partition, next, left: VecDeque::new() }
    }

    /// Adds the parts that begin in the next period. Returns whether there was one.
    fn add_period(&mut self) -> bool {
        let Some(current) = self.next.take() else { return false };
        for planned in &self.all {
            let part = planned.part(&current);
            if part.start < part.end {
                self.left.push_back(SeriesRange::new(planned.series, part));
            }
        }
        if self.all.iter().any(|planned| current.end < planned.range.end) {
            self.next = Some(period(self.partition, current.end));
        }
        true
    }
}

impl Iterator for PartsByPeriod {
    type Item = SeriesRange;

    fn next(&mut self) -> Option<SeriesRange> {
        while self.left.is_empty() && self.add_period() {}
        self.left.pop_front()
    }
}

impl PlannedRange {
    /// The pages that begin in a period. A page may extend beyond the period, because every additional cut would
    /// be an additional request, and requests take longer than writing a file once more.
    fn part(&self, period: &Range<Timestamp>) -> Range<Timestamp> {
        self.page_at(period.start)..self.page_at(period.end)
    }

    /// The start of the first page at or after a time, or the end of the range.
    fn page_at(&self, time: Timestamp) -> Timestamp {
        let Range { start, end } = self.range;
        if time <= start {
            return start;
        }
        match self.pages {
            Some(pages) => pages.page_at(start, time).min(end),
            None => end,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn hours(from: i64, to: i64) -> Range<Timestamp> {
        Timestamp::from_unix_seconds(from * 3600)..Timestamp::from_unix_seconds(to * 3600)
    }

    fn parts(range: Range<Timestamp>, page: Option<usize>) -> Vec<Range<Timestamp>> {
        let pages = page.map(|steps| PageGrid { interval: HOUR.into(), steps });
        let all = vec![PlannedRange { series: 0, range, pages }];
        PartsByPeriod::new(all, Some(Partition::Day)).map(|part| part.range).collect()
    }

    #[test]
    fn ranges_are_divided_only_between_full_pages() {
        for (from, to, page, expected) in [
            (0, 96, Some(10), vec![(0, 30), (30, 50), (50, 80), (80, 96)]),
            (0, 96, Some(24), vec![(0, 24), (24, 48), (48, 72), (72, 96)]),
            (7, 90, Some(30), vec![(7, 37), (37, 67), (67, 90)]),
            (0, 768, Some(1000), vec![(0, 768)]),
            (0, 96, None, vec![(0, 96)]),
            (5, 6, Some(1), vec![(5, 6)]),
        ] {
            let expected: Vec<_> = expected.into_iter().map(|(from, to)| hours(from, to)).collect();
            assert_eq!(parts(hours(from, to), page), expected, "{from} {to} {page:?}");
        }
    }

    #[test]
    fn pages_of_a_range_within_an_interval_begin_with_its_interval() {
        let late = Duration::from_secs(600);
        let Range { start, end } = hours(0, 40);
        let expected = [start + late..hours(0, 30).end, hours(30, 40)];
        assert_eq!(parts(start + late..end, Some(30)), expected);
    }
}
