//! Files on the local disk.
//!
//! A file is written under another name, synced to the disk and renamed, so readers only see complete files. The new
//! file gets the mode and the owner of the file that it replaces. A symbolic link remains a link.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::Out;
use crate::error::{Error, Failure};

/// Returns `None` if a file or a folder does not exist.
fn existing<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

pub(super) fn list(root: &Path, folder: &str) -> Result<Vec<(String, String)>, Error> {
    let path = root.join(folder);
    let fails = |error| Error::storage(path.display(), error);
    let mut found = Vec::new();
    for entry in existing(fs::read_dir(&path)).map_err(fails)?.into_iter().flatten() {
        let entry = entry.map_err(fails)?;
        // Another run may have removed its lock or its temporary file in the meantime.
        let Some(data) = existing(fs::metadata(entry.path())).map_err(fails)? else { continue };
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        if data.is_dir() { found.extend(list(root, &path)?) } else { found.push((path, data.len().to_string())) }
    }
    Ok(found)
}

pub(super) fn open(path: &Path) -> Result<Option<(File, String)>, Error> {
    let opened = File::open(path).and_then(|file| Ok((file.metadata()?.len().to_string(), file)));
    let opened = existing(opened).map_err(|error| Error::storage(path.display(), error))?;
    Ok(opened.map(|(length, file)| (file, length)))
}

/// Deletes a file, and the folders below the root that are then empty.
pub(super) fn delete(root: &Path, path: &str) -> Result<(), Error> {
    let file = root.join(path);
    existing(fs::remove_file(&file)).map_err(|error| Error::storage(file.display(), error))?;
    let folders = Path::new(path).ancestors().skip(1).take_while(|folder| !folder.as_os_str().is_empty());
    // A folder that is not empty is not removed.
    folders.map(|folder| fs::remove_dir(root.join(folder))).all(|removed| removed.is_ok());
    Ok(())
}

/// Writes a file completely or not at all, and returns its version. Until it is complete, the file has the name
/// `temporary` or, by default, a hidden name in the same folder.
pub(super) fn write<T>(
    path: &Path,
    temporary: Option<PathBuf>,
    content: impl FnOnce(Out<'_>) -> Result<T, Failure>,
) -> Result<(T, String), Error> {
    let fails = |error| Error::storage(path.display(), error);
    // A link to a missing file has no canonical path, so the link itself is read.
    let linked = || Some(path.parent()?.join(fs::read_link(path).ok()?));
    let target = fs::canonicalize(path).ok().or_else(linked).unwrap_or_else(|| path.to_owned());
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let replaced = fs::metadata(&target).ok();
    if replaced.as_ref().is_some_and(|replaced| replaced.permissions().readonly()) {
        return Err(fails(io::Error::new(ErrorKind::PermissionDenied, "the file is read-only")));
    }
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let beside = folder.join(format!(".{name}.unfinished"));
    let unfinished = temporary.unwrap_or_else(|| beside.clone());
    for folder in [folder, unfinished.parent().unwrap_or(folder)] {
        fs::create_dir_all(folder).map_err(|error| Error::storage(folder.display(), error))?;
    }
    let mut file = File::create(&unfinished).map_err(fails)?;
    let kept = content(&mut file).map_err(|error| Error::storage(path.display(), error)).and_then(|written| {
        if let Some(replaced) = &replaced {
            keep_owner(&file, replaced);
            file.set_permissions(replaced.permissions()).map_err(fails)?;
        }
        let version = file.metadata().map_err(fails)?.len().to_string();
        file.sync_all().and_then(|()| rename(&unfinished, &beside, &target)).map_err(fails)?;
        Ok((written, version))
    });
    if kept.is_err() {
        // The unfinished file is removed, so that it does not fill up the disk.
        let _ = fs::remove_file(&unfinished);
    } else {
        // Syncs the directory entries. An error is ignored, because some systems cannot open folders.
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
    kept
}

/// Renames a file. If the target is on another file system, the file is first copied to the path `beside` the target.
fn rename(file: &Path, beside: &Path, target: &Path) -> io::Result<()> {
    match fs::rename(file, target) {
        Err(error) if error.kind() == ErrorKind::CrossesDevices => {}
        renamed => return renamed,
    }
    let copied = fs::copy(file, beside).and_then(|_| {
        let copy = File::open(beside)?;
        keep_owner(&copy, &fs::metadata(file)?);
        copy.sync_all()?;
        fs::rename(beside, target)
    });
    if copied.is_err() {
        let _ = fs::remove_file(beside);
    }
    copied.and_then(|()| fs::remove_file(file))
}

/// Gives a file the owner of the file that it replaces, if the system allows that.
#[cfg(unix)]
fn keep_owner(file: &File, replaced: &fs::Metadata) {
    use std::os::unix::fs::MetadataExt;
    let _ = std::os::unix::fs::fchown(file, Some(replaced.uid()), Some(replaced.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &fs::Metadata) {}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn replaced_file_keeps_its_mode_and_symbolic_links() {
        let dir = tempfile::tempdir().unwrap();
        let (real, link) = (dir.path().join("real"), dir.path().join("link"));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
        symlink(&real, &link).unwrap();
        write(&link, None, |file| Ok(file.write_all(b"new")?)).unwrap();
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
        assert!(link.is_symlink() && fs::metadata(&real).unwrap().permissions().mode() & 0o777 == 0o600);
        let dangling = dir.path().join("dangling");
        symlink("missing", &dangling).unwrap();
        write(&dangling, None, |file| Ok(file.write_all(b"first")?)).unwrap();
        assert!(dangling.is_symlink() && fs::read_to_string(dir.path().join("missing")).unwrap() == "first");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o444)).unwrap();
        let error = write(&link, None, |file| Ok(file.write_all(b"newer")?)).unwrap_err().to_string();
        assert!(error.contains("read-only") && fs::read_to_string(&real).unwrap() == "new", "{error}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 4);
    }

    /// The folder of an endpoint can be a symbolic link to another disk.
    #[cfg(target_os = "linux")]
    #[test]
    fn file_is_written_to_another_file_system() {
        let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir_in("/dev/shm").unwrap());
        let path = other.path().join("real");
        for text in ["new", "newer"] {
            write(&path, Some(dir.path().join("unfinished")), |file| Ok(file.write_all(text.as_bytes())?)).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            let names = [&dir, &other].map(|folder| fs::read_dir(folder.path()).unwrap().count());
            assert_eq!(names, [0, 1]);
        }
    }
}
