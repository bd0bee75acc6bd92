//! Standard output, which carries only the data of a command.
//!
//! If the reader closes the pipe early, the command ends without a message. A full disk is an error.

use std::env;
use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use runtime::text::ForeignText;

use crate::failure::{ExitKind, Failure, Result, reason};

/// Writes data, and flushes it. A terminal gets no characters of the data that steer it; programs get all of them.
pub(crate) fn print(data: impl AsRef<[u8]>) -> Result<()> {
    let mut stdout = io::stdout().lock();
    let data = data.as_ref();
    let written_data = match std::str::from_utf8(data) {
        Ok(text) if stdout.is_terminal() => stdout.write_all(ForeignText(text).to_string().as_bytes()),
        _ => stdout.write_all(data),
    };
    written(written_data.and_then(|()| stdout.flush()))
}

/// Writes lines for people, which can quote a text from outside.
pub(crate) fn lines(text: &str) -> Result<()> {
    print(ForeignText(text).to_string())
}

/// Converts the result of writing to standard output.
pub(crate) fn written(result: io::Result<()>) -> Result<()> {
    result.map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::new(ExitKind::BrokenPipe, ""),
        _ => Failure::new(ExitKind::Machine, format!("cannot write to standard output: {}", reason(&error))),
    })
}

/// Returns `true` if standard output is a terminal.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// The style of a heading.
pub(crate) const HEADING: Style = AnsiColor::Green.on_default().bold();

/// Writes text with styles, which are removed unless colours are enabled.
pub(crate) fn styled(text: &str) -> Result<()> {
    let mut stdout = anstream::stdout().lock();
    written(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
}

/// Returns `true` if colours are enabled on standard output.
pub(crate) fn has_colours() -> bool {
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

/// Returns the width of the terminal in columns, or else that of the variable `COLUMNS`; 80 if unknown.
pub(crate) fn width() -> usize {
    let terminal = terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0);
    let columns = terminal.or_else(|| env::var("COLUMNS").ok()?.parse().ok());
    columns.map_or(80, |columns| usize::from(columns).max(20))
}

/// Returns the height of the terminal in lines; 24 if unknown.
pub(crate) fn height() -> usize {
    terminal_size::terminal_size_of(io::stdout()).map_or(24, |(_, height)| usize::from(height.0).max(10))
}
