//! Files on the local disk.
//!
//! A file is written under another name, synced to the disk and renamed, so readers only see complete files. The new
//! file gets the mode and the owner of the file that it replaces. A symbolic link remains a link.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Failure};

/// A place to which the content of a file is written.
pub(crate) type Out<'o> = &'o mut (dyn Write + Send);

/// `None` if a file or a folder does not exist.
fn existing<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

pub(super) fn list(root: &Path, folder: &str) -> Result<Vec<(String, String)>, Error> {
    let path = root.join(folder);
    let mut found = Vec::new();
    for (name, data) in entries(&path).map_err(|error| Error::storage(path.display(), error))? {
        let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
        if data.is_dir() { found.extend(list(root, &path)?) } else { found.push((path, data.len().to_string())) }
    }
    Ok(found)
}

/// The names of the entries of a folder, with their metadata; none if the folder does not exist.
fn entries(folder: &Path) -> io::Result<Vec<(String, fs::Metadata)>> {
    let mut found = Vec::new();
    let Some(entries) = existing(fs::read_dir(folder))? else { return Ok(found) };
    for entry in entries {
        let entry = entry?;
        // Another run may have removed its lock or its temporary file in the meantime.
        let Some(data) = existing(fs::metadata(entry.path()))? else { continue };
        if let Ok(name) = entry.file_name().into_string() {
            found.push((name, data));
        }
    }
    Ok(found)
}

/// Opens a regular file. Opening any other file, such as a named pipe, could wait without end.
pub(super) fn open(path: &Path) -> Result<Option<(File, String)>, Error> {
    let opened = existing(open_regular(path)).map_err(|error| Error::storage(path.display(), error))?;
    Ok(opened.map(|(file, length)| (file, length.to_string())))
}

fn open_regular(path: &Path) -> io::Result<(File, u64)> {
    check_regular(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    Ok((file, length))
}

fn check_regular(file: &fs::Metadata) -> io::Result<()> {
    if file.is_file() { Ok(()) } else { Err(io::Error::new(ErrorKind::InvalidInput, "it is not a regular file")) }
}

/// Deletes a file, and the folders below the root that are then empty.
pub(super) fn delete(root: &Path, path: &str) -> Result<(), Error> {
    let file = root.join(path);
    existing(fs::remove_file(&file)).map_err(|error| Error::storage(file.display(), error))?;
    for folder in Path::new(path).ancestors().skip(1) {
        // A folder that is not empty is not removed, and the root stays.
        if folder.as_os_str().is_empty() || fs::remove_dir(root.join(folder)).is_err() {
            break;
        }
    }
    Ok(())
}

/// Moves a file below a folder to a path that does not exist. A symbolic link stays, and its file is moved.
pub(super) fn rename(root: &Path, path: &str, to: &str) -> Result<(), Error> {
    let target = root.join(to);
    check_absent(&target).map_err(|error| Error::storage(target.display(), error))?;
    create_folder(target.parent().unwrap_or(root))?;
    move_file(&resolved(&root.join(path)), &target).map_err(|error| Error::storage(target.display(), error))
}

/// Renames a file. To another file system, the file is copied.
fn move_file(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == ErrorKind::CrossesDevices => {}
        renamed => return renamed,
    }
    if let Err(error) = copy_file(from, to) {
        let _ = fs::remove_file(to);
        return Err(error);
    }
    fs::remove_file(from)
}

/// Copies a file with its owner and mode.
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    let mut source = File::open(from)?;
    let metadata = source.metadata()?;
    let mut copy = create(to, Some(&metadata))?;
    io::copy(&mut source, &mut copy)?;
    keep_owner(&copy, &metadata);
    copy.set_permissions(metadata.permissions())?;
    copy.sync_all()
}

fn check_absent(path: &Path) -> io::Result<()> {
    match existing(fs::symlink_metadata(path))? {
        Some(_) => Err(io::Error::from(ErrorKind::AlreadyExists)),
        None => Ok(()),
    }
}

