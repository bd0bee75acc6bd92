//! Files and folders that only this user can read and write.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{FlockOperation, OFlags, flock};

/// Opens a file, and creates it if it does not exist. A symbolic link or a file of another user is an error.
pub(super) fn open(path: &Path) -> io::Result<File> {
    // `create_new` neither follows a link nor opens a file that somebody else has created.
    match options().create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => open_existing(path),
        created => created.map_err(|error| with_path(path, &error)),
    }
}

/// Opens a file that exists.
pub(super) fn open_existing(path: &Path) -> io::Result<File> {
    let file = options().open(path).map_err(|error| with_path(path, &error))?;
    let metadata = file.metadata()?;
    if metadata.is_file() { check_owner(path, &metadata).map(|()| file) } else { Err(not_private(path)) }
}

/// Creates a folder and those above it, unless they exist.
pub(super) fn create_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|error| with_path(path, &error))?;
    let metadata = path.symlink_metadata()?;
    if metadata.is_dir() { check_owner(path, &metadata) } else { Err(not_private(path)) }
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    options.read(true).write(true).mode(0o600).custom_flags(i32::from_ne_bytes(flags.to_ne_bytes()));
    options
}

fn check_owner(path: &Path, metadata: &Metadata) -> io::Result<()> {
    let is_own = metadata.uid() == rustix::process::geteuid().as_raw();
    let of_others = metadata.mode() & 0o077;
    if is_own && of_others == 0 { Ok(()) } else { Err(not_private(path)) }
}

/// Adds the path to an error of the system, which has none.
pub(super) fn with_path(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn not_private(path: &Path) -> io::Error {
    let message = format!("{} is not private to this user; delete it", path.display());
    io::Error::new(io::ErrorKind::PermissionDenied, message)
}

/// Locks a file; the error `WouldBlock` means that another process holds the lock.
pub(super) fn lock(file: &File) -> io::Result<()> {
    Ok(flock(file, FlockOperation::NonBlockingLockExclusive)?)
}

pub(super) fn unlock(file: &File) {
    // An error is impossible for a file that is open. Closing it would release the lock too.
    let _ = flock(file, FlockOperation::Unlock);
}

/// `true` if the file no longer has a name.
pub(super) fn is_deleted(file: &File) -> io::Result<bool> {
    Ok(file.metadata()?.nlink() == 0)
}
