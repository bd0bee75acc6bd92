//! Runs the program in pipes or in a pseudo-terminal, with a clean environment.
//!
//! A run returns the text of both streams or of the screen, and the exit code.

mod service;
#[cfg(unix)]
mod terminal;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub(crate) use service::Service;
#[cfg(unix)]
pub(crate) use terminal::Terminal;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_derivs");

/// The outcome of a run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RunOutput {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Creates a command with these arguments, without the settings of the user who runs the tests.
pub(crate) fn derivs(args: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(args).stdin(Stdio::null());
    for (name, _) in std::env::vars().filter(|(name, _)| is_foreign(name)) {
        command.env_remove(name);
    }
    command.env("HOME", nowhere()).env("XDG_CONFIG_HOME", nowhere());
    // Tests run at the same time, and must not wait for each other.
    command.env("MARKET_ANALYTICS_SHARED_RATE_LIMIT", "off");
    command
}

/// Returns `true` for variables of the user that would change the behaviour of the program.
pub(crate) fn is_foreign(name: &str) -> bool {
    name.starts_with("MARKET_ANALYTICS_") || ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"].contains(&name)
}

/// Returns a folder that does not exist.
pub(crate) fn nowhere() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("missing-home")
}

/// Runs the program to its end.
pub(crate) fn run(args: &[&str]) -> RunOutput {
    run_output(&derivs(args).output().unwrap())
}

/// Runs the program against a service.
pub(crate) fn run_with(service: &Service, args: &[&str]) -> RunOutput {
    run_output(&derivs_with(service, args).output().unwrap())
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

pub(crate) fn contents(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap()
}

/// Runs a command to its end.
pub(crate) fn output(command: &mut Command) -> RunOutput {
    run_output(&command.output().unwrap())
}

/// Creates a command with the settings of a service.
pub(crate) fn derivs_with(service: &Service, args: &[&str]) -> Command {
    let mut command = derivs(args);
    command.env("MARKET_ANALYTICS_BASE_URL", service.base_url()).env("MARKET_ANALYTICS_API_KEY", "right-key");
    command
}

pub(crate) fn run_output(output: &Output) -> RunOutput {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    RunOutput { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

impl RunOutput {
    /// Returns the lines of the data, without the header.
    pub(crate) fn rows(&self) -> Vec<&str> {
        self.out.lines().skip(1).collect()
    }
}
