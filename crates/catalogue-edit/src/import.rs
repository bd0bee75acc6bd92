//! Imports OpenAPI descriptions into the catalogue.
//!
//! A description is converted to a draft, which is then merged into the catalogue. Keys that cannot be imported are
//! noted during the conversion, so the result does not have to be compared with the description.

mod bodies;
mod candidates;
mod composed_schemas;
mod deep_params;
mod document;
mod draft;
mod envelope;
mod extensions;
mod header_params;
mod omissions;
mod operations;
mod params;
mod parse_text;
mod records;
mod schemas;
mod service;
mod swagger;
mod urls;

use std::collections::{HashMap, HashSet};

use catalogue::spec::{Evidence, History, Known};
use catalogue::{Catalogue, is_invisible, url_path};
use serde_yaml::Value;

use super::content::Content;
use super::draft::{Draft, Source};
use super::editor::{CatalogueChange, Editor, Refusal};
use super::history_params::history;
use super::merge::merge;
use candidates::Members;
use document::{Document, text};
use header_params::HeaderParams;
use omissions::{Omissions, Weight};
use urls::Address;

/// A description to import, with the options.
#[derive(Clone, Debug)]
pub struct Import {
    /// The text of an OpenAPI 3.0, 3.1 or 3.2 description, or of a Swagger 2.0 description, in JSON or YAML.
    pub text: String,
    /// The evidence of imported facts.
    pub evidence: Evidence,
    /// `true` imports summaries and descriptions too.
    pub summaries: bool,
    /// The host whose endpoints are imported, if paths have servers of their own; by default, that of the first server.
    pub host: Option<String>,
}

/// Returns the change that imports a description into an existing catalogue, or into a new catalogue.
pub fn import(catalogue: Option<Catalogue>, import: &Import) -> Result<CatalogueChange, Refusal> {
    let document = Document::read(&import.text)?;
    let is_new = catalogue.is_none();
    let mut editor = catalogue.map_or_else(|| Ok(Editor::new(Content::default())), Editor::open)?;
    let mut reader = Reader {
        document: &document,
        options: import,
        draft: Draft::new(Source::Description),
        omissions: Omissions::default(),
        known: Content::default(),
        suffix: String::new(),
        server_path: String::new(),
        open: Vec::new(),
        open_around_list: 0,
        nesting: 0,
        templates: HashSet::new(),
        headers: HeaderParams::default(),
        records: HashMap::new(),
        members: Members::new(),
        base: None,
    };
    reader.base = reader.base_address()?;
    let kept = reader.kept(&document.root, extensions::OF_SERVICE, "#");
    let kept = kept.and_then(|kept| kept.into_spec().0);
    let is_unit_known = kept.is_some();
    let described = reader.service(kept, editor.service.error_body.evidence.is_some());
    if is_new {
        editor.service = described.clone();
        editor.service.envelope = reader.envelope();
    }
    reader.omissions.unread(&document.root, omissions::ROOT, "#");
    // The existing catalogue is read before the operations, because the paths, params and bodies of the operations
    // depend on the catalogue.
    reader.set_catalogue(&editor, &described);
    reader.operations();
    let (omitted, is_in_paths) = (reader.omissions.lines(), reader.suffix.is_empty());
    if reader.draft.content.endpoints().next().is_none() {
        let why = if omitted.is_empty() { "there is no `get` under `paths`".to_owned() } else { omitted.join("\n") };
        return Err(format!("no endpoint is imported:\n{why}").into());
    }
    let templates = std::mem::take(&mut reader.templates);
    let members = std::mem::take(&mut reader.members);
    std::mem::take(&mut reader.headers).write(&mut editor, is_new, import.evidence);
    let mut draft = reader.drafted_content();
    omit_history(&mut draft.content, editor.service.history.clone());
    merge(&mut editor, &draft);
    if is_new {
        let found = history(&editor.service.params, &editor.service.types, import.evidence)
            .filter(|found| [&found.from, &found.to, &found.limit, &found.step].iter().all(|param| param.is_some()));
        editor.service.history.clone_from(&found);
        omit_history(&mut editor, found);
    } else {
        note_gone(&mut editor, &templates);
        // If the paths of the catalogue include the server's path, the base URL of the catalogue does not, unlike the
        // base URL of the description. This difference is not noted.
        service::note_differences(&described, is_in_paths, &mut editor);
    }
    if is_new {
        candidates::note_candidates(&mut editor, &members, import.evidence);
    }
    editor.note_all(omitted.iter().map(|line| format!("not imported: {line}")).collect());
    if is_new && !is_unit_known {
        editor.note("the description does not specify the unit of timestamps; `seconds` in `service.yaml` is a guess");
    }
    editor.close()
}

