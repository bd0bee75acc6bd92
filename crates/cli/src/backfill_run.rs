//! A backfill to files: its plan, its run, and what both print.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use dataset::{Backfill as Job, BackfillPlan, SeriesReport, SeriesRequest, Summary, Target, quoted};
use runtime::Timestamp;

use crate::failure::{ExitKind, Failure, Result};
use crate::file_notes::notes;
use crate::future_records::{check_clock, check_service_time};
use crate::job_settings::JobSettings;
use crate::log::Log;
use crate::marks;
use crate::metrics_file::Metrics;
use crate::plan_report::{announced, page_size, planned};
use crate::progress::{Bar, fitting, listed};
use crate::reporter::Reporter;
use crate::requested_series::{RequestedSeries, labels};
use crate::series_label::label_of;
use crate::stdout;

/// A backfill that writes files.
pub(crate) struct FileRun<'r> {
    settings: &'r JobSettings,
    pub(crate) job: Job,
    target: Target,
    labels: Vec<String>,
    log: Log,
}

/// The plan of a run.
pub(crate) struct PlannedRun {
    pub(crate) plan: BackfillPlan,
    /// `true` if the plan has shown that the clock is wrong.
    is_clock_noted: bool,
}

/// What a run has done.
pub(crate) struct EndedRun {
    /// A JSON object for each series.
    pub(crate) json_lines: String,
    pub(crate) outcome: Result<()>,
}

impl<'r> FileRun<'r> {
    pub(crate) fn new(settings: &'r JobSettings, job: Job, target: Target, log: Log) -> Self {
        Self { settings, job, target, labels: labels(&settings.series), log }
    }

    /// Plans the run, and prints its size.
    pub(crate) async fn plan(&self) -> Result<PlannedRun, dataset::Error> {
        let plan = self.job.plan().await?;
        self.log.remark(&fitting(&announced(&plan)));
        for message in plan.outgrown.iter().chain(&plan.strays) {
            self.log.warning(message);
        }
        let newest = plan.series.iter().map(|series| self.newest(series.last, series.end));
        let is_clock_noted = check_clock(newest, self.log);
        Ok(PlannedRun { plan, is_clock_noted })
    }

    /// Prints the ranges of a plan that is not run.
    pub(crate) fn show(&self, plan: BackfillPlan, as_json: bool) -> Result<()> {
        if let Some(line) = page_size(self.job.series.iter())? {
            self.log.remark(&line);
        }
        let table = planned(&plan, &self.labels);
        if as_json {
            stdout::print(table.json_lines())?;
        } else {
            table.print()?;
        }
        match plan.damaged.into_iter().next() {
            Some(damage) => Err(Failure::new(ExitKind::Incomplete, damage)),
            None => Ok(()),
        }
    }

    /// Fetches and writes the records of the plan, until the future `interrupt` ends.
    pub(crate) async fn run(
        &self,
        planned: PlannedRun,
        metrics: Option<&Metrics>,
        reporter: Reporter,
        interrupt: impl Future<Output = ExitKind>,
    ) -> EndedRun {
        let mut reporter = reporter;
        let is_first = !Path::new(&self.settings.out).exists();
        let signal = OnceLock::new();
        let cancel = async {
            let _ = signal.set(interrupt.await);
        };
        if let (Some(metrics), Some(first)) = (metrics, self.job.series.first()) {
            let series = self.settings.series.iter().map(RequestedSeries::metric_labels);
            metrics.set_job(first.request().rate_limit(), series);
        }
        let left_out = self.left_out(&planned.plan).await;
        let ended = self.job.run(|event| reporter.event(event), cancel).await;
        if let Some(metrics) = metrics {
            note_run(metrics, self.settings, &ended);
        }
        if let Ok(summary) = &ended {
            reporter.notes = notes(&self.settings.out, &self.target, &planned.plan).await;
            for note in &reporter.notes {
                self.log.warning(&note.text);
            }
            if let Some(job) = self.job.name.as_ref().filter(|_| !left_out.is_empty()) {
                self.log.warning(&retired(&left_out, job));
            }
            if !planned.is_clock_noted {
                self.check_clock(summary);
            }
            if is_first && reporter.bar.total.records > 0 {
                self.note_folder_of_rows();
            }
        }
        let json_lines = match &ended {
            Ok(summary) => reporter.json_lines(self.settings, summary, None),
            Err(error) => reporter.json_lines(self.settings, &unchanged(&self.job.series), Some(error)),
        };
        let signal = signal.get().copied().unwrap_or(ExitKind::Interrupted);
        EndedRun { json_lines, outcome: reporter.end(self.settings, ended, signal) }
    }

