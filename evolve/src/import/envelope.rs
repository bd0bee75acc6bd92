//! Recognizes the envelope of a service that has no catalogue yet: the shape that most responses share.

use std::collections::BTreeMap;

use codegen::model::TimeFormat;
use codegen::spec::{Envelope, Field, Metadata};
use heck::ToSnakeCase;
use serde_yaml::Value;

use super::Reader;
use super::bodies::{json_of, success_response};
use super::document::text;
use super::schemas::type_of;
use crate::draft::{TIMESTAMP, is_time_of_record};

impl<'d> Reader<'d> {
    /// Returns the envelope of most responses; `None` if most responses have no list of records, or differ.
    pub(super) fn envelope(&mut self) -> Option<Envelope> {
        let bodies = self.object_bodies();
        let (mut paths, mut metadata, mut times) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for schema in &bodies {
            let Some((path, list)) = self.list_in(schema, 0) else { continue };
            *paths.entry(path.clone()).or_insert(0) += 1;
            let members = self.members(schema);
            let others = members.iter().filter(|(name, ..)| path.split('.').next() != Some(name));
            for (name, value, _) in others {
                *metadata.entry((*name).to_owned()).or_insert(0) += usize::from(!self.members(value).is_empty());
            }
            for (name, value, _) in list.get("items").map(|item| self.members(item)).unwrap_or_default() {
                times.entry(name.to_owned()).or_insert((0, value)).0 += usize::from(is_time(name, value));
            }
        }
        let most = |(_, count): &(&String, &usize)| **count > 1 && **count * 2 > bodies.len();
        let (data, count) = paths.iter().filter(most).max_by_key(|(_, count)| **count)?;
        let name = metadata.iter().filter(|(_, times)| **times * 2 > *count).map(|(name, _)| name).next();
        let time = times.iter().filter(|(_, (times, _))| *times > 0).max_by_key(|(_, (times, _))| *times);
        let time = time.map(|(name, (_, schema))| {
            let written = (text(schema, "format") == Some("date-time")).then_some(TimeFormat::Iso8601);
            let (name, ty, format) = (name.as_str().into(), TIMESTAMP.into(), written.map(Into::into));
            Field { name, ty, format, ..Field::default() }
        });
        let metadata = name.map(|name| Metadata { name: name.as_str().into(), ..Metadata::default() });
        Some(Envelope { data: data.clone(), time, metadata, evidence: self.options.evidence })
    }

    /// Returns the schemas of the successful responses that are objects.
    fn object_bodies(&self) -> Vec<&'d Value> {
        let all = self.document.gets().filter_map(|(_, operation)| {
            let (_, response) = success_response(operation.get("responses")?)?;
            let (response, _) = self.document.follow(response)?;
            json_of(response)?.1.get("schema")
        });
        all.filter(|schema| !self.members(schema).is_empty()).collect()
    }

    fn members(&self, schema: &'d Value) -> Vec<(&'d str, &'d Value, String)> {
        self.document.properties(schema, "").listed
    }

    /// Returns the path of the only list in an object or in one of its members, and the schema of the list.
    fn list_in(&self, schema: &'d Value, depth: usize) -> Option<(String, &'d Value)> {
        let mut found = self.members(schema).into_iter().filter_map(|(name, value, _)| {
            let (target, _) = self.document.follow(value)?;
            if type_of(target) == "array" {
                return Some((name.to_owned(), target));
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

/// Returns `true` if a field is presumably the time of its record.
fn is_time(name: &str, schema: &Value) -> bool {
    let is_written = type_of(schema) == "string" && text(schema, "format") == Some("date-time");
    let field = Field { name: name.to_snake_case().into(), ..Field::default() };
    (type_of(schema) == "integer" || is_written) && is_time_of_record(&field)
}
