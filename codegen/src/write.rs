//! Writes the emitted files to disk, or reports the differences between the files on disk and the emitted files.
//!
//! A folder contains only emitted files, unless it is shared with other files. The marker at the top of an emitted file
//! contains the name of the crate. A file without a marker, or with the marker of another crate, is foreign, and is
//! never changed. If a foreign file is in a folder that is not shared, or at the path of an emitted file, this is a
//! conflict, and nothing is written. Unchanged files are not rewritten. A file is written to a temporary path and then
//! renamed, so that after an interrupted run the file contains either the old or the new text.
//!
//! The README of a catalogue is written by hand, except its tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use similar::TextDiff;

use crate::emit::{File, MARKER, with_key_tables};

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
    let reports = folders.iter().map(|folder| folder.compare().map_err(|error| named(&folder.root, error)));
    let reports = reports.collect::<io::Result<Vec<_>>>()?;
    if mode == Mode::Write && !reports.iter().any(Report::has_foreign) {
        let mut files = others;
        for (folder, report) in folders.iter().zip(&reports) {
            let mut emitted = folder.emitted();
            let new = report.changes.iter().filter_map(|change| Some((&change.path, emitted.remove(&*change.path)?)));
            files.extend(new.map(|(path, text)| (folder.root.join(path), text)));
        }
        replace(&files)?;
        for (folder, report) in folders.iter().zip(&reports) {
            for stale in report.changes.iter().filter(|change| change.kind == ChangeKind::Stale) {
                let path = folder.root.join(&stale.path);
                fs::remove_file(&path).map_err(|error| named(&path, error))?;
                remove_empty_parents(&folder.root, &path);
            }
        }
    }
    Ok(reports)
}

impl Folder {
    /// Returns the emitted texts by path, with the name of the crate added to the marker of each text.
    fn emitted(&self) -> BTreeMap<&str, String> {
        let mark = self.package.as_ref().map_or_else(|| MARKER.to_owned(), |package| format!("{MARKER}{FOR}{package}"));
        self.files.iter().map(|file| (file.path.as_str(), file.text.replacen(MARKER, &mark, 1))).collect()
    }

    /// Returns the files on disk that are compared, with their texts. In a shared folder, only files at the path of an
    /// emitted file, temporary files, and files with the marker of this crate are compared.
    fn on_disk(&self, emitted: &BTreeMap<&str, String>) -> io::Result<BTreeMap<String, Option<String>>> {
        let mut on_disk = BTreeMap::new();
        if self.root.exists() {
            list(&self.root, "", &mut on_disk)?;
        }
        if self.is_shared {
            on_disk.retain(|path, text| {
                let is_own = |text: &String| self.is_owner(owner(text));
                emitted.contains_key(path.as_str()) || is_left_over(path) || text.as_ref().is_some_and(is_own)
            });
        }
        // A folder at the path of an emitted file is a conflict, even if the folder is empty.
        let in_the_way = emitted.keys().filter(|path| self.root.join(path).is_dir());
        on_disk.extend(in_the_way.map(|path| ((*path).to_owned(), None)));
        Ok(on_disk)
    }

    fn compare(&self) -> io::Result<Report> {
        let emitted = self.emitted();
        let on_disk = self.on_disk(&emitted)?;
        let mut report = Report::default();
        for path in emitted.keys().copied().chain(on_disk.keys().map(String::as_str)).collect::<BTreeSet<_>>() {
            match self.judge(path, on_disk.get(path), emitted.get(path)) {
                None => report.unchanged += 1,
                Some(kind) => report.changes.push(FileChange { path: path.to_owned(), kind }),
            }
        }
        Ok(report)
    }

    /// Returns the difference between a file on disk and the emitted text. The inner value of `on_disk` is `None` if
    /// the file is not text.
    fn judge(&self, path: &str, on_disk: Option<&Option<String>>, emitted: Option<&String>) -> Option<ChangeKind> {
        let Some(found) = on_disk else { return Some(ChangeKind::Missing) };
        let owner = found.as_deref().and_then(owner);
        let is_own = self.is_owner(owner);
        match (found, emitted) {
            (Some(text), Some(emitted)) if text == emitted => None,
            (Some(text), Some(emitted)) if is_own => Some(ChangeKind::Drifted(diff(text, emitted))),
            (_, None) if is_own || is_left_over(path) => Some(ChangeKind::Stale),
            _ => Some(ChangeKind::Foreign(owner.filter(|owner| !owner.is_empty()).map(str::to_owned))),
        }
    }

