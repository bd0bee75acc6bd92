//! A catalogue that is being edited, and the resulting change: the files before and after the edit, and the notes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

use codegen::spec::Service;
use codegen::{Catalogue, Diagnostics, load_texts, yaml_parser};
use similar::TextDiff;

use super::format_keys::{self, SERVICE};
use super::yaml_edit::rewrite;
use super::yaml_path::YamlPath;
use super::yaml_tree::Tree;

/// A change of a catalogue. Nothing is written before [`CatalogueChange::write`].
#[derive(Clone, Debug, Default)]
pub struct CatalogueChange {
    files: Vec<EditedFile>,
    notes: Vec<String>,
}

/// One file of a change.
#[derive(Clone, Debug)]
struct EditedFile {
    name: String,
    /// The text before the edit; `None` for a new file.
    before: Option<String>,
    after: String,
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
        self.files.is_empty()
    }

    /// Returns the notes for the user. Each note has one line.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Returns the new texts of the files, by name.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|file| (file.name.as_str(), file.after.as_str()))
    }

    /// Returns the change as a unified diff. `folder` is prepended to the names of files.
    pub fn diff(&self, folder: &str) -> String {
        let diffs = self.files.iter().map(|file| {
            let name = format!("{folder}{}", file.name);
            let before = if file.before.is_some() { &name } else { "/dev/null" };
            TextDiff::from_lines(file.before.as_deref().unwrap_or_default(), &file.after)
                .unified_diff()
                .header(before, &name)
                .to_string()
        });
        diffs.collect()
    }

    /// Writes the files into the catalogue's folder, which is created if it is missing. If one of the files cannot be
    /// written, or has been edited since the catalogue was read, no file is replaced.
    pub fn write(&self, dir: &Path) -> io::Result<()> {
        let new = self.files.iter().map(|file| Ok((dir.join(&file.name), file.on_disk_after(dir)?)));
        codegen::replace(&new.collect::<io::Result<Vec<_>>>()?)
    }
}

impl EditedFile {
    /// Returns the complete new text, or an error if the file on disk has changed since it was read.
    fn on_disk_after(&self, dir: &Path) -> io::Result<String> {
        let path = dir.join(&self.name);
        let old = match fs::read_to_string(&path) {
            Ok(old) => Some(old),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(io::Error::new(error.kind(), format!("{}: {error}", path.display()))),
        };
        if old.as_deref().map(|old| old.trim_start_matches(BYTE_ORDER_MARK)) != self.before.as_deref() {
            let why = "has been edited since it was read, so nothing is written; run the command again";
            return Err(io::Error::other(format!("{} {why}", path.display())));
        }
        // A byte order mark, which some editors write, is kept.
        let mark = if old.is_some_and(|old| old.starts_with(BYTE_ORDER_MARK)) { "\u{feff}" } else { "" };
        Ok([mark, &self.after].concat())
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

impl Refusal {
    /// Creates an error from a message without a full stop.
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self::Message(text.into())
    }
}

/// A catalogue that is being edited.
#[derive(Debug)]
pub(super) struct Editor {
    /// `service.yaml` before the first edit.
    pub(super) service: Service,
    before: BTreeMap<String, String>,
    /// The files with the edits so far.
    trees: BTreeMap<String, Tree>,
    /// The files that have been edited.
    edited: BTreeSet<String>,
    notes: Vec<String>,
    /// The subject that is prepended to each of the next notes.
    pub(super) subject: String,
}

impl Editor {
    /// Opens a catalogue. A catalogue with errors is rejected.
    pub(super) fn open(catalogue: Catalogue) -> Result<Self, Refusal> {
        let before: BTreeMap<_, _> = catalogue.texts().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
        codegen::resolve(&catalogue).map_err(Refusal::Catalogue)?;
        let service = catalogue.into_spec().0.ok_or_else(|| Refusal::new("missing file `service.yaml`"))?;
        let tree = |text: &String| yaml_parser::parse(text).map_or(Tree::Null, |root| Tree::of(&root));
        let trees = before.iter().map(|(name, text)| (name.clone(), tree(text))).collect();
        Ok(Self { before, trees, ..Self::of(service) })
    }

    /// Creates an empty catalogue.
    pub(super) fn empty() -> Result<Self, Refusal> {
        Service::unknown().map(Self::of).ok_or_else(|| Refusal::new("internal error: cannot create `service.yaml`"))
    }

    fn of(service: Service) -> Self {
        let (before, trees, edited) = Default::default();
        Self { service, before, trees, edited, notes: Vec::new(), subject: String::new() }
    }

    /// Returns a file, including the edits so far.
    pub(super) fn tree(&self, file: &str) -> &Tree {
        self.trees.get(file).unwrap_or(&Tree::Null)
    }

    /// Returns the files of all groups.
    pub(super) fn groups(&self) -> impl Iterator<Item = &str> {
        self.trees.keys().map(String::as_str).filter(|file| *file != SERVICE)
    }

