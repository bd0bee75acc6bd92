//! Information, warnings and errors on standard error.
//!
//! Colours are used on a terminal only, and never if `NO_COLOR` is set. Write errors are ignored.

use std::io::Write;

use anstyle::{AnsiColor, Style};
use runtime::text::ForeignText;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// The level of output on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Log {
    /// Prints nothing, not even warnings.
    Nothing,
    /// Prints warnings only.
    Quiet,
    All,
    /// Also prints the series, and each attempt of a request.
    Verbose,
}

impl Log {
    /// Prints information that is not needed to use the data.
    pub(crate) fn remark(self, text: &str) {
        if self >= Self::All {
            write(text);
        }
    }

    /// Prints a warning.
    pub(crate) fn warning(self, text: &str) {
        if self >= Self::Quiet {
            write_styled(&format!("{WARNING}warning:{WARNING:#} "), text);
        }
    }
}

/// Prints the error of a command. The text is empty if the user knows the reason, for example after Ctrl-C.
pub(crate) fn error(text: &str) {
    if !text.is_empty() {
        write_styled(&format!("{ERROR}error:{ERROR:#} "), text);
    }
}

/// Prints a line for programs or users.
pub(crate) fn write(line: &str) {
    write_styled("", line);
}

#[cfg(any(feature = "mcp", test))]
tokio::task_local! {
    /// The lines of a command that is the call of another program.
    static KEPT: std::cell::RefCell<Vec<String>>;
}

/// Runs a command, and returns its result and the lines that it would print.
#[cfg(any(feature = "mcp", test))]
pub(crate) async fn kept<T>(command: impl Future<Output = T>) -> (T, Vec<String>) {
    KEPT.scope(std::cell::RefCell::default(), async {
        let result = command.await;
        (result, KEPT.with(std::cell::RefCell::take))
    })
    .await
}

/// Prints a line, which can quote a text from outside, after a label with styles.
fn write_styled(label: &str, line: &str) {
    #[cfg(any(feature = "mcp", test))]
    {
        let line = format!("{}{line}", anstream::adapter::strip_str(label));
        if KEPT.try_with(|kept| kept.borrow_mut().push(line)).is_ok() {
            return;
        }
    }
    // The line is written with a single call, so that no other output appears within it.
    let _ = anstream::stderr().lock().write_all(format!("{label}{}\n", ForeignText(line)).as_bytes());
}
