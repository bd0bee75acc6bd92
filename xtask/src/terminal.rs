//! Output of commands: results on standard output, the rest on standard error.

use std::io::{Write, stderr, stdout};
use std::process::ExitCode;

/// Prints a result as it is. A write that fails is ignored.
pub(crate) fn say(text: &str) {
    let _ = stdout().write_all(text.as_bytes());
}

/// Prints a remark that is not a result.
pub(crate) fn remark(text: &str) {
    let _ = stderr().write_all(text.as_bytes());
}

/// Prints why a command did not do its work, and returns its exit code.
pub(crate) fn fail(text: &str) -> ExitCode {
    remark(text);
    ExitCode::FAILURE
}
