//! The fields that the service has sent to a client: a field that no longer has values is reported once.
//!
//! A value can be missing in a record without being news. A field is missing if no record of a response has a value for it,
//! although an earlier response of the same endpoint had one.

use std::collections::{BTreeSet, HashMap};
use std::sync::Mutex;

use crate::decode::{FieldValue, RecordList, RecordValue};
use crate::platform::lock;
use crate::registry::{EndpointInfo, RecordInfo};

/// The fields of each endpoint, by its group and name.
#[derive(Default)]
pub(crate) struct SentFields(Mutex<HashMap<(&'static str, &'static str), FieldsOfEndpoint>>);

struct FieldsOfEndpoint {
    /// For each field of the table, whether the service sends it.
    fields: Box<[Sent]>,
    /// The names of the unknown fields in the first response.
    unknown: BTreeSet<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sent {
    Never,
    /// An earlier response had a value.
    Before,
    /// The field is missing, which was reported.
    Missing,
}

/// Fields that the service no longer sends.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct MissingFields {
    pub(super) fields: Vec<&'static str>,
    /// Unknown fields that the first response of the endpoint did not have.
    pub(super) new: Vec<String>,
}

impl SentFields {
    /// Notes the fields of a response, and returns those that are missing for the first time.
    pub(super) fn note(
        &self,
        endpoint: &'static EndpointInfo,
        table: &'static RecordInfo,
        records: &dyn RecordList,
    ) -> MissingFields {
        let mut missing = MissingFields::default();
        let Some(last) = records.count().checked_sub(1) else { return missing };
        let mut endpoints = lock(&self.0);
        let known = endpoints.entry((endpoint.group, endpoint.ident)).or_insert_with(|| FieldsOfEndpoint {
            fields: table.fields.iter().map(|_| Sent::Never).collect(),
            unknown: unknown_names(records),
        });
        for (index, (field, sent)) in table.fields.iter().zip(&mut known.fields).enumerate() {
            // Two records are enough to learn that a field has values, and cost little.
            let is_sent = has_value(records, 0, index) || has_value(records, last, index);
            match sent {
                Sent::Never if is_sent => *sent = Sent::Before,
                Sent::Before if !is_sent && is_missing(records, field.wire_name, index) => {
                    *sent = Sent::Missing;
                    missing.fields.push(field.wire_name);
                }
                _ => {}
            }
        }
        if !missing.fields.is_empty() {
            missing.new = unknown_names(records).difference(&known.unknown).cloned().collect();
        }
        missing
    }
}

/// Returns whether no record has a value for a field. A value of another type is an unknown field of the same name, and
/// is not missing.
fn is_missing(records: &dyn RecordList, wire_name: &str, index: usize) -> bool {
    for record in 0..records.count() {
        if has_value(records, record, index) {
            return false;
        }
    }
    !unknown_names(records).contains(wire_name)
}

fn has_value(records: &dyn RecordList, record: usize, index: usize) -> bool {
    let Some(record) = record_at(records, record) else { return false };
    match record.value_at(index) {
        Some(value) => !value.is_null(),
        None => false,
    }
}

/// The names of the unknown fields of the first record.
fn unknown_names(records: &dyn RecordList) -> BTreeSet<String> {
    let Some(first) = record_at(records, 0) else { return BTreeSet::new() };
    let first = first.unknown_fields();
    // Most records have no unknown fields.
    if first.is_empty() {
        return BTreeSet::new();
    }
    first.iter_raw().map(|(name, _)| name.into_owned()).collect()
}

fn record_at(records: &dyn RecordList, index: usize) -> Option<RecordValue<'_>> {
    match records.get(index) {
        Some(FieldValue::Record(record)) => Some(record),
        _ => None,
    }
}
