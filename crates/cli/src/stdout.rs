//! Standard output, which carries only the data of a command.
//!
//! If the reader closes the pipe early, the command ends without a message. A full disk is an error.

use std::env;
use std::io::{self, IsTerminal, Write};

use anstyle::{AnsiColor, Style};
use runtime::text::ForeignText;

use crate::data_output::DataOutput;
use crate::failure::{ExitKind, Failure, Result, reason};

/// Writes data, and flushes it. A terminal gets no characters of the data that steer it; programs get all of them.
pub(crate) fn print(data: impl AsRef<[u8]>) -> Result<()> {
    let mut stdout = DataOutput::stdout();
    written(stdout.write_all(data.as_ref()).and_then(|()| stdout.flush()))
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
        Failure::new(ExitKind::Machine, format!("cannot write to standard output: {}", reason(&error)))
    })
}

fn is_closed_pipe(error: &io::Error) -> bool {
    // The writer of CSV wraps the error of the stream.
    let wrapped = error.get_ref().and_then(|inner| inner.downcast_ref::<csv::Error>());
    let cause = match wrapped.map(csv::Error::kind) {
        Some(csv::ErrorKind::Io(cause)) => cause,
        _ => error,
    };
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
    let mut stdout = anstream::stdout().lock();
    written(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
}

/// `true` if colours are enabled on standard output.
pub(crate) fn has_colours() -> bool {
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

/// The width of the terminal in columns, or else that of the variable `COLUMNS`; 80 if unknown.
pub(crate) fn width() -> usize {
    let terminal = terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| width.0);
    let columns = terminal.or_else(|| env::var("COLUMNS").ok()?.parse().ok());
    columns.map_or(80, |columns| usize::from(columns).max(20))
}

/// The height of the terminal in lines; 24 if unknown.
pub(crate) fn height() -> usize {
    terminal_size::terminal_size_of(io::stdout()).map_or(24, |(_, height)| usize::from(height.0).max(10))
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
