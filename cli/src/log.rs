//! Remarks, warnings and errors beside the data, on standard error.
//!
//! Colours are shown on a terminal alone, and never if `NO_COLOR` is set. A write that fails is ignored.

use std::io::Write;

use anstyle::{AnsiColor, Style};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// Writes to standard error.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    level: Level,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Nothing,
    Quiet,
    All,
}

impl Log {
    /// With `quiet`, errors and warnings alone.
    pub(crate) fn new(quiet: bool) -> Self {
        Self { level: if quiet { Level::Quiet } else { Level::All } }
    }

    /// Prints nothing, not even warnings.
    pub(crate) fn nothing() -> Self {
        Self { level: Level::Nothing }
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.level < Level::All
    }

    /// Prints information that is not needed to use the data.
    pub(crate) fn remark(&self, text: &str) {
        if self.level >= Level::All {
            write(text);
        }
    }

    /// Prints a warning.
    pub(crate) fn warning(&self, text: &str) {
        if self.level >= Level::Quiet {
            write(&format!("{WARNING}warning:{WARNING:#} {text}"));
        }
    }
}

/// Prints why a command did not do its work.
pub(crate) fn error(text: &str) {
    write(&format!("{ERROR}error:{ERROR:#} {text}"));
}

fn write(line: &str) {
    // In one piece, so that no other output comes in between.
    let _ = anstream::stderr().lock().write_all(format!("{line}\n").as_bytes());
}