/// Removes the history of endpoints with the history of the service.
fn omit_history(content: &mut Content, shared: Option<History>) {
    let shared = shared.map(Known::Known);
    for endpoint in content.groups.values_mut().flat_map(|group| &mut group.endpoints) {
        endpoint.history = endpoint.history.take().filter(|own| Some(own) != shared.as_ref());
    }
}

/// Adds a note with the endpoints that the description does not have.
fn note_gone(editor: &mut Editor, described: &HashSet<String>) {
    let paths = editor.endpoints().filter_map(|(_, endpoint)| endpoint.path.known());
    let gone = paths.filter(|path| !described.contains(&url_path::template(path)));
    let gone: Vec<_> = gone.map(|path| format!("`{path}`")).collect();
    if !gone.is_empty() {
        editor.note(format!("endpoints that are not in the description: {}", gone.join(", ")));
    }
}

/// The state of the conversion of a description to a draft.
struct Reader<'d> {
    document: &'d Document,
    options: &'d Import,
    draft: Draft,
    omissions: Omissions,
    /// The catalogue before the import.
    known: Content,
    /// The suffix of every base URL, as a path.
    suffix: String,
    /// The path of the description's server. It precedes the path of each operation.
    server_path: String,
    /// The indices of the open records, which are the records whose fields are being read.
    open: Vec<usize>,
    /// The number of open records at the start of the innermost list or map.
    open_around_list: usize,
    /// The number of schemas between the innermost open record and the current schema.
    nesting: usize,
    /// The paths that were read so far, without the names of their params.
    templates: HashSet<String>,
    /// The headers that operations send: those with one value, and the one that carries a key.
    headers: HeaderParams,
    /// The indices of records by their paths or references.
    records: HashMap<String, usize>,
    /// The members of the response of each path, beside its records.
    members: Members,
    /// The server whose endpoints are imported.
    base: Option<Address>,
}

impl<'d> Reader<'d> {
    /// Resolves references. A reference without a definition is noted.
    fn resolve(&mut self, value: &'d Value, pointer: &str) -> Option<(&'d Value, Option<&'d str>)> {
        let found = self.document.follow(value);
        if let (None, Some(reference)) = (found, text(value, "$ref")) {
            let why = format!("`$ref: {reference}`, which leads to no definition");
            self.omissions.add(Weight::Missing, why, pointer);
        }
        found
    }

    /// Returns the first paragraph of the text under one of these keys, if summaries are imported; otherwise an empty
    /// text.
    fn summary(&self, value: &Value, keys: &[&str]) -> String {
        let texts = keys.iter().filter(|_| self.options.summaries).filter_map(|key| text(value, key));
        let visible = |paragraph: &str| {
            let visible = |character: &char| character.is_whitespace() || !is_invisible(*character);
            let text: String = paragraph.chars().filter(visible).collect();
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let mut paragraphs = texts.flat_map(|text| text.split("\n\n")).map(visible);
        // In our own export, notes follow the sources, so a paragraph after them is no summary either.
        paragraphs.find(|paragraph| !paragraph.is_empty()).filter(|first| !is_source(first)).unwrap_or_default()
    }
}

/// Returns `true` if a paragraph states sources, as in our own export: `In percent, reported. Undocumented: the order.`
fn is_source(paragraph: &str) -> bool {
    let first = paragraph.split(". ").next().unwrap_or_default().trim_end_matches('.').to_lowercase();
    let source = first.rsplit(", ").next().unwrap_or_default().replace(' ', "_");
    first.starts_with("undocumented: ") || Evidence::of(&source).is_some()
}
