//! Standard output, which carries only the data of a command.
//!
//! If the reader closes the pipe early, the command ends without a message. A full disk is an error.

use std::env;
use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use runtime::text::ForeignText;

use crate::data_output::DataOutput;
use crate::failure::{ExitKind, Failure, Result};

/// Writes data, and flushes it. A terminal gets no characters of the data that steer it; programs get all of them.
pub(crate) fn print(data: impl AsRef<[u8]>) -> Result<()> {
    write_and_flush(&mut DataOutput::stdout(), data.as_ref())
}

fn write_and_flush(out: &mut impl Write, data: &[u8]) -> Result<()> {
    written(out.write_all(data))?;
    written(out.flush())
}

/// Writes lines for people, which can quote a text from outside.
pub(crate) fn lines(text: &str) -> Result<()> {
    print(ForeignText(text).to_string())
}

/// Converts the result of writing to standard output.
pub(crate) fn written(result: io::Result<()>) -> Result<()> {
    result.map_err(|error| {
        if is_closed_pipe(&error) {
            return Failure::new(ExitKind::BrokenPipe, "");
        }
        Failure::new(ExitKind::Machine, format!("cannot write to standard output: {error}"))
    })
}

fn is_closed_pipe(error: &io::Error) -> bool {
    // The writer of CSV wraps the error of the stream.
    let mut cause = error;
    if let Some(wrapped) = error.get_ref()
        && let Some(wrapped) = wrapped.downcast_ref::<csv::Error>()
        && let csv::ErrorKind::Io(of_stream) = wrapped.kind()
    {
        cause = of_stream;
    }
    cause.kind() == io::ErrorKind::BrokenPipe
}

/// `true` if standard output is a terminal.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// The style of a heading.
pub(crate) const HEADING: Style = AnsiColor::Green.on_default().bold();

/// Writes text with styles, which are removed unless colours are enabled.
pub(crate) fn styled(text: &str) -> Result<()> {
    write_and_flush(&mut anstream::stdout().lock(), text.as_bytes())
}

/// `true` if colours are enabled on standard output.
pub(crate) fn has_colours() -> bool {
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

/// The width of the terminal in columns, or else that of the variable `COLUMNS`; 80 if unknown.
pub(crate) fn width() -> usize {
    match columns() {
        Some(columns) => usize::from(columns).max(20),
        None => 80,
    }
}

fn columns() -> Option<u16> {
    if let Some((width, _)) = terminal_size::terminal_size_of(io::stdout()) {
        return Some(width.0);
    }
    env::var("COLUMNS").ok()?.parse().ok()
}

/// The height of the terminal in lines; 24 if unknown.
pub(crate) fn height() -> usize {
    match terminal_size::terminal_size_of(io::stdout()) {
        Some((_, height)) => usize::from(height.0).max(10),
        None => 24,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct ClosedPipe;

    impl Write for ClosedPipe {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_pipe_that_csv_finds_closed_is_no_error_of_the_machine() {
        let wrapped = csv::Writer::from_writer(ClosedPipe).write_record(["x".repeat(100_000)]).map_err(io::Error::from);
        assert_eq!(written(wrapped).unwrap_err().exit_kind, ExitKind::BrokenPipe);
        let full = Err(io::ErrorKind::StorageFull.into());
        assert_eq!(written(full).unwrap_err().exit_kind, ExitKind::Machine);
    }
}
