//! `backfill`: writes histories of series to a file or a data set.
//!
//! The crate `dataset` fetches and writes the records, and `reporter` shows the plan, the progress and the
//! outcome.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use dataset::{Backfill as Job, Partition, ReadableRecords, SeriesReport, SeriesRequest, Target};
use runtime::history::History;
use runtime::record::AnyRecord;
use runtime::{AnyClient, Dynamic, Error, ErrorKind, Timestamp};

use crate::backfill_run::{FileRun, unchanged};
use crate::connection::{Connected, Connection};
use crate::endpoint_names::Endpoint;
use crate::examples;
use crate::failure::{ExitKind, Failure, Result};
use crate::interrupt::Interrupt;
use crate::job_file::{JobFile, Overrides};
use crate::job_text;
use crate::log::{self, Log};
use crate::metrics_file::{Metrics, MetricsOption};
use crate::param_options::{Params, endpoint_candidates, endpoints_help};
use crate::printer::{Columns, Printer};
use crate::progress::Bar;
use crate::record_columns::{SeriesRecords, fields};
use crate::reporter::Reporter;
use crate::requested_series::{labels, note_oldest, stored};
use crate::series_combinations::of_histories;
use crate::stdout;
use crate::stream_progress::StreamProgress;
use crate::table::Format;
use crate::time_arg::{self, Start};

/// Write the history of series to a file or a data set, and keep it up to date
#[derive(Args, Debug)]
#[allow(clippy::struct_excessive_bools)] // Each is a flag of the command.
#[command(after_help = examples::backfill())]
pub(crate) struct Backfill {
    #[arg(help = endpoints_help("list --history"), value_name = "ENDPOINT", required_unless_present = "job")]
    #[arg(add = endpoint_candidates())]
    endpoints: Vec<String>,
    /// Start of the range in UTC: 2025-01-31, 2025-01-31T12:00, or an age such as 90d, whose interval is included
    #[arg(long, value_name = "WHEN", value_parser = time_arg::start, required_unless_present = "job")]
    #[arg(allow_hyphen_values = true)]
    from: Option<Start>,
    /// End of the range, excluded [default: now]
    #[arg(long, value_name = "WHEN", value_parser = time_arg::end)]
    to: Option<Timestamp>,
    /// A .csv, .jsonl, .csv.gz, .jsonl.gz or .parquet file, a folder for a data set, s3://BUCKET/PREFIX, or - for
    /// stdout
    #[arg(long, short, value_name = "TARGET", value_hint = clap::ValueHint::AnyPath, required_unless_present = "job")]
    out: Option<String>,
    /// Read series, range and target from a TOML file; `--from`, `--to` and `--out` replace its values, also those of
    /// single series
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    #[arg(conflicts_with = "endpoints")]
    job: Option<PathBuf>,
    /// Fetch again the records in this span before the newest record [default: 24h]
    #[arg(long, value_name = "AGE", value_parser = time_arg::duration)]
    refetch: Option<Duration>,
    /// Fetch all times without a record again, not only those of the last 14 days, for example after the service has
    /// added old records
    #[arg(long)]
    refetch_gaps: bool,
    /// Accept series without any record, such as those that do not exist yet
    #[arg(long)]
    allow_empty: bool,
    /// Reject a page with an invalid value; by default only the value becomes null
    #[arg(long)]
    strict: bool,
    /// Period of the files of a data set: day, month or year
    #[arg(long, value_name = "PERIOD")]
    partition: Option<Partition>,
    /// Include the record of the current interval; a later run replaces it
    #[arg(long)]
    include_partial: bool,
    /// Print the number of requests and the ranges that a run would fetch, and send no request
    #[arg(long)]
    dry_run: bool,
    /// Format of `--out -`; a table on a terminal, else CSV
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Print one JSON object for each series: files, range, changes and gaps; with `--out -` on standard error
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    metrics: MetricsOption,
    #[command(flatten)]
    params: Params,
    #[command(flatten)]
    connection: Connection,
}