    /// Returns the tree that lists the fields of a body (the body itself or its record), and the fields; `None` if the
    /// fields are unknown.
    pub(super) fn fields<'t>(&'t self, file: &str, body: &'t Tree) -> Option<(&'t Tree, &'t [Tree])> {
        match ["series", "object"].iter().find_map(|kind| body.get(kind))? {
            Tree::List(fields) => Some((body, fields)),
            Tree::Text(name) => {
                let record = self.record(file, name)?.tree(self);
                Some((record, record.entries("fields")))
            }
            _ => None,
        }
    }

    /// Returns the items of a list, or no items if the list is missing.
    pub(super) fn entries(&self, list: &YamlPath) -> &[Tree] {
        if let Tree::List(items) = list.tree(self) { items } else { &[] }
    }

    /// Returns the path of the record with this name in a file or, if the file has no such record, in `service.yaml`.
    pub(super) fn record(&self, file: &str, name: &str) -> Option<YamlPath> {
        [file, SERVICE].into_iter().find_map(|file| {
            let records = self.tree(file).entries("records");
            let index = records.iter().position(|record| record.text("name") == Some(name))?;
            Some(YamlPath::file(file).key("records").item(index))
        })
    }

    /// Adds a note for the user.
    pub(super) fn note(&mut self, text: impl fmt::Display) {
        self.notes.push(if self.subject.is_empty() { text.to_string() } else { format!("{}: {text}", self.subject) });
    }

    /// Runs an edit, and undoes it if it fails.
    pub(super) fn attempt(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Refusal>) -> Result<(), Refusal> {
        // `edited` does not have to be restored, because `close` omits edited files whose text is unchanged.
        let (trees, notes) = (self.trees.clone(), self.notes.len());
        work(self).inspect_err(|_| {
            self.trees = trees;
            self.notes.truncate(notes);
        })
    }

    /// Adds a new file, or replaces a file.
    pub(super) fn create(&mut self, file: &str, tree: Tree) {
        self.edited.insert(file.to_owned());
        self.trees.insert(file.to_owned(), tree);
    }

    /// Sets a key of a map. A new key is inserted according to the key order of the catalogue format.
    pub(super) fn set(&mut self, at: &YamlPath, key: &'static str, value: impl Into<Tree>) {
        let Some(map) = self.tree_mut(at) else { return };
        if let Some(known) = format_keys::map_at(&at.file, &at.path, map) {
            map.set(known, key, Some(value));
        }
    }

    /// Adds items to the end of a list, which is created if it is missing.
    pub(super) fn extend(&mut self, list: &YamlPath, items: Vec<Tree>) {
        if items.is_empty() {
            return;
        }
        match self.tree_mut(list) {
            Some(Tree::List(known)) => known.extend(items),
            _ => {
                if let Some((map, key)) = list.parent() {
                    self.set(&map, key, items);
                }
            }
        }
    }

    fn tree_mut(&mut self, at: &YamlPath) -> Option<&mut Tree> {
        self.edited.insert(at.file.clone());
        self.trees.get_mut(&at.file)?.at_mut(&at.path)
    }

    /// Returns the change, if the edited catalogue has no errors.
    pub(super) fn close(mut self) -> Result<CatalogueChange, Refusal> {
        let mut after = self.before.clone();
        for (name, tree) in std::mem::take(&mut self.trees) {
            if !self.edited.contains(&name) {
                continue;
            }
            let text = match self.before.get(&name) {
                Some(before) => {
                    let (text, unchanged) =
                        rewrite(before, &tree).map_err(|why| Refusal::Message(format!("{name}: {why}")))?;
                    self.notes.extend(unchanged.into_iter().map(|message| format!("{name}: {message}")));
                    text
                }
                None => self.first_line(&name) + &tree.file(),
            };
            after.insert(name, text);
        }
        // Unchanged texts are not checked again, because they were checked when the catalogue was opened.
        if after != self.before {
            let texts: Vec<_> = after.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
            codegen::resolve(&load_texts(&texts)).map_err(Refusal::Catalogue)?;
        }
        let files = after.into_iter().map(|(name, after)| {
            let before = self.before.get(&name).cloned();
            EditedFile { name, before, after }
        });
        let files = files.filter(|file| file.before.as_ref() != Some(&file.after)).collect();
        Ok(CatalogueChange { files, notes: self.notes })
    }

    /// Returns the first line for a new file of a group: the comment that declares the schema to YAML editors, if the
    /// file of another group has it.
    fn first_line(&self, file: &str) -> String {
        let groups = self.before.iter().filter(|(name, _)| *name != SERVICE && file != SERVICE);
        let mut firsts = groups.filter_map(|(_, text)| text.lines().next());
        let first = firsts.find(|line| line.starts_with("# yaml-language-server:"));
        first.map(|first| format!("{first}\n")).unwrap_or_default()
    }
}
