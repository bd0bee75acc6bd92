//! Objects become records: what they list, and what all that they are made of lists.

use codegen::is_line;
use serde_yaml::Value;

use super::Reader;
use super::composition::Properties;
use super::notes::Weight;
use super::plan::{PlannedField, PlannedRecord};
use super::schema::{is_component, owner};

impl<'d> Reader<'d> {
    /// A record; `None` for an object whose fields nobody lists.
    pub(super) fn object(&mut self, schema: &'d Value, name: &str, place: &str) -> Option<usize> {
        if let Some(known) = self.plan.records.iter().position(|record| record.origin == place) {
            // While its fields are still being read, it would contain itself.
            if self.open.contains(&known) {
                let why = "a record that contains itself, and has `any` there";
                self.notes.explain(Weight::Untyped, why, place);
                return None;
            }
            return Some(known);
        }
        let Properties { listed, required } = self.properties(schema, place);
        if listed.is_empty() {
            return None;
        }
        let said = self.said(schema);
        let index = self.plan.records.len();
        let record = PlannedRecord {
            name: name.to_owned(),
            owner: owner(place),
            rank: self.rank("schemas", name),
            origin: place.to_owned(),
            said,
            fields: Vec::new(),
            // Our own descriptions say which group has a record; what they name for none belongs to all.
            is_shared: self.document.is_ours() && is_component(place) && schema.get("x-group").is_none(),
            uses: 0,
        };
        self.plan.records.push(record);
        self.open.push(index);
        // A record is read once, however many stand between it and the first.
        let nesting = std::mem::take(&mut self.nesting);
        let mut fields = Vec::new();
        for (key, property, at) in listed.into_iter().filter(|(key, ..)| is_line(key)) {
            let value = self.value(property, key, &at);
            if let Some(inner) = value.ty.record() {
                self.plan.records[inner].uses += 1;
            }
            let optional = value.nullable || !required.contains(key);
            let said = self.said_of_value(property, &value.ty);
            fields.push(PlannedField { name: key.to_owned(), ty: value.ty, optional, said });
        }
        self.nesting = nesting;
        self.open.pop();
        self.plan.records[index].fields = fields;
        Some(index)
    }
}
