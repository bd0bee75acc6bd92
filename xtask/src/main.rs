//! The commands of `cargo xtask`. Libraries and other packages do most of the work.

mod add;
mod bench;
mod cargo;
mod codegen;
mod confirm_edit;
mod crate_folder;
mod diff;
mod drift;
mod endpoint_references;
mod import;
mod learn;
mod openapi;
mod project_paths;
mod serve;
mod terminal;
mod verify;

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
    Bench(bench::Bench),
    Codegen(codegen::Codegen),
    Check(codegen::Check),
    Openapi(openapi::Openapi),
    Add(add::Add),
    Import(import::Import),
    Learn(learn::Learn),
    Diff(diff::Diff),
    Drift(drift::Drift),
    Serve(serve::Serve),
    Status(codegen::Status),
    Verify(verify::Verify),
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Bench(command) => command.run(),
        Command::Codegen(command) => command.run(),
        Command::Check(command) => command.run(),
        Command::Openapi(command) => command.run(),
        Command::Add(command) => command.run(),
        Command::Import(command) => command.run(),
        Command::Learn(command) => command.run(),
        Command::Diff(command) => command.run(),
        Command::Drift(command) => command.run(),
        Command::Serve(command) => command.run(),
        Command::Status(command) => command.run(),
        Command::Verify(command) => command.run(),
    }
}
