//! Merges a draft into a catalogue: new endpoints are added, and unknown parts of known endpoints are filled in. Known
//! facts are preserved, and each contradiction to a known fact is noted.

mod contradictions;
mod draft_names;
mod params;
mod setters;

use std::collections::{BTreeMap, HashMap, HashSet};

use catalogue::names::{self, Case};
use catalogue::spec::{Body, Endpoint, Evidence, Field, Fields, Known, ParamEntry, Record};
use catalogue::url_path::template;

use crate::content::{At, Content, FieldsAt, ident_of, inline_mut, known_mut, slot};
use crate::draft::{Draft, Source};
use crate::editor::Editor;
use crate::rust_names::NamesInUse;
pub(crate) use draft_names::ClientNames;
use setters::Setters;

/// Merges a draft into a catalogue.
pub(crate) fn merge(editor: &mut Editor, draft: &Draft) {
    let known = &Content::clone(editor);
    let mut drafted = HashMap::new();
    for record in &draft.content.service.records {
        drafted.insert(record.name.as_str(), record);
    }
    let mut merger = Merger {
        editor,
        draft,
        drafted,
        known,
        client: ClientNames::of(known),
        setters: Setters::of(known),
        types: HashMap::default(),
        params: HashMap::default(),
        compared: HashSet::new(),
        new_records: Vec::new(),
    };
    let gaps = merger.gaps();
    let idents: Vec<_> = gaps.iter().map(|gap| merger.rust_name(gap)).collect();
    merger.name_types_and_records(&gaps);
    merger.write_shared_params(&gaps);
    merger.write_records();
    merger.write_metadata();
    merger.write_lists();
    let mut added: BTreeMap<&str, Vec<Endpoint>> = BTreeMap::new();
    for (gap, ident) in gaps.iter().zip(idents) {
        if let Some(known) = &gap.known {
            let entry = merger.editor.endpoint(known).clone();
            let has_new_path = entry.path.known().is_none() && gap.new.path.known().is_some();
            let entry = if has_new_path { merger.with_path(entry, gap) } else { entry };
            *merger.editor.endpoint_mut(known) = merger.completed(entry, gap);
            merger.note_contradictions(known, gap);
        } else {
            let (rust_name, params, body) = (ident.map(Into::into), Known::Unknown, Known::Unknown);
            let entry = merger.completed(Endpoint { rust_name, params, body, ..gap.new.clone() }, gap);
            added.entry(&gap.module).or_default().push(entry);
        }
    }
    merger.write_groups(added);
}

/// A drafted endpoint, and the position of the same endpoint in the catalogue. `params` is `true` if the draft contains
/// the params and the catalogue does not; the same applies to `body`.
#[derive(Debug)]
struct Gap<'a> {
    module: String,
    new: &'a Endpoint,
    known: Option<At>,
    params: bool,
    /// `true` if the draft has further params of an endpoint whose params are known.
    further_params: bool,
    body: bool,
}

impl Gap<'_> {
    /// The module to which the records of the endpoint are written.
    fn file(&self) -> &str {
        self.known.as_ref().map_or(&self.module, |known| &known.module)
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
    compared: HashSet<(At, String)>,
    /// The drafted records that are new.
    new_records: Vec<NewRecord<'a>>,
}

/// A drafted record that is new.
struct NewRecord<'a> {
    /// Its place in the catalogue.
    at: At,
    drafted: &'a Record,
}

