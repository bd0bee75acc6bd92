//! `backfill`: histories of series in a file or a data set.
//!
//! `tables` fetches and writes. This module shows the plan, the progress, the gaps and the outcome, and chooses the
//! exit code.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use crate::command_line::candidates;
use crate::commands::get::request;
use crate::commands::status::age;
use crate::connection::Connection;
use crate::failure::{ExitKind, Failure, Result, brief};
use crate::interrupt::Interrupt;
use crate::job_file::{self, JobFile};
use crate::log::Log;
use crate::param_options::Params;
use crate::printer::Printer;
use crate::progress::{Bar, counted, duration, shortened};
use crate::record_table::{Layout, Part};
use crate::requested_series::{Series, combine, labels, must_have_history, no_range_params};
use crate::stdout;
use crate::table::{self, Column, Format, Table};
use crate::time_arg::{self, Begin};
use clap::Args;
use generated_client::history;
use generated_client::{Client, Timestamp};
use tables::{Backfill as Job, BackfillEvent, BackfillPlan, Partition, ResponseMonitor, SeriesReport, Summary, Target};

/// Maximum number of printed warnings of one kind.
const MAX_LISTED: usize = 5;

/// Maximum length of a warning about one page.
const MAX_LINE: usize = 110;

/// Interval of the progress lines if no bars are drawn.
const LINE_EVERY: Duration = Duration::from_secs(60);

/// Write the history of series to a file or a data set, and keep it up to date
#[derive(Args, Debug)]
#[allow(clippy::struct_excessive_bools)] // One for each flag.
#[command(after_help = "\
Run it again to continue, to add new records and to fetch what failed, for example once a day:
  derivs backfill volume_ratio --coin BTC,ETH --timeframe 1h \\
    --from 2025-01-01 --out data/
A job file has the same settings in TOML:
  from = 2025-01-01
  out = \"data/\"
  [[series]]
  endpoints = [\"volume_ratio\", \"open_interest\"]
  coin = [\"BTC\", \"ETH\"]
  timeframe = \"1h\"")]
pub(crate) struct Backfill {
    /// Endpoints by name; `derivs list --history` lists them
    #[arg(value_name = "ENDPOINT", required_unless_present = "job", add = candidates())]
    endpoints: Vec<String>,
    /// Start of the range in UTC: 2025-01-31, 2025-01-31T12:00, or an age such as 90d
    #[arg(long, value_name = "WHEN", value_parser = time_arg::begin, required_unless_present = "job")]
    #[arg(allow_hyphen_values = true)]
    from: Option<Begin>,
    /// End of the range, excluded
    #[arg(long, value_name = "WHEN", default_value = "now", value_parser = time_arg::timestamp)]
    to: Timestamp,
    /// A .csv, .jsonl, .csv.gz, .jsonl.gz or .parquet file, a folder for a data set, s3://BUCKET/PREFIX, or - for stdout
    #[arg(long, short, value_name = "TARGET", value_hint = clap::ValueHint::AnyPath, required_unless_present = "job")]
    out: Option<String>,
    /// Read series, range and target from a TOML file
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    #[arg(conflicts_with_all = ["endpoints", "from", "to", "out"])]
    job: Option<PathBuf>,
    /// Age up to which records may change: they are fetched again [default: 24h]
    #[arg(long, value_name = "AGE", value_parser = time_arg::duration)]
    refetch: Option<Duration>,
    /// Fetch all times without a record again, not only those of the last 14 days
    #[arg(long)]
    refetch_gaps: bool,
    /// Accept series without any record, such as coins that are not listed yet
    #[arg(long)]
    allow_empty: bool,
    /// Reject a page with an invalid value; by default the value is null
    #[arg(long)]
    strict: bool,
    /// Period of the files of a data set: day, month or year
    #[arg(long, value_name = "PERIOD", value_parser = partition)]
    partition: Option<Partition>,
    /// Include the record of the current interval; a later run replaces it
    #[arg(long)]
    include_partial: bool,
    /// Print the requests that would be sent, and send none
    #[arg(long)]
    dry_run: bool,
    /// Format of `--out -`; a table on a terminal, else CSV
    #[arg(long, value_enum)]
    format: Option<Format>,
    #[command(flatten)]
    params: Params,
    #[command(flatten)]
    connection: Connection,
}

