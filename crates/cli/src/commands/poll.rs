//! `poll`: prints or stores each record when its interval has ended, until Ctrl-C.
//!
//! Records are printed in one stream, or kept in a file or data set. The client waits for records and retries after
//! transient errors. Any other error of a series ends the command, unless the records are kept.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use clap::Args;
use dataset::{BackfillPlan, FollowEvent, Summary, Target, quoted};
use runtime::history::Update;
use runtime::record::AnyRecord;
use runtime::{AnyClient as Client, Error, Timestamp};
use tokio::task::JoinSet;

use crate::cause_of_stop::without_response;
use crate::endpoint_names::time_is_end;
use crate::examples;
use crate::failure::{ExitKind, Failure, Result, brief};
use crate::file_notes::notes;
use crate::followed_fields::FollowedFields;
use crate::future_records::watch_clock;
use crate::ignored_range;
use crate::interrupt::Interrupt;
use crate::log::Log;
use crate::marks;
use crate::metrics_file::{Metrics, MetricsOption};
use crate::new_records::NewRecords;
use crate::pause_warnings::PauseWarnings;
use crate::printer::{Columns, Printer};
use crate::progress::{counted, duration};
use crate::record_columns::SeriesRecords;
use crate::requested_series::{RequestedSeries, labels, plan, request, series_requests};
use crate::run_outcome;
use crate::series_combinations::Requested;
use crate::table::{Format, readable};
use crate::time_arg::{self, Start};
use crate::unsupported_values::{self, reported, sentence_of};
use crate::whole_number;

/// Print or store each new record when its interval has ended, until Ctrl-C
#[derive(Args, Debug)]
#[command(after_help = examples::poll())]
pub(crate) struct Poll {
    /// Start in UTC: 2025-01-31, 2025-01-31T12:00, `now`, or an age such as 90d, whose interval is included
    #[arg(long, value_name = "WHEN", default_value = "now", value_parser = time_arg::start)]
    from: Start,
    /// Stop after this many records of all series together
    #[arg(long, value_name = "NUMBER", value_parser = whole_number::at_least::<1>, allow_negative_numbers = true)]
    records: Option<u64>,
    /// File or data set to keep up to date, instead of printing records
    #[arg(long, short, value_name = "TARGET", value_hint = clap::ValueHint::AnyPath)]
    #[arg(conflicts_with_all = ["records", "format"])]
    out: Option<String>,
    /// With `--out`: interval at which new records are added to the files, for example 5m
    #[arg(long, value_name = "AGE", default_value = "5m", value_parser = time_arg::duration, requires = "out")]
    compact_every: Duration,
    /// Output format; a table on a terminal, else JSON Lines
    #[arg(long, value_enum)]
    format: Option<Format>,
    #[command(flatten)]
    metrics: MetricsOption,
    #[command(flatten)]
    requested: Requested,
}

impl Poll {
    pub(crate) async fn run(&self, log: Log, interrupt: Interrupt) -> Result<()> {
        let series = self.requested.histories(self.from.time, log)?;
        let metrics = self.metrics.open(log)?;
        let ended = self.follow(&series, metrics.as_ref(), log, interrupt).await;
        let Some(metrics) = metrics else {
            return ended;
        };
        if ended.as_ref().is_err_and(Failure::is_error) {
            // The command fetches nothing more, even if its last run was complete.
            metrics.note_run(false);
        }
        ended.and(metrics.finish())
    }

