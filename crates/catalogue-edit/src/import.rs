//! Imports OpenAPI descriptions into the catalogue.
//!
//! A description is converted to a draft, which is then merged into the catalogue. Keys that cannot be imported are
//! noted during the conversion, so the result does not have to be compared with the description.

mod differences;
mod number_types;
mod options;
mod parse_text;
mod response_members;
mod tree;

mod header_params;
mod omissions;
mod schema_parts;
mod server_address;
mod swagger;

mod document;
mod schema_facts;

mod description_reader;
mod responses;
mod schema_layers;

mod candidates;
mod composed_schemas;
mod credentials;
mod deep_params;
mod drafted_content;
mod endpoint_names;
mod enum_types;
mod envelope;
mod extensions;
mod field_facts;
mod lists_and_maps;
mod operations;
mod params;
mod records;
mod schemas;
mod service;

mod bodies;
mod endpoint_path;
mod imported_server;
mod other_servers;
mod param;

mod column_bodies;
mod param_values;

use catalogue::Catalogue;
use catalogue::spec::{Evidence, History, Known, Service};

use crate::catalogue_change::CatalogueChange;
use crate::content::Content;
use crate::editor::Editor;
use crate::history_params::history;
use crate::merge::merge;
use crate::refusal::Refusal;
use candidates::note_candidates;
use description_reader::DescriptionReader;
use differences::{note_missing_endpoints, note_other_service};
use document::Document;
pub use options::Import;
use other_servers::note_other_servers;

/// The facts of a description about the entire service.
struct DescribedService {
    service: Service,
    /// `true` if the description states the unit of timestamps, as our own export does.
    is_unit_stated: bool,
}

/// Returns the change that imports a description into an existing catalogue, or into a new catalogue.
pub fn import(catalogue: Option<Catalogue>, import: &Import) -> Result<CatalogueChange, Refusal> {
    let document = Document::read(&import.text)?;
    let is_new = catalogue.is_none();
    let mut editor = match catalogue {
        Some(catalogue) => Editor::open(catalogue)?,
        None => Editor::new(Content::default()),
    };
    let mut reader = DescriptionReader::new(&document, import)?;
    let described = read_service(&mut reader, &mut editor, is_new);
    reader.operations();
    let omitted = reader.omissions.lines();
    if reader.draft.content.endpoints().next().is_none() {
        return Err(no_endpoint(&document, &omitted).into());
    }
    std::mem::take(&mut reader.headers).write(&mut editor, is_new, import.evidence);
    let path_templates = std::mem::take(&mut reader.path_templates);
    let members = std::mem::take(&mut reader.members);
    let other_servers = std::mem::take(&mut reader.other_servers);
    let has_server_in_paths = reader.base_url_suffix.is_empty();
    let mut draft = reader.drafted_content();
    omit_history(&mut draft.content, editor.content.service.history.clone());
    let known_modules: Vec<String> = editor.content.groups.keys().cloned().collect();
    merge(&mut editor, &draft);
    note_other_servers(&mut editor, &other_servers, &known_modules);
    if is_new {
        set_history(&mut editor, import.evidence);
        note_candidates(&mut editor, &members, import.evidence);
    } else {
        note_missing_endpoints(&mut editor, &path_templates);
        note_other_service(&mut editor, &described.service, has_server_in_paths);
    }
    for line in omitted {
        editor.note(format!("not imported: {line}"));
    }
    if is_new && !described.is_unit_stated {
        editor.note("the description does not specify the unit of timestamps; `seconds` in `service.yaml` is a guess");
    }
    editor.close()
}

/// Reads the facts about the service, with which a new catalogue starts. They are read before the operations, because the
/// paths, params and bodies of the operations depend on the catalogue.
fn read_service(reader: &mut DescriptionReader<'_>, editor: &mut Editor, is_new: bool) -> DescribedService {
    let exported = reader.exported_service();
    let is_unit_stated = exported.is_some();
    let service = reader.service(exported, editor.content.service.error_body.evidence.is_some());
    if is_new {
        editor.content.service = service.clone();
        editor.content.service.envelope = reader.envelope();
    }
    reader.omissions.unread(&reader.document.root, omissions::ROOT, "#");
    reader.set_catalogue(&editor.content, &service);
    DescribedService { service, is_unit_stated }
}

/// The message that nothing is imported, with the omissions as its reasons.
fn no_endpoint(document: &Document, omitted: &[String]) -> String {
    let mut message = "no endpoint is imported".to_owned();
    if document.gets().is_empty() {
        message += ": there is no `get` under `paths`";
    }
    for line in omitted {
        message += &format!("\nnot imported: {line}");
    }
    message
}

/// Sets the history of a new service, if its shared params select a range, a number of records and a step.
fn set_history(editor: &mut Editor, evidence: Evidence) {
    let mut found = history(&editor.content.service.params, &editor.content.service.types, evidence);
    if let Some(history) = &found {
        let params = [&history.from, &history.to, &history.limit, &history.step];
        if params.iter().any(|param| param.is_none()) {
            found = None;
        }
    }
    editor.content.service.history.clone_from(&found);
    omit_history(&mut editor.content, found);
}

/// Removes the history of endpoints with the history of the service.
fn omit_history(content: &mut Content, shared: Option<History>) {
    let shared = shared.map(Known::Known);
    for group in content.groups.values_mut() {
        for endpoint in &mut group.endpoints {
            if endpoint.history == shared {
                endpoint.history = None;
            }
        }
    }
}
