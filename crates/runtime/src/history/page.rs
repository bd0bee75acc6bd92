//! The pages of a history: records, and a report on them.
//!
//! A page is made from a window and the positions of its records in the response. In this module, missing records,
//! dropped records and failed pages are data, not errors.
//!
//! The records of a window are sorted by time, with one record per time unless they are events; other records are
//! dropped. `pager` decides whether the response is accepted.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::time::Duration;

use super::checkpoint::Checkpoint;
use super::time_grid::{Gap, Span, TimeGrid};
use crate::decode::{self, BadRecord, Column, Item};
use crate::error::Error;
use crate::send::{PageMetadata, TimedRecords, slice_of_records};
use crate::values::Timestamp;

/// The records of one response, without their static type.
pub(super) type Batch = Box<dyn Any + Send>;

/// The records of one window of time.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Page<T> {
    /// The window.
    pub range: Range<Timestamp>,
    /// The records, in order of time.
    pub records: Vec<T>,
    /// The time of each record.
    pub times: Vec<Timestamp>,
    /// Gaps, failed pages, bad records and metadata.
    pub report: Report,
    /// The position after this page, from which another run can continue.
    pub checkpoint: Checkpoint,
}

/// The report of a history: gaps, failed pages, dropped records, and metadata.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Parts of the range for which the service has no records, although there should be one record per step. They can
    /// be at the beginning or the end of the range. A gap is reported once its end is known.
    pub gaps: Vec<Gap>,
    /// Pages that kept failing, if the history [continues after them](super::History::skip_failed_pages), and the end of
    /// the range if it is unknown which of its intervals have ended: the clock of the machine was behind the `Date` of
    /// a response, and no other response agreed with that `Date`.
    pub failed_pages: Vec<FailedPage>,
    /// Records that could not be decoded, if the request skips bad records. The step of a bad record is also part of a
    /// gap, unless another record has the same step.
    pub bad_records: Vec<BadRecord>,
    /// The number of received records that are not part of the result.
    pub dropped: Dropped,
    /// Searches for the first record of a range that begins with empty pages.
    pub searches: Vec<FirstRecordSearch>,
    /// The metadata of the responses, each with the part of the range to which it applies.
    pub metadata: Vec<PageMetadata>,
}

/// A search for the first record. Only a few pages of `range` were requested, and all of them were empty.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FirstRecordSearch {
    /// The range without records, which ends where the data is assumed to begin.
    pub range: Range<Timestamp>,
    /// The pages that the search requested. All of them are without records, except that pages after `range` may have
    /// some.
    pub requested: Vec<Range<Timestamp>>,
}

/// A page that kept failing.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FailedPage {
    /// The window.
    pub range: Range<Timestamp>,
    /// The error of the last attempt.
    pub error: Error,
}

/// All records of a range.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HistoryData<T> {
    /// The records, in order of time.
    pub records: Vec<T>,
    /// The time of each record.
    pub times: Vec<Timestamp>,
    /// Gaps, failed pages, bad records and metadata.
    pub report: Report,
    /// The position after the last page; `None` before the first page.
    pub checkpoint: Option<Checkpoint>,
}

slice_of_records!(HistoryData<T>);

/// The error that ended a history, with the records fetched before the error. The operator `?` converts it to an
/// [`Error`].
pub struct CollectError<T> {
    /// The error of the page that failed.
    pub error: Error,
    /// The data of the pages before the error. A run that [resumes](super::History::resume) from this data's checkpoint
    /// returns the rest.
    pub partial: Box<HistoryData<T>>,
}

impl<T> From<CollectError<T>> for Error {
    fn from(failed: CollectError<T>) -> Self {
        failed.error
    }
}

impl<T> fmt::Debug for CollectError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.error, f)
    }
}

impl<T> fmt::Display for CollectError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {} records were fetched before this error", self.error, self.partial.records.len())
    }
}

impl<T> std::error::Error for CollectError<T> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error.source()
    }
}