    async fn follow(
        &self,
        series: &[RequestedSeries],
        metrics: Option<&Metrics>,
        log: Log,
        interrupt: Interrupt,
    ) -> Result<()> {
        let connected = &self.requested.connection.open_to_follow(log, metrics.cloned()).await?;
        if let (Some(metrics), Some(first)) = (metrics, series.first()) {
            let labels = series.iter().map(RequestedSeries::metric_labels);
            metrics.set_job(request(&connected.client, first).rate_limit(), labels);
        }
        if let Some(first) = series.first() {
            watch_clock(request(&connected.client, first), log);
        }
        let Some(out) = &self.out else {
            return interrupt.ends(self.print(&connected.client, series, metrics, log)).await;
        };
        let target = Target::parse(out)?;
        let client = &connected.client;
        let requests = series_requests(client, series)?;
        let fields = FollowedFields::new(&requests);
        let job = connected.backfill(requests, self.from, time_arg::OPEN, target.clone());
        let plan = job.plan().await?;
        for stray in &plan.strays {
            log.warning(stray);
        }
        let mut watch = Watch {
            log,
            out,
            series,
            labels: labels(series),
            fields,
            client,
            metrics,
            from: self.from,
            first_run: Some(FirstRun { plan, target }),
            pauses: PauseWarnings::default(),
        };
        let signal = Cell::new(ExitKind::Interrupted);
        let interrupted = async { signal.set(interrupt.happened().await) };
        let ended = job.follow(self.compact_every, |event| watch.event(event), interrupted).await;
        if let (Some(metrics), Err(dataset::Error::InUse { .. })) = (metrics, &ended) {
            metrics.leave();
        }
        ended?;
        Err(Failure::new(signal.get(), ""))
    }

    async fn print(
        &self,
        client: &Client,
        series: &[RequestedSeries],
        metrics: Option<&Metrics>,
        log: Log,
    ) -> Result<()> {
        let format = Format::or_for_reader(self.format, Format::Jsonl);
        let mut printer = Printer::new(client, series, format, Columns::Growing)?;
        let labels = labels(series);
        // Each series waits for its next update in a separate task.
        let mut updates = JoinSet::new();
        note_due(client, series, self.from, "first", log);
        for (index, one) in series.iter().enumerate() {
            let request = request(client, one);
            let interval = plan(&request)?.interval;
            let from = self.from.of(interval);
            let records = if interval.has_steps() {
                NewRecords::followed(request, from)
            } else {
                NewRecords::requested(request, from)
            };
            updates.spawn(next_update(index, records));
        }
        let mut fields = FollowedFields::new(&series_requests(client, series)?);
        let mut unsupported = BTreeSet::new();
        let mut pauses = PauseWarnings::default();
        let mut left = self.records.unwrap_or(u64::MAX);
        while left > 0 {
            let Some(ended) = updates.join_next().await else {
                break;
            };
            let Followed { index, records, update } = ended.map_err(Failure::machine)?;
            if let Err(error) = &update
                && error.is_retryable()
            {
                if !warn_of_pause(log, error, &mut pauses) {
                    log.warning(&format!("{}: {}; still trying", labels[index], brief(error)));
                }
                updates.spawn(next_update(index, records));
                continue;
            }
            let update = update?;
            // The next update is awaited while this update is printed.
            updates.spawn(next_update(index, records));
            note_records(metrics, client, &series[index], &update);
            warn(log, &labels[index], &update, &mut pauses);
            if let Some(page) = update.page() {
                fields.note(index, &labels[index], &page.records, log);
            }
            if let Some(page) = update.page()
                && let Some(line) = sentence_of(&labels[index], reported(&page.records, &page.report))
                && unsupported.insert(line.clone())
            {
                log.warning(&line);
            }
            let (Update::Records(mut page) | Update::Late(mut page)) = update else {
                continue;
            };
            // The last page may have more records than `--records` still allows.
            page.records.truncate(usize::try_from(left).unwrap_or(usize::MAX));
            left -= page.records.len() as u64;
            printer.print(&[SeriesRecords::of_page(index, &series[index], &page.records, &page.times)])?;
        }
        printer.end()?;
        unsupported.pop_first().map_or(Ok(()), |line| Err(unsupported_values::failure(line)))
    }
}

