//! What a command prints: results on standard output, the rest on standard error.

use std::io::{Write, stderr, stdout};
use std::process::ExitCode;

/// Prints a result as it is. Nothing is lost if nobody listens.
pub(crate) fn say(text: &str) {
    let _ = stdout().write_all(text.as_bytes());
}

/// Prints what is no result, but good to know while it lasts.
pub(crate) fn remark(text: &str) {
    let _ = stderr().write_all(text.as_bytes());
}

/// Prints why a command did not do its work, and is that command's exit code.
pub(crate) fn fail(text: &str) -> ExitCode {
    remark(text);
    ExitCode::FAILURE
}