impl<'a> Merger<'a> {
    /// Every endpoint of the draft, and for each the known endpoint with the same path, if there is one. A known
    /// endpoint without a path is found by its name.
    fn gaps(&self) -> Vec<Gap<'a>> {
        let (mut by_path, mut by_name) = (HashMap::new(), HashMap::new());
        for (at, endpoint) in self.known.endpoints() {
            match endpoint.path.known() {
                Some(path) => drop(by_path.insert(template(path), at)),
                None => drop(by_name.insert((at.module.clone(), ident_of(endpoint)), at)),
            }
        }
        let draft = self.draft;
        let gap = |(at, new): (At, &'a Endpoint)| {
            let known = new.path.known().and_then(|path| by_path.get(&template(path)).cloned());
            // The entry is removed, so that only one endpoint of the draft completes the known endpoint.
            let known = known.or_else(|| by_name.remove(&(at.module.clone(), ident_of(new))));
            let here = known.as_ref().map(|known| self.known.endpoint(known));
            // A description without params does not prove that there are none, so unknown params stay unknown.
            let lists = draft.source != Source::Description || new.params.known().is_some_and(|list| !list.is_empty());
            let params = here.is_none_or(|here| lists && here.params.known().is_none());
            let body = here.is_none_or(|here| is_body_open(here, new));
            let (params, body) = (params && new.params.known().is_some(), body && new.body.known().is_some());
            let has_params = new.params.known().is_some_and(|list| !list.is_empty());
            let further_params = draft.source == Source::Responses && has_params && !params;
            Gap { module: at.module, new, known, params, further_params, body }
        };
        draft.content.endpoints().map(gap).collect()
    }

    /// The `rust_name` of an endpoint; `None` if the endpoint is known or needs no `rust_name`.
    fn rust_name(&mut self, gap: &Gap<'_>) -> Option<String> {
        let chosen = gap.new.rust_name.as_deref();
        match (&gap.known, self.draft.source) {
            (Some(_), _) => None,
            (None, Source::Person | Source::Responses) => chosen.cloned(),
            (None, Source::Description) => {
                let ident = self.client.claim_method(&gap.module, &gap.new.name, chosen.map(String::as_str));
                (names::ident(&gap.new.name, Case::Snake).as_ref() != Ok(&ident)).then_some(ident)
            }
        }
    }

    /// A known endpoint with a new path.
    fn with_path(&mut self, mut entry: Endpoint, gap: &Gap<'_>) -> Endpoint {
        let added = if gap.params { Vec::new() } else { self.new_params_in_path(&entry, gap.new) };
        entry.path = gap.new.path.clone();
        inherit(&mut entry, gap.new.evidence);
        self.editor.note(format!("the path of `{}` was unknown and is now set", entry.name));
        if let Some(params) = known_mut(&mut entry.params) {
            params.extend(added);
        }
        entry
    }

    /// An endpoint with its unknown parts filled in, with names that are valid in the catalogue.
    fn completed(&mut self, mut entry: Endpoint, gap: &Gap<'_>) -> Endpoint {
        if entry.summary.is_empty() {
            entry.summary.clone_from(&gap.new.summary);
        }
        if gap.params {
            entry.params = Known::Known(self.params(gap.new, entry.evidence));
        }
        if gap.further_params {
            let further = self.params(gap.new, entry.evidence);
            if let Some(params) = known_mut(&mut entry.params) {
                params.extend(further.clone());
            }
        }
        if gap.body {
            let body = self.body(gap.new, entry.body.known(), entry.evidence);
            entry.body = body.map_or(Known::Unknown, Known::Known);
        }
        entry
    }

    fn write_groups(&mut self, mut added: BTreeMap<&str, Vec<Endpoint>>) {
        for (module, drafted) in &self.draft.content.groups {
            let endpoints = added.remove(module.as_str()).unwrap_or_default();
            if self.known.groups.contains_key(module) {
                self.editor.groups.entry(module.clone()).or_default().endpoints.extend(endpoints);
            } else if !endpoints.is_empty() || drafted.endpoints.is_empty() {
                // Adds a new group, unless all of its endpoints are already in other groups. `write_records` may already
                // have added the records of the group.
                let mut group = drafted.clone();
                (group.records, group.endpoints) = (self.editor.records(module).to_vec(), endpoints);
                self.editor.groups.insert(module.clone(), group);
            }
        }
    }
}

/// `true` if the body of an endpoint is unknown, or if only its kind is known and the draft contains its fields.
fn is_body_open(here: &Endpoint, new: &Endpoint) -> bool {
    let Some(known) = here.body.known() else { return true };
    let is_same_kind = new.body.known().is_some_and(|new| new.series.is_some() == known.series.is_some());
    let has_fields = new.body.known().and_then(slot).is_some_and(|fields| fields.known().is_some());
    slot(known).is_some_and(|fields| fields.known().is_none()) && is_same_kind && has_fields
}

