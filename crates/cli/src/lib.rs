//! The command line of any generated API client.
//!
//! A program is one statement; its name and version are those of the binary, everything else is read from the registry:
//!
//! ```ignore
//! fn main() -> std::process::ExitCode {
//!     cli::program!(&some_client::REGISTRY).main()
//! }
//! ```
//!
//! Data is written to standard output and everything else to standard error. Each command is one file; endpoints and
//! params are read from the client's registry.

// Modules, lowest layer first.
mod durations;
mod earlier_metrics;
mod log;
mod whole_number;

mod metrics_text;

mod metrics_figures;

mod program;

mod notation;

mod time_arg;

mod failure;
mod toml_text;

mod data_output;
mod endpoint_names;
mod interrupt;
mod stdout;

mod sections;
mod table;

mod option_names;

mod offered_param;

mod ignored_range;
mod param_options;
mod progress;
mod stream_progress;
mod unsupported_values;

mod examples;
mod find_endpoint;
mod future_records;
mod metrics_file;
mod new_records;
mod param_keys;
mod param_values;
mod pause_warnings;
mod shared_rate_limit;
mod stored_completions;
mod trouble;

mod connection;
mod excel_file;
mod exported_rows;
mod file_notes;
mod marks;
mod selected_series;
mod series_label;

mod requested_series;
mod series_combinations;
mod status_check;

mod chart_line;

mod chart_drawing;
mod followed_fields;
mod job_settings;
mod plan_report;
mod range_ends;
mod record_columns;
mod record_spacing;
mod update_notes;

mod response_warnings;
mod stored_target;

mod job_text;

mod catalogue_json;
mod chart_data;
mod chart_text;
mod endpoint_list;
mod endpoint_page;
mod printer;
mod quality_report;
mod stored_chart;

mod report_page;

mod cause_of_stop;
mod empty_series;
mod incomplete_run;
mod run_outcome;
mod series_outcome;
mod status_report;

mod followed_target;
mod printed_updates;

mod reporter;

mod backfill_run;

mod printed_run;

#[cfg(any(feature = "mcp", test))]
mod assistant;

mod commands;

mod command_line;

use std::process::ExitCode;

use clap::ColorChoice;
use command_line::{Command, CommandLine};
use failure::{Failure, Result};
use interrupt::Interrupt;
use log::Log;

pub use program::Program;

impl Program {
    /// Runs the command that the arguments of this process contain, and returns the exit code, which `--help` lists.
    pub fn main(self) -> ExitCode {
        self.start();
        run_process()
    }
}

fn run_process() -> ExitCode {
    // If a shell requests completions, `complete` prints them and ends the process.
    command_line::complete();
    match run(command_line::read()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            log::error(&failure.to_string());
            ExitCode::from(failure.exit_kind as u8)
        }
    }
}

fn run(line: CommandLine) -> Result<()> {
    match line.color {
        ColorChoice::Auto => {}
        ColorChoice::Always => anstream::ColorChoice::Always.write_global(),
        ColorChoice::Never => anstream::ColorChoice::Never.write_global(),
    }
    let log = match (line.quiet, line.verbose) {
        (true, _) => Log::Quiet,
        (_, true) => Log::Verbose,
        _ => Log::All,
    };
    // A data set needs an open file for each series, so the limit of open files is raised. A failure is ignored,
    // because a run that then opens too many files reports an error.
    let _ = rlimit::increase_nofile_limit(u64::MAX);
    if line.progress_json {
        progress::print_as_json();
    }
    let ends = line.end_with_stdin;
    match line.command {
        Command::List(list) => list.run(log),
        Command::Describe(describe) => describe.run(),
        Command::Man(man) => man.run(command_line::for_words(&[])),
        Command::Get(get) => wait(ends, async |interrupt| get.run(log, interrupt).await),
        Command::Backfill(backfill) => wait(ends, async |interrupt| backfill.run(log, interrupt).await),
        Command::Poll(poll) => wait(ends, async |interrupt| poll.run(log, interrupt).await),
        Command::Report(report) => wait(ends, async |_| report.run(log).await),
        Command::Export(export) => wait(ends, async |_| export.run(log).await),
        Command::Retire(retire) => wait(ends, async |_| retire.run(log).await),
        Command::Repair(repair) => wait(ends, async |_| repair.run(log).await),
        Command::Adopt(adopt) => wait(ends, async |_| adopt.run(log).await),
        Command::Acknowledge(acknowledge) => wait(ends, async |_| acknowledge.run(log).await),
        Command::Remove(remove) => wait(ends, async |_| remove.run(log).await),
        Command::Status(status) => wait(ends, async |_| status.run(log).await),
        Command::Plot(plot) => wait(ends, async |interrupt| plot.run(log, interrupt).await),
        #[cfg(any(feature = "mcp", test))]
        Command::Mcp(mcp) => wait(ends, async |interrupt| Box::pin(mcp.run(log, interrupt)).await),
        Command::Check(check) => wait(ends, async |interrupt| check.run(log, interrupt).await),
    }
}

/// Runs an asynchronous command, which may end with standard input.
fn wait(ends_with_stdin: bool, work: impl AsyncFnOnce(Interrupt) -> Result<()>) -> Result<()> {
    let runtime = tokio::runtime::Runtime::new().map_err(Failure::machine)?;
    let outcome = runtime.block_on(async {
        let done = work(Interrupt::listen(ends_with_stdin).map_err(Failure::machine)?).await;
        // The shared rate limit is shut down after a failure too, so that other programs can use this program's slots.
        shared_rate_limit::shutdown().await;
        done
    });
    // A DNS lookup cannot be cancelled and may last for a minute, so the program does not wait for it.
    runtime.shutdown_background();
    outcome
}
