//! `status`: shows the state of a file or a data set that a backfill has written.
//!
//! The output has a row for each series, or is one JSON object. No request is sent.

use std::time::Duration;

use clap::Args;
use dataset::{SeriesStatus, Target, quoted};
use runtime::{Interval, Timestamp};

use crate::failure::{ExitKind, Failure, Result};
use crate::future_records::check_clock;
use crate::log::Log;
use crate::progress::{counted, listed, print_first};
use crate::range_ends::{SeriesEnds, cap, remedy, sentences};
use crate::record_spacing::SpacingCheck;
use crate::series_label::label_of;
use crate::status_check::{StatusCheck, unrequested, without_record, without_step, without_value};
use crate::stored_target::require_series;
use crate::table::readable;
use crate::{marks, status_report, stdout, time_arg};

const DAY: Duration = Duration::from_secs(86_400);

/// The number of series above which the totals are shown first.
const LARGE: usize = 20;

/// Show the records, gaps, damage and age of a file or data set
#[derive(Args, Debug)]
#[command(after_help = "\
    Exit code 6 if a file is damaged or missing, if the service no longer sends a field or rows were lost and nobody has \
    acknowledged that, if the service seems to ignore the requested range, if a part of a series was never fetched and \
    no run is writing the series, if records are not in the file ten minutes later, if the service has rejected a series \
    or does not support a value of it, or, with --max-age, if the last record of a series is older or in the future, or \
    if a series has no record.")]
pub(crate) struct Status {
    /// A file or data set written by `backfill`
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    path: String,
    /// Fail if the last record of a series is older than this, for example 36h, and a newer interval has ended
    #[arg(long, value_name = "AGE", value_parser = time_arg::duration)]
    max_age: Option<Duration>,
    /// Read every row and compare all files with their checksums
    #[arg(long)]
    verify: bool,
    /// Show only the series for which the command fails
    #[arg(long)]
    failed: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Status {
    pub(crate) async fn run(&self, log: Log) -> Result<()> {
        let target = Target::parse(&self.path)?;
        let now = Timestamp::now();
        let status = if self.verify { dataset::verify(&target).await? } else { dataset::status(&target).await? };
        let path = quoted(&self.path);
        if let Some(by) = &status.running {
            log.warning(&format!("{path}: a run is in progress ({by}); its records are not in the files yet"));
        }
        if status.damaged.is_empty() && status.running.is_none() {
            require_series(&status, &self.path)?;
        }
        let check = StatusCheck { path: &self.path, status: &status, max_age: self.max_age, now };
        self.print(&check, log)?;
        for damaged_or_stray in status.damaged.iter().chain(&status.strays) {
            log.warning(damaged_or_stray);
        }
        marks::warn(log, &marks::of_status(&status));
        for warning in [unrequested(&status), without_record(&status), without_value(&status)].into_iter().flatten() {
            log.warning(&format!("{path}: {warning}"));
        }
        note_series(&status, log);
        if status.pending > 0 && !check.is_late() && status.running.is_none() && status.damaged.is_empty() {
            let records = counted(status.pending, "fetched record");
            log.remark(&format!("the next run, or `poll`, adds {records} to the files"));
        }
        check_clock(status.series.iter().map(|series| (series.last, series.end)), log);
        let problems = check.problems();
        if problems.is_empty() {
            return Ok(());
        }
        Err(Failure::new(ExitKind::Incomplete, format!("{path}: {}", problems.join("; "))))
    }

    /// Prints the series, with `--failed` only those for which the command fails.
    fn print(&self, check: &StatusCheck<'_>, log: Log) -> Result<()> {
        let status = check.status;
        let shown: Vec<&SeriesStatus> = if self.failed { check.failed() } else { status.series.iter().collect() };
        if self.json {
            let object = status_report::object(&self.path, status, &shown, check.now);
            return stdout::print(format!("{object}\n"));
        }
        if status.series.is_empty() {
            return Ok(());
        }
        if status.series.len() > LARGE || self.failed {
            log.remark(&check.totals());
        }
        if shown.is_empty() {
            return Ok(());
        }
        status_report::table(&shown, check.now).print()
    }
}

/// Prints what is special about single series: their spacing, labels that have stopped, and where they begin and end.
fn note_series(status: &dataset::Status, log: Log) {
    let mut spacing = SpacingCheck::default();
    for series in &status.series {
        spacing.add_spacing(series.endpoint(), series.interval, series.spacing);
    }
    for warning in spacing.warnings() {
        log.warning(&warning);
    }
    if let Some(line) = without_step(&status.series) {
        log.remark(&line);
    }
    print_first(&stopped(status), "like this", |line| log.remark(line));
    let ends = ends(status);
    print_first(&sentences(&ends), "like this", |line| log.remark(line));
    if let Some(remedy) = remedy(&ends) {
        log.remark(&remedy);
    }
    if let Some(line) = cap(&ends) {
        log.remark(&line);
    }
}

/// A line for each series with labels that have stopped, such as contracts that have expired.
fn stopped(status: &dataset::Status) -> Vec<String> {
    let mut lines = Vec::new();
    for series in status.series.iter().filter(|series| !series.last_seen.is_empty()) {
        let mut labels = Vec::new();
        for (label, last) in &series.last_seen {
            labels.push(readable(&format!("{label} {}", time_arg::shown(*last))));
        }
        lines.push(format!("{}: last seen: {}", label_of(series), listed(&labels)));
    }
    lines
}

/// The interval of the records of a series; without a regular step, their mean distance in the time from the first record
/// to the last.
fn interval_or_mean(series: &SeriesStatus, time: Duration) -> Interval {
    if series.interval.has_steps() {
        return series.interval;
    }
    let distances = u32::try_from(series.rows.saturating_sub(1)).unwrap_or(u32::MAX);
    time.checked_div(distances).unwrap_or(DAY).max(Duration::from_secs(1)).into()
}

/// The ends of all series that have records, except those that are not requested any more.
fn ends(status: &dataset::Status) -> Vec<SeriesEnds<'_>> {
    let now = time_arg::now();
    let mut all = Vec::new();
    for series in status.series.iter().filter(|series| !series.is_retired) {
        if let (Some(asked), Some(first), Some(end)) = (series.asked.clone(), series.first, series.end) {
            let SeriesStatus { first_age, first_moves, .. } = *series;
            let interval = interval_or_mean(series, end - first);
            let skipped = time_arg::steps(&series.skipped, series.interval);
            let spacing = series.spacing.unwrap_or(1);
            let has_step = series.interval.has_steps();
            all.push(SeriesEnds {
                label: &series.path,
                asked,
                now,
                first,
                end,
                interval,
                spacing,
                has_step,
                skipped,
                first_age,
                first_moves,
            });
        }
    }
    all
}
