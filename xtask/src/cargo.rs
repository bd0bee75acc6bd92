//! Runs Cargo.

use std::process::{Command, ExitCode};

use crate::terminal::fail;

/// Returns a command that runs the Cargo program by which this process was started.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Replaces this process with the command, so that a signal to this process ends the program that Cargo starts.
#[cfg(unix)]
pub(crate) fn replace_process(command: &mut Command) -> ExitCode {
    let error = std::os::unix::process::CommandExt::exec(command);
    fail(&format!("error: cargo does not start: {error}\n"))
}

/// Runs the command and waits for its end, because only Unix can replace a process.
#[cfg(not(unix))]
pub(crate) fn replace_process(command: &mut Command) -> ExitCode {
    match command.status() {
        Ok(status) => ExitCode::from(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1)),
        Err(error) => fail(&format!("error: cargo does not start: {error}\n")),
    }
}
