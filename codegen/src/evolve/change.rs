//! A catalogue under edit, and what comes of it: texts before and after, and what was noticed on the way.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

use similar::TextDiff;

use super::edit::{Draft, Refused, Step};
use super::tree::Tree;
use crate::diagnostic::Diagnostics;
use crate::format::Map;
use crate::load::{Catalogue, load_texts};
use crate::resolve::resolve;
use crate::spec;

/// What is to be done to a catalogue. Nothing is written before [`Change::write`].
#[derive(Clone, Debug, Default)]
pub struct Change {
    files: Vec<FileChange>,
    said: Vec<String>,
}

/// One file of a change.
#[derive(Clone, Debug)]
struct FileChange {
    name: String,
    /// Empty for a new file.
    before: String,
    after: String,
}

/// Why there is no change.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// The catalogue has mistakes, or would have.
    Catalogue(Diagnostics),
    /// In words, without a full stop.
    Said(String),
}

impl Change {
    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// What was noticed, one finding a line.
    pub fn said(&self) -> &[String] {
        &self.said
    }

    /// The texts of the files as they are to be, by name.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|file| (file.name.as_str(), file.after.as_str()))
    }

    /// The change as a unified diff; `folder` is put before the names of files.
    pub fn diff(&self, folder: &str) -> String {
        let diffs = self.files.iter().map(|file| {
            let name = format!("{folder}{}", file.name);
            let before = if file.before.is_empty() { "/dev/null" } else { &name };
            TextDiff::from_lines(&file.before, &file.after).unified_diff().header(before, &name).to_string()
        });
        diffs.collect()
    }

    /// Writes the files into the catalogue's folder, which comes into being if it is not there.
    pub fn write(&self, dir: &Path) -> io::Result<()> {
        fs::create_dir_all(dir)?;
        for file in &self.files {
            let path = dir.join(&file.name);
            // The mark that some editors put first is no part of the text.
            let mark =
                if fs::read(&path).is_ok_and(|old| old.starts_with(BYTE_ORDER_MARK)) { BYTE_ORDER_MARK } else { b"" };
            let written = fs::write(&path, [mark, file.after.as_bytes()].concat());
            written.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
        }
        Ok(())
    }
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Catalogue(diagnostics) => diagnostics.fmt(f),
            Self::Said(text) => f.write_str(text),
        }
    }
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        Self::Said(refused.0)
    }
}

impl Refusal {
    /// In words, without a full stop.
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self::Said(text.into())
    }
}

/// What a catalogue without a finding says.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) service: spec::Service,
    /// Modules and what their files say, sorted by module.
    pub(crate) groups: Vec<(String, spec::Group)>,
}

/// A catalogue under edit.
#[derive(Debug)]
pub(super) struct Desk {
    /// What it said before the first edit.
    pub(super) checked: Checked,
    before: BTreeMap<String, String>,
    drafts: BTreeMap<String, Draft>,
    said: Vec<String>,
}

impl Desk {
    /// Opens a catalogue, if nothing is wrong with it.
    pub(super) fn open(catalogue: Catalogue) -> Result<Self, Refusal> {
        resolve(&catalogue).map_err(Refusal::Catalogue)?;
        let files = catalogue.groups.iter().map(|group| &group.file);
        let files = files.chain(catalogue.service.iter().map(|service| &service.file));
        let before: BTreeMap<_, _> = files.map(|file| (file.name.clone(), file.text.clone())).collect();
        let groups = catalogue.groups.into_iter().map(|group| (group.module().to_owned(), group.spec)).collect();
        let service = catalogue.service.ok_or_else(|| Refusal::new("there is no `service.yaml`"))?.spec;
        Ok(Self { checked: Checked { service, groups }, before, drafts: BTreeMap::new(), said: Vec::new() })
    }

    /// A catalogue that has nothing yet.
    pub(super) fn empty() -> Result<Self, Refusal> {
        let service = spec::Service::unknown().ok_or_else(|| Refusal::new("nothing can be unknown"))?;
        let checked = Checked { service, groups: Vec::new() };
        Ok(Self { checked, before: BTreeMap::new(), drafts: BTreeMap::new(), said: Vec::new() })
    }

    /// Whether there is no file, neither old nor new.
    pub(super) fn is_empty(&self) -> bool {
        self.before.is_empty() && self.drafts.is_empty()
    }

    /// Whether every file is new.
    pub(super) fn is_new(&self) -> bool {
        self.before.is_empty()
    }

    /// What `service.yaml` says with the edits so far.
    pub(super) fn service_tree(&self) -> Tree {
        self.tree_of("service.yaml")
    }

    /// What a group's file says with the edits so far.
    pub(super) fn group_tree(&self, module: &str) -> Tree {
        self.tree_of(&format!("{module}.yaml"))
    }

    fn tree_of(&self, file: &str) -> Tree {
        let draft = self.drafts.get(file).cloned();
        let draft = draft.or_else(|| Draft::read(self.before.get(file)?).ok());
        draft.map_or(Tree::Null, |draft| draft.tree())
    }

