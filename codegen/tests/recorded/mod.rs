//! Compares texts with recorded files, and records new texts.

#![allow(clippy::expect_used, reason = "a test that fails may panic")]

pub(crate) mod archive;

use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::Failed;

/// Compares a text with a recorded file. With `UPDATE_EXPECT`, a text that differs replaces the file.
pub(crate) fn compare(path: &Path, actual: &str) -> Result<(), Failed> {
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

/// Returns the paths in a folder, sorted.
pub(crate) fn entries(dir: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> =
        fs::read_dir(dir).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    entries
}

/// Fails if a folder has an entry that no test reads.
pub(crate) fn reject_others(dir: &Path, is_read: impl Fn(&str) -> bool) -> Result<(), Failed> {
    let others: Vec<_> = entries(dir).iter().map(|path| name(path)).filter(|name| !is_read(name)).collect();
    if others.is_empty() { Ok(()) } else { Err(format!("{} has unknown files: {others:?}", dir.display()).into()) }
}

/// Returns the file name of a path.
pub(crate) fn name(path: &Path) -> String {
    path.file_name().expect("a name").to_string_lossy().into_owned()
}
