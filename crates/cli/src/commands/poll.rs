//! `poll`: prints or stores each record when its interval has ended, until Ctrl-C.
//!
//! Records are printed in one stream, or kept in a file or data set. The client waits for records and retries after
//! transient errors. Any other error of a series ends the command, unless the records are kept.

use std::cell::Cell;
use std::time::Duration;

use clap::Args;
use dataset::{FollowEvent, Target, quoted};
use runtime::history::{Follow, Gap, Update};
use runtime::record::AnyRecord;
use runtime::{AnyClient as Client, Dynamic, Timestamp};
use tokio::task::JoinSet;

use crate::backfill_report::outcome;
use crate::endpoint_names::history;
use crate::examples;
use crate::failure::{ExitKind, Failure, Result, brief};
use crate::file_notes::notes;
use crate::interrupt::Interrupt;
use crate::log::Log;
use crate::marks;
use crate::metrics_file::{Metrics, MetricsOption};
use crate::printer::{Columns, Printer};
use crate::progress::{counted, duration};
use crate::record_columns::Part;
use crate::requested_series::{Requested, Series, labels, plan, request, stored};
use crate::table::Format;
use crate::time_arg::{self, Start};

/// Print or store each new record when its interval has ended, until Ctrl-C
#[derive(Args, Debug)]
#[command(after_help = examples::poll())]
pub(crate) struct Poll {
    /// Start in UTC: 2025-01-31, 2025-01-31T12:00, `now`, or an age such as 90d, whose interval is included
    #[arg(long, value_name = "WHEN", default_value = "now", value_parser = time_arg::start)]
    from: Start,
    /// Stop after this many records of all series together
    #[arg(long, value_name = "NUMBER")]
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
        let Some(metrics) = metrics else { return ended };
        if ended.as_ref().is_err_and(Failure::is_error) {
            // The command fetches nothing more, even if its last run was complete.
            metrics.note_run(false);
        }
        ended.and(metrics.finish())
    }

    async fn follow(&self, series: &[Series], metrics: Option<&Metrics>, log: Log, interrupt: Interrupt) -> Result<()> {
        let connected = &self.requested.connection.open_to_follow(log, metrics.cloned()).await?;
        if let (Some(metrics), Some(first)) = (metrics, series.first()) {
            metrics.set_limit(request(&connected.client, first).rate_limit());
        }
        let Some(out) = &self.out else {
            return interrupt.ends(self.print(&connected.client, series, metrics, log)).await;
        };
        let target = Target::parse(out)?;
        let job = connected.backfill(stored(&connected.client, series)?, self.from, time_arg::OPEN, target.clone());
        let (labels, mut first) = (labels(series), Some((job.plan().await?, out.clone(), target)));
        let watch = |event: FollowEvent<'_>| match event {
            FollowEvent::Run(summary) => {
                if let Some(metrics) = metrics {
                    series
                        .iter()
                        .zip(&summary.series)
                        .for_each(|(one, report)| metrics.note_series(one.metric_labels(), report));
                    metrics.note_run(summary.is_complete);
                }
                outcome(log, out, &summary, &labels, Some(Timestamp::now()));
                summary.repairs.iter().for_each(|repair| log.warning(repair));
                marks::warn(log, &marks::all(&summary.missing_fields, &summary.lost_rows));
                if let Some((plan, out, target)) = first.take().filter(|_| !summary.is_cancelled) {
                    tokio::spawn(async move {
                        notes(&out, &target, &plan).await.iter().for_each(|(_, note)| log.warning(note));
                    });
                    // The first run has fetched all records up to now.
                    let now = time_arg::start("now").ok().filter(|now| now.time > self.from.time);
                    note_due(&connected.client, series, now.unwrap_or(self.from), "next", log);
                }
                if summary.is_unreachable && summary.failed.is_empty() {
                    log.warning("the service does not respond; still trying");
                } else if summary.failed_pages > 0 {
                    let failed = counted(summary.failed_pages, "request");
                    log.warning(&format!("{failed} failed; the run in an hour repeats what is missing"));
                }
                for (series, error) in summary.failed {
                    log.warning(&format!("{}: {}", labels[series], Failure::from(error)));
                }
            }
            FollowEvent::Update { series: index, update, .. } => {
                note_records(metrics, &connected.client, &series[index], update);
                warn(log, &labels[index], update);
            }
            FollowEvent::Failed { series, error, .. } => {
                log.warning(&format!("{}: {}; still trying", labels[series], brief(&error)));
            }
            FollowEvent::Compacted { records, .. } => {
                log.remark(&format!("{}: {}", quoted(out), counted(records, "new record")));
            }
            _ => {}
        };
        let signal = Cell::new(ExitKind::Interrupted);
        job.follow(self.compact_every, watch, async { signal.set(interrupt.happened().await) }).await?;
        Err(Failure::new(signal.get(), ""))
    }

    async fn print(&self, client: &Client, series: &[Series], metrics: Option<&Metrics>, log: Log) -> Result<()> {
        let format = Format::or_for_reader(self.format, Format::Jsonl);
        let mut printer = Printer::new(client, series, format, Columns::Growing)?;
        let (labels, mut updates) = (labels(series), JoinSet::new());
        // Each series waits for its next update in a separate task.
        let next = |index: usize, mut records: Follow<Dynamic>| async move {
            let update = records.next().await;
            (index, records, update)
        };
        note_due(client, series, self.from, "first", log);
        for (index, one) in series.iter().enumerate() {
            let request = request(client, one);
            let from = self.from.of(plan(&request)?.interval);
            updates.spawn(next(index, Follow::new(request, from)));
        }
        let mut left = self.records.unwrap_or(u64::MAX);
        while left > 0 {
            let Some(done) = updates.join_next().await else { break };
            let (index, records, update) = done.map_err(Failure::machine)?;
            let update = update?;
            // The next update is awaited while this update is printed.
            updates.spawn(next(index, records));
            note_records(metrics, client, &series[index], &update);
            warn(log, &labels[index], &update);
            let (Update::Records(mut page) | Update::Late(mut page)) = update else { continue };
            // The last page may have more records than `--records` still allows.
            page.records.truncate(usize::try_from(left).unwrap_or(usize::MAX));
            left -= page.records.len() as u64;
            printer.print(&[Part::of_page(index, &series[index], &page.records, &page.times)])?;
        }
        printer.end()
    }
}

