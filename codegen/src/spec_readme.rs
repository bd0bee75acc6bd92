//! Updates the README of a catalogue: its tables are emitted, the rest is written by hand.

use std::fs;
use std::io;
use std::path::Path;

use crate::emit::with_key_tables;
use crate::write::{ChangeKind, FileChange, Mode, diff, replace};

const README: &str = "README.md";

/// Compares the tables in the README of a catalogue with the emitted tables, and updates the README in [`Mode::Write`].
/// `None` if nothing differs or if there is no README.
pub fn write_readme_tables(spec: &Path, mode: Mode) -> io::Result<Option<FileChange>> {
    let path = spec.join(README);
    let Ok(page) = fs::read_to_string(&path) else { return Ok(None) };
    let emitted = with_key_tables(&page);
    if emitted == page {
        return Ok(None);
    }
    if mode == Mode::Write {
        replace(&[(path, emitted.clone())])?;
    }
    Ok(Some(FileChange { path: README.to_owned(), kind: ChangeKind::Drifted(diff(&page, &emitted)) }))
}
