//! Files on the local disk.
//!
//! A file is written under a hidden name in its folder, synced to the disk and renamed, so readers only ever see
//! complete files. It keeps the mode and the owner of the file that it replaces; a symbolic link stays one.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;

use crate::error::Error;
use crate::lock::Lock;

/// Files below a folder.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    root: PathBuf,
    /// The lock of the run; `None` for a reader. A write that continues after its run was dropped keeps it.
    _lock: Option<Arc<Lock>>,
}

impl Local {
    pub(super) fn new(root: PathBuf, lock: Option<Arc<Lock>>) -> Self {
        Self { root, _lock: lock }
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        path.split('/').filter(|segment| !segment.is_empty()).fold(self.root.clone(), |whole, name| whole.join(name))
    }

    pub(super) fn list(&self, folder: &str) -> Result<Vec<String>, Error> {
        let mut found = Vec::new();
        self.visit(folder, &mut found)?;
        Ok(found)
    }

    fn visit(&self, folder: &str, found: &mut Vec<String>) -> Result<(), Error> {
        let path = self.path(folder);
        let fails = |error| Error::storage(path.display(), error);
        let entries = match fs::read_dir(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(fails)?,
        };
        for entry in entries {
            let entry = entry.map_err(fails)?;
            let (name, kind) = (entry.file_name(), entry.file_type().map_err(fails)?);
            let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else { continue };
            let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
            if kind.is_dir() { self.visit(&path, found)? } else { found.push(path) }
        }
        Ok(())
    }

    pub(super) fn get(&self, path: &str) -> Result<Bytes, Error> {
        let path = self.path(path);
        fs::read(&path).map(Bytes::from).map_err(|error| Error::storage(path.display(), error))
    }

    pub(super) fn put(&self, path: &str, content: &[u8]) -> Result<(), Error> {
        write(&self.path(path), |file| file.write_all(content))
    }

    /// Writes a file unless its name exists.
    pub(super) fn create(&self, path: &str, content: &[u8]) -> Result<(), Error> {
        if self.path(path).exists() { Ok(()) } else { self.put(path, content) }
    }
}

/// Writes a file completely or not at all.
pub(crate) fn write<E>(path: &Path, content: impl FnOnce(&mut File) -> Result<(), E>) -> Result<(), Error>
where
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let fails = |error| Error::storage(path.display(), error);
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| Error::storage(folder.display(), error))?;
    let replaced = fs::metadata(&target).ok();
    if replaced.as_ref().is_some_and(|replaced| replaced.permissions().readonly()) {
        return Err(fails(io::Error::new(ErrorKind::PermissionDenied, "the file is read-only")));
    }
    let unfinished = folder.join(format!(".{}.unfinished", target.file_name().unwrap_or_default().to_string_lossy()));
    let mut file = File::create(&unfinished).map_err(fails)?;
    let written = content(&mut file).map_err(|error| Error::storage(path.display(), error));
    let kept = written.and_then(|()| {
        if let Some(replaced) = &replaced {
            keep_owner(&file, replaced);
            file.set_permissions(replaced.permissions()).map_err(fails)?;
        }
        file.sync_all().map_err(fails)?;
        fs::rename(&unfinished, &target).map_err(fails)
    });
    if kept.is_err() {
        // An unfinished file would fill up the disk.
        let _ = fs::remove_file(&unfinished);
        return kept;
    }
    sync(folder);
    Ok(())
}

/// Sets the owner of a file to that of the one that it replaces, if the system allows that.
#[cfg(unix)]
fn keep_owner(file: &File, replaced: &fs::Metadata) {
    use std::os::unix::fs::MetadataExt;
    let _ = std::os::unix::fs::fchown(file, Some(replaced.uid()), Some(replaced.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &fs::Metadata) {}

/// Syncs the directory entries to the disk; some systems cannot open folders.
fn sync(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_file_that_is_replaced_keeps_its_mode_and_links_to_it() {
        let dir = tempfile::tempdir().unwrap();
        let (real, link) = (dir.path().join("real"), dir.path().join("link"));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
        symlink(&real, &link).unwrap();
        write(&link, |file| file.write_all(b"new")).unwrap();
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
        assert!(link.is_symlink() && fs::metadata(&real).unwrap().permissions().mode() & 0o777 == 0o600);
        fs::set_permissions(&real, fs::Permissions::from_mode(0o444)).unwrap();
        let error = write(&link, |file| file.write_all(b"newer")).unwrap_err().to_string();
        assert!(error.contains("read-only") && fs::read_to_string(&real).unwrap() == "new", "{error}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }
}
