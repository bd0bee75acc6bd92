//! `poll`: prints or stores each record when its interval has ended, until Ctrl-C.
//!
//! Records are printed in one stream, or kept in a file or data set. The client waits for records and retries after
//! transient errors. Any other error of a series ends the command, unless the records are kept.

use std::cell::Cell;
use std::time::Duration;

use clap::Args;
use dataset::Target;

use crate::connection::Connected;
use crate::examples;
use crate::failure::{ExitKind, Failure, Result};
use crate::followed_target::TargetWatch;
use crate::future_records::watch_clock;
use crate::interrupt::Interrupt;
use crate::log::Log;
use crate::metrics_file::{Metrics, MetricsOption};
use crate::printed_updates::PrintedUpdates;
use crate::requested_series::{RequestedSeries, request, series_requests};
use crate::series_combinations::Requested;
use crate::table::Format;
use crate::time_arg::{self, Start};
use crate::update_notes::UpdateNotes;
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
        let connected = self.requested.connection.open_to_follow(log, metrics.cloned()).await?;
        if let Some(first) = series.first() {
            let first = request(&connected.client, first);
            if let Some(metrics) = metrics {
                let labels = series.iter().map(RequestedSeries::metric_labels);
                metrics.set_job(first.rate_limit(), labels);
            }
            watch_clock(first, log);
        }
        let notes = UpdateNotes::new(&connected.client, series, metrics, log)?;
        match &self.out {
            Some(out) => self.store(out, &connected, notes, interrupt).await,
            None => interrupt.ends(self.print(notes)).await,
        }
    }

    /// Keeps a target up to date until the command is interrupted.
    async fn store(
        &self,
        out: &str,
        connected: &Connected,
        notes: UpdateNotes<'_>,
        interrupt: Interrupt,
    ) -> Result<()> {
        let target = Target::parse(out)?;
        let requests = series_requests(&connected.client, notes.series)?;
        let job = connected.backfill(requests, self.from, time_arg::OPEN, target.clone());
        let plan = job.plan().await?;
        for stray in &plan.strays {
            notes.log.warning(stray);
        }
        let metrics = notes.metrics;
        let mut watch = TargetWatch::new(out, self.from, notes, plan, target);
        let signal = Cell::new(ExitKind::Interrupted);
        let interrupted = async { signal.set(interrupt.happened().await) };
        let ended = job.follow(self.compact_every, |event| watch.event(event), interrupted).await;
        if let (Some(metrics), Err(dataset::Error::InUse { .. })) = (metrics, &ended) {
            metrics.leave();
        }
        ended?;
        Err(Failure::new(signal.get(), ""))
    }

    /// Prints records until `--records` are printed.
    async fn print(&self, notes: UpdateNotes<'_>) -> Result<()> {
        let format = Format::or_for_reader(self.format, Format::Jsonl);
        let updates = PrintedUpdates::begin(self.from, format, notes)?;
        updates.print(self.records).await
    }
}