    /// Notes the folder with the rows of a CSV or JSON Lines file, which the next run needs.
    fn note_folder_of_rows(&self) {
        let is_text = matches!(&self.target, Target::File { format, .. } if *format != dataset::Format::Parquet);
        let rows = PathBuf::from(format!("{}.parts", self.settings.out));
        if is_text && rows.exists() {
            self.log.remark(&format!("keep the folder {}: the next run continues from its rows", quoted(rows)));
        }
    }

    /// The series that were a part of this job until now. The run retires them, unless it has nothing to request and
    /// writes no state.
    async fn left_out(&self, plan: &BackfillPlan) -> Vec<String> {
        let mut left_out = Vec::new();
        let Some(name) = self.job.name.as_ref().filter(|_| plan.requests() > 0) else {
            return left_out;
        };
        // A state that cannot be read is an error of the run.
        let Ok(status) = dataset::status(&self.target).await else {
            return left_out;
        };
        let listed: BTreeSet<&str> = self.job.series.iter().map(SeriesRequest::path).collect();
        for series in status.series {
            if series.is_of_job(name) && !series.is_retired && !listed.contains(series.path.as_str()) {
                left_out.push(label_of(&series));
            }
        }
        left_out
    }

    /// What shows the progress of the run.
    pub(crate) fn reporter(&self, plan: &BackfillPlan) -> Reporter {
        let mut reporter = Reporter::new(self.log, Bar::new(self.log, plan.requests()), self.labels.clone());
        reporter.refetches_gaps = self.job.refetch_gaps;
        reporter.accepts_empty = self.job.allow_empty;
        reporter
    }

    /// A JSON object for each series of a run that could not begin.
    pub(crate) fn not_begun(&self, error: &dataset::Error) -> String {
        let reporter = Reporter::new(self.log, Bar::new(self.log, 0), self.labels.clone());
        reporter.json_lines(self.settings, &unchanged(&self.job.series), Some(error))
    }

    /// Warns if the clock of this machine is far from the time of the service, or if records are in the future.
    fn check_clock(&self, summary: &Summary) {
        let service_time = self.job.series.first().map(|series| series.request().service_time());
        if service_time.is_some_and(|time| check_service_time(time, self.log)) {
            return;
        }
        let newest = summary.series.iter().map(|series| self.newest(series.last, series.end));
        check_clock(newest, self.log);
    }

    /// The newest record of a series and its end. The interval of a partial record has not ended yet.
    fn newest(&self, last: Option<Timestamp>, end: Option<Timestamp>) -> (Option<Timestamp>, Option<Timestamp>) {
        (last, if self.job.include_partial { last } else { end })
    }
}

/// The warning about series that a run has retired.
fn retired(left_out: &[String], job: &str) -> String {
    let is = if left_out.len() == 1 { "is" } else { "are" };
    let job = quoted(job);
    format!("{} series that {job} no longer lists {is} retired: {}", left_out.len(), listed(left_out))
}

/// Notes the metrics of a run that has ended.
fn note_run(metrics: &Metrics, settings: &JobSettings, ended: &Result<Summary, dataset::Error>) {
    if let Err(dataset::Error::InUse { .. }) = ended {
        metrics.leave();
        return;
    }
    if let Ok(summary) = ended {
        for (series, report) in settings.series.iter().zip(&summary.series) {
            metrics.note_series(series.metric_labels(), report);
        }
    }
    let is_complete = |summary: &Summary| summary.is_complete && !marks::has_new_loss(summary);
    metrics.note_run(ended.as_ref().is_ok_and(is_complete));
}

/// The summary of a run that has changed no series.
pub(crate) fn unchanged(series: &[SeriesRequest]) -> Summary {
    let mut summary = Summary::default();
    for one in series {
        let mut report = SeriesReport::default();
        report.interval = one.interval();
        summary.series.push(report);
    }
    summary
}
