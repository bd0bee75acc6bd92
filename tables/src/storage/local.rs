//! Files on the local disk.
//!
//! A file is written in the folder of the job, synced to the disk and moved to its place, so readers only ever see
//! whole ones.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;

use crate::error::Error;
use crate::lock::{CREATED, Lock, UNFINISHED};

/// Files below a folder.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    root: PathBuf,
    /// The folder of unfinished files; `None` for a reader. A write that goes on after its job was dropped still holds
    /// it.
    lock: Option<Arc<Lock>>,
}

impl Local {
    pub(super) fn new(root: PathBuf, lock: Option<Arc<Lock>>) -> Self {
        Self { root, lock }
    }

    fn unfinished(&self) -> &Path {
        self.lock.as_ref().map_or(Path::new(""), |lock| lock.folder())
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
        write(&self.path(path), self.unfinished(), |file| file.write_all(content))
    }

    pub(super) fn remove(&self, path: &str) -> Result<(), Error> {
        let path = self.path(path);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::storage(path.display(), error)),
            _ => Ok(()),
        }
    }

    /// Writes a file unless there is one of this name.
    pub(super) fn create(&self, path: &str, content: &[u8]) -> Result<(), Error> {
        let (path, whole) = (self.path(path), self.unfinished().join(CREATED));
        write(&whole, self.unfinished(), |file| file.write_all(content))?;
        let fails = |error| Error::storage(path.display(), error);
        let folder = path.parent().unwrap_or(&self.root);
        fs::create_dir_all(folder).map_err(fails)?;
        match fs::hard_link(&whole, &path) {
            // Another run was first. Which error says so differs among file systems.
            Err(_) if path.exists() => {}
            // Without hard links, the later of two runs that begin at once replaces the file.
            Err(_) => fs::rename(&whole, &path).map_err(fails)?,
            Ok(()) => {}
        }
        sync(folder);
        Ok(())
    }
}

/// Writes a file whole or not at all; until it is whole it is in another folder of the same disk.
pub(crate) fn write<E>(
    path: &Path,
    unfinished: &Path,
    content: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<(), Error>
where
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let unfinished = unfinished.join(UNFINISHED);
    let fails = |error| Error::storage(path.display(), error);
    fs::create_dir_all(folder).map_err(|error| Error::storage(folder.display(), error))?;
    let mut file = File::create(&unfinished).map_err(fails)?;
    let written = content(&mut file).map_err(|error| Error::storage(path.display(), error));
    let kept = written.and_then(|()| {
        file.sync_all().map_err(fails)?;
        fs::rename(&unfinished, path).map_err(fails)
    });
    if kept.is_err() {
        // The unfinished file would fill a disk that is full.
        let _ = fs::remove_file(&unfinished);
        return kept;
    }
    sync(folder);
    Ok(())
}

/// Syncs the names in a folder to the disk; not every system opens folders.
fn sync(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}
