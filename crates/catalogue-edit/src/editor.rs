//! A catalogue that is being edited. Its last step applies the edits to the texts of the files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use catalogue::yaml_parser::Node;
use catalogue::{Catalogue, load_texts};

use crate::catalogue_change::CatalogueChange;
use crate::content::{Content, SERVICE};
use crate::refusal::Refusal;
use crate::yaml_edit::rewrite;
use crate::yaml_layout;

/// A catalogue that is being edited.
#[derive(Debug, Default)]
pub(super) struct Editor {
    /// The content with the edits so far.
    pub(super) content: Content,
    /// The content before the first edit; `None` for a catalogue that has no files yet.
    old: Option<Content>,
    /// The texts of the files before the first edit, by name.
    before: BTreeMap<String, String>,
    notes: Vec<String>,
    /// The subject that is prepended to each of the next notes.
    pub(super) subject: String,
    /// The fields that should become enums, and for which a response of any endpoint has a string.
    pub(super) enum_fields: BTreeSet<String>,
    /// The origins of error responses and of responses without data, of which only the status and the message are learned.
    pub(super) error_responses: BTreeSet<String>,
}

/// The texts of the files after an edit.
struct EditedTexts {
    texts: BTreeMap<String, String>,
    /// Messages about changes that have to be made by hand, because the layout of a file cannot be preserved.
    by_hand: Vec<String>,
}

impl Editor {
    /// Opens a catalogue. A catalogue with errors is rejected.
    pub(super) fn open(catalogue: Catalogue) -> Result<Self, Refusal> {
        let mut before = BTreeMap::new();
        for (name, text) in catalogue.texts() {
            before.insert(name.to_owned(), text.to_owned());
        }
        let content = Content::checked(catalogue)?;
        Ok(Self { before, old: Some(content.clone()), content, ..Self::default() })
    }

    /// Starts a catalogue that has no files yet.
    pub(super) fn new(content: Content) -> Self {
        Self { content, ..Self::default() }
    }

    /// Adds a note for the user.
    pub(super) fn note(&mut self, text: impl fmt::Display) {
        let note = if self.subject.is_empty() { text.to_string() } else { format!("{}: {text}", self.subject) };
        self.notes.push(note);
    }

    /// Adds several notes.
    pub(super) fn note_all(&mut self, notes: Vec<String>) {
        for note in notes {
            self.note(note);
        }
    }

    /// Removes and returns the notes so far.
    pub(super) fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// Runs an edit, and undoes it if it fails.
    pub(super) fn attempt(&mut self, work: impl FnOnce(&mut Self) -> Result<(), String>) -> Result<(), String> {
        let content_before = self.content.clone();
        let notes_before = self.notes.len();
        let outcome = work(self);
        self.subject.clear();
        if outcome.is_err() {
            self.content = content_before;
            self.notes.truncate(notes_before);
        }
        outcome
    }

    /// The change, if the edited catalogue has no errors.
    pub(super) fn close(mut self) -> Result<CatalogueChange, Refusal> {
        let edited = self.edited_texts()?;
        // Unchanged texts are not checked again, because they were checked when the catalogue was opened.
        if edited.texts != self.before {
            self.check(&edited)?;
        }
        let mut after = edited.texts;
        after.retain(|name, text| self.before.get(name) != Some(text));
        self.notes.extend(edited.by_hand);
        Ok(CatalogueChange { before: self.before, after, notes: self.notes })
    }

    fn edited_texts(&self) -> Result<EditedTexts, Refusal> {
        let mut old = BTreeMap::new();
        if let Some(content) = &self.old {
            old = files(content);
        }
        let mut edited = EditedTexts { texts: self.before.clone(), by_hand: Vec::new() };
        for (name, wanted) in files(&self.content) {
            let text = match (self.before.get(&name), old.get(&name)) {
                (_, Some(old)) if *old == wanted => continue,
                (Some(before), Some(old)) => {
                    let (text, by_hand) = rewrite(before, old, &wanted).map_err(|why| format!("{name}: {why}"))?;
                    for message in by_hand {
                        edited.by_hand.push(format!("{name}: {message}"));
                    }
                    text
                }
                _ => self.first_line(&name) + &yaml_layout::file(&wanted),
            };
            edited.texts.insert(name, text);
        }
        Ok(edited)
    }

    /// Checks that the texts are a valid catalogue with the edited content.
    fn check(&self, edited: &EditedTexts) -> Result<(), Refusal> {
        let mut texts = Vec::new();
        for (name, text) in &edited.texts {
            texts.push((name.as_str(), text.as_str()));
        }
        let catalogue = load_texts(&texts);
        catalogue::resolve(&catalogue).map_err(Refusal::Catalogue)?;
        let is_complete = edited.by_hand.is_empty();
        if is_complete && Content::of(catalogue).as_ref() != Some(&self.content) {
            return Err("internal error: the edited text differs from the edit; nothing is changed".into());
        }
        Ok(())
    }

    /// The first line for a new file of a group: the comment that declares the schema to YAML editors, if the file of
    /// another group has it.
    fn first_line(&self, file: &str) -> String {
        let service_file = file_of(SERVICE);
        if file == service_file {
            return String::new();
        }
        for (name, text) in &self.before {
            if *name != service_file
                && let Some(line) = text.lines().next()
                && line.starts_with("# yaml-language-server:")
            {
                return format!("{line}\n");
            }
        }
        String::new()
    }
}

/// The files of a catalogue by name, as trees.
fn files(content: &Content) -> BTreeMap<String, Node> {
    let mut files = BTreeMap::new();
    for (module, group) in &content.groups {
        files.insert(file_of(module), yaml_layout::arranged(group.written()));
    }
    files.insert(file_of(SERVICE), yaml_layout::arranged(content.service.written()));
    files
}

fn file_of(module: &str) -> String {
    format!("{module}.yaml")
}
