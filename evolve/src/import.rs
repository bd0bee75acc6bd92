//! OpenAPI descriptions in, endpoints of the catalogue out.
//!
//! First everything is read into a plan, and whatever the catalogue has no word for is noted; then the plan gets
//! names and becomes edits of what is there. Nothing that a description says is dropped without a note.

mod annotations;
mod body;
mod build;
mod composition;
mod document;
mod envelope;
mod failures;
mod groups;
mod named_type;
mod notes;
mod operation;
mod params;
mod plan;
mod record;
mod schema;
mod security;
mod service;
mod tolerant;

use std::collections::HashSet;

use codegen::{Catalogue, is_invisible, is_line};
use serde_yaml::Value;

use super::change::{CatalogueChange, Desk, Refusal};
use super::edit::Step;
use super::keys::SERVICE;
use super::merge::merge;
use super::naming::NamesInUse;
use super::tree::Tree;
use document::{Document, is_taken, text_of};
use notes::Notes;
use plan::Plan;

/// A description to take over, and how.
#[derive(Clone, Debug)]
pub struct Import {
    /// OpenAPI 3.0 or 3.1, in JSON or YAML.
    pub text: String,
    /// How what it says is known, where it does not say that itself: `document`, `published` or `reported`.
    pub evidence: String,
    /// Whether summaries and descriptions are taken over too.
    pub summaries: bool,
    /// Whether every place of what is left out is told, and not only the first.
    pub places: bool,
}

/// Makes the change that takes a description over: into a catalogue, or into a new one.
pub fn import(catalogue: Option<Catalogue>, import: &Import) -> Result<CatalogueChange, Refusal> {
    let document = Document::read(&import.text)?;
    let mut reader = Reader::new(&document, import);
    let service = reader.service();
    let is_new = catalogue.is_none();
    let mut desk = catalogue.map_or_else(Desk::empty, Desk::open)?;
    if is_new {
        desk.create(SERVICE, service.clone());
        reader.new_metadata();
    }
    reader.plan.is_ours = document.is_ours();
    reader.surroundings(&desk, &service);
    reader.operations();
    reader.unused();
    let said = reader.said_of_service(&service);
    // Bodies are read as the catalogue has its series.
    let envelope = desk.tree(SERVICE).get("envelope").cloned().map(without_fields);
    let mut fresh = Desk::empty()?;
    fresh.create(SERVICE, Tree::map().with_some("envelope", envelope));
    let Reader { mut plan, mut notes, left_out, cut, guessed_time, .. } = reader;
    if let Some(unsupported) = plan.unsupported.take() {
        desk.set(SERVICE, &[Step::Key("envelope"), Step::Key("metadata")], "unsupported", unsupported);
    }
    let fresh = build::build(fresh, import, plan, &mut notes);
    merge(&mut desk, &fresh, &said, &import.evidence);
    for line in notes.lines(import.places) {
        desk.say(format!("beyond the catalogue: {line}"));
    }
    if guessed_time && is_new {
        desk.say("the unit of timestamps is not said; `seconds` in `service.yaml` is a guess");
    }
    if left_out > 0 {
        let (texts, them) = if left_out == 1 {
            ("summary or description is", "it")
        } else {
            ("summaries and descriptions are", "them")
        };
        desk.say(format!("{left_out} {texts} left out; `--summaries` takes {them} over"));
    }
    if cut > 0 {
        let texts = if cut == 1 { "text" } else { "texts" };
        desk.say(format!("of {cut} {texts} only the first paragraph is taken over"));
    }
    desk.close()
}

/// An envelope whose metadata has no fields yet.
fn without_fields(mut envelope: Tree) -> Tree {
    if let Some(fields) = envelope.get_mut("metadata").and_then(|metadata| metadata.get_mut("fields")) {
        *fields = Tree::List(Vec::new());
    }
    envelope
}

