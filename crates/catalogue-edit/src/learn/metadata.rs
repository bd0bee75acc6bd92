//! Learns the metadata next to the records of a series, and reports keys that the envelope does not declare.

use catalogue::spec::Metadata;
use serde_yaml::{Mapping, Value};

use super::reader::Reader;
use crate::content::FieldsAt;
use crate::observed_values::Observed;
use crate::saved_response::SavedResponse;

impl Reader<'_> {
    /// Compares the keys next to the records with the envelope, and adds new fields to the metadata.
    pub(super) fn metadata(&mut self, responses: &[SavedResponse]) {
        let Some(envelope) = &self.editor.service.envelope else { return };
        let data = envelope.data.clone();
        let known = envelope.metadata.as_ref().map(|metadata| metadata.name.to_string());
        let around = around(responses, &data, known.as_deref());
        let metadata = known.clone().or_else(|| new_metadata(&around, responses));
        let error_body = &self.editor.service.error_body;
        let named = error_body.message.iter().chain(&error_body.code).chain(&metadata).cloned().collect::<Vec<_>>();
        for (name, seen) in around.fields.iter().filter(|(name, _)| !named.contains(name)) {
            let found = seen.describe();
            self.editor.note(format!(
                "`{name}` next to `{data}` ({found}) is an unknown field for the client; if it is a status, add it to \
                 `error_body` in service.yaml"
            ));
        }
        let Some(metadata) = metadata else { return };
        if let Some(shape) = around.fields.get(&metadata).filter(|shape| shape.objects < shape.values()) {
            let found = shape.describe();
            self.editor.note(format!(
                "`{metadata}` has {found}, but the catalogue declares one object, so the client rejects the response; \
                 correct `envelope.metadata` in service.yaml if every response is like this"
            ));
            return;
        }
        let seen = objects(responses, &metadata);
        if known.is_none() {
            self.editor.note(format!("`{metadata}`, next to the records, is now the metadata of every series"));
            let new = Metadata { name: metadata.as_str().into(), ..Metadata::default() };
            if let Some(envelope) = &mut self.editor.service.envelope {
                envelope.metadata = Some(new);
            }
        }
        self.widen_list(&FieldsAt::Metadata, None, &seen);
    }
}

/// Collects the values in all bodies except the records, by path.
fn around(responses: &[SavedResponse], data: &str, metadata: Option<&str>) -> Observed {
    let bodies = responses.iter().filter_map(|response| response.body.as_mapping());
    let others = bodies.map(|body| {
        let mut others = Mapping::new();
        add_other_keys(body, "", (data, metadata), &mut others);
        Value::Mapping(others)
    });
    Observed::of(&others.collect::<Vec<_>>())
}

/// Collects the entries of an object except the records. If an entry is an object that contains the records or the
/// metadata, the entries of this inner object are collected instead.
fn add_other_keys(object: &Mapping, within: &str, (data, metadata): (&str, Option<&str>), others: &mut Mapping) {
    for (key, value) in object {
        let Some(key) = key.as_str() else { continue };
        let path = format!("{within}{key}");
        let (further, is_step) = (format!("{path}."), !key.contains('.'));
        let is_on_path = is_step && metadata.into_iter().chain([data]).any(|lead| lead.starts_with(&further));
        match value {
            Value::Mapping(inner) if is_on_path => add_other_keys(inner, &further, (data, metadata), others),
            _ if is_step && path == data => {}
            _ => drop(others.insert(path.into(), value.clone())),
        }
    }
}

/// The path of new metadata: the path of the only object next to the records. Returns `None` if there are several
/// objects or none, if the object is empty, or if a key in its path contains a dot.
fn new_metadata(around: &Observed, responses: &[SavedResponse]) -> Option<String> {
    let is_object = |seen: &Observed| seen.objects > 0 && seen.objects == seen.values();
    let mut objects = around.fields.iter().filter(|(_, seen)| is_object(seen));
    let (name, _) = objects.next().filter(|(_, seen)| objects.next().is_none() && !seen.fields.is_empty())?;
    responses.iter().any(|response| response.at(name).is_some()).then(|| name.clone())
}

/// Collects the objects at one path of all responses. A response without such an object counts as a response with an
/// empty object, as in the client.
fn objects(responses: &[SavedResponse], path: &str) -> Observed {
    let none = Value::Mapping(Mapping::new());
    let values = responses.iter().map(|response| response.at(path).filter(|value| value.is_mapping()));
    Observed::of(values.map(|value| value.unwrap_or(&none)))
}
