//! No two jobs write the same series of a target at once.
//!
//! A job's claim comes in: its series, and its shard of them. The claim stands in a locked file, in a folder of the
//! job's own beside the data, for as long as the job runs. A job whose claim overlaps with that of another is refused,
//! with an error that names the other. The system unlocks the claim of a job that was killed, and the next job removes
//! it. Object storage has no locks, so this is not used for it.

mod claim;

use std::fs::{self, DirEntry, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::error::Error;
use claim::Holder;

pub(crate) use claim::Claim;

/// A claim that holds until this is dropped, with a folder for unfinished files.
#[derive(Debug)]
pub(crate) struct Lock {
    folder: PathBuf,
    claim: Option<File>,
}

/// The file of the claim, in the job's folder.
const CLAIM: &str = "claim";

/// The file beside it that is not whole yet. A job writes one at a time.
pub(crate) const UNFINISHED: &str = "unfinished";

/// The same for a file that must not replace another one.
pub(crate) const CREATED: &str = "created";

impl Lock {
    /// Claims series of a target; the names of all files of this begin with a prefix.
    pub(crate) fn take(target: &str, prefix: &Path, claim: &Claim) -> Result<Self, Error> {
        let fails = |error| Error::storage(target, error);
        let parent = parent(prefix);
        fs::create_dir_all(parent).map_err(fails)?;
        // Claims are compared one at a time. The file stays, so that all jobs wait for the same one.
        let door = open(&named(prefix, ".lock")).map_err(fails)?;
        match door.lock() {
            // Where files cannot be locked, nothing tells claims of running jobs from others.
            Err(error) if is_without_locks(&error) => return Self::unlocked(prefix).map_err(fails),
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
        // A shared lock, so that others can read the file on every system.
        file.lock_shared()?;
        self.claim = Some(file);
        Ok(())
    }

    /// The folder for unfinished files; it is removed with the claim.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // No job takes it for the folder of a killed one while the claim is locked.
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

/// A file to lock, which is made if it is not there.
///
/// It is opened for writing, as locks on network file systems need it, or for reading alone if it is another user's.
fn open(path: &Path) -> io::Result<File> {
    or_to_read(path, OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path))
}

fn or_to_read(path: &Path, opened: io::Result<File>) -> io::Result<File> {
    match opened {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => File::open(path).map_err(|_| error),
        opened => opened,
    }
}

/// Whether a file system has no locks: it does not support them, or their server does not run, as on NFS without its
/// daemon.
fn is_without_locks(error: &io::Error) -> bool {
    // ENOLCK, which has no `ErrorKind`.
    let nobody = match () {
        () if cfg!(any(target_os = "linux", target_os = "android")) => Some(37),
        () if cfg!(unix) => Some(77),
        () => None,
    };
    error.kind() == ErrorKind::Unsupported || nobody.is_some() && error.raw_os_error() == nobody
}

/// The folders of jobs. Other files and folders whose names begin like theirs belong to the user.
fn folders(parent: &Path, prefix: &Path) -> io::Result<Vec<PathBuf>> {
    let start = prefix.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut found = Vec::new();
    for entry in fs::read_dir(parent)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_ours = name.to_str().and_then(|name| name.strip_prefix(&start)).is_some_and(is_unique);
        // A job that ends may have removed it by now.
        if is_ours && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// Whether it looks like what [`unique`] makes.
fn is_unique(text: &str) -> bool {
    let parts: Vec<_> = text.split('-').collect();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    matches!(parts[..], [_, time, _] if time.len() == 20) && parts.iter().all(is_number)
}

/// The claim of a running job; the folder of a job that does not run is removed.
fn standing(folder: &Path) -> io::Result<Option<Holder>> {
    let path = folder.join(CLAIM);
    let mut file = match or_to_read(&path, OpenOptions::new().read(true).write(true).open(&path)) {
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

/// Removes a folder that holds only what a job makes. If that fails, it stays and does no harm.
fn remove(folder: &Path) -> Option<Holder> {
    let is_ours = |entry: io::Result<DirEntry>| {
        entry.is_ok_and(|entry| [CLAIM, UNFINISHED, CREATED].iter().any(|name| entry.file_name() == *name))
    };
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.all(is_ours)) {
        let _ = fs::remove_dir_all(folder);
    }
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
                        fs::write(lock.folder().join(UNFINISHED), "half of a file").unwrap();
                        assert_eq!(names(lock.folder()), [CLAIM, UNFINISHED]);
                    }
                });
            }
        });
        assert_eq!(names(dir.path()), [".backfill.lock"]);
    }

    #[test]
    fn what_is_somebody_elses_stays() {
        let dir = tempfile::tempdir().unwrap();
        let left = ["7-00000000000000000001-0", "7-00000000000000000001-1", "7-00000000000000000001-2"];
        let foreign = ["old", "7-0", "2024-01-02", "7-00000000000000000001-x", "7-00000000000000000001-"];
        // The folder of a job that also holds a file of the user's.
        let filled = "7-00000000000000000001-3";
        for end in left.iter().chain(&foreign).chain([&filled]) {
            fs::create_dir(dir.path().join(format!(".backfill-{end}"))).unwrap();
        }
        let inside = |end: &str, name: &str| dir.path().join(format!(".backfill-{end}")).join(name);
        fs::write(inside(left[1], UNFINISHED), "").unwrap();
        fs::write(inside(left[1], CREATED), "").unwrap();
        fs::write(inside(left[2], CLAIM), "").unwrap();
        fs::write(inside("old", UNFINISHED), "mine").unwrap();
        fs::write(inside(filled, UNFINISHED), "").unwrap();
        fs::write(inside(filled, "mine"), "").unwrap();
        // Files of such names are left alone.
        for file in ["file", "7-00000000000000000001-4"] {
            fs::write(dir.path().join(format!(".backfill-{file}")), "mine").unwrap();
        }
        let before = names(dir.path());
        drop(Lock::take("out", &dir.path().join(".backfill"), &claim("a")).unwrap());
        let is_left = |name: &String| left.iter().any(|end| name.ends_with(end));
        let mut expected: Vec<_> = before.into_iter().filter(|name| !is_left(name)).collect();
        expected.push(".backfill.lock".to_owned());
        assert_eq!(names(dir.path()), expected);
        assert!(inside("old", UNFINISHED).exists() && inside(filled, UNFINISHED).exists());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_system_without_locks_is_known_by_its_error() {
        let error = io::Error::from_raw_os_error;
        // ENOLCK, EOPNOTSUPP, ENOSYS; EACCES, EIO.
        assert!([37, 95, 38].map(error).iter().all(is_without_locks));
        assert!(![13, 5].map(error).iter().any(is_without_locks));
    }

    /// Of another user, in a folder for both; for root everything is its own.
    #[cfg(unix)]
    #[test]
    fn what_may_only_be_read_is_locked_too() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let prefix = dir.path().join(".backfill");
        let read_only = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o444)).unwrap();
        let first = Lock::take("out", &prefix, &claim("a")).unwrap();
        read_only(&named(&prefix, ".lock"));
        read_only(&first.folder().join(CLAIM));
        let refused = Lock::take("out", &prefix, &claim("a")).unwrap_err();
        assert!(matches!(refused, Error::InUse { .. }), "{refused:?}");
        Lock::take("out", &prefix, &claim("b")).unwrap();
    }
}