impl Backfill {
    pub(crate) async fn run(&self, log: Log, interrupt: Interrupt) -> Result<()> {
        let file = self.job_file(log)?;
        file.check_ranges()?;
        note_oldest(&file.series, file.from.time, log);
        let is_stream = file.out == "-";
        let target = Target::parse(&file.out);
        if self.format.is_some() && !is_stream {
            return Err(Failure::usage("`--format` is only for `--out -`; the name of a file determines its format"));
        }
        if self.partition.is_some() && (is_stream || matches!(target, Ok(Target::File { .. }))) {
            return Err(Failure::usage("`--partition` is only for a data set, but `--out` is not a folder or bucket"));
        }
        if is_stream && (self.refetch.is_some() || self.refetch_gaps) {
            let message = "`--refetch` and `--refetch-gaps` are only for files; `--out -` fetches every record";
            return Err(Failure::usage(message));
        }
        if is_stream && file.refetch.is_some() {
            log.remark("`refetch` of the job file is not used; `--out -` fetches every record");
        }
        if is_stream && !self.dry_run {
            return interrupt.ends(self.to_stdout(&file, log)).await;
        }
        let target = target?;
        let metrics = if self.dry_run { None } else { self.metrics.open(log)? };
        let ended = self.to_files(&file, target, metrics.as_ref(), log, interrupt).await;
        let measured = match metrics {
            Some(metrics) => metrics.end(),
            None => Ok(()),
        };
        ended.and(measured)
    }

    /// Plans and runs the job, or only plans it.
    async fn to_files(
        &self,
        file: &JobFile,
        target: Target,
        metrics: Option<&Metrics>,
        log: Log,
        interrupt: Interrupt,
    ) -> Result<()> {
        let connected = self.connection.open_for_files(log, metrics.cloned()).await?;
        let job = self.job(&connected, file, target.clone())?;
        let run = FileRun::new(file, job, target, log);
        let planned = match run.plan().await {
            Ok(planned) => planned,
            Err(error) => {
                if self.json && !self.dry_run {
                    stdout::print(run.not_begun(&error))?;
                }
                return Err(error.into());
            }
        };
        if self.dry_run {
            return run.show(planned.plan, self.json);
        }
        let reporter = run.reporter(&planned.plan);
        let ended = run.run(planned, metrics, reporter, interrupt.happened()).await;
        let printed = if self.json { stdout::print(ended.json_lines) } else { Ok(()) };
        // A closed pipe does not hide the failure of the run.
        ended.outcome.and(printed)
    }

    /// Prints all records of the range, one series after the other.
    async fn to_stdout(&self, file: &JobFile, log: Log) -> Result<()> {
        let connected = self.connection.open_for_files(log, None).await?;
        let format = Format::or_for_reader(self.format, Format::Csv);
        let mut printer = Printer::new(&connected.client, &file.series, format, Columns::File)?;
        let requests = requests(&connected.client, file)?;
        // No bar is drawn, because a terminal shows the records.
        let mut reporter = Reporter::new(log, Bar::new(Log::Quiet, 0), labels(&file.series));
        reporter.has_objects_on_stderr = self.json;
        let mut progress = StreamProgress::new(self.planned(file, &requests));
        let progress_log = if stdout::is_terminal() { Log::Quiet } else { log };
        let mut summary = unchanged(&requests);
        let mut fatal = None;
        for (index, (series, stored)) in file.series.iter().zip(&requests).enumerate() {
            progress.begin_series();
            let mut report = summary.series[index].clone();
            let range = file.range(series, report.interval);
            let mut next = range.start;
            let mut unreadable: BTreeSet<u32> = BTreeSet::new();
            let mut pages = self.history(stored, range.clone()).pages();
            while let Some(page) = pages.next().await {
                let page = match page {
                    Ok(page) => page,
                    Err(error) => {
                        report.unfetched += time_arg::steps([&(next..range.end.min(time_arg::now()))], report.interval);
                        if fails_everywhere(&error) {
                            fatal = Some(dataset::Error::from(error.clone()));
                        }
                        summary.failed.push((index, error.into()));
                        break;
                    }
                };
                summary.pages += u64::from(page.report.failed_pages.is_empty());
                summary.failed_pages += page.report.failed_pages.len() as u64;
                reporter.report(index, &page.report);
                let readable = ReadableRecords::new(stored, &page, &page.range);
                unreadable.extend(&readable.unreadable);
                for record in readable.records.iter() {
                    report.invalid += u64::from(has_invalid(series.endpoint, record));
                }
                report.add_page(&page, &readable.times);
                next = page.range.end;
                printer.print(&[SeriesRecords::of_page(index, series, &readable.records, &readable.times)])?;
                reporter.progress(&progress.with(&pages.progress()), progress_log);
            }
            progress.end_series(&pages.progress());
            // A page that is requested again has the same records.
            report.unreadable = unreadable.len() as u64;
            report.end_pages(&(range.start..next));
            summary.series[index] = report;
            if fatal.is_some() {
                break;
            }
        }
        printer.end()?;
        if self.json {
            // Standard output is for the records.
            log::write(reporter.json_lines(file, &summary, fatal.as_ref()).trim_end());
        }
        let is_filled = self.allow_empty || !summary.series.iter().any(SeriesReport::is_empty);
        summary.is_complete = is_filled && summary.failed.is_empty() && summary.failed_pages == 0;
        let ended = match fatal {
            Some(error) => Err(error),
            None => Ok(summary),
        };
        reporter.end(file, ended, ExitKind::Interrupted)
    }

