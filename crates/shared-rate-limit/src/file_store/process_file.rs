//! The file of a process, which the process keeps locked. The kernel releases the lock when the process ends in any way,
//! so other processes see its end at once.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::private_file;

pub(super) struct ProcessFile {
    path: PathBuf,
    file: File,
}

impl ProcessFile {
    /// Creates and locks the file of this process. The error `WouldBlock` means that another process checks the file.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let file = private_file::open(path)?;
        private_file::lock(&file)?;
        let created = Self { path: path.to_owned(), file };
        // Another process may have removed the file before it was locked.
        if created.is_deleted()? { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(created) }
    }

    pub(super) fn is_deleted(&self) -> io::Result<bool> {
        private_file::is_deleted(&self.file)
    }
}

impl Drop for ProcessFile {
    fn drop(&mut self) {
        // If the file stays, another process removes it.
        let _ = fs::remove_file(&self.path);
    }
}

/// Removes the file of a process that has certainly ended. Returns `true` in that case.
pub(super) fn has_ended(path: &Path) -> bool {
    let file = match private_file::open_existing(path) {
        Ok(file) => file,
        Err(error) => return error.kind() == io::ErrorKind::NotFound,
    };
    let is_free = private_file::lock(&file).is_ok();
    if is_free {
        let _ = fs::remove_file(path);
    }
    is_free
}
