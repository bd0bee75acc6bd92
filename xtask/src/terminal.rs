//! What a command prints: results on standard output, failures on standard error.

use std::io::{Write, stderr, stdout};
use std::process::ExitCode;

/// Prints a result as it is. Nothing is lost if nobody listens.
pub(crate) fn say(text: &str) {
    let _ = stdout().write_all(text.as_bytes());
}

/// Prints why a command did not do its work, and is that command's exit code.
pub(crate) fn fail(text: &str) -> ExitCode {
    let _ = stderr().write_all(text.as_bytes());
    ExitCode::FAILURE
}
