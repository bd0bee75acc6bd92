//! Merges a draft into a catalogue: new endpoints are added, and unknown parts of known endpoints are filled in. Known
//! facts are preserved, and each contradiction to a known fact is noted.

mod client_names;
mod compared_side;
mod setters;

mod differences;

mod bodies;
mod contradictions;
mod draft_names;
mod field_lists;
mod params;

use std::collections::{BTreeMap, HashMap, HashSet};

use catalogue::names::{self, Case};
use catalogue::spec::{Endpoint, Evidence, Known, ParamEntry, Record};
use catalogue::url_path::template;

use crate::content::{Content, EntryPosition, fields_of, ident_of, known_mut};
use crate::draft::{Draft, DraftOrigin};
use crate::editor::Editor;
pub(crate) use client_names::ClientNames;
use setters::Setters;

/// Merges a draft into a catalogue.
pub(crate) fn merge(editor: &mut Editor, draft: &Draft) {
    let known = editor.content.clone();
    let mut merger = Merger::new(editor, draft, &known);
    let endpoints = merger.drafted_endpoints();
    merger.name_types_and_records(&endpoints);
    merger.write_shared_params(&endpoints);
    merger.write_records();
    merger.write_metadata();
    merger.write_lists();
    let mut added: BTreeMap<&str, Vec<Endpoint>> = BTreeMap::new();
    for drafted in &endpoints {
        if let Some(known) = &drafted.known {
            merger.complete(known, drafted);
            merger.note_contradictions(known, drafted);
        } else {
            let entry = merger.new_entry(drafted);
            added.entry(&drafted.module).or_default().push(entry);
        }
    }
    merger.write_groups(added);
}

/// A drafted endpoint, and its parts that are new to the catalogue.
#[derive(Debug)]
struct DraftedEndpoint<'a> {
    module: String,
    new: &'a Endpoint,
    /// The position of the same endpoint in the catalogue.
    known: Option<EntryPosition>,
    /// The `rust_name` of a new endpoint that needs one.
    rust_name: Option<String>,
    new_params: NewParams,
    has_new_body: bool,
}

/// The drafted params of an endpoint that are new to the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NewParams {
    None,
    /// The params of the endpoint were unknown.
    All,
    /// The params of the endpoint are known, and the draft adds to them.
    Further,
}

impl DraftedEndpoint<'_> {
    /// The module to which the records of the endpoint are written.
    fn file(&self) -> &str {
        match &self.known {
            Some(known) => &known.module,
            None => &self.module,
        }
    }
}

struct Merger<'a> {
    editor: &'a mut Editor,
    draft: &'a Draft,
    /// The records of the draft, by their provisional names.
    drafted: HashMap<&'a str, &'a Record>,
    /// The catalogue before the first edit.
    known: &'a Content,
    client: ClientNames,
    setters: Setters,
    /// The names that types and records get in the catalogue, by their names in the draft.
    types: HashMap<String, String>,
    /// The ids that shared params get in the catalogue, by their ids in the draft.
    params: HashMap<String, String>,
    /// The records of the catalogue and the draft that were already compared with each other.
    compared: HashSet<(EntryPosition, String)>,
    /// The drafted records that are new.
    new_records: Vec<NewRecord<'a>>,
}

/// A drafted record that is new.
struct NewRecord<'a> {
    /// Its place in the catalogue.
    at: EntryPosition,
    drafted: &'a Record,
}

impl<'a> Merger<'a> {
    fn new(editor: &'a mut Editor, draft: &'a Draft, known: &'a Content) -> Self {
        let mut drafted = HashMap::new();
        for record in &draft.content.service.records {
            drafted.insert(record.name.as_str(), record);
        }
        Self {
            editor,
            draft,
            drafted,
            known,
            client: ClientNames::of(known),
            setters: Setters::of(known),
            types: HashMap::new(),
            params: HashMap::new(),
            compared: HashSet::new(),
            new_records: Vec::new(),
        }
    }

