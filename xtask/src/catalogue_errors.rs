//! The errors of a catalogue as text for the user.

use std::io::{IsTerminal, stderr};
use std::path::Path;

use catalogue::Diagnostics;

use crate::project_paths::shown;

/// The errors as text, coloured on a terminal. Each error contains a path that a terminal can open.
pub(crate) fn rendered(diagnostics: &Diagnostics, spec: &Path) -> String {
    diagnostics.render(&folder(spec), stderr().is_terminal())
}

/// The errors as text of a command that therefore writes nothing.
pub(crate) fn not_written(diagnostics: &Diagnostics, spec: &Path) -> String {
    format!("{}; no files were written\n", rendered(diagnostics, spec).trim_end())
}

/// The path of a folder, with a trailing slash.
pub(crate) fn folder(path: &Path) -> String {
    format!("{}/", shown(path).trim_end_matches(std::path::MAIN_SEPARATOR))
}
