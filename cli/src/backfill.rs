//! `backfill`: whole histories of series, into a file or a data set.
//!
//! Series, a range and a place come in; `tables` fetches what is missing and writes it. This module shows the plan, the
//! progress, the gaps and the outcome.

use std::cell::Cell;
use std::ops::Range;

use clap::Args;
use generated_client::history::{self, Findings, Gap};
use generated_client::{Client, Timestamp};
use tables::{Backfill as Job, BackfillPlan, Event, Shard, Summary, Target};

use crate::command_line::Chosen;
use crate::connection::Connection;
use crate::failure::{Ending, Failure, Result};
use crate::get::request;
use crate::interrupt::Interrupt;
use crate::moment::{self, Begin};
use crate::params::Params;
use crate::progress::{Bars, clock, counted};
use crate::say::Say;
use crate::series::{Series, combine, labels, walks_by_itself};
use crate::sheet::{self, Column, Format, Sheet};
use crate::stdout;

/// How many gaps, and how many failed windows, are listed one by one.
const MOST_TOLD: usize = 5;

/// Write whole histories to a file or a data set; run again, it asks only for what is missing
#[derive(Args, Debug)]
#[command(after_help = "\
Run again, it goes on where it was stopped, and asks for what is new at the end, at an earlier beginning, and for windows
that failed. So a line of cron keeps a data set up to date:

  derivs backfill volume_ratio open_interest --coin BTC,ETH --timeframe 1h --from 2025-01-01 --out data/

Ctrl-C ends it with all whole pages written.")]
pub(crate) struct Backfill {
    #[command(flatten)]
    chosen: Chosen,
    /// Where to begin: 2025-01-31, 2025-01-31T12:00, Unix seconds, or how long ago, in whole intervals: 90d, 36h
    #[arg(long, value_name = "WHEN", value_parser = moment::begin)]
    from: Begin,
    /// Where to end, without the record of that time
    #[arg(long, value_name = "WHEN", default_value = "now", value_parser = moment::from_now)]
    to: Timestamp,
    /// A file that ends in .csv, .jsonl or .parquet, a folder for a data set, or s3://BUCKET/PREFIX
    #[arg(long, short, value_name = "PLACE", value_hint = clap::ValueHint::AnyPath)]
    out: String,
    /// Ask again for every time that should have a record and has none
    #[arg(long)]
    repair: bool,
    /// Write also the record of the interval that is not over; a later run replaces it
    #[arg(long)]
    open_interval: bool,
    /// Print what would be asked for, and ask nothing
    #[arg(long)]
    dry_run: bool,
    /// Do one part of N of the work, of which other machines do the others
    #[arg(long, value_name = "I/N", value_parser = shard)]
    shard: Option<Shard>,
    #[command(flatten)]
    params: Params,
    #[command(flatten)]
    connection: Connection,
}

impl Backfill {
    pub(crate) async fn run(&self, say: &Say, mut interrupt: Interrupt) -> Result<()> {
        walks_by_itself(&self.params)?;
        let target = Target::parse(&self.out)?;
        let series = combine(&self.chosen.with_history()?, &self.params, say)?;
        let connected = self.connection.open(say).await?;
        let job = self.job(&connected.client, &series, target)?;
        let labels = labels(&series);
        let plan = job.plan().await?;
        say.remark(&announced(&plan));
        if self.dry_run {
            return stdout::print(planned(&plan, &labels).text(Format::or_for_reader(None, Format::Csv))?);
        }
        let bars = if plan.windows() == 0 { Bars::hidden(&labels) } else { Bars::new(&labels, say) };
        let mut watcher = Watcher { bars, gaps: Vec::new(), failures: Vec::new(), labels };
        let signal = Cell::new(Ending::Interrupted);
        let cancel = async { signal.set(interrupt.happened().await) };
        let ended = job.run(|event| watcher.event(event), cancel).await;
        watcher.bars.end();
        watcher.tell(say);
        self.ended(ended?, signal.get(), &watcher, say)
    }

    fn job(&self, client: &Client, series: &[Series], target: Target) -> Result<Job> {
        let of = |one: &Series| {
            let endpoint = one.endpoint.known()?;
            Some(tables::Series::new(request(client, endpoint, one)))
        };
        let series = series.iter().filter_map(of).collect::<Result<Vec<_>, _>>()?;
        let step = series.iter().map(tables::Series::step).max().unwrap_or_default();
        let job = Job::new(series, self.from.by(step)..self.to, target).shard(self.shard.unwrap_or(Shard::WHOLE));
        let job = if self.connection.sandbox { job.origin("sandbox") } else { job };
        let job = if self.open_interval { job.with_open_interval() } else { job };
        Ok(if self.repair { job.repair() } else { job })
    }