impl Backfill {
    pub(crate) async fn run(&self, log: &Log, mut interrupt: Interrupt) -> Result<()> {
        let file = self.job_file(log)?;
        if file.out == "-" && !self.dry_run {
            return interrupt.ends(self.to_stdout(&file, log)).await;
        }
        let target = target(&file.out)?;
        let labels = labels(&file.series);
        let connected = self.connection.open(log).await?;
        let job = self.job(&connected.client, &connected.monitor, &file, target)?;
        let plan = job.plan().await?;
        log.remark(&announced(&plan));
        if self.dry_run {
            return stdout::print(planned(&plan, &labels).text(Format::or_for_reader(None, Format::Csv))?);
        }
        let bar = Bar::new(labels.len(), plan.requests(), log);
        let reporter = RefCell::new(Reporter { log, bar, failures: Vec::new(), labels });
        let signal = Cell::new(ExitKind::Interrupted);
        let cancel = async { signal.set(interrupt.happened().await) };
        let run = job.run(|event| reporter.borrow_mut().event(event), cancel);
        let ended = with_lines(run, || reporter.borrow().bar.line(log)).await;
        let reporter = reporter.borrow();
        reporter.bar.clear();
        reporter.report();
        ended_with(&file, ended?, signal.get(), &reporter, log)
    }

    /// Prints all records of the range, one series after the other.
    async fn to_stdout(&self, file: &JobFile, log: &Log) -> Result<()> {
        let connected = self.connection.open(log).await?;
        let columns = Layout::of_file(&file.series, &stored(&connected.client, &file.series)?);
        let format = Format::or_for_reader(self.format, Format::Csv);
        let mut printer = Printer::new(&file.series, format).columns(columns);
        let (to, labels) = (file.to.map_or_else(Timestamp::now, Begin::timestamp), labels(&file.series));
        let (mut failed, mut empty) = (0, Vec::new());
        for (series, label) in file.series.iter().zip(labels) {
            let mut is_empty = true;
            let Some(endpoint) = series.endpoint.known() else { continue };
            let request = request(&connected.client, endpoint, series);
            let from = file.from.of(&request)?;
            let mut pages = request.history(from..to).skip_failed_pages().pages();
            while let Some(page) = pages.next().await {
                let page = page?;
                for failure in &page.report.failed_pages {
                    log.warning(&failed_request(&label, failure));
                    failed += 1;
                }
                is_empty &= page.records.is_empty();
                let times = page.times.iter().copied().map(Some).collect();
                printer.print(&Part { series, records: &page.records, times })?;
            }
            if is_empty && !self.allow_empty {
                empty.push(if label.is_empty() { series.endpoint.name() } else { label });
            }
        }
        match failed {
            0 if empty.is_empty() => Ok(()),
            0 => Err(Failure::new(ExitKind::Incomplete, format!("no record of {}", empty.join(", ")))
                .help("`--allow-empty` accepts it")),
            count => Err(Failure::new(ExitKind::Incomplete, format!("{} failed", counted(count, "request")))),
        }
    }

    /// The settings of the job file, or those of the command line.
    fn job_file(&self, log: &Log) -> Result<JobFile> {
        match (&self.job, self.from, &self.out) {
            (Some(_), ..) if self.params != Params::default() => {
                Err(Failure::usage("`--job` cannot be used with params; write them into the job file"))
            }
            (Some(file), ..) => job_file::read(file, log),
            (None, Some(from), Some(out)) => {
                no_range_params(&self.params)?;
                let targets = self.endpoints.iter().map(|name| must_have_history(name)).collect::<Result<Vec<_>>>()?;
                let series = combine(&targets, &self.params, log)?;
                let (to, out) = (Some(Begin::At(self.to)), out.clone());
                Ok(JobFile { series, from, to, out, refetch: None })
            }
            _ => Err(Failure::usage("`--from` and `--out` are required without `--job`")),
        }
    }

    fn job(&self, client: &Client, monitor: &ResponseMonitor, file: &JobFile, target: Target) -> Result<Job> {
        let series = stored(client, &file.series)?;
        let step = series.iter().map(tables::SeriesRequest::step).max().unwrap_or_default();
        let to = file.to.map_or_else(Timestamp::now, Begin::timestamp);
        let job = Job::new(series, file.from.by(step)..to, target);
        let job = job.response_monitor(monitor.clone());
        let job = if self.connection.sandbox { job.source_label("sandbox") } else { job };
        let job = if self.include_partial { job.include_partial() } else { job };
        let job = if self.allow_empty { job.allow_empty() } else { job };
        let job = if self.strict { job.strict() } else { job };
        let job = if self.refetch_gaps { job.refetch_gaps() } else { job };
        let job = self.refetch.or(file.refetch).into_iter().fold(job, Job::refetch);
        Ok(self.partition.into_iter().fold(job, Job::partition))
    }
}

/// Runs work to its end, and calls `line` once a minute until then.
async fn with_lines<T>(work: impl Future<Output = T>, line: impl Fn()) -> T {
    let mut work = std::pin::pin!(work);
    loop {
        match tokio::time::timeout(LINE_EVERY, &mut work).await {
            Ok(done) => return done,
            Err(_) => line(),
        }
    }
}

