//! Locks that keep two runs from writing the same files of a target at the same time.
//!
//! A run locks a file for each endpoint and interval of a data set, or one hidden file for a single file, and removes
//! these lock files when it ends. Each lock file names its owner, so that another run can name this owner in its error.
//! The operating system unlocks the files of a killed run, so the next run can lock them. Object storage has no locks.
//!
//! A process that follows series of a table locks a further file with their names for as long as it follows them.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, process, thread};

use runtime::Timestamp;
use runtime::text::one_line;
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The extension of the lock files of followers.
const FOLLOWING: &str = "following";

/// The process of a run. A lock file has it as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunOwner {
    /// The number of the process; `None` if the lock file cannot be read.
    pub process: Option<u32>,
    /// The name of the machine, if it is known.
    pub host: Option<String>,
    /// The start of the run.
    pub since: Option<Timestamp>,
    /// The paths of the series that the process follows.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) series: BTreeSet<String>,
}

/// Writes the process, the machine and the second of the start.
impl fmt::Display for RunOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(process) = self.process else { return f.write_str("another process") };
        write!(f, "process {process}")?;
        if let Some(host) = &self.host {
            // Another machine may have written the name.
            write!(f, " on `{}`", one_line(host))?;
        }
        if let Some(since) = self.since {
            write!(f, ", since {}", since.floor(Duration::from_secs(1)))?;
        }
        Ok(())
    }
}

/// Locked files. Dropping the value removes and unlocks them.
#[derive(Debug, Default)]
pub(crate) struct Lock(Vec<(PathBuf, File)>);

impl Lock {
    /// Locks these files of a target. Every run locks them in the same order, so that one of two concurrent runs always
    /// gets all locks.
    pub(crate) fn acquire(target: &str, mut paths: Vec<PathBuf>) -> Result<Self, Error> {
        paths.sort();
        paths.dedup();
        let mut this = Self::default();
        for path in paths {
            this.add(target, path, BTreeSet::new())?;
        }
        Ok(this)
    }

    /// Locks series of the table with this lock file for a process that follows them, which other processes then cannot
    /// follow.
    pub(crate) fn follow(target: &str, table: &Path, series: BTreeSet<String>) -> Result<Self, Error> {
        // No other process looks for followers, or begins to follow, meanwhile.
        let _table = Self::acquire(target, vec![table.to_owned()])?;
        let mut number: u32 = 0;
        for (path, owner) in followers(table) {
            number = number.max(number_of(&path).unwrap_or(0));
            if !owner.series.is_disjoint(&series) {
                return Err(Error::InUse { target: target.to_owned(), by: owner.to_string() });
            }
        }
        let mut this = Self::default();
        this.add(target, table.with_extension(format!("{}.{FOLLOWING}", number.saturating_add(1))), series)?;
        Ok(this)
    }

    fn add(&mut self, target: &str, path: PathBuf, series: BTreeSet<String>) -> Result<(), Error> {
        match lock(&path, series).map_err(|error| Error::storage(path.display(), error))? {
            Attempt::Locked(file) => self.0.push((path, file)),
            Attempt::WithoutLocks => {}
            Attempt::InUse(by) => return Err(Error::InUse { target: target.to_owned(), by: by.to_string() }),
        }
        Ok(())
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        for (path, file) in self.0.drain(..) {
            // The file is removed while it is locked, because an unlocked file may already be the lock of another run.
            let removed = fs::remove_file(&path);
            drop(file);
            if removed.is_err() {
                // Some systems cannot remove a locked file, so the removal is repeated after closing it.
                let _ = fs::remove_file(&path);
            }
        }
    }
}

/// The run that has locked a file.
pub(crate) fn holder(path: &Path) -> Option<RunOwner> {
    // Opening a pipe could wait without end.
    if !fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    match File::open(path).ok()?.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Some(owner_of(path)),
        _ => None,
    }
}

