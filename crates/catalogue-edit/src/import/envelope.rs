//! Recognizes the envelope of a service that has no catalogue yet: the shape that most responses share.

use std::collections::BTreeMap;

use catalogue::model::TimeFormat;
use catalogue::spec::{Envelope, Field, Metadata};
use heck::ToSnakeCase;
use serde_yaml::Value;

use super::Reader;
use super::bodies::{json_of, success_response};
use super::composed_schemas::Property;
use super::document::text;
use super::schemas::type_of;
use crate::draft::{TIMESTAMP, is_time_of_record};

impl<'d> Reader<'d> {
    /// The envelope of most responses; `None` if most responses have no list of records, or differ.
    pub(super) fn envelope(&mut self) -> Option<Envelope> {
        let bodies = self.object_bodies();
        let (mut paths, mut metadata, mut times) = (Vec::new(), Vec::new(), Vec::new());
        for schema in &bodies {
            let Some((path, list)) = self.list_in(schema, 0) else { continue };
            let others =
                self.members(schema).into_iter().filter(|(name, ..)| path.split('.').next() != Some(name.as_str()));
            metadata.extend(others.filter(|(_, value, ..)| !self.members(value).is_empty()).map(|(name, ..)| name));
            let fields = list.get("items").map(|item| self.members(item)).unwrap_or_default().into_iter();
            let fields = fields.filter(|(name, value, ..)| is_time(name, value));
            times.extend(fields.map(|(name, value, ..)| (name, text(value, "format") == Some("date-time"))));
            paths.push(path);
        }
        let (data, count) = most_frequent(paths).filter(|(_, count)| *count > 1 && *count * 2 > bodies.len())?;
        let metadata = most_frequent(metadata).filter(|(_, times)| *times * 2 > count);
        let metadata = metadata.map(|(name, _)| Metadata { name: name.as_str().into(), ..Metadata::default() });
        let time = most_frequent(times).map(|((name, is_written), _)| {
            let format = is_written.then_some(TimeFormat::Iso8601.into());
            Field { name: name.as_str().into(), ty: TIMESTAMP.into(), format, ..Field::default() }
        });
        Some(Envelope { data, optional: false, time, metadata, evidence: self.options.evidence })
    }

    /// The schemas of the successful responses that are objects.
    fn object_bodies(&self) -> Vec<&'d Value> {
        let all = self.document.gets().filter_map(|(_, operation)| {
            let (_, response) = success_response(operation.get("responses")?)?;
            let (response, _) = self.document.follow(response)?;
            let (content, _) = self.document.follow(json_of(response)?.1)?;
            content.get("schema")
        });
        all.filter(|schema| !self.members(schema).is_empty()).collect()
    }

    fn members(&self, schema: &'d Value) -> Vec<Property<'d>> {
        self.document.properties(schema, "")
    }

    /// The path of the only list in an object or in one of its members, and the schema of the list.
    fn list_in(&self, schema: &'d Value, depth: usize) -> Option<(String, &'d Value)> {
        let mut found = self.members(schema).into_iter().filter_map(|(name, value, ..)| {
            let (target, _) = self.document.follow(value)?;
            if type_of(target) == "array" {
                return Some((name, target));
            }
            let (path, list) = (depth == 0).then(|| self.list_in(target, 1))??;
            Some((format!("{name}.{path}"), list))
        });
        let first = found.next()?;
        // A list directly in the object precedes the lists in its metadata.
        let is_only = found.all(|(path, _)| path.contains('.') && !first.0.contains('.'));
        is_only.then_some(first)
    }
}

/// The most frequent value, and how often it occurs.
fn most_frequent<T: Ord>(values: Vec<T>) -> Option<(T, usize)> {
    let mut counts = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_insert(0) += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count)
}

/// `true` if a field is presumably the time of its record.
fn is_time(name: &str, schema: &Value) -> bool {
    let is_written = type_of(schema) == "string" && text(schema, "format") == Some("date-time");
    let field = Field { name: name.to_snake_case().into(), ..Field::default() };
    (type_of(schema) == "integer" || is_written) && is_time_of_record(&field)
}
