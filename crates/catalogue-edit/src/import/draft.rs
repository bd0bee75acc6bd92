//! Completes the draft of a description, before Rust names are chosen.

use std::collections::{BTreeMap, BTreeSet};

use catalogue::spec::{Body, Fields, Known, Record, Text};

use super::Reader;
use crate::content::slot;
use crate::draft::{Draft, TIMESTAMP, record_in, time_of_record};

impl Reader<'_> {
    /// The draft. If only one body uses a record, the body lists the fields of the record.
    pub(super) fn drafted_content(mut self) -> Draft {
        let inline = self.inline();
        let time = self.known.service.envelope_time().map(|time| time.name.as_str());
        let Draft { content, names, .. } = &mut self.draft;
        let records = &content.service.records;
        for endpoint in content.groups.values_mut().flat_map(|group| &mut group.endpoints) {
            if let Known::Known(body) = &mut endpoint.body {
                complete(body, records, &inline, time);
            }
        }
        // Components are first, so that they get the names that they have in the description.
        let is_inner = |name: &Text| names.get(name.as_str()).is_some_and(|wanted| wanted.owner != wanted.name);
        content.service.types.sort_by_key(|ty| is_inner(&ty.name));
        content.service.records.retain(|record| record_in(&record.name).is_none_or(|index| !inline.contains(&index)));
        content.service.records.sort_by_key(|record| is_inner(&record.name));
        self.draft
    }

    /// The records that only one body uses. The body lists their fields, so they need no name.
    fn inline(&self) -> BTreeSet<usize> {
        let content = &self.draft.content;
        let fields = content.service.records.iter().flat_map(|record| &record.fields);
        let bodies = || content.endpoints().filter_map(|(_, endpoint)| endpoint.body.known());
        let mut uses: BTreeMap<usize, usize> = BTreeMap::new();
        // If the type of a body contains a record, for example as a list item, the body cannot list its fields.
        let types = fields.map(|field| &field.ty).chain(bodies().filter_map(|body| body.ty.as_ref()));
        for index in types.filter_map(|ty| record_in(ty)).chain(bodies().filter_map(record_of)) {
            *uses.entry(index).or_default() += 1;
        }
        bodies().filter_map(record_of).filter(|index| uses.get(index) == Some(&1)).collect()
    }
}

/// Adds the time of a series to a body, and replaces a record that only this body uses by its fields.
fn complete(body: &mut Body, records: &[Record], inline: &BTreeSet<usize>, time: Option<&str>) {
    let Some(index) = record_of(body) else { return };
    let (record, is_inline) = (&records[index], inline.contains(&index));
    if body.series.is_some() {
        body.time = time_of(record, is_inline, time).map(Into::into);
    }
    if is_inline {
        [body.positional, body.columns] = [record.positional, record.columns].map(|key| key.then_some(true.into()));
        if let Some(slot) = body.series.as_mut().or(body.object.as_mut()) {
            *slot = Known::Known(Fields::Inline(record.fields.clone()));
        }
    }
}

/// The record of a body that is a series or an object.
fn record_of(body: &Body) -> Option<usize> {
    match slot(body)? {
        Known::Known(Fields::Record(name)) => record_in(name),
        _ => None,
    }
}

/// The value of the key `time` for a series that does not use the envelope's time field: the name of the time field, or
/// `none` if no field is certain to be the time. Returns `None` if the series needs no key `time`.
fn time_of(record: &Record, is_inline: bool, shared: Option<&str>) -> Option<String> {
    if let Some(field) = record.fields.iter().find(|field| Some(field.name.as_str()) == shared) {
        return (!is_inline && *field.ty != TIMESTAMP).then(|| "none".to_owned());
    }
    let own = time_of_record(&record.fields, None).map(|field| field.name.to_string());
    own.or(shared.map(|_| "none".to_owned()))
}
