//! The content of a description in the format of the catalogue, before Rust names are chosen. Types and records have
//! provisional names with numbers.

use std::collections::{BTreeMap, BTreeSet};

use codegen::spec::{Body, Endpoint, Evidence, Field, Fields, Group, Known, Param, Record, Type};

use crate::content::{Content, slot};
use crate::draft_types::{TIMESTAMP, is_time_of_record, record_in};
use crate::merge::{self, Source, WantedName};

/// The content to merge into the catalogue.
#[derive(Debug, Default)]
pub(super) struct Drafted {
    pub(super) types: Vec<(Type, WantedName)>,
    pub(super) records: Vec<DraftedRecord>,
    /// Params that operations refer to.
    pub(super) shared: Vec<Param>,
    /// The endpoints, each with the module of its group. The bodies of the endpoints refer to records by number.
    pub(super) endpoints: Vec<(String, Endpoint)>,
    /// The groups by module, without endpoints.
    pub(super) groups: BTreeMap<String, Group>,
    /// The records that describe the metadata of the envelope.
    pub(super) metadata: BTreeSet<usize>,
}

#[derive(Debug)]
pub(super) struct DraftedRecord {
    pub(super) record: Record,
    pub(super) wanted: WantedName,
    /// The number of references from fields and from types of bodies.
    pub(super) uses: usize,
}

/// Returns the wanted name of a type or record.
pub(super) fn wanted(name: &str, owner: String) -> WantedName {
    WantedName { name: name.to_owned(), owner, ..WantedName::default() }
}

impl Drafted {
    /// Converts the content to a draft. If only one body uses a record, the body lists the fields of the record.
    /// `time` is the time field of the envelope, and `evidence` is the evidence of metadata, if it differs from that of
    /// the envelope.
    pub(super) fn converted(mut self, time: Option<&str>, evidence: Option<Evidence>) -> merge::Draft {
        let inline = self.inline();
        let mut draft = merge::Draft::new(Content::default(), Source::Description);
        let mut metadata: Vec<Field> = Vec::new();
        for field in self.metadata.iter().flat_map(|index| &self.records[*index].record.fields) {
            if metadata.iter().all(|known| known.name != field.name) {
                metadata.push(Field { evidence, ..field.clone() });
            }
        }
        draft.metadata = metadata;
        draft.content.groups = std::mem::take(&mut self.groups);
        for (module, mut endpoint) in std::mem::take(&mut self.endpoints) {
            if let Known::Known(body) = &mut endpoint.body {
                self.complete(body, &inline, time);
            }
            draft.content.groups.entry(module).or_default().endpoints.push(endpoint);
        }
        draft.content.service.params = self.shared;
        // Components are first, so that they get the names that they have in the description.
        self.types.sort_by_key(|(_, wanted)| wanted.owner != wanted.name);
        for (ty, wanted) in self.types {
            draft.names.insert(ty.name.to_string(), wanted);
            draft.content.service.types.push(ty);
        }
        let records = self.records.into_iter().enumerate().filter(|(index, _)| !inline.contains(index));
        let mut records: Vec<DraftedRecord> = records.map(|(_, record)| record).collect();
        records.sort_by_key(|DraftedRecord { wanted, .. }| wanted.owner != wanted.name);
        for DraftedRecord { record, wanted, .. } in records {
            draft.names.insert(record.name.to_string(), wanted);
            draft.content.service.records.push(record);
        }
        draft
    }

    /// Returns the records that only one body uses. The body lists their fields, so they need no name.
    fn inline(&self) -> BTreeSet<usize> {
        let mut uses: BTreeMap<usize, usize> = BTreeMap::new();
        let bodies = self.endpoints.iter().filter_map(|(_, endpoint)| endpoint.body.known());
        for record in bodies.filter_map(|body| record_of(body).or_else(|| record_in(body.ty.as_ref()?))) {
            *uses.entry(record).or_default() += 1;
        }
        let single_use = uses.into_iter().filter(|(record, bodies)| bodies + self.records[*record].uses == 1);
        single_use.map(|(record, _)| record).collect()
    }

    /// Adds the time of a series to a body, and replaces a record that only this body uses by its fields.
    fn complete(&self, body: &mut Body, inline: &BTreeSet<usize>, time: Option<&str>) {
        let Some(index) = record_of(body) else { return };
        let (record, is_inline) = (&self.records[index].record, inline.contains(&index));
        if body.series.is_some() {
            body.time = time_of(record, is_inline, time).map(Into::into);
        }
        if is_inline {
            body.positional = record.positional.then_some(true.into());
            if let Some(slot) = body.series.as_mut().or(body.object.as_mut()) {
                *slot = Known::Known(Fields::Inline(record.fields.clone()));
            }
        }
    }
}

/// Returns the record of a body that is a series or an object.
fn record_of(body: &Body) -> Option<usize> {
    match slot(body)? {
        Known::Known(Fields::Record(name)) => record_in(name),
        _ => None,
    }
}

/// Returns the value of the key `time` for a series that does not use the envelope's time field: the name of the time
/// field, or `none` if no field is certain to be the time. Returns `None` if the series needs no key `time`.
fn time_of(record: &Record, is_inline: bool, shared: Option<&str>) -> Option<String> {
    let is_timestamp = |field: &&Field| *field.ty == TIMESTAMP;
    if let Some(field) = record.fields.iter().find(|field| Some(field.name.as_str()) == shared) {
        return (!is_inline && !is_timestamp(&field)).then(|| "none".to_owned());
    }
    let timestamps: Vec<&Field> = record.fields.iter().filter(is_timestamp).collect();
    match timestamps.as_slice() {
        [one] if is_time_of_record(one) => Some(one.name.to_string()),
        _ => shared.map(|_| "none".to_owned()),
    }
}