fn create_folder(folder: &Path) -> Result<(), Error> {
    fs::create_dir_all(folder).map_err(|error| Error::storage(folder.display(), error))
}

/// A complete file under another name. It is deleted unless [`finish`](Self::finish) renames it, so that it does not
/// fill up the disk.
#[derive(Debug)]
pub(crate) struct Unfinished {
    /// The path for messages, and the path after symbolic links.
    path: PathBuf,
    target: PathBuf,
    /// The present path, and a path in the folder of the target.
    unfinished: PathBuf,
    beside: PathBuf,
    version: String,
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.unfinished);
    }
}

/// Writes the content of a file. Until the file is finished, it has the name `temporary` or, by default, a hidden name
/// in the same folder.
pub(super) fn prepare<T>(
    path: &Path,
    temporary: Option<PathBuf>,
    content: impl FnOnce(Out<'_>) -> Result<T, Failure>,
) -> Result<(T, Unfinished), Error> {
    let mut new = OpenFile::create(path, temporary)?;
    let written = content(&mut new.file).map_err(|error| Error::storage(path.display(), error))?;
    Ok((written, new.complete()?))
}

/// A file that is being written under another name.
#[derive(Debug)]
pub(super) struct OpenFile {
    pub(super) file: File,
    /// The file that it will replace.
    replaced: Option<fs::Metadata>,
    unfinished: Unfinished,
}

impl OpenFile {
    pub(super) fn create(path: &Path, temporary: Option<PathBuf>) -> Result<Self, Error> {
        let target = resolved(path);
        let folder = folder_of(&target);
        let replaced = replaceable(&target).map_err(|error| Error::storage(path.display(), error))?;
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let beside = folder.join(format!(".{name}.unfinished"));
        let unfinished = temporary.unwrap_or_else(|| beside.clone());
        create_folder(folder)?;
        create_folder(folder_of(&unfinished))?;
        let file = create(&unfinished, replaced.as_ref()).map_err(|error| Error::storage(path.display(), error))?;
        let unfinished = Unfinished { path: path.to_owned(), target, unfinished, beside, version: String::new() };
        Ok(Self { file, replaced, unfinished })
    }

    /// Writes the content to the disk.
    pub(super) fn complete(mut self) -> Result<Unfinished, Error> {
        match self.sync() {
            Ok(length) => {
                self.unfinished.version = length.to_string();
                Ok(self.unfinished)
            }
            Err(error) => Err(Error::storage(self.unfinished.path.display(), error)),
        }
    }

    /// The length of the file.
    fn sync(&self) -> io::Result<u64> {
        if let Some(replaced) = &self.replaced {
            keep_owner(&self.file, replaced);
            self.file.set_permissions(replaced.permissions())?;
        }
        let length = self.file.metadata()?.len();
        self.file.sync_all()?;
        Ok(length)
    }
}

/// The metadata of a file that can be replaced; `None` if it does not exist.
fn replaceable(path: &Path) -> io::Result<Option<fs::Metadata>> {
    let Some(replaced) = existing(fs::metadata(path))? else { return Ok(None) };
    check_regular(&replaced)?;
    if replaced.permissions().readonly() {
        return Err(io::Error::new(ErrorKind::PermissionDenied, "the file is read-only"));
    }
    Ok(Some(replaced))
}

/// The path after symbolic links. The last link may point to a file that does not exist.
fn resolved(path: &Path) -> PathBuf {
    if let Ok(target) = fs::canonicalize(path) {
        return target;
    }
    match (fs::read_link(path), path.parent()) {
        (Ok(link), Some(folder)) => folder.join(link),
        _ => path.to_owned(),
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Creates a file with the mode of the file that it will replace. A file that a killed run has left is deleted; a
/// symbolic link is never followed, because another user of the folder may have created it.
fn create(path: &Path, replaced: Option<&fs::Metadata>) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    set_mode(&mut options, replaced);
    match options.open(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            fs::remove_file(path)?;
            options.open(path)
        }
        opened => opened,
    }
}

#[cfg(unix)]
fn set_mode(options: &mut OpenOptions, replaced: Option<&fs::Metadata>) {
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
    if let Some(replaced) = replaced {
        options.mode(replaced.mode() & 0o777);
    }
}

#[cfg(not(unix))]
fn set_mode(_: &mut OpenOptions, _: Option<&fs::Metadata>) {}

impl Unfinished {
    /// Renames the file to its target, and returns its version.
    pub(super) fn finish(self) -> Result<String, Error> {
        match self.rename_and_sync() {
            Ok(()) => Ok(self.version.clone()),
            Err(error) => Err(Error::storage(self.path.display(), error)),
        }
    }

    fn rename_and_sync(&self) -> io::Result<()> {
        self.rename()?;
        sync_folder(folder_of(&self.target))
    }

    /// Renames the file. If the target is on another file system, the file is first copied to the path beside the
    /// target.
    fn rename(&self) -> io::Result<()> {
        match fs::rename(&self.unfinished, &self.target) {
            Err(error) if error.kind() == ErrorKind::CrossesDevices && self.unfinished != self.beside => {}
            renamed => return renamed,
        }
        let copied = copy_file(&self.unfinished, &self.beside).and_then(|()| fs::rename(&self.beside, &self.target));
        if copied.is_err() {
            let _ = fs::remove_file(&self.beside);
        }
        copied
    }
}

/// Writes the entries of a folder to the disk, on systems that can do that.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder)?.sync_all() {
        // Some file systems cannot sync folders.
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
        synced => synced,
    }
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
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

    fn write(
        path: &Path,
        temporary: Option<PathBuf>,
        content: impl FnOnce(Out<'_>) -> Result<(), Failure>,
    ) -> Result<String, Error> {
        let ((), file) = prepare(path, temporary, content)?;
        file.finish()
    }

    #[test]
    fn temporary_file_does_not_follow_a_link_and_is_as_secret_as_its_target() {
        let dir = tempfile::tempdir().unwrap();
        let victim = dir.path().join("victim");
        let path = dir.path().join("a");
        let temporary = dir.path().join(".a.unfinished");
        fs::write(&victim, "precious").unwrap();
        symlink("victim", &temporary).unwrap();
        write(&path, None, |file| Ok(file.write_all(b"new")?)).unwrap();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
        assert!(!path.is_symlink() && !temporary.is_symlink());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let secret = |file: Out<'_>| {
            file.write_all(b"newer")?;
            assert_eq!(fs::metadata(&temporary)?.permissions().mode() & 0o777, 0o600);
            Ok(())
        };
        write(&path, None, secret).unwrap();
        assert!(write(&path, None, |_| Err("full".into())).is_err());
        assert!(!temporary.exists() && fs::read_to_string(&path).unwrap() == "newer");
    }

    #[test]
    fn named_pipe_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(open(&pipe).unwrap_err().to_string().contains("not a regular file"));
        assert!(write(&pipe, None, |_| Ok(())).unwrap_err().to_string().contains("not a regular file"));
    }

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

    #[test]
    fn a_moved_file_leaves_the_link_to_it() {
        let dir = tempfile::tempdir().unwrap();
        let [real, link, aside] = ["real", "link", "aside"].map(|name| dir.path().join(name));
        fs::write(&real, "old").unwrap();
        symlink(&real, &link).unwrap();
        rename(dir.path(), "link", "aside").unwrap();
        assert_eq!(fs::read_to_string(&aside).unwrap(), "old");
        write(&link, None, |file| Ok(file.write_all(b"new")?)).unwrap();
        assert!(link.is_symlink() && !aside.is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_linked_file_on_another_disk_is_moved() {
        let dir = tempfile::tempdir().unwrap();
        let other = tempfile::tempdir_in("/dev/shm").unwrap();
        let (real, link) = (other.path().join("real"), dir.path().join("link"));
        fs::write(&real, "old").unwrap();
        symlink(&real, &link).unwrap();
        rename(dir.path(), "link", "aside").unwrap();
        assert!(fs::read_to_string(dir.path().join("aside")).unwrap() == "old" && !real.exists());
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