impl Report {
    /// Returns whether every step of the range has a record, and the service supported all requested values.
    pub fn is_complete(&self) -> bool {
        let has_records = self.gaps.is_empty() && self.failed_pages.is_empty() && self.bad_records.is_empty();
        has_records && self.metadata.iter().all(|metadata| metadata.unsupported.is_empty())
    }

    /// Adds the report of the next page.
    pub(super) fn add(&mut self, mut next: Self) {
        self.gaps.append(&mut next.gaps);
        self.failed_pages.append(&mut next.failed_pages);
        self.bad_records.append(&mut next.bad_records);
        self.searches.append(&mut next.searches);
        self.dropped.out_of_range += next.dropped.out_of_range;
        self.dropped.duplicate += next.dropped.duplicate;
        self.dropped.missing_time += next.dropped.missing_time;
        for metadata in next.metadata {
            match self.metadata.last_mut() {
                Some(last) if last.is_the_same(&metadata) && last.range.end == metadata.range.start => {
                    last.range.end = metadata.range.end;
                }
                _ => self.metadata.push(metadata),
            }
        }
    }
}

impl<T> Default for HistoryData<T> {
    fn default() -> Self {
        Self { records: Vec::new(), times: Vec::new(), report: Report::default(), checkpoint: None }
    }
}

impl<T> HistoryData<T> {
    pub(super) fn add(&mut self, mut page: Page<T>) {
        self.records.append(&mut page.records);
        self.times.append(&mut page.times);
        self.report.add(page.report);
        self.checkpoint = Some(page.checkpoint);
    }
}

impl<T: Item> HistoryData<T> {
    /// Returns one field of all records, by its wire name; `None` if the records have no such field.
    pub fn column(&self, wire_name: &str) -> Option<Column<'_>> {
        self.columns().into_iter().find(|column| column.name == wire_name)
    }

    /// Returns one column for each field, with the values of all records.
    pub fn columns(&self) -> Vec<Column<'_>> {
        decode::columns(T::INFO, &self.records)
    }
}

/// The records of a response in their original order, and a time that the service had reached when it created the
/// response.
pub(super) type Received<R> = (TimedRecords<R>, Timestamp);

/// The records of a window, by their positions in the response.
#[derive(Debug)]
pub(super) struct PageResponse<R> {
    /// The records in order of time: the time, and the index in `records`. Only events can have equal times.
    pub(super) sorted: Vec<(Timestamp, usize)>,
    /// `None` for a window without a response.
    pub(super) records: Option<R>,
    /// The steps that overlap the window and have no record.
    pub(super) missing: Vec<Span>,
    /// The total number of records received.
    pub(super) received: usize,
    /// Whether there were records before the window, and after it.
    pub(super) beyond: [bool; 2],
    /// A time that the service had reached when it created the response.
    pub(super) reached: Timestamp,
    /// The report on the response, without gaps.
    pub(super) report: Report,
}

/// The number of received records that are not part of the result, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dropped {
    /// Records with a time outside of the requested window.
    pub out_of_range: u64,
    /// Records with the same time as an earlier record of the response.
    pub duplicate: u64,
    /// Records whose time is missing or cannot be read.
    pub missing_time: u64,
}

impl Dropped {
    /// Returns whether no record was dropped.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

impl<R> PageResponse<R> {
    /// Creates the result for a window without a response.
    pub(super) fn none(report: Report) -> Self {
        let (sorted, missing) = (Vec::new(), Vec::new());
        Self { sorted, records: None, missing, received: 0, beyond: [false; 2], reached: Timestamp::MAX, report }
    }