/// A description on its way into a plan.
struct Reader<'d> {
    document: &'d Document,
    options: &'d Import,
    plan: Plan,
    notes: Notes,
    /// Records whose fields are being read, by index.
    open: Vec<usize>,
    /// How many schemas the one that is being read stands in, since the last record.
    nesting: usize,
    /// Places whose keys have been looked at.
    swept: HashSet<String>,
    /// What every base URL ends in.
    suffix: String,
    envelope: Option<Envelope>,
    /// Tags and the modules that they become.
    groups: Vec<(String, String)>,
    /// How many of these are of groups that the catalogue has.
    old_groups: usize,
    modules: NamesInUse,
    /// Tags that an endpoint has.
    tags: HashSet<String>,
    /// How many texts were not taken over.
    left_out: usize,
    /// How many texts lost all but their first paragraph.
    cut: usize,
    /// Whether the unit of timestamps had to be made up.
    guessed_time: bool,
}

/// What stands around the records of a series.
#[derive(Clone, Debug)]
struct Envelope {
    data: String,
    metadata: Option<String>,
}

impl<'d> Reader<'d> {
    fn new(document: &'d Document, options: &'d Import) -> Self {
        Self {
            document,
            options,
            plan: Plan::default(),
            notes: Notes::default(),
            open: Vec::new(),
            nesting: 0,
            swept: HashSet::new(),
            suffix: String::new(),
            envelope: None,
            groups: Vec::new(),
            old_groups: 0,
            modules: NamesInUse::default(),
            tags: HashSet::new(),
            left_out: 0,
            cut: 0,
            guessed_time: false,
        }
    }

    /// Notes every key of an object that is not one of the words that somebody here understands.
    fn sweep(&mut self, value: &'d Value, known: &str, place: &str) {
        if !self.swept.insert(place.to_owned()) {
            return;
        }
        let entries = value.as_mapping().into_iter().flatten();
        for (key, value) in entries.filter_map(|(key, value)| Some((key.as_str()?, value))) {
            if !known.split(' ').any(|known| known == key) || !self.is_in_our_sense(key, value) {
                self.notes.key(key, place);
            }
        }
    }

    /// Whether a key says what our own descriptions say with it; where others have an extension of the same name, it
    /// is theirs.
    fn is_in_our_sense(&self, key: &str, value: &Value) -> bool {
        match key {
            _ if self.document.is_ours() => true,
            "x-group" => false,
            "x-evidence" | "x-named-by" | "x-required" | "x-single" => {
                value.as_str().is_some_and(document::is_evidence)
            }
            "x-kind" => matches!(value.as_str(), Some("enum" | "identifier")),
            "x-type" => value.as_str() == Some("timestamp"),
            "x-envelope" | "x-range" => value.is_mapping(),
            "x-enum-varnames" | "x-refused" | "x-served" | "x-values" | "x-works" => value.is_sequence(),
            "x-aliases" => value.as_sequence().is_some_and(|all| all.iter().all(|alias| is_line(&text_of(alias)))),
            "x-known-by-name" => value.as_sequence().is_some_and(|all| all.iter().all(Value::is_mapping)),
            "x-limits" => value.as_sequence().is_some_and(|all| all.iter().all(service::is_limit)),
            "x-advice" | "x-body" | "x-deprecated" | "x-env-prefix" | "x-ident" | "x-label" | "x-list" | "x-notes"
            | "x-unit" => value.as_str().is_some_and(|text| is_taken(key, text)),
            _ => true,
        }
    }

    /// The place of a name among the components of its kind, so that their order stays.
    fn rank(&self, kind: &str, name: &str) -> usize {
        let components =
            self.document.root().get("components").and_then(|components| components.get(kind)?.as_mapping());
        let mut names = components.into_iter().flatten().map(|(name, _)| name.as_str());
        names.position(|known| known == Some(name)).unwrap_or(usize::MAX)
    }

    /// A text that has no place in the catalogue.
    fn untold(&mut self, value: &Value, key: &str, what: &str, place: &str) {
        if value.get(key).is_some() && !self.document.is_ours() {
            self.notes.aside(format!("the {key} of {what}"), place);
        }
    }

    /// The first paragraph of a text, or nothing if texts are not to be taken over.
    fn prose(&mut self, text: &str) -> String {
        if !self.options.summaries {
            self.left_out += 1;
            return String::new();
        }
        let paragraphs = text.split("\n\n").map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" "));
        let mut paragraphs = paragraphs.filter(|paragraph| !paragraph.is_empty());
        let first = paragraphs.next().unwrap_or_default();
        self.cut += usize::from(paragraphs.next().is_some() && !self.document.is_ours());
        first.chars().filter(|character| !is_invisible(*character)).collect()
    }
}
