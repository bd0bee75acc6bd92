//! Emitted files in, the disk brought into agreement with them, or a report of where it does not agree.
//!
//! The folder belongs to the generator, yet a file without its marker is somebody's and is never touched.
//! Nothing is written if anything foreign stands there, and no file whose bytes are equal.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

use similar::TextDiff;

use crate::emit::{File, MARKER};

/// What to do about a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Mend it.
    Write,
    /// Only say it.
    Check,
}

/// How the disk differs, or differed, from what is emitted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Every file that differs, sorted by path.
    pub changes: Vec<Change>,
    /// How many files agree.
    pub unchanged: usize,
}

/// A file that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Relative to the folder, with `/` between its parts.
    pub path: String,
    /// In which way.
    pub kind: ChangeKind,
}

/// In which way a file differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// Emitted, but not on disk.
    Missing,
    /// On disk with other bytes: how to get from there to what is emitted.
    Drifted(String),
    /// On disk with the marker, but no longer emitted.
    Stale,
    /// On disk without the marker: not the generator's to touch.
    Foreign,
}

impl Report {
    /// Whether the disk agrees.
    pub fn is_clean(&self) -> bool {
        self.changes.is_empty()
    }

    /// Whether something stands in the folder that is not the generator's.
    pub fn has_foreign(&self) -> bool {
        self.changes.iter().any(|change| change.kind == ChangeKind::Foreign)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Change { path, kind } in &self.changes {
            match kind {
                ChangeKind::Missing => writeln!(f, "missing: {path}")?,
                ChangeKind::Stale => writeln!(f, "stale: {path} is no longer emitted")?,
                ChangeKind::Foreign => {
                    writeln!(
                        f,
                        "foreign: {path} does not begin with the generator's mark; delete it or move it elsewhere"
                    )?;
                }
                ChangeKind::Drifted(diff) => writeln!(f, "drifted: {path}\n{diff}")?,
            }
        }
        Ok(())
    }
}

/// Compares a folder with the emitted files, and in [`Mode::Write`] brings it into agreement.
pub fn write(root: &Path, files: &[File], mode: Mode) -> io::Result<Report> {
    let mut on_disk = BTreeMap::new();
    if root.exists() {
        list(root, "", &mut on_disk)?;
    }
    let emitted: BTreeMap<&str, &str> = files.iter().map(|file| (file.path.as_str(), file.text.as_str())).collect();
    // A folder in the place of a file is in the way, even while it is empty.
    on_disk.extend(emitted.keys().filter(|path| root.join(path).is_dir()).map(|path| ((*path).to_owned(), None)));
    let mut report = Report::default();
    for (path, text) in &emitted {
        match on_disk.get(*path).map(|found| compare(found.as_deref(), Some(text))) {
            None => report.push(path, ChangeKind::Missing),
            Some(None) => report.unchanged += 1,
            Some(Some(kind)) => report.push(path, kind),
        }
    }
    for (path, found) in on_disk.iter().filter(|(path, _)| !emitted.contains_key(path.as_str())) {
        report.changes.extend(compare(found.as_deref(), None).map(|kind| Change { path: path.clone(), kind }));
    }
    report.changes.sort_by(|a, b| a.path.cmp(&b.path));
    if mode == Mode::Write && !report.has_foreign() {
        mend(root, &emitted, &report)?;
    }
    Ok(report)
}

impl Report {
    fn push(&mut self, path: &str, kind: ChangeKind) {
        self.changes.push(Change { path: path.to_owned(), kind });
    }
}

/// How a file on disk, if it is text at all, differs from what is emitted in its place, if anything is.
fn compare(found: Option<&str>, emitted: Option<&str>) -> Option<ChangeKind> {
    match (found, emitted) {
        (Some(text), Some(emitted)) if text == emitted => None,
        (Some(text), _) if !is_marked(text) => Some(ChangeKind::Foreign),
        (Some(text), Some(emitted)) => Some(ChangeKind::Drifted(diff(text, emitted))),
        (Some(_), None) => Some(ChangeKind::Stale),
        (None, _) => Some(ChangeKind::Foreign),
    }
}

/// Whether a text begins as the generator begins its files; one that only speaks of the mark is not its own.
fn is_marked(text: &str) -> bool {
    text.lines().next().and_then(|line| line.strip_prefix("// ")).is_some_and(|line| line.starts_with(MARKER))
}

/// Every file below a folder with its text; links are not followed, and neither they nor binaries have a text.
fn list(dir: &Path, prefix: &str, found: &mut BTreeMap<String, Option<String>>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            list(&entry.path(), &format!("{path}/"), found)?;
        } else {
            let text = if kind.is_file() { String::from_utf8(fs::read(entry.path())?).ok() } else { None };
            found.insert(path, text);
        }
    }
    Ok(())
}

fn mend(root: &Path, emitted: &BTreeMap<&str, &str>, report: &Report) -> io::Result<()> {
    for Change { path, kind } in &report.changes {
        let target = root.join(path);
        if let Some(text) = emitted.get(path.as_str()) {
            if let Some(parent) = target.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(&target, text)?;
        } else if *kind == ChangeKind::Stale {
            fs::remove_file(&target)?;
            remove_empty_parents(root, &target);
        }
    }
    Ok(())
}

/// A folder that a stale file leaves empty goes with it; one that is not empty refuses to.
fn remove_empty_parents(root: &Path, removed: &Path) {
    for parent in removed.ancestors().skip(1).take_while(|parent| *parent != root) {
        if fs::remove_dir(parent).is_err() {
            return;
        }
    }
}

fn diff(old: &str, new: &str) -> String {
    TextDiff::from_lines(old, new).unified_diff().context_radius(2).header("on disk", "emitted").to_string()
}
