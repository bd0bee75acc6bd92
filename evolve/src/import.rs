//! OpenAPI descriptions in, endpoints of the catalogue out.
//!
//! A description is first read into a draft, which becomes a catalogue of its own and is merged into the known one. Our
//! own export of that catalogue is compared with the description: what it lacks is lost, and every loss is noted.

mod annotations;
mod body;
mod composition;
mod document;
mod draft;
mod envelope;
mod failures;
mod finish;
mod groups;
mod headers;
mod loss;
mod named_type;
mod notes;
mod numbered_types;
mod operation;
mod params;
mod record;
mod schema;
mod security;
mod service;
mod tolerant;

use std::collections::{BTreeMap, HashSet};

use codegen::{Catalogue, OpenApiFormat, OpenApiVersion, is_invisible, openapi};

use super::change::{CatalogueChange, Desk, Refusal};
use super::keys::SERVICE;
use super::merge::merge;
use super::naming::NamesInUse;
use super::place::Place;
use super::tree::Tree;
use document::Document;
use draft::Draft;
use loss::Subtraction;
use notes::Notes;

/// A description to import, and how.
#[derive(Clone, Debug)]
pub struct Import {
    /// OpenAPI 3.0 or 3.1, in JSON or YAML.
    pub text: String,
    /// The evidence of its facts, unless it states one, in the catalogue's word.
    pub evidence: String,
    /// Whether summaries and descriptions are imported too.
    pub summaries: bool,
    /// Whether every place of a loss is listed, or only the first.
    pub places: bool,
}

/// The change that imports a description: into a catalogue, or into a new one.
pub fn import(catalogue: Option<Catalogue>, import: &Import) -> Result<CatalogueChange, Refusal> {
    let document = Document::read(&import.text)?;
    let mut reader = Reader::new(&document, import);
    reader.draft.is_ours = document.is_ours();
    let service = reader.service();
    let known = catalogue.map(Desk::open).transpose()?;
    let is_new = known.is_none();
    // The catalogue of the description alone, before it is merged.
    let mut alone = Desk::empty()?;
    alone.create(SERVICE, service.clone());
    let surroundings = known.as_ref().unwrap_or(&alone);
    reader.surroundings(surroundings, &service);
    reader.listed_metadata();
    reader.operations();
    let said = reader.said_of_service(&service);
    let Reader { mut draft, notes, paths, guessed_time, .. } = reader;
    // Paths and bodies are read with the base URL and the envelope of the known catalogue.
    let here = |key: &str| surroundings.tree(SERVICE).get(key).cloned();
    let base_url = here("base_url").or(service.get("base_url").filter(|_| draft.prefix.is_empty()).cloned());
    let envelope = here("envelope").map(without_fields);
    let service_file = Place::service();
    for (key, value) in [("base_url", base_url), ("envelope", envelope.clone())] {
        match value {
            Some(value) => alone.set(&service_file, key, value),
            None => alone.remove(&service_file, key),
        }
    }
    if let Some(unsupported) = draft.unsupported.take() {
        alone.set(&service_file.key("envelope").key("metadata"), "unsupported", unsupported);
    }
    let mut fresh = Desk::empty()?;
    fresh.create(SERVICE, Tree::map().with_some("envelope", envelope));
    let fresh = finish::finish(fresh, draft);
    merge(&mut alone, &fresh, &said, &import.evidence);
    service::drop_limits_of_others(&mut alone);
    envelope::drop_unsupported_of_nothing(&mut alone);
    let (alone, api) = alone.close_with_api()?;
    let export = Document::read(&openapi(&api, OpenApiVersion::V3_1, OpenApiFormat::Json))?;
    let lost = Subtraction::lost(&document, &export, &paths, import.summaries, notes);
    let mut change = match known {
        Some(mut desk) => {
            let said = service::with_known_limits(said, &desk);
            let said = headers::as_known(security::without_second_authorization(said, &mut desk), &mut desk);
            merge(&mut desk, &fresh, &said, &import.evidence);
            service::drop_limits_of_others(&mut desk);
            desk.close()?
        }
        None => alone,
    };
    for line in lost.notes.lines(import.places) {
        change.say(format!("beyond the catalogue: {line}"));
    }
    if guessed_time && is_new {
        change.say("the unit of timestamps is not said; `seconds` in `service.yaml` is a guess");
    }
    say_texts(&mut change, lost.left_out, lost.cut);
    Ok(change)
}

/// Notes how many texts are left out, and how many are cut.
fn say_texts(change: &mut CatalogueChange, left_out: usize, cut: usize) {
    match left_out {
        0 => {}
        1 => change.say("1 text is left out; `--summaries` takes it over if the catalogue has a place for it"),
        many => change.say(format!(
            "{many} texts are left out; `--summaries` takes over those that the catalogue has a place for"
        )),
    }
    if cut > 0 {
        let texts = if cut == 1 { "text" } else { "texts" };
        change.say(format!("of {cut} {texts} only the first paragraph is taken over"));
    }
}

/// An envelope whose metadata has no fields yet.
fn without_fields(mut envelope: Tree) -> Tree {
    if let Some(fields) = envelope.get_mut("metadata").and_then(|metadata| metadata.get_mut("fields")) {
        *fields = Tree::List(Vec::new());
    }
    envelope
}

/// A description that is read into a draft.
struct Reader<'d> {
    document: &'d Document,
    options: &'d Import,
    draft: Draft,
    notes: Notes,
    /// Records whose fields are being read, by index.
    open: Vec<usize>,
    /// How many schemas are around the current one, up to the last record.
    nesting: usize,
    /// The imported paths, and their paths in the catalogue.
    paths: BTreeMap<String, String>,
    /// What every base URL ends in.
    suffix: String,
    envelope: Option<Envelope>,
    /// Tags and the modules that they become.
    groups: Vec<(String, String)>,
    /// How many of these groups the catalogue had before.
    old_groups: usize,
    modules: NamesInUse,
    /// Tags that an endpoint has.
    tags: HashSet<String>,
    /// Whether the unit of timestamps was invented.
    guessed_time: bool,
}

/// The objects around the records of a series.
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
            draft: Draft::default(),
            notes: Notes::default(),
            open: Vec::new(),
            nesting: 0,
            paths: BTreeMap::new(),
            suffix: String::new(),
            envelope: None,
            groups: Vec::new(),
            old_groups: 0,
            modules: NamesInUse::default(),
            tags: HashSet::new(),
            guessed_time: false,
        }
    }

    /// The place of a name among the components of its kind, so that their order stays.
    fn rank(&self, kind: &str, name: &str) -> usize {
        let components =
            self.document.root().get("components").and_then(|components| components.get(kind)?.as_mapping());
        let mut names = components.into_iter().flatten().map(|(name, _)| name.as_str());
        names.position(|known| known == Some(name)).unwrap_or(usize::MAX)
    }

    /// The first paragraph of a text; empty if texts are not imported.
    fn prose(&self, text: &str) -> String {
        let paragraphs = text.split("\n\n").map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" "));
        let first = paragraphs.filter(|_| self.options.summaries).find(|paragraph| !paragraph.is_empty());
        first.unwrap_or_default().chars().filter(|character| !is_invisible(*character)).collect()
    }
}
