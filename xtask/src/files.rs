//! Reads and writes files of the project and of scratch folders; every error contains the path.

use std::fmt::Display;
use std::fs;
use std::path::Path;

/// Reads the text of a file.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| named(path, error))
}

/// Writes a file and the folders above it.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), String> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).and_then(|()| fs::write(path, text)).map_err(|error| named(path, error))
}

/// Formats an error with the path of the file or folder.
pub(crate) fn named(path: &Path, error: impl Display) -> String {
    format!("{}: {error}", path.display())
}