/// The followed records of a series, with their next update.
struct Followed {
    index: usize,
    records: NewRecords,
    update: Result<Update<AnyRecord>, Error>,
}

async fn next_update(index: usize, mut records: NewRecords) -> Followed {
    let update = records.next().await;
    Followed { index, records, update }
}

/// Prints what happens while a target is kept up to date.
struct Watch<'w> {
    log: Log,
    out: &'w str,
    series: &'w [RequestedSeries],
    labels: Vec<String>,
    fields: FollowedFields,
    client: &'w Client,
    metrics: Option<&'w Metrics>,
    from: Start,
    /// `None` after the first run.
    first_run: Option<FirstRun>,
    pauses: PauseWarnings,
}

/// What the target has before the first run.
struct FirstRun {
    plan: BackfillPlan,
    target: Target,
}

impl Watch<'_> {
    fn event(&mut self, event: FollowEvent<'_>) {
        match event {
            FollowEvent::Run(summary) => self.run(summary),
            FollowEvent::Update { series: index, update, .. } => {
                note_records(self.metrics, self.client, &self.series[index], update);
                warn(self.log, &self.labels[index], update, &mut self.pauses);
                if let Some(page) = update.page() {
                    self.fields.note(index, &self.labels[index], &page.records, self.log);
                }
            }
            FollowEvent::Failed { series, error, .. } => {
                self.log.warning(&format!("{}: {}; still trying", self.labels[series], brief(&error)));
            }
            FollowEvent::Compacted { records, .. } => {
                self.log.remark(&format!("{}: {}", quoted(self.out), counted(records, "new record")));
            }
            FollowEvent::Retired { series, .. } => self.warn_of_retired(&self.labels[series]),
            FollowEvent::Repaired { repairs, .. } => {
                for repair in &repairs {
                    self.log.warning(repair);
                }
            }
            _ => {}
        }
    }

    fn run(&mut self, summary: Summary) {
        let log = self.log;
        self.note_metrics(&summary);
        run_outcome::print(log, self.out, &summary, &self.labels, Some(Timestamp::now()));
        marks::warn(log, &marks::of_summary(&summary));
        if !summary.is_cancelled
            && let Some(first_run) = self.first_run.take()
        {
            self.note_retired(&summary);
            self.note_first_run(first_run);
        }
        self.warn_of_failures(summary);
    }

    fn note_metrics(&self, summary: &Summary) {
        let Some(metrics) = self.metrics else {
            return;
        };
        for (one, report) in self.series.iter().zip(&summary.series) {
            metrics.note_series(one.metric_labels(), report);
        }
        metrics.note_run(summary.is_complete);
    }

    fn warn_of_failures(&mut self, summary: Summary) {
        for (report, label) in summary.series.iter().zip(&self.labels) {
            if report.lacks_values() {
                self.log.warning(&readable(&format!("{label}: no record has ever had a value")));
            }
            if report.has_unsupported()
                && let Some(line) = sentence_of(label, &report.unsupported)
            {
                self.log.warning(&line);
            }
            if let Some(line) = ignored_range::sentence_of(label, report) {
                self.log.warning(&line);
            }
        }
        let paused = summary.page_error.as_ref().filter(|_| summary.is_paused);
        if paused.is_some_and(|error| warn_of_pause(self.log, error, &mut self.pauses)) {
            // The run after the pause repeats what is missing.
        } else if summary.is_unreachable && summary.failed.is_empty() {
            self.log.warning(&format!("{}; still trying", without_response(summary.page_error.as_ref())));
        } else if summary.failed_pages > 0 {
            let failed = counted(summary.failed_pages, "request");
            let why = summary.page_error.as_ref().map(|error| format!(": {}", brief(error))).unwrap_or_default();
            self.log.warning(&format!("{failed} failed{why}; the run in an hour repeats what is missing"));
        }
        for (series, error) in summary.failed {
            if let dataset::Error::Request(error) = &error
                && warn_of_pause(self.log, error, &mut self.pauses)
            {
                continue;
            }
            self.log.warning(&format!("{}: {}", self.labels[series], Failure::from(error)));
        }
    }

    fn note_retired(&self, summary: &Summary) {
        for (report, label) in summary.series.iter().zip(&self.labels) {
            if report.is_retired {
                self.warn_of_retired(label);
            }
        }
    }

    fn warn_of_retired(&self, label: &str) {
        self.log.warning(&readable(&format!("{label} is retired, so it is not requested")));
    }

    /// Prints the notes about the files, and when the next record is due.
    fn note_first_run(&self, first_run: FirstRun) {
        let log = self.log;
        let out = self.out.to_owned();
        tokio::spawn(async move {
            for note in notes(&out, &first_run.target, &first_run.plan).await {
                log.warning(&note.text);
            }
        });
        // The first run has fetched all records up to now.
        let from = match time_arg::start("now") {
            Ok(now) if now.time > self.from.time => now,
            _ => self.from,
        };
        note_due(self.client, self.series, from, "next", log);
    }
}