    fn is_owner(&self, owner: Option<&str>) -> bool {
        owner == Some(self.package.as_deref().unwrap_or_default())
    }
}

/// The text between `MARKER` and the name of the crate.
const FOR: &str = " for ";

/// The suffix of a temporary file.
const UNFINISHED: &str = ".unfinished";

/// Replaces each file atomically, so that no reader sees an incomplete file. Missing folders are created.
///
/// All texts are written to temporary paths before the first rename, so no file is replaced if one of the texts cannot
/// be written. Links and permissions are preserved.
pub fn replace(files: &[(PathBuf, String)]) -> io::Result<()> {
    let mut written: Vec<(PathBuf, PathBuf, &Path)> = Vec::new();
    let beside = files.iter().try_for_each(|(path, text)| {
        // If the path is a link, its target is replaced, not the link. A new file has no canonical path.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        // The temporary path contains the process id, so that concurrent runs use different paths.
        let mut new = target.as_os_str().to_owned();
        new.push(format!(".{}{UNFINISHED}", std::process::id()));
        let folder = fs::create_dir_all(target.parent().unwrap_or(&target));
        let done = folder.and_then(|()| fs::write(&new, text)).and_then(|()| match fs::metadata(&target) {
            Ok(old) => fs::set_permissions(&new, old.permissions()),
            Err(_) => Ok(()),
        });
        // The path is added even if the write failed, so that an incomplete temporary file is removed below.
        written.push((new.into(), target, path));
        done.map_err(|error| named(path, format!("{error}; nothing was written")))
    });
    let mut moves = written.iter();
    let replaced = beside.and_then(|()| {
        moves.try_for_each(|(new, target, path)| fs::rename(new, target).map_err(|error| named(path, error)))
    });
    if replaced.is_err() {
        for (new, ..) in &written {
            let _ = fs::remove_file(new);
        }
    }
    replaced
}

/// Returns `true` if a file is a temporary file of an interrupted run.
fn is_left_over(path: &str) -> bool {
    let id = path.strip_suffix(UNFINISHED).and_then(|path| path.rsplit_once('.'));
    id.is_some_and(|(_, id)| id.parse::<u32>().is_ok())
}

/// Returns an error whose message contains the path of the file.
fn named(path: &Path, error: impl fmt::Display) -> io::Error {
    io::Error::other(format!("{}: {error}", path.display()))
}

/// Returns the name of the crate in the marker at the top of a text; `None` if there is no marker, and an empty text if
/// the marker does not contain a name.
///
/// The marker must be the first comment, or the first value in formats without comments.
fn owner(text: &str) -> Option<&str> {
    // If the first line begins a merge conflict of git, the marker of the file is on the second line.
    let text = if text.starts_with("<<<<<<< ") { text.split_once('\n')?.1 } else { text };
    let (opening, rest) = text.split_once(MARKER)?;
    // In JSON, the opening may be split into two lines.
    let is_first = OPENINGS.contains(&opening.split_whitespace().collect::<String>().as_str());
    is_first.then(|| rest.strip_prefix(FOR).and_then(|rest| rest.split_whitespace().next()).unwrap_or_default())
}

/// The texts that precede a marker, without spaces.
const OPENINGS: [&str; 5] = ["//", "#", "<!--", "{\"$comment\":\"", "{\"x-generated\":\""];

/// Adds every file below a folder, with its text. The text is `None` for links, which are not followed, and for binary
/// files.
fn list(dir: &Path, prefix: &str, found: &mut BTreeMap<String, Option<String>>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            list(&entry.path(), &format!("{path}/"), found)?;
        } else {
            let text = if kind.is_file() { String::from_utf8(fs::read(entry.path())?).ok() } else { None };
            // Line endings are ignored, because git may have changed them at checkout.
            found.insert(path, text.map(|text| text.replace("\r\n", "\n")));
        }
    }
    Ok(())
}

/// Removes the parent folders of a removed file until one of them is not empty.
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

/// The page in a catalogue whose tables are emitted; the rest is written by hand.
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
