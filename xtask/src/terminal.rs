//! Output of commands: results on standard output, the rest on standard error.

use std::io::{Write, stderr, stdout};
use std::process::ExitCode;

/// Prints a result unchanged. A failed write is ignored.
pub(crate) fn say(text: &str) {
    let _ = stdout().write_all(text.as_bytes());
}

/// Prints a remark that is not a result.
pub(crate) fn remark(text: &str) {
    let _ = stderr().write_all(text.as_bytes());
}

/// Prints an error, and returns the exit code of a failure.
pub(crate) fn fail(text: &str) -> ExitCode {
    remark(text);
    ExitCode::FAILURE
}