/// The process that follows one of these series of the table with this lock file, which the caller has locked.
pub(crate) fn follower(table: &Path, series: &BTreeSet<String>) -> Option<RunOwner> {
    let mut owners = followers(table).into_iter().map(|(_, owner)| owner);
    owners.find(|owner| !owner.series.is_disjoint(series))
}

/// The lock files of the processes that follow series of a table. Removes those of killed processes.
fn followers(table: &Path) -> Vec<(PathBuf, RunOwner)> {
    let mut found = Vec::new();
    for entry in table.parent().and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_of_table = path.with_extension("").with_extension("lock") == table;
        if !is_of_table || number_of(&path).is_none() {
            continue;
        }
        match holder(&path) {
            Some(owner) => found.push((path, owner)),
            // Locking and unlocking a file removes it.
            None => drop(Lock::acquire("", vec![path])),
        }
    }
    found
}

/// The number in the name of a follower's lock file, such as `levels-1h.2.following`; `None` for any other file.
fn number_of(path: &Path) -> Option<u32> {
    if path.extension()? != FOLLOWING {
        return None;
    }
    Path::new(path.file_stem()?).extension()?.to_str()?.parse().ok()
}

/// The owner of a locked file, which some systems do not let others read.
fn owner_of(path: &Path) -> RunOwner {
    let Ok(text) = fs::read_to_string(path) else { return RunOwner::default() };
    serde_json::from_str(&text).unwrap_or_default()
}

/// What became of an attempt to lock a file.
enum Attempt {
    Locked(File),
    /// The file system has no locks, so a second run is not detected.
    WithoutLocks,
    /// This run has locked the file.
    InUse(RunOwner),
}

fn lock(path: &Path, series: BTreeSet<String>) -> io::Result<Attempt> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    // The time is not rounded, so that no other lock has the same text.
    let owner = RunOwner { process: Some(process::id()), host: host(), since: Some(Timestamp::now()), series };
    let owner = serde_json::to_string(&owner)?;
    let mut is_second = false;
    loop {
        // The file is not truncated before it is locked, because it may contain the owner of another run's lock.
        let Some(mut file) = open_lock(path)? else { continue };
        match file.try_lock() {
            Ok(()) => {}
            // `holder` locks the file for an instant.
            Err(TryLockError::WouldBlock) if !std::mem::replace(&mut is_second, true) => {
                thread::sleep(Duration::from_millis(20));
                continue;
            }
            Err(TryLockError::WouldBlock) => return Ok(Attempt::InUse(owner_of(path))),
            Err(TryLockError::Error(error)) if is_without_locks(&error) => {
                // At its end, a run removes only the files that it has locked, so this file is removed here.
                fs::remove_file(path)?;
                return Ok(Attempt::WithoutLocks);
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        file.set_len(0)?;
        file.write_all(owner.as_bytes())?;
        match fs::read_to_string(path) {
            // Another run removed or replaced the file before this run locked it, so the loop opens the file again.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Ok(text) if text != owner => {}
            // This run has the lock. Reading may have failed, because on some systems a locked file cannot be read
            // through another handle.
            _ => return Ok(Attempt::Locked(file)),
        }
    }
}

/// Opens or creates a lock file. A symbolic link is not followed, because another user of the folder may have created
/// it, and a pipe is not opened. Returns `None` if the file was removed or replaced meanwhile.
fn open_lock(path: &Path) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    match options.clone().create_new(true).open(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        created => return created.map(Some),
    }
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) => return none_if_gone(error),
    };
    if !found.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "the lock is not a regular file; move it away"));
    }
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) => return none_if_gone(error),
    };
    if is_same_file(&found, &file.metadata()?) { Ok(Some(file)) } else { Ok(None) }
}

