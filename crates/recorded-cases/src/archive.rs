//! Archives of cases.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use libtest_mimic::Failed;

use crate::{EXTENSION, entries, name};

/// Texts with their names.
pub type Texts = Vec<(String, String)>;

/// A file with several texts. A test takes the parts that it knows; [`finish`](Self::finish) rejects the others.
#[derive(Debug)]
pub struct Archive {
    path: PathBuf,
    parts: Texts,
}

impl Archive {
    /// Reads the archive at a path.
    pub fn read(path: &Path) -> Result<Self, Failed> {
        let mut parts = Texts::new();
        for line in fs::read_to_string(path)?.split_inclusive('\n') {
            if let Some(name) = part_name(line) {
                if parts.iter().any(|(known, _)| known == name) {
                    return Err(format!("duplicate part `{name}`").into());
                }
                parts.push((name.to_owned(), String::new()));
            } else {
                let first = "expected the name of a part, `-- NAME --`, on the first line";
                let (_, text) = parts.last_mut().ok_or(first)?;
                text.push_str(line);
            }
        }
        Ok(Self { path: path.to_owned(), parts })
    }

    /// The name of the archive without its extension, which is the name of its case.
    pub fn case_name(&self) -> String {
        name(&self.path).trim_end_matches(EXTENSION).to_owned()
    }

    /// Removes a part, and returns its text.
    pub fn take(&mut self, name: &str) -> Option<String> {
        let index = self.parts.iter().position(|(known, _)| known == name)?;
        let (_, text) = self.parts.remove(index);
        Some(text)
    }

    /// Removes the parts whose names fulfill a condition.
    pub fn take_all(&mut self, is_taken: impl Fn(&str) -> bool) -> Texts {
        self.parts.extract_if(.., |(name, _)| is_taken(name)).collect()
    }

    /// Removes the parts in a folder, and returns them with names relative to the folder.
    pub fn take_folder(&mut self, folder: &str) -> Texts {
        let prefix = format!("{folder}/");
        let mut texts = self.take_all(|name| name.starts_with(&prefix));
        for (name, _) in &mut texts {
            name.drain(..prefix.len());
        }
        texts
    }

    /// Removes the part with the expected output of a case.
    pub fn take_expected(&mut self, name: &str) -> Expected {
        Expected { path: self.path.clone(), name: name.to_owned(), text: self.take(name) }
    }

    /// Fails if a part is left, because no test reads it.
    pub fn finish(&self) -> Result<(), Failed> {
        match self.parts.first() {
            Some((unknown, _)) => Err(format!("the part `{unknown}` is unknown").into()),
            None => Ok(()),
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (name, part) in &self.parts {
            text += &format!("-- {name} --\n{part}");
        }
        text
    }
}

fn part_name(line: &str) -> Option<&str> {
    line.trim_end().strip_prefix("-- ")?.strip_suffix(" --")
}

/// The expected text of a case, which is a part of an archive.
#[derive(Debug)]
pub struct Expected {
    path: PathBuf,
    name: String,
    /// The recorded text; `None` for a new case.
    text: Option<String>,
}

impl Expected {
    /// The recorded text; empty for a new case.
    pub fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    /// Compares a text with the expected text. With `UPDATE_EXPECT`, a text that differs replaces the expected text in
    /// the archive.
    pub fn compare(&self, actual: &str) -> Result<(), Failed> {
        if self.text.as_deref() == Some(actual) {
            return Ok(());
        }
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            return self.replace(actual);
        }
        let name = &self.name;
        let path = self.path.display();
        let expected = self.text.as_deref().unwrap_or("no such part\n");
        Err(format!("{name} of {path} differs\n--- expected\n{expected}\n--- actual\n{actual}").into())
    }

    fn replace(&self, actual: &str) -> Result<(), Failed> {
        /// Locked during an update, because tests of the same archive run in parallel.
        static FILES: Mutex<()> = Mutex::new(());
        let _guard = FILES.lock();
        // The archive is read again, because another test may have updated it.
        let mut archive = Archive::read(&self.path)?;
        match archive.parts.iter_mut().find(|(known, _)| *known == self.name) {
            Some((_, text)) => actual.clone_into(text),
            None => archive.parts.push((self.name.clone(), actual.to_owned())),
        }
        Ok(fs::write(&self.path, archive.text())?)
    }
}

/// The cases of all archives in a folder, in which the names of parts begin with the name of their case: each case with
/// its name `FILE::CASE`, its texts, and its expected text in the part `expected`.
pub fn cases_of_archives(folder: &Path, expected: &str) -> Result<Vec<(String, Texts, Expected)>, Failed> {
    let mut cases = Vec::new();
    for path in entries(folder) {
        let file = name(&path);
        let Some(family) = file.strip_suffix(EXTENSION) else {
            return Err(format!("`{file}` is not an archive of cases (`{EXTENSION}`)").into());
        };
        let mut archive = Archive::read(&path)?;
        while let Some((first, _)) = archive.parts.first() {
            let Some((case, _)) = first.split_once('/') else {
                return Err(format!("the part `{first}` of {file} has no case name; expected `CASE/FILE`").into());
            };
            let case = case.to_owned();
            let expected = archive.take_expected(&format!("{case}/{expected}"));
            cases.push((format!("{family}::{case}"), archive.take_folder(&case), expected));
        }
    }
    Ok(cases)
}
