//! Shows the progress, the problems and the outcome of a backfill, and chooses the exit code.

use std::collections::{BTreeMap, BTreeSet};

use dataset::{BackfillEvent, SeriesReport, Summary};
use runtime::history::{FailedPage, Progress};
use runtime::{ErrorKind, history};

use crate::cause_of_stop::cause_of_stop;
use crate::failure::{brief, without_system_numbers};
use crate::file_notes::Note;
use crate::job_settings::JobSettings;
use crate::log::Log;
use crate::progress::Bar;
use crate::series_outcome::SeriesOutcome;
use crate::trouble;

mod end_of_run;

/// A page of a series that could not be fetched.
struct FailedRequest {
    /// The index of the series.
    series: usize,
    page: FailedPage,
}

/// Receives the progress of a run.
type ProgressListener = Box<dyn FnMut(&Progress) + Send>;

/// Shows the events of a run.
pub(crate) struct Reporter {
    log: Log,
    pub(crate) bar: Bar,
    labels: Vec<String>,
    failed_requests: Vec<FailedRequest>,
    /// By the index of the series, the names of members of responses without records that are not in the catalogue.
    others: BTreeMap<usize, BTreeSet<String>>,
    /// The notes about the files of the run.
    pub(crate) notes: BTreeSet<Note>,
    /// `true` if the run requests all missing records again.
    pub(crate) refetches_gaps: bool,
    /// `true` if a series without a record is no failure.
    pub(crate) accepts_empty: bool,
    /// Whether the progress is printed if no bar is drawn.
    pub(crate) progress_log: Log,
    /// Receives the progress too.
    pub(crate) on_progress: Option<ProgressListener>,
}

impl Reporter {
    pub(crate) fn new(log: Log, bar: Bar, labels: Vec<String>) -> Self {
        Self {
            log,
            bar,
            labels,
            failed_requests: Vec::new(),
            others: BTreeMap::new(),
            notes: BTreeSet::new(),
            refetches_gaps: false,
            accepts_empty: false,
            progress_log: log,
            on_progress: None,
        }
    }

    /// A JSON object for each series: what a run has changed, the gaps that remain, and an error, by default that of the
    /// entire run.
    pub(crate) fn json_lines(
        &self,
        settings: &JobSettings,
        summary: &Summary,
        of_run: Option<&dataset::Error>,
    ) -> String {
        let mut lines = String::new();
        for (index, outcome) in self.outcomes(settings, &summary.series).iter().enumerate() {
            let error = self.error_of(index, summary, of_run);
            let object = outcome.object(&self.notes, &summary.lost_rows, error.as_deref(), summary.is_complete);
            lines.push_str(&format!("{object}\n"));
        }
        lines
    }

    /// The error of a series: that of the series itself, of its first failed page, or of the entire run, or that the run
    /// was stopped before it had fetched the series.
    fn error_of(&self, index: usize, summary: &Summary, of_run: Option<&dataset::Error>) -> Option<String> {
        for (failed, error) in &summary.failed {
            if *failed == index {
                return Some(error.to_string());
            }
        }
        for failed in &self.failed_requests {
            if failed.series == index {
                return Some(brief(&failed.page.error));
            }
        }
        if let Some(error) = of_run {
            return Some(without_system_numbers(error.to_string()));
        }
        let cause = cause_of_stop(summary)?;
        let is_unfetched = summary.series.get(index).is_some_and(|report| report.unfetched > 0);
        is_unfetched.then(|| format!("{cause}; not all records were fetched"))
    }

    /// What became of each series.
    fn outcomes<'r>(&'r self, settings: &'r JobSettings, reports: &'r [SeriesReport]) -> Vec<SeriesOutcome<'r>> {
        let mut outcomes = Vec::new();
        for (index, report) in reports.iter().enumerate() {
            let (Some(label), Some(series)) = (self.labels.get(index), settings.series.get(index)) else { break };
            let range = settings.range(series, report.interval);
            outcomes.push(SeriesOutcome { label, series, range, report, others: self.others.get(&index) });
        }
        outcomes
    }

    /// Shows the progress of all series whose records are printed.
    pub(crate) fn progress(&mut self, progress: &Progress, log: Log) {
        self.bar.progress(progress, log);
    }

    /// Keeps the failed pages of a series for the end of the run, and what responses have instead of records.
    pub(crate) fn report(&mut self, series: usize, report: &history::Report) {
        if report.account.received() == 0 {
            for (name, _) in report.metadata.iter().flat_map(|metadata| metadata.unknown_fields.iter_raw()) {
                self.others.entry(series).or_default().insert(name.into_owned());
            }
        }
        for page in &report.failed_pages {
            self.failed_requests.push(FailedRequest { series, page: page.clone() });
        }
    }

    pub(crate) fn event(&mut self, event: &BackfillEvent) {
        match event {
            BackfillEvent::Progress { progress, .. } => {
                self.bar.progress(progress, self.progress_log);
                if let Some(on_progress) = &mut self.on_progress {
                    on_progress(progress);
                }
            }
            BackfillEvent::Report { series, report, .. } => self.report(*series, report),
            BackfillEvent::Trouble { elapsed, status, kind, .. } => {
                let last = status.ok_or(kind.unwrap_or(ErrorKind::Shutdown));
                self.bar.warning(self.log, &trouble::failing(last, *elapsed));
            }
            BackfillEvent::Recovered { elapsed, .. } => self.bar.warning(self.log, &trouble::recovered(*elapsed)),
            BackfillEvent::Repaired { repairs, .. } => {
                for repair in repairs {
                    self.bar.warning(self.log, repair);
                }
            }
            _ => {}
        }
    }
}
