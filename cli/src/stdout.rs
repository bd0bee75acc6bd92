//! Standard output, which carries only the data of a command.
//!
//! If the reader closes the pipe early, the command ends without a message; a full disk is an error.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use anstyle::{AnsiColor, Style};

use crate::failure::{ExitKind, Failure, Result, reason};

/// Standard output.
#[derive(Debug)]
pub(crate) struct Stdout(BufWriter<StdoutLock<'static>>);

impl Stdout {
    pub(crate) fn new() -> Self {
        Self(BufWriter::new(io::stdout().lock()))
    }

    /// Writes a part of the data.
    pub(crate) fn write(&mut self, text: impl AsRef<[u8]>) -> Result<()> {
        self.0.write_all(text.as_ref()).map_err(|error| failed(&error))
    }

    /// Writes everything that is still buffered.
    pub(crate) fn flush(&mut self) -> Result<()> {
        self.0.flush().map_err(|error| failed(&error))
    }
}

/// Writes all the data of a command.
pub(crate) fn print(text: impl AsRef<[u8]>) -> Result<()> {
    let mut stdout = Stdout::new();
    stdout.write(text)?;
    stdout.flush()
}

/// Returns `true` if standard output is a terminal.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Returns `true` if colours are enabled.
pub(crate) fn has_colours() -> bool {
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

/// The style of a heading if colours are enabled.
pub(crate) fn heading() -> Style {
    if has_colours() { AnsiColor::Green.on_default().bold() } else { Style::new() }
}

/// The width in columns; 80 if unknown.
pub(crate) fn width() -> usize {
    terminal_size::terminal_size_of(io::stdout()).map_or(80, |(width, _)| usize::from(width.0).max(20))
}

/// The height in lines; 24 if unknown.
pub(crate) fn height() -> usize {
    terminal_size::terminal_size_of(io::stdout()).map_or(24, |(_, height)| usize::from(height.0).max(10))
}

fn failed(error: &io::Error) -> Failure {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Failure::new(ExitKind::BrokenPipe, "");
    }
    Failure::new(ExitKind::Machine, format!("cannot write to standard output: {}", reason(error)))
}
