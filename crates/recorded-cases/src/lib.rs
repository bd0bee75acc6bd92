//! Compares texts with recorded texts, and records new ones if `UPDATE_EXPECT` is set.
//!
//! A recorded text is a file, or a part of an archive: a file with several texts, each after a line `-- NAME --`. This
//! crate does not know the subjects of the cases; a test reads the inputs of its case and calls `compare`.

#![allow(clippy::expect_used, clippy::missing_panics_doc, reason = "a test that fails may panic")]

mod archive;

use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::Failed;

pub use archive::{Archive, Expected, Texts, cases_of_archives};

/// The extension of an archive.
const EXTENSION: &str = ".txtar";

/// Compares a text with a recorded file. With `UPDATE_EXPECT`, a text that differs replaces the file.
pub fn compare(path: &Path, actual: &str) -> Result<(), Failed> {
    let expected = fs::read_to_string(path).unwrap_or_default();
    if expected == actual {
        return Ok(());
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a new folder");
        fs::write(path, actual).expect("to write the expected text");
        return Ok(());
    }
    Err(format!("{} differs\n--- expected\n{expected}\n--- actual\n{actual}", path.display()).into())
}

/// The paths in a folder, sorted.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        paths.push(entry.expect("an entry").path());
    }
    paths.sort();
    paths
}

/// The paths of the archives in a folder, sorted.
pub fn archives(folder: &Path) -> Vec<PathBuf> {
    let mut paths = entries(folder);
    paths.retain(|path| name(path).ends_with(EXTENSION));
    paths
}

/// The file name of a path.
pub fn name(path: &Path) -> String {
    path.file_name().expect("a name").to_string_lossy().into_owned()
}
