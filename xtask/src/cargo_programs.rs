//! `cargo xtask serve` and `cargo xtask bench`: programs that Cargo builds and runs, so that `xtask` builds without them.

use std::process::Command;

use clap::Args;

use crate::project_paths;
use crate::terminal::{CommandResult, print};

// A doc comment here would replace those of the commands.
#[derive(Args)]
pub(crate) struct Program {
    /// Arguments of the program; `--help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

impl Program {
    pub(crate) fn serve(&self) -> CommandResult {
        if self.asks_for_help() {
            print(include_str!("../../crates/sandbox-program/help.txt"));
            return Ok(());
        }
        let mut command = cargo();
        // The command runs in the current folder, not in the project's root, because the user's paths are relative to
        // the current folder.
        // Cargo reports on standard error why the sandbox does not listen yet: it is built, or another build has the lock.
        command.args(["run", "--package", "sandbox-program", "--manifest-path"]);
        command.arg(project_paths::root().join("Cargo.toml")).arg("--");
        // A `--spec` among the user's arguments overrides this default.
        command.arg("--spec").arg(project_paths::spec()).args(&self.arguments);
        replace_process(&mut command)
    }

    /// `true` if the user asks for help, which must not start a build. A `-h` after another option may be its value, so
    /// it counts only as the first argument.
    fn asks_for_help(&self) -> bool {
        match self.arguments.first() {
            Some(first) if first == "-h" => true,
            _ => self.arguments.iter().any(|argument| argument == "--help"),
        }
    }

    pub(crate) fn bench(&self) -> CommandResult {
        let mut command = cargo();
        command.args(["run", "--quiet", "--locked", "--manifest-path"]);
        command.arg(project_paths::root().join("bench/Cargo.toml")).arg("--").args(&self.arguments);
        replace_process(command.env("CARGO_TARGET_DIR", project_paths::target()))
    }
}

/// A command that runs the Cargo program by which this process was started.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Replaces this process with the command, so that a signal to this process ends the program that Cargo starts.
#[cfg(unix)]
fn replace_process(command: &mut Command) -> CommandResult {
    let error = std::os::unix::process::CommandExt::exec(command);
    Err(format!("error: cargo does not start: {error}\n"))
}

/// Runs the command, and ends with its exit code, because only Unix can replace a process.
#[cfg(not(unix))]
fn replace_process(command: &mut Command) -> CommandResult {
    let status = command.status().map_err(|error| format!("error: cargo does not start: {error}\n"))?;
    std::process::exit(status.code().unwrap_or(1))
}
