//! The result of an edit: the texts of the files before and after it, and notes for the user.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use similar::TextDiff;

/// A change of a catalogue. Nothing is written before [`CatalogueChange::write`].
#[derive(Clone, Debug, Default)]
pub struct CatalogueChange {
    /// The texts of all files before the edit, by name.
    pub(super) before: BTreeMap<String, String>,
    /// The texts of the files that are new or differ.
    pub(super) after: BTreeMap<String, String>,
    pub(super) notes: Vec<String>,
}

impl CatalogueChange {
    /// Returns `true` if there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.after.is_empty()
    }

    /// Returns the notes for the user. Each note has one line.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns the new texts of the files, by name.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.after.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// The texts of all files after the change, by name.
    pub(crate) fn all_texts(&self) -> Vec<(&str, &str)> {
        let mut all: BTreeMap<&str, &str> = BTreeMap::new();
        for (name, text) in &self.before {
            all.insert(name, text);
        }
        all.extend(self.texts());
        all.into_iter().collect()
    }

    /// Returns the change as a unified diff. `folder` is prepended to the names of files.
    pub fn diff(&self, folder: &str) -> String {
        let mut diffs = String::new();
        for (file, after) in self.texts() {
            let name = format!("{folder}{file}");
            let (header, before) = match self.before.get(file) {
                Some(before) => (name.as_str(), before.as_str()),
                None => ("/dev/null", ""),
            };
            let diff = TextDiff::from_lines(before, after);
            diffs += &diff.unified_diff().header(header, &name).to_string();
        }
        diffs
    }

    /// Writes the files into the catalogue's folder, which is created if it is missing. If one of the files cannot be
    /// written, or has been edited since the catalogue was read, no file is replaced.
    pub fn write(&self, dir: &Path) -> io::Result<()> {
        let mut files = Vec::new();
        for (name, text) in self.texts() {
            files.push((dir.join(name), self.text_to_write(dir, name, text)?));
        }
        codegen::replace(&files)
    }

    /// The complete new text of a file, or an error if the file on disk has changed since it was read.
    fn text_to_write(&self, dir: &Path, name: &str, text: &str) -> io::Result<String> {
        let path = dir.join(name);
        let old = match fs::read_to_string(&path) {
            Ok(old) => Some(old),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(io::Error::new(error.kind(), format!("{}: {error}", path.display()))),
        };
        let read = old.as_deref().map(|old| old.trim_start_matches(BYTE_ORDER_MARK));
        if read != self.before.get(name).map(String::as_str) {
            let why = "has been edited since it was read, so nothing is written; run the command again";
            return Err(io::Error::other(format!("{} {why}", path.display())));
        }
        // A byte order mark, which some editors write, is kept.
        let has_mark = old.is_some_and(|old| old.starts_with(BYTE_ORDER_MARK));
        if has_mark { Ok(format!("{BYTE_ORDER_MARK}{text}")) } else { Ok(text.to_owned()) }
    }
}

const BYTE_ORDER_MARK: char = '\u{feff}';
