//! The commands of `cargo xtask`. Libraries and other packages do most of the work.

// Modules, lowest layer first.
mod project_paths;
mod terminal;

mod catalogue_errors;
mod report_format;

mod cargo_programs;
mod catalogue_views;
mod crate_folder;
mod live_answers;
mod stale_names;

mod findings;
mod verify;

mod check;
mod codegen;

mod diff;
mod edited_catalogue;

mod catalogue_edits;
mod learn;

mod drift;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The project's commands.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compare the project with its peers
    #[command(disable_help_flag = true)]
    Bench(cargo_programs::Program),
    Codegen(codegen::Codegen),
    Check(check::Check),
    Openapi(catalogue_views::Openapi),
    Add(catalogue_edits::Add),
    Import(catalogue_edits::Import),
    Learn(learn::Learn),
    Diff(diff::Diff),
    Drift(drift::Drift),
    /// Run the sandbox, a mock server for the client of a catalogue
    #[command(disable_help_flag = true)]
    Serve(cargo_programs::Program),
    Status(catalogue_views::Status),
    Verify(verify::Verify),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Bench(program) => program.bench(),
        Command::Codegen(command) => command.run(),
        Command::Check(command) => command.run(),
        Command::Openapi(command) => command.run(),
        Command::Add(command) => command.run(),
        Command::Import(command) => command.run(),
        Command::Learn(command) => command.run(),
        Command::Diff(command) => command.run(),
        Command::Drift(command) => command.run(),
        Command::Serve(program) => program.serve(),
        Command::Status(command) => command.run(),
        Command::Verify(command) => command.run(),
    };
    if let Err(text) = &outcome {
        terminal::print_error(text);
    }
    if outcome.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