    /// Every endpoint of the draft, and for each the known endpoint with the same path, if there is one. A known
    /// endpoint without a path is found by its name.
    fn drafted_endpoints(&mut self) -> Vec<DraftedEndpoint<'a>> {
        let mut by_path = HashMap::new();
        let mut by_name = HashMap::new();
        for (at, endpoint) in self.known.endpoints() {
            if let Some(path) = endpoint.path.known() {
                by_path.insert(template(path), at);
            } else {
                by_name.insert((at.module.clone(), ident_of(endpoint)), at);
            }
        }
        let mut endpoints = Vec::new();
        for (at, new) in self.draft.content.endpoints() {
            let mut known = None;
            if let Some(path) = new.path.known() {
                known = by_path.get(&template(path)).cloned();
            }
            if known.is_none() {
                // The entry is removed, so that only one endpoint of the draft completes the known endpoint.
                known = by_name.remove(&(at.module.clone(), ident_of(new)));
            }
            endpoints.push(self.drafted_endpoint(at.module, new, known));
        }
        endpoints
    }

    fn drafted_endpoint(
        &mut self,
        module: String,
        new: &'a Endpoint,
        known: Option<EntryPosition>,
    ) -> DraftedEndpoint<'a> {
        let entry = known.as_ref().map(|known| self.known.endpoint(known));
        let new_params = new_params(self.draft.origin, new, entry);
        let has_new_body = new.body.known().is_some() && entry.is_none_or(|entry| is_body_open(entry, new));
        let rust_name = if known.is_none() { self.rust_name(&module, new) } else { None };
        DraftedEndpoint { module, new, known, rust_name, new_params, has_new_body }
    }

    /// The `rust_name` of a new endpoint; `None` if it needs none.
    fn rust_name(&mut self, module: &str, new: &Endpoint) -> Option<String> {
        let chosen = new.rust_name.as_deref();
        if self.draft.origin != DraftOrigin::Description {
            return chosen.cloned();
        }
        let ident = self.client.claim_method(module, &new.name, chosen.map(String::as_str));
        let is_derived = names::ident(&new.name, Case::Snake).as_ref() == Ok(&ident);
        if is_derived { None } else { Some(ident) }
    }

    /// The entry of an endpoint that the catalogue does not have.
    fn new_entry(&mut self, drafted: &DraftedEndpoint<'_>) -> Endpoint {
        let rust_name = drafted.rust_name.as_deref().map(Into::into);
        let entry = Endpoint { rust_name, params: Known::Unknown, body: Known::Unknown, ..drafted.new.clone() };
        self.completed(entry, drafted)
    }

    /// Fills in the unknown parts of a known endpoint.
    fn complete(&mut self, known: &EntryPosition, drafted: &DraftedEndpoint<'_>) {
        let mut entry = self.editor.content.endpoint(known).clone();
        if entry.path.known().is_none() && drafted.new.path.known().is_some() {
            entry = self.with_path(entry, drafted);
        }
        *self.editor.content.endpoint_mut(known) = self.completed(entry, drafted);
    }

    /// A known endpoint with a new path.
    fn with_path(&mut self, mut entry: Endpoint, drafted: &DraftedEndpoint<'_>) -> Endpoint {
        let mut added = Vec::new();
        if drafted.new_params != NewParams::All {
            added = self.new_params_in_path(&entry, drafted.new);
        }
        entry.path = drafted.new.path.clone();
        inherit(&mut entry, drafted.new.evidence);
        self.editor.note(format!("the path of `{}` was unknown and is now set", entry.name));
        if let Some(params) = known_mut(&mut entry.params) {
            params.extend(added);
        }
        entry
    }

    /// An endpoint with its unknown parts filled in, with names that are valid in the catalogue.
    fn completed(&mut self, mut entry: Endpoint, drafted: &DraftedEndpoint<'_>) -> Endpoint {
        let new = drafted.new;
        if entry.summary.is_empty() {
            entry.summary.clone_from(&new.summary);
        }
        match drafted.new_params {
            NewParams::None => {}
            NewParams::All => entry.params = Known::Known(self.params(new, entry.evidence)),
            NewParams::Further => {
                let further = self.params(new, entry.evidence);
                if let Some(params) = known_mut(&mut entry.params) {
                    params.extend(further);
                }
            }
        }
        if drafted.has_new_body {
            entry.body = match self.body(new, entry.body.known(), entry.evidence) {
                Some(body) => Known::Known(body),
                None => Known::Unknown,
            };
        }
        entry
    }

    fn write_groups(&mut self, mut added: BTreeMap<&str, Vec<Endpoint>>) {
        for (module, drafted) in &self.draft.content.groups {
            let endpoints = added.remove(module.as_str()).unwrap_or_default();
            let content = &mut self.editor.content;
            if self.known.groups.contains_key(module) {
                content.groups.entry(module.clone()).or_default().endpoints.extend(endpoints);
            } else if !endpoints.is_empty() || drafted.endpoints.is_empty() {
                // Adds a new group, unless all of its endpoints are already in other groups. `write_records` may already
                // have added the records of the group.
                let mut group = drafted.clone();
                group.records = content.records(module).to_vec();
                group.endpoints = endpoints;
                content.groups.insert(module.clone(), group);
            }
        }
    }
}

/// The params of a drafted endpoint that its entry in the catalogue lacks.
fn new_params(origin: DraftOrigin, new: &Endpoint, entry: Option<&Endpoint>) -> NewParams {
    let Some(drafted) = new.params.known() else { return NewParams::None };
    let Some(entry) = entry else { return NewParams::All };
    // A description without params does not prove that there are none, so unknown params stay unknown.
    let proves_params = origin != DraftOrigin::Description || !drafted.is_empty();
    if entry.params.known().is_none() && proves_params {
        NewParams::All
    } else if origin == DraftOrigin::Responses && !drafted.is_empty() {
        NewParams::Further
    } else {
        NewParams::None
    }
}

/// `true` if the body of an endpoint is unknown, or if only its kind is known and the draft contains its fields.
fn is_body_open(entry: &Endpoint, new: &Endpoint) -> bool {
    let Some(known) = entry.body.known() else { return true };
    let Some(new) = new.body.known() else { return false };
    let (Some(known_fields), Some(new_fields)) = (fields_of(known), fields_of(new)) else { return false };
    let is_same_kind = new.series.is_some() == known.series.is_some();
    is_same_kind && known_fields.known().is_none() && new_fields.known().is_some()
}

/// Gives an endpoint the evidence of its new path. Its own params and its body keep the old evidence.
fn inherit(entry: &mut Endpoint, evidence: Evidence) {
    let old = std::mem::replace(&mut entry.evidence, evidence);
    for param in known_mut(&mut entry.params).into_iter().flatten() {
        if let ParamEntry::Own(param) = param {
            param.evidence = own_evidence(param.evidence.unwrap_or(old), evidence);
        }
    }
    if let Some(body) = known_mut(&mut entry.body) {
        body.evidence = own_evidence(body.evidence.unwrap_or(old), evidence);
    }
}

/// The evidence that a part declares; `None` if it is the evidence that the part inherits.
fn own_evidence(evidence: Evidence, inherited: Evidence) -> Option<Evidence> {
    if evidence == inherited { None } else { Some(evidence) }
}