/// The series as columns of a file.
pub(crate) fn stored(client: &Client, series: &[Series]) -> Result<Vec<tables::SeriesRequest>> {
    let of = |one: &Series| Some(tables::SeriesRequest::new(request(client, one.endpoint.known()?, one)));
    Ok(series.iter().filter_map(of).collect::<Result<_, _>>()?)
}

/// The target of a backfill; a device or a file in another format cannot be one.
pub(crate) fn target(text: &str) -> Result<Target> {
    let target = Target::parse(text)?;
    match &target {
        Target::Folder(path) if path.exists() && !path.is_dir() => {
            let failure = Failure::usage(format!("`{text}` is not a folder, nor a .csv, .jsonl or .parquet file"));
            Err(failure.help("`--out -` writes to standard output"))
        }
        _ => Ok(target),
    }
}

fn partition(text: &str) -> Result<Partition, String> {
    text.trim().parse().map_err(|error: tables::Error| error.to_string())
}

/// Prints the outcome, and chooses the exit code.
fn ended_with(file: &JobFile, summary: Summary, signal: ExitKind, reporter: &Reporter<'_>, log: &Log) -> Result<()> {
    let (out, to) = (&file.out, file.to.map_or_else(Timestamp::now, Begin::timestamp));
    // The age of the last record is irrelevant if the range ends in the past.
    let now = Some(Timestamp::now()).filter(|now| to + summary.elapsed + LINE_EVERY > *now);
    // If everything was fetched already, the plan has reported it.
    let is_stopped = summary.is_cancelled || summary.is_unreachable;
    if !is_stopped && (summary.requests > 0 || !summary.files.is_empty()) {
        log.remark(&format!("{out}: {}", outcome(&summary, &reporter.labels, now)));
    }
    let of_series = || summary.series.iter().zip(&reporter.labels);
    let missing: Vec<_> = of_series().filter(|(report, _)| report.holes > 0 && !is_stopped).collect();
    reporter.list(missing.iter().map(|(report, label)| {
        let count = counted(report.holes, "record");
        format!("{label}: {count} missing between the first and the last; `derivs status --json {out}` lists the times")
    }));
    if is_stopped {
        let kept = counted(reporter.bar.total().records, "record");
        let unreachable = (ExitKind::Service, "stopped because the service does not respond");
        let (ending, cause) = if summary.is_cancelled { (signal, "stopped") } else { unreachable };
        let message = format!("{cause}; {kept} kept");
        return Err(Failure::new(ending, message).help("run the same command to continue"));
    }
    if summary.is_complete {
        return Ok(());
    }
    let empty: Vec<&str> =
        of_series().filter(|(report, _)| report.is_empty()).map(|(_, label)| label.as_str()).collect();
    let (all, failed) = (reporter.labels.len(), summary.failed.len());
    let endings: Vec<ExitKind> =
        summary.failed.into_iter().map(|(index, error)| reporter.failed(index, error)).collect();
    let message = match summary.failed_pages {
        // The service would reject the same command again.
        0 if failed > 0 && endings.iter().all(|ending| *ending == ExitKind::Rejected) => {
            return Err(Failure::new(ExitKind::Rejected, format!("the service rejected {failed} of {all} series")));
        }
        0 if failed == 0 => {
            let names = shortened(&empty.join(", "), MAX_LINE);
            let help = "check the values; `--allow-empty` accepts series without records";
            return Err(Failure::new(ExitKind::Incomplete, format!("never a record of {names}")).help(help));
        }
        0 => format!("{failed} of {all} series are incomplete"),
        requests => format!("{} failed", counted(requests, "request")),
    };
    Err(Failure::new(ExitKind::Incomplete, message).help("run the same command to fetch the missing records"))
}

/// The changes of a run, and the age of the last records.
pub(crate) fn outcome(summary: &Summary, labels: &[String], now: Option<Timestamp>) -> String {
    let sum = |count: fn(&SeriesReport) -> u64| summary.series.iter().map(count).sum::<u64>();
    let mut parts = vec![counted(sum(|report| report.added), "new record")];
    let changes = [
        (sum(|report| report.filled), "filled"),
        (sum(|report| report.revised), "revised"),
        (sum(|report| report.invalid), "with an invalid value"),
        (sum(|report| report.dropped), "dropped"),
    ];
    parts.extend(changes.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
    let lasts = || summary.series.iter().zip(labels).filter_map(|(report, label)| Some((report.last?, label)));
    if let (Some(now), Some((newest, _)), Some((oldest, label))) = (now, lasts().max(), lasts().min()) {
        parts.push(format!("last record {} ago", age(newest, now)));
        if age(newest, now) != age(oldest, now) {
            parts.push(format!("of {label} {} ago", age(oldest, now)));
        }
    }
    format!("{} ({}, {})", parts.join(", "), counted(summary.requests, "request"), duration(summary.elapsed))
}

/// Shows the events of a run.
struct Reporter<'s> {
    log: &'s Log,
    bar: Bar,
    labels: Vec<String>,
    failures: Vec<(usize, history::FailedPage)>,
}

