//! The objects around the records of every series, from our own descriptions or from bodies.

use codegen::is_line;
use codegen::spec::FIELD;
use serde_yaml::Value;

use super::Reader;
use super::document::{entries, is_evidence, is_place, text};
use super::numbered_types::{TIMESTAMP, innermost, item, record_in};
use super::service::or_unknown;
use crate::change::Editor;
use crate::keys::SERVICE;
use crate::place::Place;
use crate::tree::Tree;

impl<'d> Reader<'d> {
    /// The metadata that our own descriptions list, whether a body has it or not.
    pub(super) fn listed_metadata(&mut self) {
        let told = self.document.root().get("x-envelope").and_then(|envelope| text(envelope, "metadata"));
        let here = self.envelope.as_ref().and_then(|envelope| envelope.metadata.as_deref());
        let name = told.filter(|_| told == here);
        let schemas = self.document.root().get("components").and_then(|components| components.get("schemas"));
        if let (Some(_), Some(schema)) = (name, schemas.and_then(|schemas| schemas.get("Metadata"))) {
            let metadata = self.object(schema, "Metadata", "#/components/schemas/Metadata");
            self.draft.metadata.extend(metadata);
            let said = self.document.root().get("x-envelope").and_then(|envelope| text(envelope, "unsupported"));
            self.draft.unsupported = said.map(str::to_owned);
        }
    }

    /// The metadata beside the records of a body.
    pub(super) fn metadata(&mut self, schema: &'d Value, place: &str) {
        let ty = self.value(schema, "Metadata", place).ty;
        if let Some(record) = record_in(&ty).filter(|_| innermost(&ty) == ty)
            && !self.draft.metadata.contains(&record)
        {
            self.draft.metadata.push(record);
        }
    }

    pub(super) fn envelope(&mut self, evidence: &str) -> Option<Tree> {
        let root = self.document.root();
        let envelope = root.get("x-envelope")?;
        let evidence = text(envelope, "evidence").filter(|said| is_evidence(said)).unwrap_or(evidence).to_owned();
        let name = |key: &str| text(envelope, key).filter(|name| is_line(name));
        let place = |key: &str| name(key).filter(|place| is_place(place));
        let data = place("data")?;
        let summary = text(envelope, "time_summary").unwrap_or_default();
        let time = name("time").map(|name| self.envelope_time(name, summary, &evidence));
        let metadata = place("metadata").filter(|metadata| !is_within(data, metadata) && !is_within(metadata, data));
        let tree = Tree::map().with("data", data).with_some("time", time);
        // Its fields are added with the other types, whose names they need.
        let metadata = metadata.map(|name| Tree::map().with("name", name).with("fields", Vec::new()));
        Some(tree.with_some("metadata", metadata).with("evidence", evidence))
    }

    /// The time of all records, as the first record with it states it.
    fn envelope_time(&mut self, name: &str, summary: &str, evidence: &str) -> Tree {
        let schemas = self.document.root().get("components").unwrap_or(&Value::Null);
        let field = entries(schemas, "schemas").find_map(|(_, schema)| schema.get("properties")?.get(name));
        let mut said = field.map_or_else(Tree::map, |field| self.said(field));
        said.remove("range");
        said.inherit(evidence);
        let said = self.with_example(said, TIMESTAMP).or(Tree::map().with("summary", or_unknown(summary.to_owned())));
        said.with("name", name).with("type", TIMESTAMP).ordered(&FIELD)
    }
}

/// Whether a place in a body is another or further down.
fn is_within(place: &str, other: &str) -> bool {
    place.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Removes the name of the field for left-out values if the metadata has no such list.
pub(super) fn drop_unsupported_of_nothing(editor: &mut Editor) {
    let service = editor.tree(SERVICE);
    let Some(metadata) = service.get("envelope").and_then(|envelope| envelope.get("metadata")) else { return };
    let Some(name) = metadata.text("unsupported") else { return };
    let field = metadata.entries("fields").iter().find(|field| field.text("name") == Some(name));
    let is_record = |ty: &str| service.entries("records").iter().any(|record| record.text("name") == Some(ty));
    let of_list = field.and_then(|field| item(field.text("type")?));
    if !of_list.is_some_and(|item| innermost(item) == item && !is_record(item)) {
        editor.remove(&Place::service().key("envelope").key("metadata"), "unsupported");
    }
}
