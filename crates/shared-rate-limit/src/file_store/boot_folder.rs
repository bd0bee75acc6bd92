//! The folder with the files of one boot: a random secret, and the files of states and processes.
//!
//! Machines may share a home folder, so each boot of each machine has a folder of its own. Files and folders that nobody
//! uses are removed.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ring::rand::{SecureRandom, SystemRandom};

use super::{private_file, process_file};
use crate::shared_state::FORMAT;

/// A folder of another boot is removed if nothing in it was changed for this time, and so is the file of a state.
const UNUSED: Duration = Duration::from_secs(7 * 24 * 60 * 60);

const SECRET: &str = "secret";
const STATE: &str = "state";
const PROCESS: &str = "process";

/// A random key, with which names of files are computed.
pub(super) type Secret = [u8; 32];

pub(super) struct BootFolder(PathBuf);

impl BootFolder {
    /// Opens the folder of a boot in the folder of all boots.
    pub(super) fn open(all: &Path, boot: &str) -> io::Result<Self> {
        private_file::create_folder(all)?;
        let path = all.join(boot);
        private_file::create_folder(&path)?;
        Ok(Self(path))
    }

    /// Reads the secret, and creates it if it does not exist.
    pub(super) fn secret(&self) -> io::Result<Secret> {
        let file = private_file::open(&self.0.join(SECRET))?;
        private_file::lock(&file)?;
        let mut secret = Secret::default();
        let is_new = file.metadata()?.len() != secret.len() as u64;
        if is_new {
            SystemRandom::new().fill(&mut secret).map_err(|_| io::Error::other("the system has no random numbers"))?;
            file.set_len(0)?;
            file.write_all_at(&secret, 0)?;
        } else {
            file.read_exact_at(&mut secret, 0)?;
        }
        Ok(secret)
    }

    /// The file of the state. Versions of a program that write other formats have other files, because each would
    /// replace the state of the other with every request.
    pub(super) fn state_file(&self, stem: &str) -> PathBuf {
        self.0.join(format!("{stem}-{FORMAT}.{STATE}"))
    }

    /// The file of a process, whose name may come from a damaged state.
    pub(super) fn process_file(&self, stem: &str, process: &str) -> PathBuf {
        let mut name = stem.to_owned();
        name.push('.');
        name.extend(process.chars().filter(|character| character.is_ascii_alphanumeric() || *character == '-'));
        self.0.join(format!("{name}.{PROCESS}"))
    }

    /// Removes the files of processes that have ended, and states and folders of other boots that nobody has used for a
    /// long time. A file that cannot be removed stays.
    pub(super) fn clean(&self) {
        for path in entries(&self.0) {
            let kind = path.extension().and_then(OsStr::to_str);
            if kind == Some(PROCESS) {
                process_file::has_ended(&path);
            } else if kind == Some(STATE) && is_unused(&path) {
                // A process that still has the file open creates it again.
                let _ = fs::remove_file(&path);
            }
        }
        let Some(all) = self.0.parent() else { return };
        for folder in entries(all) {
            let is_used =
                folder == self.0 || !is_unused(&folder) || entries(&folder).iter().any(|file| !is_unused(file));
            if !is_used {
                let _ = fs::remove_dir_all(&folder);
            }
        }
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    if let Ok(entries) = fs::read_dir(folder) {
        for entry in entries.flatten() {
            paths.push(entry.path());
        }
    }
    paths
}

fn is_unused(path: &Path) -> bool {
    let changed = path.symlink_metadata().and_then(|metadata| metadata.modified());
    let Ok(changed) = changed else { return false };
    SystemTime::now().duration_since(changed).is_ok_and(|age| age > UNUSED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_of_other_formats_have_other_files() {
        let folder = BootFolder(PathBuf::from("boot"));
        assert_eq!(folder.state_file("ab"), Path::new("boot").join(format!("ab-{FORMAT}.state")));
    }
}
