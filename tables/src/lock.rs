//! Locks that keep two runs from writing the same series of a target at the same time.
//!
//! A run writes its process and its series into a hidden file next to the data and keeps that file locked. Another run
//! that finds such a file locked, with a common series, ends with an error that names the first run. The system unlocks
//! the file of a killed run, and the next run removes it. Object storage has no locks.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{env, process, thread};

use runtime::{Timestamp, Value};
use serde_json::json;

use crate::error::Error;

/// The locked file of a run, which is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    file: Option<File>,
}

const ENDING: &str = ".lock";

/// Of two runs that start at the same time, the one with the earlier name waits this often and long for the other to
/// end.
const CHECKS: u32 = 20;
const BETWEEN: Duration = Duration::from_millis(50);

impl Lock {
    /// Locks series of a target, `None` for all of them; `prefix` is the start of the names of its hidden files.
    pub(crate) fn acquire(target: &str, prefix: &Path, series: Option<&[&str]>) -> Result<Self, Error> {
        let fails = |error| Error::storage(target, error);
        let lock = Self::create(prefix, series).map_err(fails)?;
        for check in 0.. {
            let Some((other, owner)) = lock.conflict(prefix, series).map_err(fails)? else { break };
            if other.file_name() < lock.path.file_name() || check >= CHECKS {
                return Err(Error::InUse { target: target.to_owned(), by: owner });
            }
            thread::sleep(BETWEEN);
        }
        Ok(lock)
    }

    fn create(prefix: &Path, series: Option<&[&str]>) -> io::Result<Self> {
        fs::create_dir_all(parent(prefix))?;
        loop {
            let path = named(prefix, &format!("-{}{ENDING}", unique()));
            let mut file = OpenOptions::new().write(true).create_new(true).open(&path)?;
            let since = Timestamp::from_unix_seconds(Timestamp::now().unix_seconds()).to_string();
            let text = json!({"process": process::id(), "host": host(), "since": since, "series": series});
            file.write_all(text.to_string().as_bytes())?;
            match file.lock() {
                // Without locks, the files of running and of killed runs cannot be distinguished.
                Err(error) if is_without_locks(&error) => {
                    fs::remove_file(&path)?;
                    return Ok(Self { path, file: None });
                }
                locked => locked?,
            }
            // Another run may have removed the file before it was locked.
            if path.exists() {
                return Ok(Self { path, file: Some(file) });
            }
        }
    }

