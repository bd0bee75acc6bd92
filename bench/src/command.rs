//! Runs other programs.

use std::path::Path;
use std::process::{Command, Stdio};

/// Runs a program, and returns its standard output and standard error, or the reason for its failure.
pub(crate) fn output(command: &mut Command) -> Result<(String, String), String> {
    let shown = format!("{command:?}");
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("{shown}: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    if output.status.success() {
        return Ok((stdout, stderr));
    }
    let last: Vec<_> = stderr.lines().rev().take(20).collect();
    Err(format!("{shown} failed:\n{}", last.into_iter().rev().collect::<Vec<_>>().join("\n")))
}

/// Returns `true` if a program is installed.
pub(crate) fn exists(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// Copies a command, because `Command` does not implement `Clone`.
pub(crate) fn copied(command: &Command) -> Command {
    let mut copy = Command::new(command.get_program());
    copy.args(command.get_args());
    copy
}

/// A Cargo command that runs in a folder, with this target folder and without the environment variables that
/// change build flags.
pub(crate) fn cargo(folder: &Path, target: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).arg("--quiet").current_dir(folder).env("CARGO_TARGET_DIR", target);
    for setting in ["RUSTFLAGS", "CARGO_PROFILE_DEV_DEBUG", "CARGO_ENCODED_RUSTFLAGS"] {
        command.env_remove(setting);
    }
    // An incremental build would reuse results of the previous round, and take less time than a full build.
    command.env("CARGO_INCREMENTAL", "0");
    command
}