/// Prints when the first record from a start on is due, if that is in the future.
fn note_due(client: &Client, series: &[Series], from: Start, which: &str, log: Log) {
    let due = |one: &Series| {
        let request = request(client, one);
        let interval = plan(&request).ok()?.interval;
        let is_end = history(request.endpoint()).is_some_and(|info| info.time_is_end);
        Some(if is_end { from.of(interval) } else { interval.moved(from.of(interval), 1) })
    };
    if let Some(due) = series.iter().filter_map(due).min().filter(|due| *due > Timestamp::now()) {
        log.remark(&format!("the {which} record is due at {}", time_arg::shown(due)));
    }
}

fn note_records(metrics: Option<&Metrics>, client: &Client, series: &Series, update: &Update<AnyRecord>) {
    // A series without a plan has no updates.
    if let (Some(metrics), Some(page)) = (metrics, update.page())
        && let Ok(plan) = plan(&request(client, series))
    {
        let gaps: Vec<_> = page.report.gaps.iter().map(|gap| gap.range.clone()).collect();
        metrics.note_records(series.metric_labels(), page.times.last().copied(), &gaps, plan.interval);
    }
}

/// Warns about an outage, a silent series, and times without a record.
fn warn(log: Log, label: &str, update: &Update<AnyRecord>) {
    match update {
        Update::Outage { elapsed, error, .. } => {
            let (elapsed, reason) = (duration(*elapsed), brief(error));
            log.warning(&format!("{label}: no response for {elapsed}: {reason}; still trying"));
        }
        Update::Recovered { elapsed, .. } => {
            log.warning(&format!("{label}: the service responds again after {}", duration(*elapsed)));
        }
        Update::Silent { since, .. } => {
            log.warning(&format!("{label}: no new record since {}", time_arg::shown(*since)));
        }
        _ => {}
    }
    for Gap { range, .. } in update.page().into_iter().flat_map(|page| &page.report.gaps) {
        log.warning(&format!("{label}: the service has no record {}", time_arg::span(range)));
    }
}
