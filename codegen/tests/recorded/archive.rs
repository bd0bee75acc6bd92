//! Several texts in one file, each after a line `-- its name --`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use libtest_mimic::Failed;

/// The parts of a file that no one has read yet.
pub(crate) struct Archive {
    path: PathBuf,
    parts: Vec<(String, String)>,
}

impl Archive {
    pub(crate) fn read(path: &Path) -> Result<Self, Failed> {
        Ok(Self { path: path.to_owned(), parts: parts(&fs::read_to_string(path)?)? })
    }

    /// Takes a part.
    pub(crate) fn take(&mut self, name: &str) -> Option<String> {
        let index = self.parts.iter().position(|(known, _)| known == name)?;
        Some(self.parts.remove(index).1)
    }

    /// Takes the parts of a folder.
    pub(crate) fn take_folder(&mut self, folder: &str) -> Vec<(String, String)> {
        let is_in = |name: &str| name.split_once('/').is_some_and(|(first, _)| first == folder);
        let (taken, left) = self.parts.drain(..).partition(|(name, _)| is_in(name));
        self.parts = left;
        taken.into_iter().map(|(name, text)| (name[folder.len() + 1..].to_owned(), text)).collect()
    }

    /// Fails if a part is left.
    pub(crate) fn finish(&self) -> Result<(), Failed> {
        let left: Vec<_> = self.parts.iter().map(|(name, _)| name.as_str()).collect();
        if left.is_empty() { Ok(()) } else { Err(format!("unread parts: {}", left.join(", ")).into()) }
    }

    /// Compares a text with a part, or records it if `UPDATE_EXPECT` is set.
    pub(crate) fn compare(&self, name: &str, expected: Option<&str>, actual: &str) -> Result<(), Failed> {
        /// Tests of one file run side by side.
        static FILES: Mutex<()> = Mutex::new(());
        if expected == Some(actual) {
            return Ok(());
        }
        if std::env::var_os("UPDATE_EXPECT").is_none() {
            let expected = expected.unwrap_or("no such part\n");
            let path = self.path.display();
            return Err(format!("{name} of {path} differs\n--- expected\n{expected}\n--- actual\n{actual}").into());
        }
        let _guard = FILES.lock();
        let mut parts = parts(&fs::read_to_string(&self.path)?)?;
        match parts.iter_mut().find(|(known, _)| known == name) {
            Some((_, text)) => actual.clone_into(text),
            None => parts.push((name.to_owned(), actual.to_owned())),
        }
        let written: Vec<_> = parts.iter().map(|(name, text)| format!("-- {name} --\n{text}")).collect();
        Ok(fs::write(&self.path, written.concat())?)
    }
}

/// The names and texts of a file.
fn parts(text: &str) -> Result<Vec<(String, String)>, Failed> {
    let mut parts: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        let name = line.trim_end().strip_prefix("-- ").and_then(|line| line.strip_suffix(" --"));
        if let Some(name) = name {
            if parts.iter().any(|(known, _)| known == name) {
                return Err(format!("there are two parts `{name}`").into());
            }
            parts.push((name.to_owned(), String::new()));
        } else {
            let (_, text) = parts.last_mut().ok_or("the file has to begin with the name of a part: `-- NAME --`")?;
            text.push_str(line);
        }
    }
    Ok(parts)
}
