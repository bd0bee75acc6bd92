//! Recognizes the envelope of a service that has no catalogue yet: the shape that most responses share.

use std::collections::BTreeMap;

use catalogue::model::TimeFormat;
use catalogue::spec::{Envelope, Field, Metadata};
use heck::ToSnakeCase;
use serde_yaml::Value;

use super::description_reader::DescriptionReader;
use super::document::Document;
use super::schema_facts::type_of;
use super::schema_layers::Property;
use super::tree::text;
use crate::drafted_type::TIMESTAMP;
use crate::record_time::is_time_of_record;

/// A list of records in a body.
#[derive(Debug)]
struct RecordList<'d> {
    /// The JSON path of the list.
    path: String,
    schema: &'d Value,
}

/// A field that is presumably the time of its record.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TimeField {
    name: String,
    /// `true` if times are texts.
    is_written: bool,
}

/// The parts of an envelope in all bodies, each as often as it occurs.
#[derive(Debug, Default)]
struct EnvelopeParts {
    list_paths: Vec<String>,
    /// The names of objects next to the lists.
    metadata: Vec<String>,
    times: Vec<TimeField>,
}

/// A value, and how often it occurs.
struct Counted<T> {
    value: T,
    count: usize,
}

impl DescriptionReader<'_> {
    /// The envelope of most responses; `None` if most responses have no list of records, or differ.
    pub(super) fn envelope(&self) -> Option<Envelope> {
        let bodies = self.document.object_bodies();
        let mut parts = EnvelopeParts::default();
        for body in &bodies {
            parts.add(self.document, body);
        }
        let list = most_frequent(parts.list_paths)?;
        if list.count < 2 || list.count * 2 <= bodies.len() {
            return None;
        }
        let mut envelope = Envelope { data: list.value, evidence: self.options.evidence, ..Envelope::default() };
        if let Some(metadata) = most_frequent(parts.metadata)
            && metadata.count * 2 > list.count
        {
            envelope.metadata = Some(Metadata { name: metadata.value.into(), ..Metadata::default() });
        }
        if let Some(time) = most_frequent(parts.times) {
            let TimeField { name, is_written } = time.value;
            let format = is_written.then_some(TimeFormat::Iso8601.into());
            envelope.time = Some(Field { name: name.into(), ty: TIMESTAMP.into(), format, ..Field::default() });
        }
        Some(envelope)
    }
}

impl EnvelopeParts {
    /// Adds the parts of a body, if it has a list of records.
    fn add(&mut self, document: &Document, body: &Value) {
        let Some(list) = document.only_list(body, true) else { return };
        let list_key = list.path.split('.').next();
        for member in document.properties(body, "") {
            let is_object = !document.properties(member.schema, "").is_empty();
            if is_object && list_key != Some(member.name.as_str()) {
                self.metadata.push(member.name);
            }
        }
        if let Some(items) = list.schema.get("items") {
            for field in document.properties(items, "") {
                self.times.extend(time_field(field));
            }
        }
        self.list_paths.push(list.path);
    }
}

impl Document {
    /// The schemas of the successful responses that are objects.
    fn object_bodies(&self) -> Vec<&Value> {
        let mut bodies = Vec::new();
        for get in self.gets() {
            if let Some(schema) = self.success_schema(get.operation)
                && !self.properties(schema, "").is_empty()
            {
                bodies.push(schema);
            }
        }
        bodies
    }

    /// The only list in an object; `with_inner` adds the lists in its members. A list directly in the object precedes
    /// those in its members.
    fn only_list<'d>(&'d self, schema: &'d Value, with_inner: bool) -> Option<RecordList<'d>> {
        let mut lists = Vec::new();
        for member in self.properties(schema, "") {
            let Some(resolved) = self.follow(member.schema) else { continue };
            if type_of(resolved.value) == "array" {
                lists.push(RecordList { path: member.name, schema: resolved.value });
            } else if with_inner && let Some(inner) = self.only_list(resolved.value, false) {
                let path = format!("{}.{}", member.name, inner.path);
                lists.push(RecordList { path, schema: inner.schema });
            }
        }
        let mut lists = lists.into_iter();
        let first = lists.next()?;
        let is_direct = !first.path.contains('.');
        for other in lists {
            if !is_direct || !other.path.contains('.') {
                return None;
            }
        }
        Some(first)
    }
}

/// The most frequent value; if several are equally frequent, the last in their order.
fn most_frequent<T: Ord>(values: Vec<T>) -> Option<Counted<T>> {
    let mut counts = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_insert(0) += 1;
    }
    let mut best: Option<Counted<T>> = None;
    for (value, count) in counts {
        if best.as_ref().is_none_or(|best| count >= best.count) {
            best = Some(Counted { value, count });
        }
    }
    best
}

/// A field as the time of its record, if it presumably is.
fn time_field(field: Property<'_>) -> Option<TimeField> {
    let ty = type_of(field.schema);
    let is_date_time = text(field.schema, "format") == Some("date-time");
    let can_be_time = ty == "integer" || ty == "string" && is_date_time;
    let named = Field { name: field.name.to_snake_case().into(), ..Field::default() };
    if !can_be_time || !is_time_of_record(&named) {
        return None;
    }
    Some(TimeField { name: field.name, is_written: is_date_time })
}
