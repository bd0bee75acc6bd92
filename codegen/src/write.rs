//! Writes the emitted files to disk, or reports the differences between the files on disk and the emitted files.
//!
//! A folder contains only emitted files, unless it is shared with other files. The marker at the top of an emitted file
//! contains the name of the crate. A file without a marker, or with the marker of another crate, is foreign, and is
//! never changed. If a foreign file is in a folder that is not shared, or at the path of an emitted file, this is a
//! conflict, and nothing is written. Unchanged files are not rewritten.
//!
//! The README of a catalogue is written by hand, except its tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use similar::TextDiff;

use crate::emit::{File, MARKER, with_key_tables};
use crate::replaced_files::{is_left_over, named, replace};

/// What to do if files differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Update the files on disk.
    Write,
    /// Only report the differences.
    Check,
}

/// The emitted files of one folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// The path of the folder.
    pub root: PathBuf,
    /// The Cargo name of the crate for which the files are emitted; `None` for files that are the same for every crate.
    pub package: Option<String>,
    /// `true` if the folder also contains other files. In such a folder, a file without the marker is ignored, unless
    /// it is at the path of an emitted file.
    pub is_shared: bool,
    /// All files emitted into the folder.
    pub files: Vec<File>,
}

/// The differences between a folder and the emitted files, as found before the update.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Every file that differs, sorted by path.
    pub changes: Vec<FileChange>,
    /// The number of files without differences.
    pub unchanged: usize,
}

/// A file that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The path relative to the folder, with `/` as the separator.
    pub path: String,
    /// The kind of difference.
    pub kind: ChangeKind,
}

/// The kind of difference of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// The file is emitted, but is not on disk.
    Missing,
    /// The file on disk has other content. The value is the diff from the file on disk to the emitted file.
    Drifted(String),
    /// The file on disk has the marker, but is no longer emitted. Temporary files of an interrupted run are stale too.
    Stale,
    /// The file on disk has no marker, or the marker of another crate. The value is the name of the other crate, if the
    /// marker contains it. The generator does not change the file.
    Foreign(Option<String>),
}

/// What is on disk at the path of a file.
enum FileOnDisk {
    Text(String),
    /// A file that is not UTF-8, a link or a folder.
    NotText,
}

impl FileOnDisk {
    /// Reads a file. Links are not followed, and a file whose name is not UTF-8 cannot be found by its path.
    fn read(path: &Path) -> io::Result<Self> {
        if fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
            && let Ok(text) = String::from_utf8(fs::read(path)?)
        {
            return Ok(Self::Text(with_unix_lines(text)));
        }
        Ok(Self::NotText)
    }

    /// The name of the crate in the marker; `None` for a file without the marker.
    fn owner(&self) -> Option<&str> {
        match self {
            Self::Text(text) => owner(text),
            Self::NotText => None,
        }
    }
}

impl Report {
    /// Returns `true` if the files on disk are equal to the emitted files.
    pub fn is_clean(&self) -> bool {
        self.changes.is_empty()
    }

    /// Returns `true` if the folder has a conflict with a foreign file.
    pub fn has_foreign(&self) -> bool {
        self.changes.iter().any(|change| matches!(change.kind, ChangeKind::Foreign(_)))
    }

