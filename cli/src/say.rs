//! What is said beside the data: remarks, warnings and errors, on standard error.
//!
//! Colours are shown on a terminal alone, and never where `NO_COLOR` is set. Nothing is lost if nobody listens.

use std::io::Write;

use anstyle::{AnsiColor, Style};

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// Who speaks on standard error.
#[derive(Clone, Debug)]
pub(crate) struct Say {
    level: Level,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    #[cfg(test)]
    Nothing,
    Quiet,
    All,
}

impl Say {
    /// With `quiet`, errors and warnings alone.
    pub(crate) fn new(quiet: bool) -> Self {
        Self { level: if quiet { Level::Quiet } else { Level::All } }
    }

    #[cfg(test)]
    pub(crate) fn nothing() -> Self {
        Self { level: Level::Nothing }
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.level < Level::All
    }

    /// What is good to know.
    pub(crate) fn remark(&self, text: &str) {
        if self.level >= Level::All {
            write(text);
        }
    }

    /// What may be wrong.
    pub(crate) fn warning(&self, text: &str) {
        if self.level >= Level::Quiet {
            write(&format!("{WARNING}warning:{WARNING:#} {text}"));
        }
    }
}

/// Why a command did not do its work.
pub(crate) fn error(text: &str) {
    write(&format!("{ERROR}error:{ERROR:#} {text}"));
}

fn write(line: &str) {
    // In one piece, so that it is not torn by what others write there.
    let _ = anstream::stderr().lock().write_all(format!("{line}\n").as_bytes());
}
