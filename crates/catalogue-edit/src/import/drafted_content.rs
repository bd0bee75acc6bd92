//! Completes the draft of a description, before Rust names are chosen.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use catalogue::spec::{Body, Fields, Known, Record};

use super::description_reader::DescriptionReader;
use crate::content::{Content, fields_of};
use crate::draft::{Draft, WantedName};
use crate::drafted_type::{TIMESTAMP, record_index};
use crate::record_time::time_of_record;

impl DescriptionReader<'_> {
    /// The draft. If only one body uses a record, the body lists the fields of the record.
    pub(super) fn drafted_content(mut self) -> Draft {
        let inline = inline_records(&self.draft.content);
        let envelope_time = self.catalogue.service.envelope_time().map(|time| time.name.as_str());
        let Draft { content, names, .. } = &mut self.draft;
        let Content { service, groups } = content;
        for group in groups.values_mut() {
            for endpoint in &mut group.endpoints {
                if let Known::Known(body) = &mut endpoint.body {
                    complete(body, &service.records, &inline, envelope_time);
                }
            }
        }
        service.records.retain(|record| record_index(&record.name).is_none_or(|index| !inline.contains(&index)));
        // Components are first, so that they get the names that they have in the description.
        service.types.sort_by_key(|ty| !is_component(names, &ty.name));
        service.records.sort_by_key(|record| !is_component(names, &record.name));
        self.draft
    }
}

/// `true` if a drafted type or record is not inside of another part of the description.
fn is_component(names: &HashMap<String, WantedName>, provisional: &str) -> bool {
    names.get(provisional).is_none_or(|wanted| wanted.owner == wanted.name)
}

/// The records that only one body uses. The body lists their fields, so they need no name.
fn inline_records(content: &Content) -> BTreeSet<usize> {
    let mut uses: BTreeMap<usize, usize> = BTreeMap::new();
    for record in &content.service.records {
        for field in &record.fields {
            add_use(&mut uses, record_index(&field.ty));
        }
    }
    let mut of_bodies = BTreeSet::new();
    for (_, endpoint) in content.endpoints() {
        let Known::Known(body) = &endpoint.body else { continue };
        // If the type of a body contains a record, for example as a list item, the body cannot list its fields.
        if let Some(ty) = &body.ty {
            add_use(&mut uses, record_index(ty));
        }
        add_use(&mut uses, record_of(body));
        of_bodies.extend(record_of(body));
    }
    of_bodies.retain(|index| uses.get(index) == Some(&1));
    of_bodies
}

fn add_use(uses: &mut BTreeMap<usize, usize>, record: Option<usize>) {
    if let Some(index) = record {
        *uses.entry(index).or_default() += 1;
    }
}

/// Adds the time of a series to a body, and replaces a record that only this body uses by its fields.
fn complete(body: &mut Body, records: &[Record], inline: &BTreeSet<usize>, envelope_time: Option<&str>) {
    let Some(index) = record_of(body) else { return };
    let record = &records[index];
    let is_inline = inline.contains(&index);
    if body.series.is_some() {
        body.time = time_of_series(record, is_inline, envelope_time).map(Into::into);
    }
    if !is_inline {
        return;
    }
    body.others.clone_from(&record.others);
    body.positional = record.positional.then_some(true.into());
    body.columns = record.columns.then_some(true.into());
    if let Some(fields) = body.series.as_mut().or(body.object.as_mut()) {
        *fields = Known::Known(Fields::Inline(record.fields.clone()));
    }
}

/// The record of a body that is a series or an object.
fn record_of(body: &Body) -> Option<usize> {
    match fields_of(body)? {
        Known::Known(Fields::Record(name)) => record_index(name),
        _ => None,
    }
}

/// The value of the key `time` for a series that does not use the envelope's time field: the name of the time field, or
/// `none` if no field is certain to be the time. `None` if the series needs no key `time`.
fn time_of_series(record: &Record, is_inline: bool, envelope_time: Option<&str>) -> Option<String> {
    if let Some(field) = record.fields.iter().find(|field| Some(field.name.as_str()) == envelope_time) {
        let is_time = is_inline || *field.ty == TIMESTAMP;
        return if is_time { None } else { Some("none".to_owned()) };
    }
    if let Some(time) = time_of_record(&record.fields, None) {
        return Some(time.name.to_string());
    }
    if envelope_time.is_some() { Some("none".to_owned()) } else { None }
}