/// Gives an endpoint the evidence of its new path. Its own params and its body keep the old evidence.
fn inherit(entry: &mut Endpoint, evidence: Evidence) {
    let old = std::mem::replace(&mut entry.evidence, evidence);
    let kept = |own: &mut Option<Evidence>| *own = Some(own.unwrap_or(old)).filter(|own| *own != evidence);
    for param in known_mut(&mut entry.params).into_iter().flatten() {
        if let ParamEntry::Own(param) = param {
            kept(&mut param.evidence);
        }
    }
    if let Some(body) = known_mut(&mut entry.body) {
        kept(&mut body.evidence);
    }
}

impl Merger<'_> {
    /// The drafted body of an endpoint with the names of the catalogue; `None` if it is unknown. `inherited` is the
    /// evidence of the endpoint.
    pub(super) fn body(&self, new: &Endpoint, known: Option<&Body>, inherited: Evidence) -> Option<Body> {
        let mut body = new.body.known()?.clone();
        // `time: none` declares that the series has no time, so it is kept.
        if let Some(time) = known.and_then(|known| known.time.as_ref()).filter(|time| time.as_str() == "none") {
            body.time = Some(time.clone());
        }
        let mut idents = self.omit_time(&mut body);
        body.ty = body.ty.map(|ty| self.ty(&ty).into());
        match body.series.as_mut().or(body.object.as_mut()) {
            Some(Known::Known(Fields::Inline(fields))) => *fields = self.fields(fields, &mut idents),
            Some(Known::Known(Fields::Record(name))) => **name = self.ty(name),
            Some(Known::Unknown) | None => {}
        }
        body.evidence = Some(body.evidence.unwrap_or(new.evidence)).filter(|evidence| *evidence != inherited);
        Some(body)
    }

    /// Removes the envelope's time field from the listed fields of a body, and moves its format to the body. A series
    /// with another time field, or with positional records, is not changed. The returned set contains the Rust name of
    /// the time field, because the emitted record still has the field.
    fn omit_time(&self, body: &mut Body) -> NamesInUse {
        let mut idents = NamesInUse::default();
        let Some(time) = self.editor.service.envelope_time() else { return idents };
        let Some(ident) = names::chosen(time.rust_name.as_deref(), &time.name, Case::Snake) else { return idents };
        if body.series.is_none() || body.time.is_some() || body.positional.is_some() {
            return idents;
        }
        idents.note(ident);
        let Some(fields) = inline_mut(body) else { return idents };
        if let Some(index) = fields.iter().position(|field| field.name == time.name) {
            body.format = fields.remove(index).format;
        }
        idents
    }

    /// The fields of the metadata in the draft, if the catalogue has metadata without fields.
    pub(super) fn new_metadata(&self) -> &[Field] {
        let is_open = self.known.metadata().is_some_and(|known| known.fields.is_empty());
        if is_open { &self.draft.metadata } else { &[] }
    }

    /// Writes the fields of the metadata if the catalogue has none, or notes differences.
    pub(super) fn write_metadata(&mut self) {
        self.note_metadata();
        let new = self.fields(self.new_metadata(), &mut NamesInUse::default());
        if let Some(fields) = self.editor.fields_mut(&FieldsAt::Metadata) {
            fields.extend(new);
        }
    }

    /// Replaces known lists of fields with the widened lists.
    pub(super) fn write_lists(&mut self) {
        for (at, drafted) in &self.draft.lists {
            let mut idents = NamesInUse::default();
            let owner = match at {
                FieldsAt::Body(at) => {
                    let body = self.editor.endpoint(at).body.known().cloned();
                    idents = self.omit_time(&mut body.unwrap_or_default());
                    None
                }
                FieldsAt::Record(at) => Some(&self.editor.records(&at.module)[at.index].name),
                FieldsAt::Metadata => self.editor.metadata().map(|metadata| &metadata.name),
            };
            let owner = owner.map(|name| format!("{name}.")).unwrap_or_default();
            let fields = self.fields(drafted, &mut idents);
            let Some(list) = self.editor.fields_mut(at) else { continue };
            let old = std::mem::replace(list, fields.clone());
            for field in fields.iter().filter(|field| old.iter().all(|known| known.name != field.name)) {
                self.editor.note(format!("`{owner}{}` is new ({})", field.name, field.ty));
            }
        }
    }
}
