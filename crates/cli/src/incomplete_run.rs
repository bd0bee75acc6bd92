//! The failure of a run in which requests, or complete series, have failed: its message, its exit code and its advice.

use std::time::Duration;

use crate::failure::{ExitKind, Failure};
use crate::progress::{counted, duration, listed};
use crate::table::readable;

/// The reason why a series, or a page of it, is not complete.
pub(crate) struct Reason {
    /// The index of the series.
    pub(crate) series: usize,
    pub(crate) failure: Failure,
}

/// What a run has fetched, and why the rest is missing.
pub(crate) struct IncompleteRun<'r> {
    /// The names of all series.
    pub(crate) labels: &'r [String],
    /// Number of pages that were fetched, and that failed.
    pub(crate) pages: u64,
    pub(crate) failed_pages: u64,
    /// Why pages have failed, and why complete series have.
    pub(crate) of_pages: Vec<Reason>,
    pub(crate) of_series: Vec<Reason>,
    /// The longest pause that the service has requested of an endpoint, if it is longer than a request waits.
    pub(crate) pause: Option<Duration>,
}

impl IncompleteRun<'_> {
    /// The failure of a run that has printed its records. Nothing was kept, so a further run would not continue this one.
    pub(crate) fn failure_of_stream(self) -> Failure {
        let failure = self.failure();
        let mut first: Option<Reason> = None;
        for reason in self.of_pages.into_iter().chain(self.of_series) {
            if first.as_ref().is_none_or(|first| reason.series < first.series) {
                first = Some(reason);
            }
        }
        match first {
            Some(reason) => failure.because(reason.failure),
            None => failure,
        }
    }

    /// The failure of a run that has written files, which a further run continues.
    pub(crate) fn failure_of_files(self) -> Failure {
        let failure = self.failure();
        // The service would reject the same request again.
        if failure.exit_kind == ExitKind::Rejected && self.failed_pages == 0 {
            return failure;
        }
        let time = self.pause.map(|pause| format!(" again in {}", duration(pause))).unwrap_or_default();
        failure.help(format!("run the same command{time} to fetch the missing records"))
    }

    fn failure(&self) -> Failure {
        let mut are_rejected = true;
        let mut is_of_service = true;
        for reason in self.of_pages.iter().chain(&self.of_series) {
            are_rejected &= reason.failure.exit_kind == ExitKind::Rejected;
            is_of_service &= reason.failure.exit_kind != ExitKind::Incomplete;
        }
        let exit_kind = if are_rejected && (self.pages == 0 || self.of_pages.is_empty()) {
            ExitKind::Rejected
        } else if self.pages == 0 && is_of_service {
            ExitKind::Service
        } else {
            ExitKind::Incomplete
        };
        if !self.of_pages.is_empty() {
            let message = format!("{} failed", counted(self.of_pages.len() as u64, "request"));
            return Failure::new(exit_kind, message);
        }
        let all = self.labels.len();
        let failed = self.of_series.len();
        let names = self.names_of_failed();
        let message = if are_rejected {
            format!("the service rejected {failed} of {all} series{names}")
        } else {
            format!("{failed} of {all} series are incomplete{names}")
        };
        Failure::new(exit_kind, message)
    }

    /// Names the series that have failed; empty if these are all.
    fn names_of_failed(&self) -> String {
        if self.of_series.len() >= self.labels.len() {
            return String::new();
        }
        let mut names = Vec::new();
        for reason in &self.of_series {
            names.push(self.labels[reason.series].clone());
        }
        format!(": {}", readable(&listed(&names)))
    }
}
