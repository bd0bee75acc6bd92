//! A catalogue that is being edited, and the resulting change: the files before and after the edit, and the notes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io;
use std::ops::{Deref, DerefMut};
use std::path::Path;

use catalogue::yaml_parser::Node;
use catalogue::{Catalogue, Diagnostics, load_texts};
use similar::TextDiff;

use super::content::Content;
use super::yaml_edit::rewrite;
use super::yaml_layout;

/// A change of a catalogue. Nothing is written before [`CatalogueChange::write`].
#[derive(Clone, Debug, Default)]
pub struct CatalogueChange {
    /// The texts of all files before the edit, by name.
    before: BTreeMap<String, String>,
    /// The texts of the files that are new or differ.
    after: BTreeMap<String, String>,
    notes: Vec<String>,
}

/// The reason why an edit was rejected.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// The catalogue has errors before or after the edit.
    Catalogue(Diagnostics),
    /// Any other reason, as a message without a full stop.
    Message(String),
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
        let mut all: BTreeMap<&str, &str> = self.before.iter().map(|(name, text)| (&**name, &**text)).collect();
        all.extend(self.texts());
        all.into_iter().collect()
    }

    /// Returns the change as a unified diff. `folder` is prepended to the names of files.
    pub fn diff(&self, folder: &str) -> String {
        let diffs = self.texts().map(|(file, after)| {
            let name = format!("{folder}{file}");
            let before = self.before.get(file);
            let header = if before.is_some() { &name } else { "/dev/null" };
            let before = before.map_or("", String::as_str);
            TextDiff::from_lines(before, after).unified_diff().header(header, &name).to_string()
        });
        diffs.collect()
    }

    /// Writes the files into the catalogue's folder, which is created if it is missing. If one of the files cannot be
    /// written, or has been edited since the catalogue was read, no file is replaced.
    pub fn write(&self, dir: &Path) -> io::Result<()> {
        let new = self.texts().map(|(name, text)| Ok((dir.join(name), self.on_disk_after(dir, name, text)?)));
        codegen::replace(&new.collect::<io::Result<Vec<_>>>()?)
    }

    /// The complete new text of a file, or an error if the file on disk has changed since it was read.
    fn on_disk_after(&self, dir: &Path, name: &str, text: &str) -> io::Result<String> {
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
        let mark = if old.is_some_and(|old| old.starts_with(BYTE_ORDER_MARK)) { "\u{feff}" } else { "" };
        Ok([mark, text].concat())
    }
}

const BYTE_ORDER_MARK: char = '\u{feff}';

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Catalogue(diagnostics) => diagnostics.fmt(f),
            Self::Message(text) => f.write_str(text),
        }
    }
}

/// Converts a message without a full stop.
impl<T: Into<String>> From<T> for Refusal {
    fn from(text: T) -> Self {
        Self::Message(text.into())
    }
}

/// A catalogue that is being edited.
#[derive(Debug)]
pub(super) struct Editor {
    /// The content with the edits so far.
    content: Content,
    /// The content before the first edit; `None` for a catalogue that has no files yet.
    old: Option<Content>,
    /// The texts of the files before the first edit, by name.
    before: BTreeMap<String, String>,
    notes: Vec<String>,
    /// The subject that is prepended to each of the next notes.
    pub(super) subject: String,
    /// The fields that should become enums, and for which a response of any endpoint has a string.
    pub(super) enum_fields: BTreeSet<String>,
}

impl Deref for Editor {
    type Target = Content;

    fn deref(&self) -> &Content {
        &self.content
    }
}

impl DerefMut for Editor {
    fn deref_mut(&mut self) -> &mut Content {
        &mut self.content
    }
}

impl Editor {
    /// Opens a catalogue. A catalogue with errors is rejected.
    pub(super) fn open(catalogue: Catalogue) -> Result<Self, Refusal> {
        let before = catalogue.texts().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
        let content = Content::checked(catalogue)?;
        Ok(Self { before, old: Some(content.clone()), ..Self::new(content) })
    }

    /// Starts a catalogue that has no files yet.
    pub(super) fn new(content: Content) -> Self {
        let (old, before, notes, subject, enum_fields) = Default::default();
        Self { content, old, before, notes, subject, enum_fields }
    }

    /// Adds a note for the user.
    pub(super) fn note(&mut self, text: impl fmt::Display) {
        self.notes.push(if self.subject.is_empty() { text.to_string() } else { format!("{}: {text}", self.subject) });
    }

    /// Adds several notes.
    pub(super) fn note_all(&mut self, notes: Vec<String>) {
        for note in notes {
            self.note(note);
        }
    }

    /// Returns the notes so far, and removes them.
    pub(super) fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// Runs an edit, and undoes it if it fails.
    pub(super) fn attempt(&mut self, work: impl FnOnce(&mut Self) -> Result<(), String>) -> Result<(), String> {
        let (content, notes) = (self.content.clone(), self.notes.len());
        let outcome = work(self);
        self.subject.clear();
        outcome.inspect_err(|_| {
            self.content = content;
            self.notes.truncate(notes);
        })
    }

    /// The change, if the edited catalogue has no errors.
    pub(super) fn close(mut self) -> Result<CatalogueChange, Refusal> {
        let old = self.old.as_ref().map(files).unwrap_or_default();
        let (mut after, mut is_complete) = (self.before.clone(), true);
        for (name, wanted) in files(&self.content) {
            let text = match (self.before.get(&name), old.get(&name)) {
                (_, Some(old)) if *old == wanted => continue,
                (Some(before), Some(old)) => {
                    let edited = rewrite(before, old, &wanted);
                    let (text, unchanged) = edited.map_err(|why| format!("{name}: {why}"))?;
                    is_complete &= unchanged.is_empty();
                    self.notes.extend(unchanged.into_iter().map(|message| format!("{name}: {message}")));
                    text
                }
                _ => self.first_line(&name) + &yaml_layout::file(&wanted),
            };
            after.insert(name, text);
        }
        // Unchanged texts are not checked again, because they were checked when the catalogue was opened.
        if after != self.before {
            let texts: Vec<_> = after.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
            let catalogue = load_texts(&texts);
            catalogue::resolve(&catalogue).map_err(Refusal::Catalogue)?;
            if is_complete && Content::of(catalogue).as_ref() != Some(&self.content) {
                return Err("internal error: the edited text differs from the edit; nothing is changed".into());
            }
        }
        after.retain(|name, text| self.before.get(name) != Some(text));
        Ok(CatalogueChange { before: self.before, after, notes: self.notes })
    }

    /// The first line for a new file of a group: the comment that declares the schema to YAML editors, if the file of
    /// another group has it.
    fn first_line(&self, file: &str) -> String {
        let groups = self.before.iter().filter(|(name, _)| *name != SERVICE_FILE && file != SERVICE_FILE);
        let mut firsts = groups.filter_map(|(_, text)| text.lines().next());
        let first = firsts.find(|line| line.starts_with("# yaml-language-server:"));
        first.map(|first| format!("{first}\n")).unwrap_or_default()
    }
}

const SERVICE_FILE: &str = "service.yaml";

/// The files of a catalogue by name, as trees.
fn files(content: &Content) -> BTreeMap<String, Node> {
    let groups = content.groups.iter().map(|(module, group)| (format!("{module}.yaml"), group.written()));
    let all = groups.chain([(SERVICE_FILE.to_owned(), content.service.written())]);
    all.map(|(name, tree)| (name, yaml_layout::arranged(tree))).collect()
}