    /// The groups that were there before the first edit: their modules and titles.
    pub(super) fn modules(&self) -> Vec<(String, String)> {
        self.checked.groups.iter().map(|(module, group)| (module.clone(), group.title.to_string())).collect()
    }

    /// Notes something for the person who reads the change.
    pub(super) fn say(&mut self, text: impl Into<String>) {
        self.said.push(text.into());
    }

    /// Does something that leaves no trace if it fails.
    pub(super) fn attempt(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Refusal>) -> Result<(), Refusal> {
        let (drafts, said) = (self.drafts.clone(), self.said.len());
        work(self).inspect_err(|_| {
            self.drafts = drafts;
            self.said.truncate(said);
        })
    }

    /// Adds a key to a map, or puts a value in the place of the one it has.
    pub(super) fn set(
        &mut self,
        file: &str,
        path: &[Step],
        format: &Map,
        key: &'static str,
        value: impl Into<Tree>,
    ) -> Result<(), Refusal> {
        let value = value.into();
        let has_key = self.tree(file)?.at(path).is_some_and(|map| map.get(key).is_some());
        if has_key {
            return self.replace(file, &[path, &[Step::Key(key)]].concat(), value);
        }
        self.insert(file, path, format, key, &value)
    }

    /// Starts a new file, with the line for editors that other groups begin with.
    pub(super) fn create(&mut self, file: &str, text: &str) -> Result<(), Refusal> {
        let groups = self.before.iter().filter(|(name, _)| *name != "service.yaml" && file != "service.yaml");
        let mut firsts = groups.filter_map(|(_, text)| text.lines().next());
        let first = firsts.find(|line| line.starts_with("# yaml-language-server:"));
        let text = first.map_or_else(|| text.to_owned(), |first| format!("{first}\n{text}"));
        self.drafts.insert(file.to_owned(), Draft::read(&text)?);
        Ok(())
    }

    /// Adds items at the end of a list.
    pub(super) fn extend(&mut self, file: &str, path: &[Step], items: Vec<Tree>) -> Result<(), Refusal> {
        self.edit(file, |draft| draft.extend(path, items))
    }

    /// Adds items to a list of the whole file, which may still have to be there.
    pub(super) fn extend_top(
        &mut self,
        file: &str,
        format: &Map,
        key: &'static str,
        items: Vec<Tree>,
    ) -> Result<(), Refusal> {
        self.edit(file, |draft| match draft.tree().get(key) {
            Some(_) => draft.extend(&[Step::Key(key)], items),
            None if items.is_empty() => Ok(()),
            None => draft.insert(&[], &format.before(key), key, &Tree::List(items)),
        })
    }

    /// Adds a key to a map.
    pub(super) fn insert(
        &mut self,
        file: &str,
        path: &[Step],
        format: &Map,
        key: &str,
        value: &Tree,
    ) -> Result<(), Refusal> {
        self.edit(file, |draft| draft.insert(path, &format.before(key), key, value))
    }

    /// Puts a value in the place of another.
    pub(super) fn replace(&mut self, file: &str, path: &[Step], value: impl Into<Tree>) -> Result<(), Refusal> {
        let value = value.into();
        self.edit(file, |draft| draft.replace(path, &value))
    }

    /// Takes a key out of a map.
    pub(super) fn remove(&mut self, file: &str, path: &[Step], key: &str) -> Result<(), Refusal> {
        self.edit(file, |draft| draft.remove(path, key))
    }

    /// What a file says with the edits so far.
    pub(super) fn tree(&mut self, file: &str) -> Result<Tree, Refusal> {
        Ok(self.draft(file)?.tree())
    }

    fn edit(&mut self, file: &str, edit: impl FnOnce(&mut Draft) -> Result<(), Refused>) -> Result<(), Refusal> {
        edit(self.draft(file)?).map_err(|refused| Refusal::Said(format!("{file}: {}", refused.0)))
    }

    fn draft(&mut self, file: &str) -> Result<&mut Draft, Refusal> {
        if !self.drafts.contains_key(file) {
            let text = self.before.get(file).ok_or_else(|| Refusal::new(format!("there is no `{file}`")))?;
            self.drafts.insert(file.to_owned(), Draft::read(text)?);
        }
        self.drafts.get_mut(file).ok_or_else(|| Refusal::new(format!("there is no `{file}`")))
    }

    /// The change, if the catalogue is then still without a mistake.
    pub(super) fn close(self) -> Result<Change, Refusal> {
        let mut after = self.before.clone();
        after.extend(self.drafts.iter().map(|(name, draft)| (name.clone(), draft.text())));
        let texts: Vec<_> = after.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        resolve(&load_texts(&texts)).map_err(Refusal::Catalogue)?;
        let files = after.into_iter().map(|(name, after)| {
            let before = self.before.get(&name).cloned().unwrap_or_default();
            FileChange { name, before, after }
        });
        Ok(Change { files: files.filter(|file| file.before != file.after).collect(), said: self.said })
    }
}
