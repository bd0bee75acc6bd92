//! Updates the README of a catalogue, in which the tables are emitted and the rest is written by hand.

use std::fs;
use std::path::{Path, PathBuf};

use crate::emit::with_key_tables;
use crate::write::{ChangeKind, FileChange, diff};

const README: &str = "README.md";

/// If the tables in a catalogue's README differ from the emitted tables, returns the path of the README, its new text
/// and the change. Returns `None` if nothing differs, or if there is no README.
pub fn readme_tables(spec: &Path) -> Option<(PathBuf, String, FileChange)> {
    let path = spec.join(README);
    // Line endings are ignored, because git may have changed them at checkout.
    let page = fs::read_to_string(&path).ok()?.replace("\r\n", "\n");
    let emitted = with_key_tables(&page);
    let kind = ChangeKind::Drifted(diff(&page, &emitted));
    (emitted != page).then(|| (path, emitted, FileChange { path: README.to_owned(), kind }))
}
