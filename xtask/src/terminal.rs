//! Prints the output of commands: results to standard output, messages and errors to standard error.

use std::io::{Write, stderr, stdout};

/// The outcome of a command; an error is text for the user, with its line breaks.
pub(crate) type Outcome = Result<(), String>;

/// Prints a result without adding a line break. A failed write is ignored.
pub(crate) fn print(text: &str) {
    let _ = stdout().write_all(text.as_bytes());
}

/// Prints a message or an error. A failed write is ignored.
pub(crate) fn print_error(text: &str) {
    let _ = stderr().write_all(text.as_bytes());
}