    /// The history of a series that is printed.
    fn history(&self, stored: &SeriesRequest, range: Range<Timestamp>) -> History<Dynamic> {
        let request = stored.request().clone();
        let request = if self.strict { request } else { request.skip_bad_records() };
        let history = History::new(request, range).skip_failed_pages();
        if self.include_partial { history.include_partial() } else { history }
    }

    /// The number of requests of each series. One that cannot be planned fails later, with its own error.
    fn planned(&self, file: &JobFile, requests: &[SeriesRequest]) -> VecDeque<u64> {
        let mut planned = VecDeque::new();
        for (series, stored) in file.series.iter().zip(requests) {
            let plan = self.history(stored, file.range(series, stored.interval())).plan();
            planned.push_back(plan.map_or(0, |plan| plan.requests));
        }
        planned
    }

    /// The settings of the job file or, without a job file, the settings of the command line.
    fn job_file(&self, log: Log) -> Result<JobFile> {
        match (&self.job, self.from, &self.out) {
            (Some(_), ..) if self.params != Params::default() => {
                Err(Failure::usage("`--job` cannot be used with params; write them into the job file"))
            }
            (Some(file), from, out) => job_text::read(file, Overrides { from, to: self.to, out: out.as_deref() }, log),
            (None, Some(from), Some(out)) => {
                let series = of_histories(&self.endpoints, &self.params, log)?;
                let to = self.to.unwrap_or(time_arg::OPEN);
                Ok(JobFile { series, from, to, out: out.clone(), refetch: None })
            }
            _ => Err(Failure::usage("`--from` and `--out` are required without `--job`")),
        }
    }

    fn job(&self, connected: &Connected, file: &JobFile, target: Target) -> Result<Job> {
        let mut job = connected.backfill(requests(&connected.client, file)?, file.from, file.to, target);
        job.include_partial = self.include_partial;
        job.allow_empty = self.allow_empty;
        job.strict = self.strict;
        job.refetch_gaps = self.refetch_gaps;
        job.partition = self.partition;
        job.refetch = self.refetch.or(file.refetch).unwrap_or(job.refetch);
        // The path identifies the job, so that a run can show which series the job file no longer has.
        if let Some(path) = &self.job
            && let Ok(path) = path.canonicalize()
        {
            job.name = Some(path.display().to_string());
        }
        Ok(job)
    }
}

/// The series of a job file, each with its range if it is not that of the job.
fn requests(client: &AnyClient, file: &JobFile) -> Result<Vec<SeriesRequest>> {
    let mut requests = Vec::new();
    for (series, request) in file.series.iter().zip(stored(client, &file.series)?) {
        let range = file.range(series, request.interval());
        let has_own = series.from.is_some() || series.to.is_some();
        requests.push(if has_own { request.within(range) } else { request });
    }
    Ok(requests)
}

/// `true` if a value of a record does not fit its field; the value is then among the unknown fields.
fn has_invalid(endpoint: Endpoint, record: &AnyRecord) -> bool {
    let Some(unknown) = record.unknown_fields() else { return false };
    for (name, _) in unknown.iter_raw() {
        if fields(endpoint).any(|field| field.wire_name == name) {
            return true;
        }
    }
    false
}

/// `true` if the error is in the command or the credentials, so that the other series do not matter.
fn fails_everywhere(error: &Error) -> bool {
    error.is_auth() || error.is_token() || error.kind() == ErrorKind::Builder
}
