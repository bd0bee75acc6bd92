//! Objects become records: what they list, and what all that they are made of lists.

use codegen::is_line;
use serde_yaml::Value;

use super::Reader;
use super::composition::Collected;
use super::plan::{PlannedField, PlannedRecord};
use super::schema::{is_component, owner};

impl<'d> Reader<'d> {
    /// A record; `None` for an object whose fields nobody lists.
    pub(super) fn object(&mut self, schema: &'d Value, name: &str, place: &str) -> Option<usize> {
        if let Some(known) = self.plan.records.iter().position(|record| record.origin == place) {
            // While its fields are still being read, it would contain itself.
            if self.open.contains(&known) {
                self.notes.untyped("a record that contains itself, and has `any` there", place);
                return None;
            }
            return Some(known);
        }
        let mut collected = Collected::default();
        self.collect(schema, place, &mut collected, 0);
        let Collected { properties, required, .. } = collected;
        if properties.is_empty() {
            self.notes.untyped("an object without listed fields, which becomes `any`", place);
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
        for name in required.iter().filter(|name| !properties.iter().any(|(key, ..)| key == *name)) {
            self.notes.add(format!("`required: {name}`, which is no listed field"), place);
        }
        for (key, property, at) in properties {
            if !is_line(&key) {
                self.notes.missing(format!("the field {key:?}, whose name cannot be written down"), place);
                continue;
            }
            if self.default_of(property).is_some() {
                self.notes.add("`default` of a field", &at);
            }
            let value = self.value(property, &key, &at);
            if let Some(inner) = value.ty.record() {
                self.plan.records[inner].uses += 1;
            }
            let optional = value.nullable || !required.contains(&key);
            let said = self.said_of_value(property, &value.ty, &at);
            fields.push(PlannedField { name: key, ty: value.ty, optional, said });
        }
        self.nesting = nesting;
        self.open.pop();
        self.plan.records[index].fields = fields;
        Some(index)
    }

    /// Notes what is said of fields that are not listed.
    pub(super) fn say_more(&mut self, schema: &Value, place: &str) {
        match schema.get("additionalProperties") {
            None => {}
            Some(Value::Bool(false)) => {
                self.notes.aside("`additionalProperties: false`, as every object may grow", place);
            }
            Some(_) => {
                self.notes
                    .aside("fields beyond the listed ones (`additionalProperties`), which the client keeps", place);
            }
        }
    }
}
