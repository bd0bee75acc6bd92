//! No two jobs write the same series of a target at once.
//!
//! A job's claim comes in: its series, and its shard of them. The claim stands in a locked file, in a folder of the job's own
//! beside the data, for as long as the job runs. A job whose claim overlaps with that of another is refused and told whose
//! that is. What a job left that was killed is removed by the next, since the system has unlocked it. Object storage has no
//! locks, and nothing here is for it.

mod claim;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::error::Error;
use claim::Holder;

pub(crate) use claim::Claim;

/// A claim that holds until this is dropped, with a folder for what is not finished.
#[derive(Debug)]
pub(crate) struct Lock {
    folder: PathBuf,
    claim: Option<File>,
}

/// The file of the claim, in the job's folder.
const CLAIM: &str = "claim";

impl Lock {
    /// Claims series of a target; the names of all files of this begin with a prefix.
    pub(crate) fn take(target: &str, prefix: &Path, claim: &Claim) -> Result<Self, Error> {
        let fails = |error| Error::storage(target, error);
        let parent = parent(prefix);
        fs::create_dir_all(parent).map_err(fails)?;
        // Claims are compared one at a time. The file stays: whoever waits for it has to wait for the same one.
        let door = open(&named(prefix, ".lock")).map_err(fails)?;
        match door.lock() {
            // Where files cannot be locked, nobody knows which claims are of the living.
            Err(error) if error.kind() == ErrorKind::Unsupported => return Self::unlocked(prefix).map_err(fails),
            locked => locked.map_err(fails)?,
        }
        for folder in folders(parent, &named(prefix, "-")).map_err(fails)? {
            if let Some(other) = standing(&folder).map_err(fails)?
                && other.overlaps(claim)
            {
                return Err(Error::InUse { target: target.to_owned(), by: other.to_string() });
            }
        }
        let mut lock = Self::unlocked(prefix).map_err(fails)?;
        lock.write(claim).map_err(fails)?;
        Ok(lock)
    }

    /// A folder for a job, without a claim.
    fn unlocked(prefix: &Path) -> io::Result<Self> {
        loop {
            let folder = named(prefix, &format!("-{}", unique()));
            match fs::create_dir(&folder) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                created => return created.map(|()| Self { folder, claim: None }),
            }
        }
    }

    fn write(&mut self, claim: &Claim) -> io::Result<()> {
        let mut file = open(&self.folder.join(CLAIM))?;
        file.write_all(claim.written().as_bytes())?;
        // Shared, so that others can read it on every system.
        file.lock_shared()?;
        self.claim = Some(file);
        Ok(())
    }

    /// Where to write what is not finished; it is removed with the claim.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Nobody takes it for that of a killed job while the claim is locked.
        let removed = fs::remove_dir_all(&self.folder);
        drop(self.claim.take());
        if removed.is_err() {
            // Some systems keep a file until it is closed. What cannot be removed even now is left to the next job.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// The end of a name that no other job has, on this machine or in another container: process, time, and a count.
fn unique() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    format!("{}-{time:020}-{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

fn parent(prefix: &Path) -> &Path {
    prefix.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn named(prefix: &Path, end: &str) -> PathBuf {
    let mut name = prefix.file_name().unwrap_or_default().to_owned();
    name.push(end);
    prefix.with_file_name(name)
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path)
}

/// The folders of jobs.
fn folders(parent: &Path, prefix: &Path) -> io::Result<Vec<PathBuf>> {
    let start = prefix.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut found = Vec::new();
    for entry in fs::read_dir(parent)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(&start) {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// The claim of a job that runs; what any other job left is removed.
fn standing(folder: &Path) -> io::Result<Option<Holder>> {
    let mut file = match OpenOptions::new().read(true).write(true).open(folder.join(CLAIM)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(remove(folder)),
        opened => opened?,
    };
    match file.try_lock() {
        Ok(()) => Ok(remove(folder)),
        Err(TryLockError::WouldBlock) => {
            let mut text = String::new();
            file.read_to_string(&mut text)?;
            Ok(Some(Holder::read(&text)))
        }
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// What cannot be removed is in nobody's way.
fn remove(folder: &Path) -> Option<Holder> {
    let _ = fs::remove_dir_all(folder);
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(series: &str) -> Claim {
        Claim { series: vec![series.to_owned()], shard: "1/1".parse().unwrap(), is_sole: false }
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_job_that_ends_leaves_alone_those_that_run() {
        let dir = tempfile::tempdir().unwrap();
        let prefix = dir.path().join(".backfill");
        std::thread::scope(|scope| {
            for series in ["a", "b"] {
                let prefix = &prefix;
                scope.spawn(move || {
                    for _ in 0..300 {
                        let lock = Lock::take("out", prefix, &claim(series)).unwrap();
                        fs::write(lock.folder().join("unfinished"), "half of a file").unwrap();
                        assert_eq!(names(lock.folder()), [CLAIM, "unfinished"]);
                    }
                });
            }
        });
        assert_eq!(names(dir.path()), [".backfill.lock"]);
    }
}