#[cfg(unix)]
fn is_same_file(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same_file(_: &fs::Metadata, other: &fs::Metadata) -> bool {
    other.is_file()
}

/// The machine's name, if it can be read without unsafe code.
fn host() -> Option<String> {
    if let Ok(name) = fs::read_to_string("/proc/sys/kernel/hostname") {
        return Some(name.trim().to_owned());
    }
    for variable in ["COMPUTERNAME", "HOSTNAME"] {
        if let Ok(name) = env::var(variable) {
            return Some(name.trim().to_owned());
        }
    }
    None
}

/// `true` for errors of a file system without locks: locks are unsupported, or the lock server is not running,
/// as on NFS without its daemon.
fn is_without_locks(error: &io::Error) -> bool {
    // The number of the error ENOLCK, which has no `ErrorKind`.
    let no_server = if cfg!(any(target_os = "linux", target_os = "android")) { 37 } else { 77 };
    error.kind() == ErrorKind::Unsupported || cfg!(unix) && error.raw_os_error() == Some(no_server)
}

/// `None` for a file that another process has removed meanwhile.
fn none_if_gone(error: io::Error) -> io::Result<Option<File>> {
    if error.kind() == ErrorKind::NotFound { Ok(None) } else { Err(error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn second_run_of_a_series_is_locked_out() {
        let dir = tempfile::tempdir().unwrap();
        let paths = |names: &[&str]| names.iter().map(|name| dir.path().join(name)).collect::<Vec<_>>();
        let first = Lock::acquire("out", paths(&[".a", ".b"])).unwrap();
        let error = Lock::acquire("out", paths(&[".b", ".c"])).unwrap_err();
        let run = holder(&dir.path().join(".a")).unwrap();
        assert!(
            run.process == Some(process::id()) && run.since.is_some_and(|since| since <= Timestamp::now()),
            "{run}"
        );
        let (by, start) = (run.to_string(), run.since.unwrap().floor(Duration::from_secs(1)));
        assert!(by.starts_with("process ") && by.ends_with(&format!(", since {start}")), "{by}");
        assert_eq!(error.to_string(), format!("out: another backfill ({by}) is writing the same files"));
        drop(Lock::acquire("out", paths(&[".c"])).unwrap());
        // A run that has just created its lock file has not written its name yet.
        fs::write(dir.path().join(".a"), "").unwrap();
        assert_eq!(holder(&dir.path().join(".a")).unwrap().to_string(), "another process");
        drop(first);
        // This is the state after a run was killed.
        fs::write(dir.path().join(".b"), "process 1").unwrap();
        assert_eq!([".a", ".b"].map(|name| holder(&dir.path().join(name))), [None, None]);
        drop(Lock::acquire("out", paths(&[".b", ".c"])).unwrap());
        assert_eq!(names(dir.path()), [""; 0]);
    }

    #[test]
    fn lock_is_held_by_at_most_one_run() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(".lock");
        let holders = std::sync::atomic::AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..300 {
                        let Ok(lock) = Lock::acquire("out", vec![path.clone()]) else { continue };
                        assert_eq!(holders.fetch_add(1, std::sync::atomic::Ordering::SeqCst), 0);
                        thread::yield_now();
                        holders.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                        drop(lock);
                    }
                });
            }
        });
        assert_eq!(names(dir.path()), [""; 0]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_or_a_pipe_in_place_of_a_lock_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let victim = dir.path().join("victim");
        fs::write(&victim, "precious").unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink("victim", &link).unwrap();
        let pipe = dir.path().join("pipe");
        assert!(process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [link, pipe] {
            let error = Lock::acquire("out", vec![path.clone()]).unwrap_err().to_string();
            assert!(error.contains("not a regular file"), "{error}");
            assert_eq!(holder(&path), None);
        }
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn lock_errors_of_file_systems_without_locks_are_recognized() {
        let error = io::Error::from_raw_os_error;
        // The first three errors are ENOLCK, EOPNOTSUPP and ENOSYS, the others are EACCES and EIO.
        assert!([37, 95, 38].map(error).iter().all(is_without_locks));
        assert!(![13, 5].map(error).iter().any(is_without_locks));
    }
}
