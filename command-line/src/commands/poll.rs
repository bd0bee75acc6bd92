//! `poll`: prints or stores each record when its interval has ended, until Ctrl-C.
//!
//! Records are printed in one stream, or a backfill writes them to a file or data set after each interval. The client
//! waits for records and retries after transient errors. Any other error ends the command.

use std::cell::Cell;
use std::time::Duration;

use clap::Args;
use runtime::history::{Follow, Gap, Update};
use runtime::{AnyClient as Client, Dynamic, Timestamp};
use tables::Target;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::backfill_report::{outcome, span};
use crate::command_line::Requested;
use crate::commands::backfill::stored;
use crate::commands::get::{request, step};
use crate::endpoint_names::history;
use crate::examples;
use crate::failure::{Failure, Result, brief};
use crate::interrupt::Interrupt;
use crate::log::Log;
use crate::printer::{Columns, Printer};
use crate::progress::duration;
use crate::record_columns::Part;
use crate::requested_series::{Series, labels};
use crate::table::Format;
use crate::time_arg::{self, Start};

/// Print or store each new record when its interval has ended, until Ctrl-C
#[derive(Args, Debug)]
#[command(after_help = examples::poll())]
pub(crate) struct Poll {
    #[command(flatten)]
    requested: Requested,
    /// Start in UTC: 2025-01-31, 2025-01-31T12:00, `now`, or an age such as 90d, whose interval is included
    #[arg(long, value_name = "WHEN", default_value = "now", value_parser = time_arg::start)]
    from: Start,
    /// Stop after this many records
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
}

/// The pause between the end of an interval and the backfill, in which the service has time to publish the record.
const DELAY: Duration = Duration::from_secs(5);

/// The interval at which gaps and the records of the refetch time are requested again.
const COMPLETE: Duration = Duration::from_secs(3600);

/// The longest wait after which the clocks are read again, which shows that the machine was suspended.
const MAX_WAIT: Duration = Duration::from_secs(8);

impl Poll {
    pub(crate) async fn run(&self, log: Log, interrupt: Interrupt) -> Result<()> {
        let series = self.requested.histories(self.from.time, log)?;
        let connected = self.requested.connection.open(log).await?;
        let Some(out) = &self.out else {
            return interrupt.ends(self.print(&connected.client, &series, log)).await;
        };
        let (target, labels) = (Target::parse(out)?, labels(&series));
        let series = stored(&connected.client, &series)?;
        let step = series.iter().map(tables::SeriesRequest::step).min().unwrap_or_default();
        let time = || series.first().map_or_else(Timestamp::now, |one| one.request().service_time());
        // A backfill runs after each interval. Most runs request only new records, which are added to the files later.
        let (mut complete, mut compacted) = (None, time());
        loop {
            let now = time();
            let mut job = connected.backfill(series.clone(), self.from, now, target.clone());
            job.allow_empty = true;
            let is_complete = complete.is_none_or(|last| last + COMPLETE <= now);
            if is_complete && complete.is_some() {
                // A complete run counts the records that it adds to the files, and earlier runs have counted these.
                job.compact().await?;
            }
            job.only_new = !is_complete;
            let signal = Cell::new(None);
            let summary = job.run(|_| {}, async { signal.set(Some(interrupt.happened().await)) }).await?;
            outcome(log, out, &summary, &labels, Some(Timestamp::now()));
            if is_complete {
                (complete, compacted) = (Some(now), now);
            } else if compacted + self.compact_every <= now {
                job.compact().await?;
                compacted = now;
            }
            for (series, error) in summary.failed {
                log.warning(&format!("{}: {}", labels[series], Failure::from(error)));
            }
            if summary.is_unreachable {
                log.warning("the service does not respond; still trying");
            }
            let next = |now: Timestamp| now.floor(step) + step + DELAY;
            let (due, due_here) = (next(time()), next(Timestamp::now()));
            let mut signal = signal.get();
            // After a suspend, only the clock of this machine is right until the next response.
            while signal.is_none() && time() < due && Timestamp::now() < due_here {
                let pause = (due - time()).min(MAX_WAIT);
                signal = timeout(pause, interrupt.happened()).await.ok();
            }
            if let Some(signal) = signal {
                job.compact().await?;
                return Err(Failure::new(signal, ""));
            }
        }
    }

    async fn print(&self, client: &Client, series: &[Series], log: Log) -> Result<()> {
        let format = Format::or_for_reader(self.format, Format::Jsonl);
        let mut printer = Printer::new(client, series, format, Columns::Growing)?;
        let (labels, mut updates) = (labels(series), JoinSet::new());
        // Each series waits for its next update in a separate task.
        let next = |index: usize, mut records: Follow<Dynamic>| async move {
            let update = records.next().await;
            (index, records, update)
        };
        let mut due = Vec::new();
        for (index, one) in series.iter().enumerate() {
            let request = request(client, one);
            let step = step(&request)?;
            let from = self.from.of(step);
            let is_end = history(request.endpoint()).is_some_and(|info| info.time_is_end);
            due.push(if is_end { from } else { from + step });
            updates.spawn(next(index, Follow::new(request, from)));
        }
        if let Some(due) = due.into_iter().min().filter(|due| *due > Timestamp::now()) {
            log.remark(&format!("the first record is due at {}", time_arg::shown(due)));
        }
        let mut left = self.records.unwrap_or(u64::MAX);
        while left > 0 {
            let Some(done) = updates.join_next().await else { break };
            let (index, records, update) = done.map_err(Failure::machine)?;
            let update = update?;
            // The next update is awaited while this update is printed.
            updates.spawn(next(index, records));
            let mut page = match update {
                Update::Records(page) | Update::Late(page) => page,
                Update::Outage { elapsed, error, .. } => {
                    let (elapsed, reason) = (duration(elapsed), brief(&error));
                    log.warning(&format!("{}: no response for {elapsed}: {reason}; still trying", labels[index]));
                    continue;
                }
                Update::Silent { since, .. } => {
                    log.warning(&format!("{}: no new record since {}", labels[index], time_arg::shown(since)));
                    continue;
                }
                _ => continue,
            };
            for Gap { range, .. } in &page.report.gaps {
                log.warning(&format!("{}: the service has no record {}", labels[index], span(range)));
            }
            // The last page may have more records than `--records` still allows.
            page.records.truncate(usize::try_from(left).unwrap_or(usize::MAX));
            left -= page.records.len() as u64;
            printer.print(&[Part::of_page(index, &series[index], &page.records, &page.times)])?;
        }
        printer.end()
    }
}
