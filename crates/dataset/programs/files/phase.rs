//! The phase of a run, as the files below its folder show it.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::ProgramResult;

/// The phase of a run in which a job was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// The job had written nothing.
    Begin,
    /// There are only files of the journal.
    Fetch,
    /// A data file or a text file is unfinished.
    Merge,
    /// A data file is newer than the state, and the journal exists.
    BeforeState,
    /// The state is newer than the data files, and the journal exists.
    BeforeDeletion,
    /// The journal was deleted.
    End,
}

impl Phase {
    /// The phase that the files below a folder show.
    pub(super) fn of_folder(folder: &Path) -> ProgramResult<Self> {
        let mut found = Vec::new();
        add_files(folder, &mut found)?;
        let files = FilesOfRun(found);
        if files.has_unfinished_data() {
            return Ok(Self::Merge);
        }
        let data = files.newest(&["parquet", "csv"]);
        // Two tables of a data set are written one after the other, so the newest file shows the phase of the run.
        let Some(journal) = files.newest(&["rows"]) else {
            return Ok(if data.is_some() { Self::End } else { Self::Begin });
        };
        if data < Some(journal) {
            return Ok(Self::Fetch);
        }
        let state = files.newest(&["json"]);
        Ok(if data > state { Self::BeforeState } else { Self::BeforeDeletion })
    }
}

/// All files below a folder, with the times of their last changes.
struct FilesOfRun(Vec<(PathBuf, SystemTime)>);

impl FilesOfRun {
    fn has_unfinished_data(&self) -> bool {
        for (path, _) in &self.0 {
            let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
            if name.ends_with(".parquet.unfinished") || name.ends_with(".csv.unfinished") {
                return true;
            }
        }
        false
    }

    /// The time of the last change of a file with one of these extensions.
    fn newest(&self, extensions: &[&str]) -> Option<SystemTime> {
        let mut newest = None;
        for (path, changed) in &self.0 {
            let extension = path.extension().and_then(OsStr::to_str);
            if extension.is_some_and(|extension| extensions.contains(&extension)) {
                newest = newest.max(Some(*changed));
            }
        }
        newest
    }
}

/// Adds all files below a folder. Files that are deleted meanwhile are ignored.
fn add_files(folder: &Path, found: &mut Vec<(PathBuf, SystemTime)>) -> ProgramResult {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry?.path();
        match fs::metadata(&path) {
            Ok(data) if data.is_dir() => add_files(&path, found)?,
            Ok(data) => found.push((path, data.modified()?)),
            Err(_) => {}
        }
    }
    Ok(())
}
