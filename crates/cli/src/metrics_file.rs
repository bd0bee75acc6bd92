//! `--metrics-file`: the figures of a command in the text format of Prometheus.
//!
//! The file is replaced every 15 seconds and at the end, always completely, so a collector such as the textfile collector of
//! `node_exporter` never reads a part of it. What is known of each series and of the last run stays until this run ends or
//! has newer figures. `DATA-SETS.md` of `derivs` lists the names.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use clap::Args;
use dataset::{NewFile, SeriesReport};
use runtime::observer::Event;
use runtime::{Interval, RateLimit, RequestKind, Timestamp};

use crate::earlier_metrics;
use crate::failure::{Failure, Result};
use crate::log::Log;
use crate::metrics_figures::{Figures, SeriesFigures, SeriesLabels};
use crate::metrics_text::prefix;
use crate::notation::option;
use crate::program::program;
use crate::time_arg;

/// The interval at which the file is replaced.
const INTERVAL: Duration = Duration::from_secs(15);

/// The option of the commands that can write metrics.
#[derive(Args, Debug)]
pub(crate) struct MetricsOption {
    /// File to replace every 15 seconds with metrics in the text format of Prometheus
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    metrics_file: Option<PathBuf>,
}

impl MetricsOption {
    /// Begins to write the file. A wrong path is an error before any request.
    pub(crate) fn open(&self, log: Log) -> Result<Option<Metrics>> {
        let Some(path) = &self.metrics_file else { return Ok(None) };
        // The new file is deleted, so that readers still see the earlier one.
        let created = NewFile::create(path);
        created.map_err(|error| cannot_write(path, error))?;
        let earlier = earlier_metrics::read(path, &prefix(program().name));
        let figures = Figures { earlier, since: Some(Instant::now()), ..Figures::default() };
        let metrics = Metrics { path: path.clone(), figures: Arc::new(Mutex::new(figures)) };
        let regular = metrics.clone();
        let writing = tokio::spawn(async move {
            loop {
                tokio::time::sleep(INTERVAL).await;
                if let Err(failure) = regular.write() {
                    log.warning(&failure.to_string());
                }
            }
        });
        metrics.figures().writing = Some(writing);
        Ok(Some(metrics))
    }
}

/// The figures of a command, and the file that has them.
#[derive(Clone, Debug)]
pub(crate) struct Metrics {
    path: PathBuf,
    figures: Arc<Mutex<Figures>>,
}

impl Metrics {
    fn figures(&self) -> MutexGuard<'_, Figures> {
        self.figures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the rate limit, of which the used share is reported, and the series. Earlier figures of other series are
    /// removed.
    pub(crate) fn set_job(&self, limit: Option<RateLimit>, series: impl Iterator<Item = SeriesLabels>) {
        let labels: BTreeSet<String> = series.map(|series| series.in_braces()).collect();
        let mut figures = self.figures();
        figures.limit = limit;
        figures.earlier.retain(|sample| sample.labels.is_empty() || labels.contains(&sample.labels));
    }

    /// Counts the attempts of requests.
    pub(crate) fn observe(&self, event: &Event) {
        let Event::Attempt { request, outcome, bytes, .. } = event else { return };
        let mut figures = self.figures();
        let endpoint = figures.endpoints.entry(request.to_string()).or_default();
        let outcome = outcome.map_or_else(|_| "failed".to_owned(), |status| status.to_string());
        *endpoint.attempts.entry(outcome).or_default() += 1;
        endpoint.bytes += *bytes as u64;
        if let RequestKind::Data(endpoint) = request {
            figures.recent.push((1, endpoint));
        }
    }

    /// Notes the state of a series after a run.
    pub(crate) fn note_series(&self, series: SeriesLabels, report: &SeriesReport) {
        let newest = report.last;
        let figures = SeriesFigures { newest, missing: report.missing, gaps: report.gaps.len() as u64 };
        self.figures().series.insert(series, figures);
    }

    /// Notes new records of a series, the time of the newest, and the gaps before them.
    pub(crate) fn note_records(
        &self,
        series: SeriesLabels,
        newest: Option<Timestamp>,
        gaps: &[Range<Timestamp>],
        interval: Interval,
    ) {
        let mut figures = self.figures();
        let figures = figures.series.entry(series).or_default();
        figures.newest = figures.newest.max(newest);
        figures.gaps += gaps.len() as u64;
        figures.missing += time_arg::steps(gaps, interval);
    }

    /// Notes the end of a run.
    pub(crate) fn note_run(&self, is_complete: bool) {
        self.figures().run = Some((is_complete, Timestamp::now()));
    }

    /// Leaves the file to another run that writes the same data.
    pub(crate) fn leave(&self) {
        self.figures().is_left = true;
    }

    /// Writes the last file of a command that is one run. A run whose end was not noted has failed before it began.
    pub(crate) fn end(&self) -> Result<()> {
        if self.figures().run.is_none() {
            self.note_run(false);
        }
        self.finish()
    }

