//! Reads and updates archives: files with several texts, each after a line `-- NAME --`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use libtest_mimic::Failed;

use super::{entries, name};

/// Texts with their names.
pub(crate) type Texts = Vec<(String, String)>;

/// Returns the parts of an archive, with their names.
pub(crate) fn parts(path: &Path) -> Result<Texts, Failed> {
    let text = fs::read_to_string(path)?;
    let mut parts = Texts::new();
    for line in text.split_inclusive('\n') {
        let name = line.trim_end().strip_prefix("-- ").and_then(|line| line.strip_suffix(" --"));
        if let Some(name) = name {
            if parts.iter().any(|(known, _)| known == name) {
                return Err(format!("duplicate part `{name}`").into());
            }
            parts.push((name.to_owned(), String::new()));
        } else {
            let (_, text) = parts.last_mut().ok_or("expected the name of a part, `-- NAME --`, on the first line")?;
            text.push_str(line);
        }
    }
    Ok(parts)
}

/// Removes the parts in a folder, and returns them with names relative to the folder.
pub(crate) fn take_folder(parts: &mut Texts, folder: &str) -> Texts {
    let is_in = |name: &str| name.split_once('/').is_some_and(|(first, _)| first == folder);
    let found = parts.extract_if(.., |(name, _)| is_in(name));
    found.map(|(name, text)| (name[folder.len() + 1..].to_owned(), text)).collect()
}

/// Removes a part, and returns its text.
pub(crate) fn take(parts: &mut Texts, name: &str) -> Option<String> {
    let index = parts.iter().position(|(known, _)| known == name)?;
    Some(parts.remove(index).1)
}

/// The expected text of a case, which is one part of an archive.
pub(crate) struct Expected {
    pub(crate) path: PathBuf,
    pub(crate) name: String,
    /// The recorded text; `None` for a new case.
    pub(crate) text: Option<String>,
}

impl Expected {
    /// Compares a text with the expected text. With `UPDATE_EXPECT`, a text that differs replaces the expected text in
    /// the archive.
    pub(crate) fn compare(&self, actual: &str) -> Result<(), Failed> {
        /// Locked during an update, because tests of the same archive run in parallel.
        static FILES: Mutex<()> = Mutex::new(());
        if self.text.as_deref() == Some(actual) {
            return Ok(());
        }
        let Self { path, name, text } = self;
        if std::env::var_os("UPDATE_EXPECT").is_none() {
            let expected = text.as_deref().unwrap_or("no such part\n");
            return Err(format!(
                "{name} of {} differs\n--- expected\n{expected}\n--- actual\n{actual}",
                path.display()
            )
            .into());
        }
        let _guard = FILES.lock();
        // The archive is read again, because another test may have updated it.
        let mut parts = parts(path)?;
        match parts.iter_mut().find(|(known, _)| known == name) {
            Some((_, text)) => actual.clone_into(text),
            None => parts.push((name.clone(), actual.to_owned())),
        }
        let written: Vec<_> = parts.iter().map(|(name, text)| format!("-- {name} --\n{text}")).collect();
        Ok(fs::write(path, written.concat())?)
    }
}

/// Returns the cases of all archives in a folder, each with its name `FILE::CASE`, its catalogue and its expected
/// errors.
pub(crate) fn mistakes(folder: &Path) -> Result<Vec<(String, Texts, Expected)>, Failed> {
    let mut cases = Vec::new();
    for path in entries(folder) {
        let file = name(&path);
        let family =
            file.strip_suffix(".txtar").ok_or_else(|| format!("`{file}` is not an archive of cases (`.txtar`)"))?;
        let mut parts = parts(&path)?;
        while let Some((first, _)) = parts.first() {
            let (case, _) = first
                .split_once('/')
                .ok_or_else(|| format!("the part `{first}` of {file} has no case name; expected `CASE/FILE`"))?;
            let (case, name) = (case.to_owned(), format!("{case}/expected.err"));
            let text = take(&mut parts, &name);
            let files = take_folder(&mut parts, &case);
            cases.push((format!("{family}::{case}"), files, Expected { path: path.clone(), name, text }));
        }
    }
    Ok(cases)
}