    /// Returns the name of another crate that has files in the folder; `None` if there is no such crate.
    pub fn other_owner(&self) -> Option<&str> {
        self.changes.iter().find_map(|change| match &change.kind {
            ChangeKind::Foreign(owner) => owner.as_deref(),
            _ => None,
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for FileChange { path, kind } in &self.changes {
            let text = match kind {
                ChangeKind::Missing => format!("missing: {path}"),
                ChangeKind::Stale => format!("stale: {path} is no longer emitted"),
                ChangeKind::Foreign(Some(owner)) => format!("foreign: {path} was generated for `{owner}`"),
                ChangeKind::Foreign(None) => {
                    format!("foreign: {path} does not begin with the marker of generated files; delete or move it")
                }
                ChangeKind::Drifted(diff) => format!("drifted: {path}\n{diff}"),
            };
            writeln!(f, "{text}")?;
        }
        Ok(())
    }
}

/// Compares folders with the emitted files. In [`Mode::Write`], also updates all folders and writes the files in
/// `others`. If there is a conflict, or if one of the texts cannot be written, nothing is written.
///
/// Returns one report for each folder, in the given order.
pub fn write(folders: &[Folder], others: Vec<(PathBuf, String)>, mode: Mode) -> io::Result<Vec<Report>> {
    let mut reports = Vec::new();
    for folder in folders {
        reports.push(folder.compare().map_err(|error| named(&folder.root, error))?);
    }
    let has_conflict = reports.iter().any(Report::has_foreign);
    if mode == Mode::Write && !has_conflict {
        let mut files = others;
        for (folder, report) in folders.iter().zip(&reports) {
            files.extend(folder.changed_files(report));
        }
        replace(&files)?;
        for (folder, report) in folders.iter().zip(&reports) {
            folder.remove_stale_files(report)?;
        }
    }
    Ok(reports)
}

impl Folder {
    /// The new texts of the files that are missing or differ.
    fn changed_files(&self, report: &Report) -> Vec<(PathBuf, String)> {
        let emitted = self.emitted();
        let mut changed = Vec::new();
        for change in &report.changes {
            if let Some(file) = emitted.get(change.path.as_str()) {
                changed.push((self.root.join(&change.path), self.marked(file)));
            }
        }
        changed
    }

    fn remove_stale_files(&self, report: &Report) -> io::Result<()> {
        for change in &report.changes {
            if change.kind == ChangeKind::Stale {
                let path = self.root.join(&change.path);
                fs::remove_file(&path).map_err(|error| named(&path, error))?;
                remove_empty_parents(&self.root, &path);
            }
        }
        Ok(())
    }

    /// The emitted files by path.
    fn emitted(&self) -> BTreeMap<&str, &File> {
        let mut emitted = BTreeMap::new();
        for file in &self.files {
            emitted.insert(file.path.as_str(), file);
        }
        emitted
    }

    /// The text of an emitted file, with the name of the crate added to the marker.
    fn marked(&self, file: &File) -> String {
        match &self.package {
            Some(package) => file.text.replacen(MARKER, &format!("{MARKER}{FOR}{package}"), 1),
            None => file.text.clone(),
        }
    }

    /// The paths of the files on disk that are compared. In a shared folder, only files at the path of an emitted
    /// file, temporary files, and files with the marker of this crate are compared.
    fn on_disk(&self, emitted: &BTreeMap<&str, &File>) -> io::Result<BTreeSet<String>> {
        let mut found = Vec::new();
        if self.root.exists() {
            list(&self.root, "", &mut found)?;
        }
        let mut on_disk = BTreeSet::new();
        for path in found {
            let is_compared = !self.is_shared || emitted.contains_key(path.as_str()) || is_left_over(&path);
            if is_compared || self.is_owner(FileOnDisk::read(&self.root.join(&path))?.owner()) {
                on_disk.insert(path);
            }
        }
        for path in emitted.keys() {
            // A folder at the path of an emitted file is a conflict, even if the folder is empty.
            if self.root.join(path).is_dir() {
                on_disk.insert((*path).to_owned());
            }
        }
        Ok(on_disk)
    }

    fn compare(&self) -> io::Result<Report> {
        let emitted = self.emitted();
        let on_disk = self.on_disk(&emitted)?;
        let mut paths: BTreeSet<&str> = emitted.keys().copied().collect();
        paths.extend(on_disk.iter().map(String::as_str));
        let mut report = Report::default();
        // The files of a large client are read one by one, because all of their texts take much memory.
        for path in paths {
            let mut found = None;
            if on_disk.contains(path) {
                found = Some(FileOnDisk::read(&self.root.join(path))?);
            }
            let emitted = emitted.get(path).map(|file| self.marked(file));
            match self.change(path, found.as_ref(), emitted.as_deref()) {
                None => report.unchanged += 1,
                Some(kind) => report.changes.push(FileChange { path: path.to_owned(), kind }),
            }
        }
        Ok(report)
    }

    /// The difference between a file on disk and the emitted text.
    fn change(&self, path: &str, on_disk: Option<&FileOnDisk>, emitted: Option<&str>) -> Option<ChangeKind> {
        let Some(found) = on_disk else { return Some(ChangeKind::Missing) };
        let owner = found.owner();
        let is_own = self.is_owner(owner);
        match (found, emitted) {
            (FileOnDisk::Text(text), Some(emitted)) if text == emitted => None,
            (FileOnDisk::Text(text), Some(emitted)) if is_own => Some(ChangeKind::Drifted(diff(text, emitted))),
            (_, None) if is_own || is_left_over(path) => Some(ChangeKind::Stale),
            _ => match owner {
                Some(name) if !name.is_empty() => Some(ChangeKind::Foreign(Some(name.to_owned()))),
                _ => Some(ChangeKind::Foreign(None)),
            },
        }
    }

    fn is_owner(&self, owner: Option<&str>) -> bool {
        owner == Some(self.package.as_deref().unwrap_or_default())
    }
}

/// The text between `MARKER` and the name of the crate.
const FOR: &str = " for ";

/// The name of the crate in the marker at the top of a text; `None` if there is no marker, and an empty text if
/// the marker does not contain a name.
///
/// The marker must be the first comment, or the first value in formats without comments.
fn owner(text: &str) -> Option<&str> {
    // If the first line begins a merge conflict of git, the marker of the file is on the second line.
    let text = if text.starts_with("<<<<<<< ") { text.split_once('\n')?.1 } else { text };
    let (opening, rest) = text.split_once(MARKER)?;
    // In JSON, the opening may be split into two lines.
    let opening: String = opening.split_whitespace().collect();
    if !OPENINGS.contains(&opening.as_str()) {
        return None;
    }
    let Some(rest) = rest.strip_prefix(FOR) else { return Some("") };
    Some(rest.split_whitespace().next().unwrap_or_default())
}

/// The texts that precede a marker, without spaces.
const OPENINGS: [&str; 5] = ["//", "#", "<!--", "{\"$comment\":\"", "{\"x-generated\":\""];

/// Adds the path of every file below a folder. Links are not followed.
fn list(dir: &Path, prefix: &str, found: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            list(&entry.path(), &format!("{path}/"), found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}

/// Line endings are ignored, because git may have changed them at checkout.
fn with_unix_lines(text: String) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n") } else { text }
}

/// Removes the parent folders of a removed file until one of them is not empty.
fn remove_empty_parents(root: &Path, removed: &Path) {
    for parent in removed.ancestors().skip(1) {
        if parent == root || fs::remove_dir(parent).is_err() {
            return;
        }
    }
}

fn diff(old: &str, new: &str) -> String {
    TextDiff::from_lines(old, new).unified_diff().context_radius(2).header("on disk", "emitted").to_string()
}

/// The page in a catalogue whose tables are emitted; the rest is written by hand.
const README: &str = "README.md";

/// If the tables in a catalogue's README differ from the emitted tables, returns the path of the README, its new text
/// and the change. Returns `None` if nothing differs, or if there is no README.
pub fn readme_tables(spec: &Path) -> Option<(PathBuf, String, FileChange)> {
    let path = spec.join(README);
    let page = with_unix_lines(fs::read_to_string(&path).ok()?);
    let emitted = with_key_tables(&page);
    if emitted == page {
        return None;
    }
    let kind = ChangeKind::Drifted(diff(&page, &emitted));
    Some((path, emitted, FileChange { path: README.to_owned(), kind }))
}