impl Reporter<'_> {
    fn label(&self, series: usize) -> &str {
        self.labels.get(series).map_or("", String::as_str)
    }

    /// Prints the error of a series in one line.
    fn failed(&self, series: usize, error: tables::Error) -> ExitKind {
        let reason = if let tables::Error::Request(error) = &error { brief(error) } else { error.to_string() };
        self.log.warning(&shortened(&format!("{}: {reason}", self.label(series)), MAX_LINE));
        Failure::from(error).exit_kind()
    }

    fn event(&mut self, event: &BackfillEvent) {
        match event {
            BackfillEvent::Progress { series, progress, .. } => {
                self.bar.progress(*series, progress);
            }
            BackfillEvent::Report { series, report, .. } => {
                self.failures.extend(report.failed_pages.iter().map(|failure| (*series, failure.clone())));
            }
            BackfillEvent::Merging { .. } => self.bar.merging(),
            BackfillEvent::Trouble { elapsed, .. } => {
                let text = format!("no response from the service for {}; still trying", duration(*elapsed));
                self.bar.warning(self.log, &text);
            }
            BackfillEvent::Recovered { elapsed, .. } => {
                let text = format!("the service responds again after {}", duration(*elapsed));
                self.bar.warning(self.log, &text);
            }
            _ => {}
        }
    }

    /// Lists failed requests.
    fn report(&self) {
        self.list(self.failures.iter().map(|(series, failure)| failed_request(self.label(*series), failure)));
    }

    /// Prints the first of several warnings, and the number of the others.
    fn list(&self, warnings: impl ExactSizeIterator<Item = String>) {
        let more = warnings.len().saturating_sub(MAX_LISTED);
        warnings.take(MAX_LISTED).for_each(|warning| self.log.warning(&warning));
        if more > 0 {
            self.log.warning(&format!("and {more} more like this"));
        }
    }
}

/// A failed page in one line.
fn failed_request(label: &str, history::FailedPage { range, error, .. }: &history::FailedPage) -> String {
    shortened(&format!("{label}: request {} failed: {}", span(range), brief(error)), MAX_LINE)
}

fn span(range: &Range<Timestamp>) -> String {
    format!("from {} to {}", time_arg::shown(range.start), time_arg::shown(range.end))
}

/// One line with the dates and the size of the work.
fn announced(plan: &BackfillPlan) -> String {
    let ranges = || plan.series.iter().map(|series| &series.range);
    let bounds = ranges().map(|range| range.start).min().zip(ranges().map(|range| range.end).max());
    let dates = bounds.map_or(String::new(), |(start, end)| format!(" {}", span(&(start..end))));
    let count = plan.series.len();
    let series = if count == 1 { "1 series".to_owned() } else { format!("{count} series") };
    if plan.requests() == 0 {
        return format!("{series}{dates}: up to date");
    }
    let (records, requests) = (counted(plan.records(), "record"), counted(plan.requests(), "request"));
    let min = plan.min_duration.filter(|time| *time >= Duration::from_secs(1));
    let min = min.map_or(String::new(), |time| format!(", at least {}", duration(time)));
    format!("{series}{dates}: up to {records} in {requests}{min}")
}

/// The ranges to fetch, one per row.
fn planned(plan: &BackfillPlan, labels: &[String]) -> Table {
    let columns = ["series", "from", "to", "reason"].map(Column::text).into();
    let mut rows = Vec::new();
    for (series, label) in plan.series.iter().zip(labels) {
        let missing = series.missing.iter().map(|range| (range, "missing"));
        let gaps = series.gaps.iter().map(|range| (range, "gap"));
        for (range, reason) in missing.chain(gaps) {
            let [from, to] = [range.start, range.end].map(table::Cell::Time);
            rows.push(vec![table::Cell::text(label.as_str()), from, to, table::Cell::text(reason)]);
        }
    }
    Table { columns, rows }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_line_is_printed_once_a_minute() {
        let lines = Cell::new(0);
        let done = with_lines(tokio::time::sleep(Duration::from_secs(200)), || lines.set(lines.get() + 1));
        done.await;
        assert_eq!(lines.get(), 3);
    }
}
