//! `poll`: each record when its interval has ended, until Ctrl-C.
//!
//! Records are printed in one stream, or a backfill writes them to a file or data set after each interval. The client
//! waits and retries transient errors; any other error ends the command.

use std::cell::Cell;
use std::time::Duration;

use clap::Args;
use generated_client::history::{Follow, Gap, Update};
use generated_client::record::AnyRecord;
use generated_client::{Client, Dynamic, Error, Timestamp};
use tables::Backfill as Job;
use tokio::sync::mpsc;

use crate::command_line::Chosen;
use crate::commands::backfill::{outcome, stored, target};
use crate::commands::get::request;
use crate::connection::{Connected, Connection};
use crate::failure::{Failure, Result, brief};
use crate::interrupt::Interrupt;
use crate::log::Log;
use crate::param_options::Params;
use crate::printer::Printer;
use crate::progress::duration;
use crate::record_table::Part;
use crate::requested_series::{Series, combine, labels, no_range_params};
use crate::table::Format;
use crate::time_arg::{self, Begin};

/// Print or store each new record when its interval has ended, until Ctrl-C
#[derive(Args, Debug)]
#[command(after_help = "\
  derivs poll volume_ratio --coin BTC,ETH --timeframe 1m
  derivs poll volume_ratio --coin BTC,ETH --timeframe 1m --from 7d --out data/
  derivs poll open_interest --coin BTC --timeframe 1m --from 1h --format csv > today.csv")]
pub(crate) struct Poll {
    #[command(flatten)]
    chosen: Chosen,
    #[command(flatten)]
    params: Params,
    /// Start in UTC: 2025-01-31, 2025-01-31T12:00, `now`, or an age such as 90d
    #[arg(long, value_name = "WHEN", default_value = "now", value_parser = time_arg::begin)]
    from: Begin,
    /// Stop after this many records
    #[arg(long, value_name = "NUMBER")]
    records: Option<u64>,
    /// File or data set to keep up to date, instead of printing records
    #[arg(long, short, value_name = "TARGET", value_hint = clap::ValueHint::AnyPath)]
    #[arg(conflicts_with_all = ["records", "format"])]
    out: Option<String>,
    /// Output format; a table on a terminal, else JSON Lines
    #[arg(long, value_enum)]
    format: Option<Format>,
    #[command(flatten)]
    connection: Connection,
}

/// The time after an interval in which the service publishes its record.
const DELAY: Duration = Duration::from_secs(5);

/// A page of one of the series, or its error.
struct SeriesUpdate {
    series: usize,
    update: Result<Update<AnyRecord>, Error>,
}

impl Poll {
    pub(crate) async fn run(&self, log: &Log, mut interrupt: Interrupt) -> Result<()> {
        no_range_params(&self.params)?;
        let series = combine(&self.chosen.with_history()?, &self.params, log)?;
        let connected = self.connection.open(log).await?;
        if let Some(out) = &self.out {
            return self.write(out, &series, &connected, interrupt, log).await;
        }
        let printer = Printer::new(&series, Format::or_for_reader(self.format, Format::Jsonl));
        let mut updates = follow(&connected.client, &series, self.from)?;
        interrupt.ends(self.print(&mut updates, &series, printer, log)).await
    }

    /// Runs a backfill after each interval.
    async fn write(
        &self,
        out: &str,
        series: &[Series],
        connected: &Connected,
        mut interrupt: Interrupt,
        log: &Log,
    ) -> Result<()> {
        let (target, labels) = (target(out)?, labels(series));
        let series = stored(&connected.client, series)?;
        let step = series.iter().map(tables::SeriesRequest::step).min().unwrap_or_default();
        let from = self.from.timestamp().floor(step);
        loop {
            let job = Job::new(series.clone(), from..Timestamp::now(), target.clone()).allow_empty();
            let job = job.response_monitor(connected.monitor.clone());
            let job = if self.connection.sandbox { job.source_label("sandbox") } else { job };
            let signal = Cell::new(None);
            let summary = job.run(|_| {}, async { signal.set(Some(interrupt.happened().await)) }).await?;
            log.remark(&format!("{out}: {}", outcome(&summary, &labels, Some(Timestamp::now()))));
            if let Some(signal) = signal.get() {
                return Err(Failure::new(signal, ""));
            }
            for (series, error) in summary.failed {
                log.warning(&format!("{}: {}", labels[series], Failure::from(error)));
            }
            if summary.is_unreachable {
                log.warning("the service does not respond; still trying");
            }
            let next = Timestamp::now().floor(step) + step + DELAY;
            let wait = next - Timestamp::now();
            let slept = async {
                tokio::time::sleep(wait).await;
                Ok(())
            };
            interrupt.ends(slept).await?;
        }
    }

    async fn print(
        &self,
        updates: &mut mpsc::Receiver<SeriesUpdate>,
        series: &[Series],
        mut printer: Printer,
        log: &Log,
    ) -> Result<()> {
        let labels = labels(series);
        let mut left = self.records.unwrap_or(u64::MAX);
        while left > 0 {
            let Some(SeriesUpdate { series: index, update }) = updates.recv().await else { break };
            let mut page = match update.map_err(Failure::from)? {
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
            for gap in &page.report.gaps {
                log.warning(&missing(&labels[index], gap));
            }
            page.records.truncate(usize::try_from(left).unwrap_or(usize::MAX));
            left -= page.records.len() as u64;
            let times = page.times.iter().copied().map(Some).collect();
            printer.print(&Part { series: &series[index], records: &page.records, times })?;
        }
        Ok(())
    }
}

fn missing(label: &str, gap: &Gap) -> String {
    let (from, to) = (time_arg::shown(gap.range.start), time_arg::shown(gap.range.end));
    format!("{label}: the service has no record from {from} to {to}")
}

/// Follows every series in a separate task; one channel receives their pages.
fn follow(client: &Client, series: &[Series], from: Begin) -> Result<mpsc::Receiver<SeriesUpdate>> {
    // A capacity of one page per series limits the lead over a slow reader.
    let (sender, updates) = mpsc::channel(series.len().max(1));
    for (index, one) in series.iter().enumerate() {
        let Some(endpoint) = one.endpoint.known() else { continue };
        let request = request(client, endpoint, one);
        let from = from.of(&request)?;
        let mut records: Follow<Dynamic> = request.follow(from);
        let sender = sender.clone();
        tokio::spawn(async move {
            loop {
                let update = records.next().await;
                let is_over = update.is_err();
                if sender.send(SeriesUpdate { series: index, update }).await.is_err() || is_over {
                    break;
                }
            }
        });
    }
    Ok(updates)
}
