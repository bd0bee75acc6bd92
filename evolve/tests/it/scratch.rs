//! A scratch workspace below `target/`: crates are given as texts, and Cargo runs on them.
//!
//! A file is written only if its text differs, so that Cargo rebuilds only crates that have changed since the last run.
//! Files that this run did not write are removed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The workspace, and the files of its members in this run.
pub(crate) struct Scratch {
    root: PathBuf,
    wanted: BTreeSet<PathBuf>,
}

impl Scratch {
    /// A workspace with this manifest and this lock file.
    pub(crate) fn new(name: &str, manifest: &str, lock: &str) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        write(&root.join("Cargo.toml"), manifest);
        write(&root.join("Cargo.lock"), lock);
        Self { root, wanted: BTreeSet::new() }
    }

    /// Writes a file of a member.
    pub(crate) fn write(&mut self, member: &str, path: &str, text: &str) {
        let path = self.root.join("members").join(member).join(path);
        write(&path, text);
        self.wanted.insert(path);
    }

    /// Removes files of earlier runs that this run did not write.
    pub(crate) fn clear(&self) {
        self.clear_folder(&self.root.join("members"));
    }

    /// Returns whether the folder is empty afterwards.
    fn clear_folder(&self, folder: &Path) -> bool {
        let is_gone = |entry: &PathBuf| {
            if entry.is_dir() {
                self.clear_folder(entry) && fs::remove_dir(entry).is_ok()
            } else {
                !self.wanted.contains(entry) && fs::remove_file(entry).is_ok()
            }
        };
        entries(folder).iter().filter(|entry| !is_gone(entry)).count() == 0
    }

    /// The output of a Cargo command; nothing is downloaded.
    pub(crate) fn cargo<'a>(&self, command: &str, arguments: impl IntoIterator<Item = &'a str>) -> (Output, String) {
        let output = Command::new(env!("CARGO"))
            .args([command, "--offline", "--quiet"])
            .args(arguments)
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", self.root.join("target"))
            // Debug info and incremental builds are not needed, because these crates are neither debugged nor edited.
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_INCREMENTAL", "0")
            .env_remove("RUSTFLAGS")
            .output()
            .expect("cargo runs");
        let text = [output.stdout.as_slice(), b"\n", &output.stderr].concat();
        (output, String::from_utf8_lossy(&text).into_owned())
    }
}

/// Writes a file only if its text differs, because Cargo compares modification times.
fn write(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return;
    }
    fs::create_dir_all(path.parent().expect("a folder")).expect("a new folder");
    fs::write(path, text).expect("to write a file");
}

/// The entries of a folder, sorted.
pub(crate) fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut entries: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    entries
}

pub(crate) fn name(path: &Path) -> String {
    path.file_name().expect("a name").to_string_lossy().into_owned()
}