    /// Writes the last file.
    pub(crate) fn finish(&self) -> Result<()> {
        if let Some(writing) = self.figures().writing.take() {
            writing.abort();
        }
        self.write()
    }

    /// Replaces the file.
    fn write(&self) -> Result<()> {
        let text = {
            let mut figures = self.figures();
            if figures.is_left {
                return Ok(());
            }
            figures.measure();
            figures.text(program().name)
        };
        let written = dataset::write_file(&self.path, |out| out.write_all(text.as_bytes()));
        written.map_err(|error| cannot_write(&self.path, error))
    }
}

fn cannot_write(path: &Path, error: dataset::Error) -> Failure {
    let has_folder = path.parent().is_none_or(|folder| folder.as_os_str().is_empty() || folder.is_dir());
    let failure = Failure::write(path, error);
    if has_folder {
        return failure;
    }
    failure.help(format!("`{}` needs a file in an existing folder", option("metrics-file")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels() -> SeriesLabels {
        SeriesLabels { endpoint: "market.rates".to_owned(), params: String::new() }
    }

    #[test]
    fn run_that_fails_before_it_begins_is_not_complete() -> std::io::Result<()> {
        let path = std::env::temp_dir().join(format!("metrics-{}.prom", std::process::id()));
        for (noted, value) in [(None, 0), (Some(false), 0), (Some(true), 1)] {
            let metrics = Metrics { path: path.clone(), figures: Arc::default() };
            if let Some(is_complete) = noted {
                metrics.note_run(is_complete);
            }
            assert!(metrics.end().is_ok());
            let text = std::fs::read_to_string(&path)?;
            assert!(text.contains(&format!("_last_run_complete {value}\n")), "{noted:?}: {text}");
            assert!(text.contains("_last_run_timestamp_seconds "), "{noted:?}: {text}");
        }
        std::fs::remove_file(path)
    }

    #[test]
    fn earlier_figures_stay_until_there_are_newer_ones() -> std::io::Result<()> {
        let path = std::env::temp_dir().join(format!("earlier-metrics-{}.prom", std::process::id()));
        let other = SeriesLabels { params: "coin=A".to_owned(), ..labels() };
        let removed = SeriesLabels { params: "coin=B".to_owned(), ..labels() };
        let minute = Duration::from_secs(60);
        let newest = Some(Timestamp::from_unix_seconds(60));
        let first = Metrics { path: path.clone(), figures: Arc::default() };
        for series in [labels(), other.clone(), removed] {
            first.note_records(series, newest, &[], minute.into());
        }
        first.note_run(true);
        assert!(first.end().is_ok());
        let written = || std::fs::read_to_string(&path).unwrap_or_default();
        let option = MetricsOption { metrics_file: Some(path.clone()) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        let _entered = runtime.enter();
        let Ok(Some(second)) = option.open(Log::Quiet) else { panic!("the file cannot be written") };
        assert!(written().contains("coin=B"), "the earlier file is not replaced at once");
        second.set_job(None, [labels(), other].into_iter());
        second.note_records(labels(), Some(Timestamp::from_unix_seconds(120)), &[], minute.into());
        assert!(second.write().is_ok());
        let text = written();
        let program = prefix(program().name);
        for (line, is_there) in [
            ("newest_record_timestamp_seconds{endpoint=\"market.rates\",series=\"\"} 120", true),
            ("newest_record_timestamp_seconds{endpoint=\"market.rates\",series=\"\"} 60", false),
            ("newest_record_timestamp_seconds{endpoint=\"market.rates\",series=\"coin=A\"} 60", true),
            ("newest_record_timestamp_seconds{endpoint=\"market.rates\",series=\"coin=B\"} 60", false),
            ("last_run_complete 1", true),
        ] {
            assert_eq!(text.contains(&format!("{program}_{line}\n")), is_there, "{line}: {text}");
        }
        second.leave();
        second.note_run(false);
        assert!(second.end().is_ok());
        assert_eq!(written(), text, "another run writes the file");
        std::fs::remove_file(path)
    }

    #[test]
    fn records_in_gaps_before_new_records_are_missing() {
        let metrics = Metrics { path: PathBuf::new(), figures: Arc::default() };
        let time = Timestamp::from_unix_seconds;
        let minute = Duration::from_secs(60);
        metrics.note_records(labels(), Some(time(60)), &[], minute.into());
        metrics.note_records(labels(), Some(time(420)), &[time(120)..time(180), time(240)..time(420)], minute.into());
        let text = metrics.figures().text("program");
        for (name, value) in [("missing_records", 4), ("gaps", 2), ("newest_record_timestamp_seconds", 420)] {
            let line = format!("program_{name}{{endpoint=\"market.rates\",series=\"\"}} {value}");
            assert!(text.lines().any(|other| other == line), "{line}: {text}");
        }
    }
}