    /// Another run that writes one of the same series: its file and its owner.
    fn conflict(&self, prefix: &Path, series: Option<&[&str]>) -> io::Result<Option<(PathBuf, String)>> {
        if self.file.is_none() {
            return Ok(None);
        }
        for path in files(prefix)?.into_iter().filter(|path| path.file_name() != self.path.file_name()) {
            let mut file = match OpenOptions::new().read(true).write(true).open(&path) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) if error.kind() == ErrorKind::PermissionDenied => File::open(&path)?,
                opened => opened?,
            };
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => {
                    let mut text = String::new();
                    file.read_to_string(&mut text)?;
                    if let Some(owner) = owner_of_same(&text, series) {
                        return Ok(Some((path, owner)));
                    }
                }
                Err(TryLockError::Error(error)) => return Err(error),
                Ok(()) => remove(&path)?,
            }
        }
        Ok(None)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let removed = fs::remove_file(&self.path);
        drop(self.file.take());
        if removed.is_err() {
            // Some systems keep a file until it is closed.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The owner in the file of another run, if both write the same series. Unreadable text counts as a match.
fn owner_of_same(text: &str, series: Option<&[&str]>) -> Option<String> {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    let theirs = value.get("series").and_then(Value::as_array);
    if let (Some(theirs), Some(ours)) = (theirs, series)
        && !theirs.iter().filter_map(Value::as_str).any(|path| ours.contains(&path))
    {
        return None;
    }
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let process = value.get("process").and_then(Value::as_u64);
    let process = process.map_or("another process".to_owned(), |number| format!("process {number}"));
    let host = text("host").map(|host| format!(" on `{host}`")).unwrap_or_default();
    let since = text("since").map(|since| format!(", since {since}")).unwrap_or_default();
    Some(format!("{process}{host}{since}"))
}

/// The machine's name, if it can be read without unsafe code.
fn host() -> Option<String> {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = name.or_else(|| env::var("COMPUTERNAME").ok()).or_else(|| env::var("HOSTNAME").ok())?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// A name that is unique across runs, on this machine or in another container: time, process, and a count.
fn unique() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    format!("{time:020}-{}-{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

fn parent(prefix: &Path) -> &Path {
    prefix.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn named(prefix: &Path, end: &str) -> PathBuf {
    let mut name = prefix.file_name().unwrap_or_default().to_owned();
    name.push(end);
    prefix.with_file_name(name)
}

/// Returns `true` for errors of a file system without locks: it does not support them, or their server does not run, as
/// on NFS without its daemon.
fn is_without_locks(error: &io::Error) -> bool {
    // ENOLCK, which has no `ErrorKind`.
    let no_server = match () {
        () if cfg!(any(target_os = "linux", target_os = "android")) => Some(37),
        () if cfg!(unix) => Some(77),
        () => None,
    };
    error.kind() == ErrorKind::Unsupported || no_server.is_some() && error.raw_os_error() == no_server
}

/// The files of runs on the same target. Other files whose names begin like theirs belong to the user.
fn files(prefix: &Path) -> io::Result<Vec<PathBuf>> {
    let start = format!("{}-", prefix.file_name().unwrap_or_default().to_string_lossy());
    let is_ours = |name: &str| {
        let middle = name.strip_prefix(&start).and_then(|rest| rest.strip_suffix(ENDING));
        middle.is_some_and(|middle| {
            middle.split('-').count() == 3 && !middle.contains(|c: char| c != '-' && !c.is_ascii_digit())
        })
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(parent(prefix))? {
        let entry = entry?;
        if entry.file_name().to_str().is_some_and(is_ours) {
            found.push(entry.path());
        }
    }
    Ok(found)
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn runs_of_other_series_work_at_the_same_time() {
        let dir = tempfile::tempdir().unwrap();
        let prefix = dir.path().join(".backfill");
        thread::scope(|scope| {
            for series in ["a", "b"] {
                let prefix = &prefix;
                scope.spawn(move || {
                    for _ in 0..300 {
                        Lock::acquire("out", prefix, Some(&[series])).unwrap();
                    }
                });
            }
        });
        assert_eq!(names(dir.path()), [""; 0]);
    }

    #[test]
    fn of_two_runs_of_one_series_one_works() {
        let dir = tempfile::tempdir().unwrap();
        let prefix = dir.path().join(".backfill");
        let first = Lock::acquire("out", &prefix, Some(&["a", "b"])).unwrap();
        for series in [Some(&["b"][..]), None] {
            let error = Lock::acquire("out", &prefix, series).unwrap_err();
            assert!(matches!(&error, Error::InUse { by, .. } if by.starts_with("process ")), "{error}");
        }
        drop(first);
        drop(Lock::acquire("out", &prefix, None).unwrap());
        assert_eq!(names(dir.path()), [""; 0]);
    }

    #[test]
    fn files_of_killed_runs_are_removed_and_others_stay() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str| fs::write(dir.path().join(name), "").unwrap();
        file(".backfill-00000000000000000001-7-0.lock");
        let mine = [".backfill-notes.lock", ".backfill.lock", "out.parquet"];
        for name in mine {
            file(name);
        }
        drop(Lock::acquire("out", &dir.path().join(".backfill"), None).unwrap());
        assert_eq!(names(dir.path()), mine);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_system_without_locks_is_known_by_its_error() {
        let error = io::Error::from_raw_os_error;
        // ENOLCK, EOPNOTSUPP, ENOSYS; EACCES, EIO.
        assert!([37, 95, 38].map(error).iter().all(is_without_locks));
        assert!(![13, 5].map(error).iter().any(is_without_locks));
    }
}
