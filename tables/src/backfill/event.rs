//! The events of a backfill, and its summary.

use runtime::history::{Findings, Progress};

use crate::error::Error;

/// Something that happened in a backfill. A series is named by its place in
/// [`Backfill::series`](super::Backfill::series).
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
    /// How far a series has come, after every page.
    #[non_exhaustive]
    Progress {
        /// The series.
        series: usize,
        /// What this run has done of it and has still to do.
        progress: Progress,
    },
    /// Times without records, bad records, windows that could not be fetched.
    #[non_exhaustive]
    Findings {
        /// The series.
        series: usize,
        /// What was found in a window.
        findings: Findings,
    },
    /// A series, or the rest of it, that could not be fetched. The others go on.
    #[non_exhaustive]
    Failed {
        /// The series.
        series: usize,
        /// Why.
        error: runtime::Error,
    },
    /// A file that is whole.
    #[non_exhaustive]
    File {
        /// Where it is.
        name: String,
        /// How many rows it has.
        rows: u64,
        /// How long it is.
        bytes: u64,
    },
    /// The parts are being made one file.
    #[non_exhaustive]
    Joining {
        /// Which file.
        name: String,
    },
}

/// What a backfill has done.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// Whether everything that was asked for is there: it was not cancelled, and no window failed.
    pub is_complete: bool,
    /// Whether it was cancelled.
    pub is_cancelled: bool,
    /// Records that this run has written.
    pub records: u64,
    /// Requests that this run has made.
    pub requests: u64,
    /// Files that this run has written and that are still there.
    pub files: Vec<String>,
    /// Windows that could not be fetched.
    pub failed_windows: u64,
    /// Times without records that this run has found, neighbours as one.
    pub gaps: u64,
    /// Records that were left out because they are not as expected.
    pub bad_records: u64,
    /// Series that could not be fetched, or not to their end, each with the reason.
    pub failed: Vec<(usize, Error)>,
}

impl Summary {
    pub(super) fn add(&mut self, findings: &Findings) {
        let count = |length: usize| u64::try_from(length).unwrap_or(u64::MAX);
        self.failed_windows += count(findings.failures.len());
        self.gaps += count(findings.gaps.len());
        self.bad_records += count(findings.bad_records.len());
    }
}
