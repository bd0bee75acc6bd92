//! `backfill`: writes histories of series to a file or a data set.
//!
//! `backfill_run` plans and runs a job that writes files, with the crate `dataset`, and `printed_run` prints the records to
//! standard output. Both show the progress and the outcome with `reporter`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use dataset::{Backfill as Job, Partition, SeriesRequest, Target};
use runtime::{AnyClient, Timestamp};

use crate::backfill_run::FileRun;
use crate::connection::{Connected, Connection};
use crate::examples;
use crate::failure::{Failure, Result};
use crate::interrupt::Interrupt;
use crate::job_settings::{JobSettings, Overrides};
use crate::job_text;
use crate::log::Log;
use crate::metrics_file::{Metrics, MetricsOption};
use crate::notation::{option, stream};
use crate::param_options::{Params, endpoints_help, history_candidates};
use crate::printed_run::{PrintedRun, PrintedRunOptions};
use crate::printer::{Columns, Printer};
use crate::requested_series::{note_oldest, series_requests};
use crate::series_combinations::of_histories;
use crate::stdout;
use crate::table::Format;
use crate::time_arg::{self, Start};

/// Write the history of series to a file or a data set, and keep it up to date
#[derive(Args, Debug)]
#[allow(clippy::struct_excessive_bools)] // Each is a flag of the command.
#[command(after_help = examples::backfill())]
pub(crate) struct Backfill {
    #[arg(help = endpoints_help("list --history"), value_name = "ENDPOINT", required_unless_present = "job")]
    #[arg(add = history_candidates())]
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
    /// Fetch again the records of this span; one of more than a day counts back from the newest record [default: 24h]
    #[arg(long, value_name = "AGE", value_parser = time_arg::duration)]
    refetch: Option<Duration>,
    /// Fetch all times without a record again, not only those of the last 14 days, for example after the service has
    /// added old records
    #[arg(long)]
    refetch_gaps: bool,
    /// Accept series without any record, such as those that do not exist yet
    #[arg(long)]
    allow_empty: bool,
    /// Reject a page with an invalid value of a documented field; by default only the value becomes null
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
        let settings = self.job_settings(log)?;
        settings.check_ranges()?;
        note_oldest(&settings.series, settings.from.time, log);
        let target = Target::parse(&settings.out);
        self.check_options(&settings, matches!(target, Ok(Target::File { .. })), log)?;
        if settings.is_stream() && !self.dry_run {
            return interrupt.ends(self.to_stdout(&settings, log)).await;
        }
        let target = target?;
        let metrics = if self.dry_run { None } else { self.metrics.open(log)? };
        let ended = self.to_files(&settings, target, metrics.as_ref(), log, interrupt).await;
        let measured = match metrics {
            Some(metrics) => metrics.end(),
            None => Ok(()),
        };
        ended.and(measured)
    }

    /// Rejects options that have no effect with this target, which is a single file if `is_file` is true.
    fn check_options(&self, settings: &JobSettings, is_file: bool, log: Log) -> Result<()> {
        let is_stream = settings.is_stream();
        if self.format.is_some() && !is_stream {
            return Err(Failure::usage(format!(
                "`{}` is only for `{}`; the name of a file determines its format",
                option("format"),
                stream()
            )));
        }
        if self.partition.is_some() && (is_stream || is_file) {
            return Err(Failure::usage(format!(
                "`{}` is only for a data set, but `{}` is not a folder or bucket",
                option("partition"),
                option("out")
            )));
        }
        if is_stream && (self.refetch.is_some() || self.refetch_gaps) {
            let (refetch, gaps) = (option("refetch"), option("refetch-gaps"));
            let message = format!("`{refetch}` and `{gaps}` are only for files; `{}` fetches every record", stream());
            return Err(Failure::usage(message));
        }
        if is_stream && settings.refetch.is_some() {
            log.remark(&format!("`refetch` of the job file is not used; `{}` fetches every record", stream()));
        }
        Ok(())
    }

    /// Plans and runs the job, or only plans it.
    async fn to_files(
        &self,
        settings: &JobSettings,
        target: Target,
        metrics: Option<&Metrics>,
        log: Log,
        interrupt: Interrupt,
    ) -> Result<()> {
        let connected = self.connection.open_for_files(log, metrics.cloned()).await?;
        let job = self.job(&connected, settings, target.clone())?;
        let run = FileRun::new(settings, job, target, log);
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

    /// Prints all records of the range.
    async fn to_stdout(&self, settings: &JobSettings, log: Log) -> Result<()> {
        let connected = self.connection.open_for_stream(log).await?;
        let format = Format::or_for_reader(self.format, Format::Csv);
        let printer = Printer::new(&connected.client, &settings.series, format, Columns::File)?;
        let requests = requests(&connected.client, settings)?;
        let options = PrintedRunOptions {
            strict: self.strict,
            include_partial: self.include_partial,
            allow_empty: self.allow_empty,
        };
        PrintedRun::new(settings, &requests, options, printer, self.json, log).run().await
    }

    /// The settings of the job file or, without a job file, those of the command line.
    fn job_settings(&self, log: Log) -> Result<JobSettings> {
        match (&self.job, self.from, &self.out) {
            (Some(_), ..) if self.params != Params::default() => {
                let job = option("job");
                Err(Failure::usage(format!("`{job}` cannot be used with params; write them into the job file")))
            }
            (Some(file), from, out) => job_text::read(file, Overrides { from, to: self.to, out: out.as_deref() }, log),
            (None, Some(from), Some(out)) => {
                let series = of_histories(&self.endpoints, &self.params, log)?;
                let to = self.to.unwrap_or(time_arg::OPEN);
                Ok(JobSettings { series, from, to, out: out.clone(), refetch: None })
            }
            _ => {
                let [from, out, job] = ["from", "out", "job"].map(option);
                Err(Failure::usage(format!("`{from}` and `{out}` are required without `{job}`")))
            }
        }
    }

    fn job(&self, connected: &Connected, settings: &JobSettings, target: Target) -> Result<Job> {
        let mut job = connected.backfill(requests(&connected.client, settings)?, settings.from, settings.to, target);
        job.include_partial = self.include_partial;
        job.allow_empty = self.allow_empty;
        job.strict = self.strict;
        job.refetch_gaps = self.refetch_gaps;
        job.partition = self.partition;
        job.refetch = self.refetch.or(settings.refetch).unwrap_or(job.refetch);
        // The path identifies the job, so that a run can show which series the job file no longer has.
        if let Some(path) = &self.job
            && let Ok(path) = path.canonicalize()
        {
            job.name = Some(path.display().to_string());
        }
        Ok(job)
    }
}

/// The series to request, each with its range if it is not that of the job.
fn requests(client: &AnyClient, settings: &JobSettings) -> Result<Vec<SeriesRequest>> {
    let mut requests = Vec::new();
    for (series, request) in settings.series.iter().zip(series_requests(client, &settings.series)?) {
        let range = settings.range(series, request.interval());
        let has_own = series.from.is_some() || series.to.is_some();
        requests.push(if has_own { request.within(range) } else { request });
    }
    Ok(requests)
}
