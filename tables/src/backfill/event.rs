//! The events of a backfill, and its summary.

use std::time::Duration;

use runtime::Timestamp;
use runtime::history::{Progress, Report};

use crate::error::Error;
use crate::merge::Changes;
use crate::state::SeriesState;

/// Something that happened in a backfill. A series is named by its position in
/// [`Backfill::series`](super::Backfill::series).
#[derive(Debug)]
#[non_exhaustive]
pub enum BackfillEvent {
    /// The progress of a series, after every page.
    #[non_exhaustive]
    Progress {
        /// The series.
        series: usize,
        /// What this run has done of it and has still to do.
        progress: Progress,
    },
    /// Times without records, invalid records, pages that could not be fetched. The summary has what of it is true at
    /// the end of the run.
    #[non_exhaustive]
    Report {
        /// The series.
        series: usize,
        /// What was found in a window.
        report: Report,
    },
    /// A series, or the rest of it, that could not be fetched. The others continue.
    #[non_exhaustive]
    Failed {
        /// The series.
        series: usize,
        /// Why.
        error: runtime::Error,
    },
    /// The service, or the gate, has stopped responding.
    #[non_exhaustive]
    Trouble {
        /// How long ago the first request without a response was sent.
        elapsed: Duration,
    },
    /// The service responds again.
    #[non_exhaustive]
    Recovered {
        /// How long it did not.
        elapsed: Duration,
    },
    /// A file that is complete.
    #[non_exhaustive]
    File {
        /// Where it is.
        name: String,
        /// How many rows it has.
        rows: u64,
        /// How long it is.
        bytes: u64,
    },
    /// The rows are being merged with the one file.
    #[non_exhaustive]
    Merging {
        /// Which file.
        name: String,
    },
}

/// What a backfill has done.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// Whether every request that was necessary had a usable response, and no series is without a record, unless that
    /// is [allowed](super::Backfill::allow_empty). The service may lack records nevertheless; see
    /// [`SeriesReport::holes`].
    pub is_complete: bool,
    /// Whether it was cancelled.
    pub is_cancelled: bool,
    /// Whether it ended because neither service nor gate responded for two minutes.
    pub is_unreachable: bool,
    /// Records that were not there before this run.
    pub records: u64,
    /// Requests that this run has made.
    pub requests: u64,
    /// How long the run took.
    pub elapsed: Duration,
    /// Files that this run has written.
    pub files: Vec<String>,
    /// Windows that could not be fetched.
    pub failed_pages: u64,
    /// One for each series, in their order.
    pub series: Vec<SeriesReport>,
    /// Series that could not be fetched, or not to their end, each with the reason.
    pub failed: Vec<(usize, Error)>,
}

/// What a run has changed of a series, and the state in which it left it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SeriesReport {
    /// The path that tells the series from others.
    pub path: String,
    /// Records before the first one or after the last one that was there.
    pub added: u64,
    /// Records where there was a hole.
    pub filled: u64,
    /// Records that the service has revised since they were written.
    pub revised: u64,
    /// New or revised records with a value that does not fit its column. It is null there, and its original is among
    /// the unknown fields.
    pub invalid: u64,
    /// Records without a valid time, or that are not readable as records, which were dropped.
    pub dropped: u64,
    /// Steps between the first and the last record that have none.
    pub holes: u64,
    /// The first record of the target.
    pub first: Option<Timestamp>,
    /// The last record of the target.
    pub last: Option<Timestamp>,
}

impl SeriesReport {
    /// Whether the target has never had a record of this series.
    pub fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    pub(super) fn count(&mut self, changes: Changes) {
        self.added += changes.added;
        self.filled += changes.filled;
        self.revised += changes.revised;
        self.invalid += changes.invalid;
    }

    pub(super) fn note(&mut self, state: &SeriesState) {
        (self.holes, self.first, self.last) = (state.holes(), state.first, state.last);
    }
}
