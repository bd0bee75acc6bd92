//! The report of a series whose records are passed on as they arrive, instead of being written to a target.

use std::ops::Range;

use runtime::history::Page;
use runtime::record::AnyRecord;
use runtime::{Interval, Timestamp};

use super::event::{SeriesReport, has_ignored_range};
use crate::row_facts::RowFacts;
use crate::series::SeriesRequest;
use crate::series_state::skipped_by;
use crate::spacing::usual_spacing;
use crate::time_ranges::TimeRanges;

impl SeriesReport {
    /// Adds a page of the series, whose readable records have these times, in order.
    pub fn add_page(&mut self, page: &Page<AnyRecord>, times: &[Timestamp]) {
        self.account.add(&page.report.account);
        self.note_unsupported(&page.report);
        for failure in &page.report.failed_pages {
            self.unfetched += TimeRanges::from(failure.range.clone()).steps(self.interval);
        }
        self.skipped.extend(skipped_by(&page.report.searches).ranges());
        self.added += times.len() as u64;
        self.first = self.first.or(times.first().copied());
        self.last = times.last().copied().or(self.last);
        for gap in &page.report.gaps {
            // A gap can continue on the next page.
            match self.gaps.last_mut().filter(|last| last.end == gap.range.start) {
                Some(last) => last.end = gap.range.end,
                None => self.gaps.push(gap.range.clone()),
            }
        }
    }

    /// Ends the report of a series after the last page of a range. As in a file, the ends of the range are no gaps, unless
    /// records without a readable time were received for them.
    pub fn end_pages(&mut self, series: &SeriesRequest, range: &Range<Timestamp>) {
        self.end = RowFacts { last: self.last, ..RowFacts::new(series) }.end();
        let mut skipped: TimeRanges = self.skipped.drain(..).collect();
        if let Some(first) = self.first {
            skipped = skipped.until(first);
        }
        self.skipped = skipped.ranges().collect();
        let mut gaps = TimeRanges::default();
        let mut present = TimeRanges::default();
        if let (Some(first), Some(last)) = (self.first, self.last) {
            for gap in &self.gaps {
                if first < gap.start && gap.end <= last {
                    gaps.add(gap.clone());
                }
            }
            let whole = self.interval.start_of(first)..self.interval.end_of(last);
            present = TimeRanges::from(whole).without(&gaps);
        }
        self.spacing = usual_spacing(&present, self.interval);
        let ends = unreadable_ends(&present, &gaps, self.interval, range, self.account.without_time);
        gaps.extend(&ends);
        self.gaps = gaps.ranges().collect();
        self.missing = gaps.steps(self.interval);
        self.ignores_range = has_ignored_range(&self.account);
    }
}

/// The intervals of a range after the last and before the first record, as many as there are received records
/// without a readable time that are not in the gaps between these two. `present` has the intervals with a record.
pub(super) fn unreadable_ends(
    present: &TimeRanges,
    gaps: &TimeRanges,
    interval: Interval,
    range: &Range<Timestamp>,
    without_time: u64,
) -> TimeRanges {
    let mut ends = TimeRanges::default();
    // Without a regular step, it is unknown how long a range a record stands for.
    if !interval.has_steps() {
        return ends;
    }
    let bounds = present.bounds().unwrap_or(range.start..range.start);
    let left = without_time.saturating_sub(gaps.within(range).steps(interval));
    let after = bounds.end.max(range.start);
    ends.add(after..range.end.min(interval.shifted(after, signed(left))));
    let left = left.saturating_sub(ends.steps(interval));
    let before = bounds.start.min(range.end);
    ends.add(range.start.max(interval.shifted(before, -signed(left)))..before);
    ends
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::series_state::sample::{ranges, seconds};

    #[test]
    fn records_without_a_readable_time_are_missing_at_the_ends() {
        let check = |present: &[(i64, i64)], without_time: u64| {
            let present = ranges(present);
            let gaps = present.bounds().map(|bounds| present.uncovered(bounds)).unwrap_or_default();
            let minute = std::time::Duration::from_secs(60).into();
            unreadable_ends(&present, &gaps, minute, &(seconds(0)..seconds(600)), without_time)
        };
        let with_gap = [(120, 240), (300, 480)];
        assert_eq!(check(&with_gap, 1), ranges(&[]), "the gap explains it");
        assert_eq!(check(&with_gap, 2), ranges(&[(480, 540)]));
        assert_eq!(check(&with_gap, 9), ranges(&[(0, 120), (480, 600)]));
        assert_eq!(check(&[], 3), ranges(&[(0, 180)]));
    }
}
