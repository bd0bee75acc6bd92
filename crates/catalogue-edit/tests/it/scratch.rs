//! A scratch workspace below `target/`, in which Cargo compiles crates that tests write.
//!
//! A file is written only if its text differs, so that Cargo rebuilds only crates that have changed since the last run.
//! Files that this run did not write are removed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use recorded_cases::entries;

/// The workspace, and the files of its members that this run has written.
pub(crate) struct Scratch {
    root: PathBuf,
    wanted: BTreeSet<PathBuf>,
}

impl Scratch {
    /// Creates a workspace with this manifest and this lock file.
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

    /// Removes the files that this run did not write, and returns `true` if the folder is empty afterwards.
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

    /// Runs a Cargo command, and returns its output. Nothing is downloaded.
    pub(crate) fn cargo<'a>(&self, command: &str, arguments: impl IntoIterator<Item = &'a str>) -> (Output, String) {
        let output = Command::new(env!("CARGO"))
            .args([command, "--offline", "--quiet"])
            .args(arguments)
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", self.root.join("target"))
            // These crates are neither debugged nor edited, so debug info and incremental builds are not needed.
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_INCREMENTAL", "0")
            .env_remove("RUSTFLAGS")
            .output()
            .expect("cargo runs");
        let text = [output.stdout.as_slice(), b"\n", &output.stderr].concat();
        (output, String::from_utf8_lossy(&text).into_owned())
    }
}

/// Writes a file if its text differs. A file with the same text is not written, because Cargo compares modification
/// times.
fn write(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return;
    }
    fs::create_dir_all(path.parent().expect("a folder")).expect("a new folder");
    fs::write(path, text).expect("to write a file");
}
