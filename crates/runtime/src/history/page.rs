//! The pages of a history: records, and a report on them.
//!
//! Missing records, invalid records and failed pages are data here, not errors.

use std::fmt;
use std::ops::Range;

use super::account::Account;
use super::checkpoint::Checkpoint;
use super::time_grid::Gap;
use crate::decode::{self, BadRecord, Column, Item};
use crate::error::Error;
use crate::send::{PageMetadata, slice_of_records};
use crate::values::Timestamp;

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

/// The report of a history: gaps, failed pages, invalid records, the account of all records, and metadata.
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
    /// Records that could not be decoded, if the request skips bad records: those in the range, and those without a
    /// time. The step of a bad record is not part of a gap.
    pub bad_records: Vec<BadRecord>,
    /// What became of the received records, and of the steps of the range.
    pub account: Account,
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
        self.account.add(&next.account);
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