    /// Says what was done, and whether that is all.
    fn ended(&self, summary: Summary, signal: Ending, watcher: &Watcher, say: &Say) -> Result<()> {
        let total = watcher.bars.total();
        let said = format!(
            "{}: {} in {}, {}",
            self.out,
            counted(summary.records, "new record"),
            counted(summary.requests, "request"),
            clock(total.elapsed),
        );
        // If there was nothing to fetch, the plan has said so.
        if summary.requests > 0 || !summary.files.is_empty() {
            say.remark(&said);
        }
        if summary.is_cancelled {
            return Err(Failure::new(signal, "stopped before the end; the same command goes on from there"));
        }
        let (failed, mut is_refused) = (summary.failed.len(), summary.failed_windows == 0);
        for (index, error) in summary.failed {
            let failure = Failure::from(error);
            is_refused &= failure.is_refused();
            say.warning(&format!("{}: {failure}", watcher.label(index)));
        }
        match summary.failed_windows {
            _ if summary.is_complete => Ok(()),
            // The same command would be refused again.
            0 if is_refused => {
                let message = format!("the service refused {failed} of {} series", watcher.labels.len());
                return Err(Failure::new(Ending::Refused, message));
            }
            0 => Err(Failure::new(Ending::Incomplete, "some series could not be fetched to their end")),
            count => {
                let windows = counted(count, "window");
                Err(Failure::new(Ending::Incomplete, format!("{windows} of time could not be fetched")))
            }
        }
        .map_err(|failure| failure.tip("the same command asks for what is missing"))
    }
}

fn shard(text: &str) -> Result<Shard, String> {
    text.parse().map_err(|error: tables::Error| error.to_string())
}

/// What is shown while it runs.
struct Watcher {
    bars: Bars,
    labels: Vec<String>,
    gaps: Vec<(usize, Gap)>,
    failures: Vec<(usize, history::Failure)>,
}

impl Watcher {
    fn label(&self, series: usize) -> &str {
        self.labels.get(series).map_or("", String::as_str)
    }

    fn event(&mut self, event: &Event) {
        match event {
            Event::Progress { series, progress, .. } => {
                self.bars.progress(*series, progress);
                if progress.windows_left == 0 {
                    self.bars.over(*series);
                }
            }
            Event::Findings { series, findings: Findings { gaps, failures, .. }, .. } => {
                self.gaps.extend(gaps.iter().map(|gap| (*series, gap.clone())));
                self.failures.extend(failures.iter().map(|failure| (*series, failure.clone())));
            }
            Event::Joining { .. } => self.bars.joining(),
            _ => {}
        }
    }

    /// Lists times of which the service has no record, which are no failure, and windows that failed.
    fn tell(&self, say: &Say) {
        self.tell_first(say, &self.gaps, "gap", |Gap { range, .. }| {
            format!("the service has no record {}", from_to(range))
        });
        self.tell_first(say, &self.failures, "window", |history::Failure { range, error, .. }| {
            format!("nothing could be fetched {}: {error:#}", from_to(range))
        });
    }

    fn tell_first<T>(&self, say: &Say, all: &[(usize, T)], what: &str, told: impl Fn(&T) -> String) {
        for (series, one) in all.iter().take(MOST_TOLD) {
            say.warning(&format!("{}: {}", self.label(*series), told(one)));
        }
        let more = all.len().saturating_sub(MOST_TOLD);
        if more > 0 {
            say.warning(&format!("and {} more", counted(more as u64, what)));
        }
    }
}

fn from_to(range: &Range<Timestamp>) -> String {
    format!("from {} to {}", moment::shown(range.start), moment::shown(range.end))
}

fn announced(plan: &BackfillPlan) -> String {
    let (series, windows) = (plan.series.len(), plan.windows());
    let of = if series == 1 { "1 series".to_owned() } else { format!("{series} series") };
    if windows == 0 {
        return format!("{of}: nothing is missing");
    }
    let least = plan.least_time.map_or(String::new(), |time| format!(", at least {}", clock(time)));
    format!("{of}: {} at most in {}{least}", counted(plan.records(), "record"), counted(windows, "request"))
}

/// What is going to be asked, a row for each range.
fn planned(plan: &BackfillPlan, labels: &[String]) -> Sheet {
    let names = [("series", false), ("from", false), ("to", false), ("why", false)];
    let columns = names.map(|(name, is_number)| Column { name: name.to_owned(), is_number }).into();
    let mut rows = Vec::new();
    for (series, label) in plan.series.iter().zip(labels) {
        let missing = series.missing.iter().map(|range| (range, "missing"));
        let repaired = series.repaired.iter().map(|range| (range, "repair"));
        let open = series.open.iter().map(|range| (range, "open"));
        for (range, why) in missing.chain(repaired).chain(open) {
            let moments = [range.start, range.end].map(sheet::Cell::Moment);
            rows.push(
                [sheet::Cell::text(label.as_str())]
                    .into_iter()
                    .chain(moments)
                    .chain([sheet::Cell::text(why)])
                    .collect(),
            );
        }
    }
    Sheet { columns, rows }
}
