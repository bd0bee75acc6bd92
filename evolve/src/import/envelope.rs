//! What stands around the records of every series, as our own descriptions tell it and bodies show it.

use codegen::is_line;
use serde_yaml::Value;

use super::Reader;
use super::document::{entries, is_evidence, text};
use super::plan::{PlannedField, Ty};
use super::service::or_unknown;
use crate::tree::Tree;

impl<'d> Reader<'d> {
    /// The metadata of a catalogue that is new.
    pub(super) fn new_metadata(&mut self) {
        let metadata = self.document.root().get("x-envelope");
        let name = metadata.and_then(|envelope| text(envelope, "metadata"));
        let schemas = self.document.root().get("components").and_then(|components| components.get("schemas"));
        if let (Some(_), Some(schema)) = (name, schemas.and_then(|schemas| schemas.get("Metadata"))) {
            let metadata = self.object(schema, "Metadata", "#/components/schemas/Metadata");
            self.plan.metadata.extend(metadata);
            self.unsupported();
        }
    }

    /// The metadata beside the records of a body.
    pub(super) fn metadata(&mut self, schema: &'d Value, place: &str) {
        if let Ty::Record(record) = self.value(schema, "Metadata", place).ty
            && !self.plan.metadata.contains(&record)
        {
            self.plan.metadata.push(record);
        }
    }

    /// The field of the metadata that lists what is not covered.
    fn unsupported(&mut self) {
        let envelope = self.document.root().get("x-envelope").unwrap_or(&Value::Null);
        let Some(said) = text(envelope, "unsupported") else { return };
        let fields = self.plan.metadata.first().map(|metadata| self.plan.records[*metadata].fields.as_slice());
        let is_list = |field: &&PlannedField| {
            field.name == said && matches!(&field.ty, Ty::List(item) if !matches!(**item, Ty::List(_) | Ty::Record(_)))
        };
        self.plan.unsupported = fields.unwrap_or_default().iter().find(is_list).map(|field| field.name.clone());
    }

    pub(super) fn envelope(&mut self, evidence: &str) -> Option<Tree> {
        let root = self.document.root();
        let envelope = root.get("x-envelope")?;
        let evidence = text(envelope, "evidence").filter(|said| is_evidence(said)).unwrap_or(evidence).to_owned();
        let name = |key: &str| text(envelope, key).filter(|name| is_line(name));
        let summary = text(envelope, "time_summary").unwrap_or_default();
        let time = name("time").map(|name| self.envelope_time(name, summary, &evidence));
        let metadata = name("metadata").map(str::to_owned);
        let tree = Tree::map().with("data", name("data")?).with_some("time", time);
        // Its fields come with the other types, since they need their names.
        let metadata = metadata.map(|name| Tree::map().with("name", name).with("fields", Vec::new()));
        Some(tree.with_some("metadata", metadata).with("evidence", evidence))
    }

    /// The time of all records, as the first record that has it says.
    fn envelope_time(&mut self, name: &str, summary: &str, evidence: &str) -> Tree {
        let schemas = self.document.root().get("components").unwrap_or(&Value::Null);
        let field = entries(schemas, "schemas").find_map(|(_, schema)| schema.get("properties")?.get(name));
        let said = field.map(|field| self.said(field)).unwrap_or_default();
        let own = said.evidence.filter(|own| own != evidence);
        let summary = if said.summary.is_empty() { summary.to_owned() } else { said.summary };
        Tree::map()
            .with("name", name)
            .with_some("ident", said.ident)
            .with("type", "timestamp")
            .with("summary", or_unknown(summary))
            .with_some("unit", said.unit)
            .with_some("example", said.example.filter(|example| example.parse::<i64>().is_ok()).map(Tree::Number))
            .with_some("evidence", own)
            .with_some("notes", said.notes)
    }
}
