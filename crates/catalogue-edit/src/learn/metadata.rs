//! Learns the metadata next to the records of a series, and reports keys that the envelope does not declare.

use catalogue::spec::Metadata;
use serde_yaml::{Mapping, Value};

use super::endpoint_reader::EndpointReader;
use crate::content::FieldListPosition;
use crate::observed_values::Observed;
use crate::saved_response::SavedResponse;

impl EndpointReader<'_> {
    /// Compares the keys next to the records with the envelope, and adds new fields to the metadata.
    pub(super) fn metadata(&mut self, responses: &[SavedResponse]) {
        let Some(envelope) = &self.editor.content.service.envelope else { return };
        let data = envelope.data.clone();
        let known = envelope.metadata.as_ref().map(|metadata| metadata.name.to_string());
        let around = Around { data: &data, metadata: known.as_deref() }.of_all(responses);
        let path = known.clone().or_else(|| new_metadata(&around, responses));
        self.note_unknown_members(&around, &data, path.as_deref());
        let Some(path) = path else { return };
        if let Some(found) = around.fields.get(&path)
            && found.objects < found.values()
        {
            self.editor.note(format!(
                "`{path}` has {}, but the catalogue declares one object, so the client rejects the response; correct \
                 `envelope.metadata` in service.yaml if every response is like this",
                found.describe()
            ));
            return;
        }
        if known.is_none() {
            self.add_metadata(&path);
        }
        self.widen_list(&FieldListPosition::Metadata, None, &objects(responses, &path));
    }

    /// Adds a note for each member next to the records that is neither a status nor the metadata.
    fn note_unknown_members(&mut self, around: &Observed, data: &str, metadata: Option<&str>) {
        for (name, seen) in &around.fields {
            let error_body = &self.editor.content.service.error_body;
            let is_status = error_body.message.contains(name) || error_body.code.contains(name);
            if is_status || metadata == Some(name) {
                continue;
            }
            self.editor.note(format!(
                "`{name}` next to `{data}` ({}) is an unknown field for the client; if it is a status, add it to \
                 `error_body` in service.yaml",
                seen.describe()
            ));
        }
    }

    fn add_metadata(&mut self, path: &str) {
        self.editor.note(format!("`{path}`, next to the records, is now the metadata of every series"));
        if let Some(envelope) = &mut self.editor.content.service.envelope {
            envelope.metadata = Some(Metadata { name: path.into(), ..Metadata::default() });
        }
    }
}

/// The paths in a body whose other members are collected.
#[derive(Clone, Copy)]
pub(super) struct Around<'p> {
    /// The path of the records.
    pub(super) data: &'p str,
    /// The path of the metadata.
    pub(super) metadata: Option<&'p str>,
}

impl Around<'_> {
    /// Collects the values in all bodies except the records, by path.
    pub(super) fn of_all(self, responses: &[SavedResponse]) -> Observed {
        let mut bodies = Vec::new();
        for response in responses {
            if let Some(body) = response.body.as_mapping() {
                let mut others = Mapping::new();
                self.add_members(body, "", &mut others);
                bodies.push(Value::Mapping(others));
            }
        }
        Observed::of(&bodies)
    }

    /// Adds the members of an object except the records. Instead of an object that contains the records or the
    /// metadata, its members are added. `prefix` is the path of the object, with a dot at its end.
    fn add_members(self, object: &Mapping, prefix: &str, others: &mut Mapping) {
        for (key, value) in object {
            let Some(key) = key.as_str() else { continue };
            let path = format!("{prefix}{key}");
            let inner_prefix = format!("{path}.");
            // A key with a dot cannot be a part of a path.
            let is_step = !key.contains('.');
            match value {
                Value::Mapping(inner) if is_step && self.is_within(&inner_prefix) => {
                    self.add_members(inner, &inner_prefix, others);
                }
                _ if is_step && path == self.data => {}
                _ => {
                    others.insert(path.into(), value.clone());
                }
            }
        }
    }

    /// `true` if the records or the metadata are within an object.
    fn is_within(self, prefix: &str) -> bool {
        self.data.starts_with(prefix) || self.metadata.is_some_and(|path| path.starts_with(prefix))
    }
}

/// The path of new metadata: the path of the only object next to the records. Returns `None` if there are several
/// objects or none, if the object is empty, or if a key in its path contains a dot.
fn new_metadata(around: &Observed, responses: &[SavedResponse]) -> Option<String> {
    let mut only = None;
    for (path, seen) in &around.fields {
        if seen.objects == 0 || seen.objects < seen.values() {
            continue;
        }
        if only.is_some() {
            return None;
        }
        only = Some((path, seen));
    }
    let (path, seen) = only?;
    let is_path = responses.iter().any(|response| response.at(path).is_some());
    if seen.fields.is_empty() || !is_path { None } else { Some(path.clone()) }
}

/// Collects the objects at one path of all responses. A response without such an object counts as a response with an
/// empty object, as in the client.
fn objects(responses: &[SavedResponse], path: &str) -> Observed {
    let empty = Value::Mapping(Mapping::new());
    let mut objects = Vec::new();
    for response in responses {
        match response.at(path) {
            Some(object) if object.is_mapping() => objects.push(object),
            _ => objects.push(&empty),
        }
    }
    Observed::of(objects)
}