/// Prints when the first record from a start on is due, if that is in the future.
fn note_due(client: &Client, series: &[RequestedSeries], from: Start, which: &str, log: Log) {
    let mut earliest: Option<Timestamp> = None;
    for one in series {
        let request = request(client, one);
        // A series without a plan fails when it is followed.
        let Ok(plan) = plan(&request) else {
            continue;
        };
        // Without a regular step, nobody knows when a record is due.
        if !plan.interval.has_steps() {
            continue;
        }
        let start = from.of(plan.interval);
        let is_end = time_is_end(request.endpoint());
        let due = if is_end { start } else { plan.interval.moved(start, 1) };
        earliest = Some(earliest.map_or(due, |earliest| earliest.min(due)));
    }
    if let Some(due) = earliest
        && due > Timestamp::now()
    {
        log.remark(&format!("the {which} record is due at {}", time_arg::shown(due)));
    }
}

fn note_records(metrics: Option<&Metrics>, client: &Client, series: &RequestedSeries, update: &Update<AnyRecord>) {
    // A series without a plan has no updates.
    if let (Some(metrics), Some(page)) = (metrics, update.page())
        && let Ok(plan) = plan(&request(client, series))
    {
        let gaps: Vec<_> = page.report.gaps.iter().map(|gap| gap.range.clone()).collect();
        metrics.note_records(series.metric_labels(), page.times.last().copied(), &gaps, plan.interval);
    }
}

/// Warns about a long pause that the service has requested, once. Returns whether it has requested one.
fn warn_of_pause(log: Log, error: &Error, pauses: &mut PauseWarnings) -> bool {
    let Some(line) = pauses.of(error, Instant::now()) else {
        return false;
    };
    if !line.is_empty() {
        log.warning(&line);
    }
    true
}

/// Warns about an outage, a silent series, and times without a record.
fn warn(log: Log, label: &str, update: &Update<AnyRecord>, pauses: &mut PauseWarnings) {
    match update {
        Update::Outage { error, .. } if error.is_long_pause() => {
            warn_of_pause(log, error, pauses);
        }
        Update::Outage { elapsed, error, .. } => {
            let elapsed = duration(*elapsed);
            log.warning(&format!("{label}: no response for {elapsed}: {}; still trying", brief(error)));
        }
        Update::Recovered { elapsed, .. } => {
            log.warning(&format!("{label}: the service responds again after {}", duration(*elapsed)));
        }
        Update::Silent { since, .. } => {
            log.warning(&format!("{label}: no new record since {}", time_arg::shown(*since)));
        }
        _ => {}
    }
    let Some(page) = update.page() else {
        return;
    };
    for gap in &page.report.gaps {
        log.warning(&format!("{label}: the service has no record {}", time_arg::span(&gap.range)));
    }
}
