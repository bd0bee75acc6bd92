//! Standard output, which carries only the data of a command.
//!
//! If the reader closes the pipe early, the command ends without a message. A full disk is an error.

use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Style};

use crate::failure::{ExitKind, Failure, Result, reason};

/// Writes data, and flushes it.
pub(crate) fn print(text: impl AsRef<[u8]>) -> Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_ref()).and_then(|()| stdout.flush()).map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::new(ExitKind::BrokenPipe, ""),
        _ => Failure::new(ExitKind::Machine, format!("cannot write to standard output: {}", reason(&error))),
    })
}

/// Returns `true` if standard output is a terminal.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Returns `true` if colours are enabled.
pub(crate) fn has_colours() -> bool {
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

/// Returns the style of a heading if colours are enabled.
pub(crate) fn heading() -> Style {
    if has_colours() { AnsiColor::Green.on_default().bold() } else { Style::new() }
}

/// Returns the width of the terminal in columns; 80 if unknown.
pub(crate) fn width() -> usize {
    terminal_size::terminal_size_of(io::stdout()).map_or(80, |(width, _)| usize::from(width.0).max(20))
}

/// Returns the height of the terminal in lines; 24 if unknown.
pub(crate) fn height() -> usize {
    terminal_size::terminal_size_of(io::stdout()).map_or(24, |(_, height)| usize::from(height.0).max(10))
}