    /// Selects the part of a response that belongs to its window, which was requested with a margin on both sides.
    pub(super) fn new(grid: TimeGrid, window: Span, margin: Duration, (series, reached): Received<R>) -> Self {
        let TimedRecords { times, records, bad, metadata } = series;
        let received = times.len() + bad.len();
        let mut dropped = Dropped::default();
        let mut sorted = Vec::with_capacity(times.len());
        let beyond = [|time, window: Span| time < window.from, |time, window: Span| time >= window.to]
            .map(|is_beyond: fn(_, _) -> bool| times.iter().flatten().any(|time| is_beyond(*time, window)));
        for (index, time) in times.into_iter().enumerate() {
            match time {
                None => dropped.missing_time += 1,
                Some(time) if time < window.from - margin || window.to + margin < time => dropped.out_of_range += 1,
                // A record in the margin is expected, and belongs to another window.
                Some(time) if !window.contains(time) => {}
                Some(time) => sorted.push((time, index)),
            }
        }
        sorted.sort_unstable();
        let mut missing = Vec::new();
        if grid.has_steps() {
            // Two records with the same time are sorted by their index, so `dedup_by_key` drops the second.
            let all = sorted.len();
            sorted.dedup_by_key(|(time, _)| *time);
            dropped.duplicate += u64::try_from(all - sorted.len()).unwrap_or(u64::MAX);
            missing = grid.missing(window, sorted.iter().map(|(time, _)| *time));
        }
        let report = Report { bad_records: bad, dropped, metadata: Vec::from_iter(metadata), ..Report::default() };
        Self { sorted, records: Some(records), missing, received, beyond, reached, report }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }
}

#[cfg(test)]
mod page_response_tests {
    use super::*;

    /// Times with positions, the numbers of dropped records, and the missing steps.
    type Checked = (Vec<(i64, usize)>, [u64; 3], Vec<(i64, i64)>);

    fn check(times: &[Option<i64>]) -> Checked {
        let grid = TimeGrid::new(Duration::from_secs(10)).unwrap();
        let window = Span { from: 100.into(), to: 140.into() };
        let times = times.iter().map(|time| time.map(Timestamp::from)).collect();
        let series = TimedRecords { times, records: (), bad: Vec::new(), metadata: None };
        let response = PageResponse::new(grid, window, Duration::from_secs(1), (series, window.to));
        let sorted = response.sorted.iter().map(|(time, index)| (time.unix_seconds(), *index)).collect();
        let Dropped { out_of_range, duplicate, missing_time } = response.report.dropped;
        let missing = response.missing.iter().map(|gap| (gap.from.unix_seconds(), gap.to.unix_seconds())).collect();
        (sorted, [out_of_range, duplicate, missing_time], missing)
    }

    #[test]
    fn records_outside_of_the_window_are_dropped() {
        let some = |times: &[i64]| times.iter().copied().map(Some).collect::<Vec<_>>();
        let whole = vec![(100, 0), (110, 1), (120, 2), (130, 3)];
        assert_eq!(check(&some(&[100, 110, 120, 130])), (whole, [0, 0, 0], vec![]));
        let newest_first = vec![(100, 3), (110, 2), (120, 1), (130, 0)];
        assert_eq!(check(&some(&[130, 120, 110, 100])), (newest_first, [0, 0, 0], vec![]));
        let strange = [Some(90), Some(99), Some(110), None, Some(110), Some(141), Some(142)];
        assert_eq!(check(&strange), (vec![(110, 2)], [2, 1, 1], vec![(100, 110), (120, 140)]));
        assert_eq!(check(&[]), (vec![], [0, 0, 0], vec![(100, 140)]));
    }

    #[test]
    fn dropped_counts_are_summed() {
        let some = Dropped { out_of_range: 1, duplicate: 2, missing_time: 3 };
        let mut report = Report::default();
        for (added, sum) in [(Dropped::default(), [0, 0, 0]), (some, [1, 2, 3]), (some, [2, 4, 6])] {
            report.add(Report { dropped: added, ..Report::default() });
            let [out_of_range, duplicate, missing_time] = sum;
            assert_eq!(report.dropped, Dropped { out_of_range, duplicate, missing_time });
            assert_eq!(report.dropped.is_empty(), sum == [0, 0, 0]);
        }
    }
}
