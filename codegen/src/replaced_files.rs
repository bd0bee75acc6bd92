//! Replaces files atomically, several at a time.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The suffix of a temporary file.
const UNFINISHED: &str = ".unfinished";

/// Replaces each file atomically, so that no reader sees an incomplete file. Missing folders are created.
///
/// All texts are written to temporary paths before the first rename, so no file is replaced if one of the texts cannot
/// be written. Links and permissions are preserved.
pub fn replace(files: &[(PathBuf, String)]) -> io::Result<()> {
    let mut written = Vec::new();
    let replaced = write_beside(files, &mut written).and_then(|()| move_all(&written));
    if replaced.is_err() {
        for file in &written {
            let _ = fs::remove_file(&file.temporary);
        }
    }
    replaced
}

/// A new text that is written, but not yet at its path.
struct Written<'a> {
    temporary: PathBuf,
    target: PathBuf,
    /// The path of the file, which can be a link to the target.
    path: &'a Path,
}

/// Writes all texts to temporary paths. A path is added even if the write failed, so that an incomplete temporary file
/// is removed.
fn write_beside<'a>(files: &'a [(PathBuf, String)], written: &mut Vec<Written<'a>>) -> io::Result<()> {
    for (path, text) in files {
        // If the path is a link, its target is replaced, not the link. A new file has no canonical path.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        // The temporary path contains the process id, so that concurrent runs use different paths.
        let mut temporary = target.as_os_str().to_owned();
        temporary.push(format!(".{}{UNFINISHED}", std::process::id()));
        let temporary = PathBuf::from(temporary);
        let result = write_like(&target, &temporary, text);
        written.push(Written { temporary, target, path });
        result.map_err(|error| named(path, format!("{error}; nothing was written")))?;
    }
    Ok(())
}

/// Writes a text to a temporary path, with the permissions of the file that it will replace.
fn write_like(target: &Path, temporary: &Path, text: &str) -> io::Result<()> {
    fs::create_dir_all(target.parent().unwrap_or(target))?;
    fs::write(temporary, text)?;
    match fs::metadata(target) {
        Ok(old) => fs::set_permissions(temporary, old.permissions()),
        Err(_) => Ok(()),
    }
}

fn move_all(written: &[Written<'_>]) -> io::Result<()> {
    for file in written {
        fs::rename(&file.temporary, &file.target).map_err(|error| named(file.path, error))?;
    }
    Ok(())
}

/// `true` for a temporary file of an interrupted run.
pub(crate) fn is_left_over(path: &str) -> bool {
    let Some(path) = path.strip_suffix(UNFINISHED) else { return false };
    let Some((_, process_id)) = path.rsplit_once('.') else { return false };
    process_id.parse::<u32>().is_ok()
}

/// An error whose message contains the path of the file.
pub(crate) fn named(path: &Path, error: impl fmt::Display) -> io::Error {
    io::Error::other(format!("{}: {error}", path.display()))
}
