//! The folder of an assistant: the name of a file → its path, or an error if it is not below the folder.
//!
//! A name is checked before a file is opened, so it does not protect from another program that replaces a folder by a
//! link at the same time; such a program can write these files anyway.

use std::path::{Path, PathBuf};

use dataset::quoted;

use crate::failure::{Failure, Result};

/// A folder outside of which no file is read or written.
#[derive(Clone, Debug)]
pub(crate) struct WorkFolder {
    /// The path without links.
    root: PathBuf,
}

impl WorkFolder {
    /// Opens a folder that exists.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let root = path.canonicalize().map_err(|error| Failure::file("open", path, &error))?;
        if !root.is_dir() {
            return Err(Failure::usage(format!("{}: not a folder", quoted(path))));
        }
        Ok(Self { root })
    }

    /// The path of a file or folder, which may not exist yet.
    pub(crate) fn resolve(&self, name: &str) -> Result<String> {
        let relative = self.relative(name);
        let mut path = self.root.clone();
        for part in relative.split('/') {
            if !is_allowed(part) {
                let message = format!("invalid file name {}", quoted(name));
                let expected = "a name below the folder, of letters, digits, `-`, `_`, `.` and `/`; no part begins \
                                with a dot or a `-`";
                return Err(Failure::usage(format!("{message}: expected {expected}")));
            }
            path.push(part);
            reject_link(&path)?;
        }
        // A data set is a folder with files, and a single file has its state in a folder next to it.
        reject_links_in(&path)?;
        let mut state = path.clone().into_os_string();
        state.push(".parts");
        let state = PathBuf::from(state);
        reject_link(&state)?;
        reject_links_in(&state)?;
        let Some(path) = path.to_str() else {
            return Err(Failure::usage(format!("{}: not UTF-8", quoted(&self.root))));
        };
        Ok(path.to_owned())
    }

    /// Removes the path of the folder from a name, because answers have complete paths, and a slash at the end.
    fn relative<'n>(&self, name: &'n str) -> &'n str {
        let root = self.root.to_str().unwrap_or_default();
        let mut below = name;
        if let Some(rest) = name.strip_prefix(root)
            && let Some(rest) = rest.strip_prefix('/')
        {
            below = rest;
        }
        below.strip_suffix('/').unwrap_or(below)
    }
}

/// Rejects a link, even if it points into the folder, because its target can change.
fn reject_link(path: &Path) -> Result<()> {
    if path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(Failure::usage(format!("{}: symbolic links are not followed", quoted(path))));
    }
    Ok(())
}

/// Rejects a folder that contains a link. A path that is not a folder, or that cannot be read, contains none.
fn reject_links_in(path: &Path) -> Result<()> {
    let Ok(entries) = path.read_dir() else { return Ok(()) };
    for entry in entries.flatten() {
        reject_link(&entry.path())?;
        reject_links_in(&entry.path())?;
    }
    Ok(())
}

/// Whether a part of a name is allowed. Hidden files belong to a data set, and a leading `-` is an option of
/// other programs.
fn is_allowed(part: &str) -> bool {
    !part.is_empty() && !part.starts_with(['.', '-']) && part.chars().all(is_of_name)
}

fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '-' | '_' | '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_below_the_folder_are_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let work = WorkFolder::open(folder.path()).unwrap();
        let root = work.root.to_str().unwrap().to_owned();
        for name in ["a.csv", "data", "data/", "a/b-c_1.parquet", &format!("{root}/a.csv")] {
            let path = work.resolve(name).unwrap();
            assert!(path.starts_with(&format!("{root}/")) && !path.ends_with('/'), "{path}");
        }
        for name in [
            "",
            "/",
            ".",
            "..",
            "../a.csv",
            "a/../../b.csv",
            "a/./b.csv",
            "/etc/passwd",
            &root,
            &format!("{root}x/a.csv"),
            &format!("{root}/../a.csv"),
            ".backfill/a",
            "a//b.csv",
            "s3://bucket/a",
            "-",
            "--out=a.csv",
            "C:\\a.csv",
            "a\0.csv",
            "a\n.csv",
            "~/a.csv",
            "a\u{202e}.csv",
        ] {
            assert!(work.resolve(name).is_err(), "{name:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let other = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(other.path(), folder.path().join("out")).unwrap();
        std::os::unix::fs::symlink(other.path().join("missing.csv"), folder.path().join("dangling.csv")).unwrap();
        std::os::unix::fs::symlink(other.path(), folder.path().join("a.csv.parts")).unwrap();
        std::fs::create_dir(folder.path().join("data")).unwrap();
        std::os::unix::fs::symlink(other.path(), folder.path().join("data/.backfill")).unwrap();
        let work = WorkFolder::open(folder.path()).unwrap();
        for name in ["out", "out/a.csv", "dangling.csv", "a.csv", "data"] {
            let error = work.resolve(name).unwrap_err().to_string();
            assert!(error.contains("symbolic links are not followed"), "{error}");
        }
    }
}
