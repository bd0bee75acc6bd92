//! Converts objects to records, which contain the fields of all parts of the object.

use std::collections::HashSet;

use catalogue::is_line;
use catalogue::spec::Record;
use serde_yaml::Value;

use super::description_reader::DescriptionReader;
use super::omissions::{SCHEMA, Weight};
use super::schema_facts::wanted_name;
use super::schema_layers::Property;
use super::schema_parts::several_alternatives;
use super::tree::{entries, items, text};
use crate::drafted_type::{ANY, record_name};

/// The maximum number of records around a record. The client rejects bodies of more than 128 levels.
const MAX_RECORDS: usize = 64;

impl<'d> DescriptionReader<'d> {
    /// The record for an object, or `any` if the object lists no fields.
    pub(super) fn record_type(&mut self, schema: &'d Value, name: &str, pointer: &str) -> String {
        if let Some(known) = self.known_record(pointer) {
            return known;
        }
        if self.open_records.len() >= MAX_RECORDS {
            let why = "a record that becomes `any`, because it is nested too deeply";
            self.omissions.add(Weight::Untyped, why, pointer);
            return ANY.to_owned();
        }
        for layer in self.document.layers(schema, pointer) {
            // A reference without a target is noted.
            self.resolve(layer.schema, &layer.pointer);
        }
        let mut properties = self.document.properties(schema, pointer);
        if properties.is_empty() {
            return ANY.to_owned();
        }
        self.note_omitted_parts(schema, pointer);
        let others = self.others_type(schema, &properties, pointer);
        if properties.iter().any(|property| !is_line(&property.name)) {
            self.omissions.add(Weight::Missing, "a property with an invalid name", pointer);
            properties.retain(|property| is_line(&property.name));
        }
        let index = self.add_record(schema, name, pointer, properties);
        self.draft.content.service.records[index].others = others.map(Into::into);
        record_name(index)
    }

    /// Notes what the parts of an object state beyond its fields.
    fn note_omitted_parts(&mut self, schema: &'d Value, pointer: &str) {
        let layers = self.document.layers(schema, pointer);
        let mut described = HashSet::new();
        for layer in &layers {
            described.extend(entries(layer.schema, "properties").into_iter().map(|(name, _)| name));
        }
        for layer in layers {
            for name in items(layer.schema, "required").iter().filter_map(Value::as_str) {
                if !described.contains(name) {
                    let pointer = format!("{}/required/{name}", layer.pointer);
                    self.omissions.add(Weight::Fact, "a required property without a schema", &pointer);
                }
            }
            self.omissions.unread(layer.schema, SCHEMA, &layer.pointer);
            if layer.pointer != pointer && !several_alternatives(layer.schema).is_empty() {
                self.omissions.add(Weight::Fact, "`anyOf` or `oneOf` in a part of an object", &layer.pointer);
            }
        }
    }

    /// The record for a list that describes each position.
    pub(super) fn positional_type(
        &mut self,
        schema: &'d Value,
        positions: &'d [Value],
        name: &str,
        pointer: &str,
    ) -> String {
        if let Some(known) = self.known_record(pointer) {
            return if known == ANY { format!("list<{ANY}>") } else { known };
        }
        let mut properties = Vec::new();
        for (index, position) in positions.iter().enumerate() {
            let name = match text(position, "title") {
                Some(title) if is_line(title) => title.to_owned(),
                _ => format!("value {}", index + 1),
            };
            let pointer = format!("{pointer}/prefixItems/{index}");
            properties.push(Property { name, schema: position, pointer, is_required: true });
        }
        let index = self.add_record(schema, name, pointer, properties);
        self.draft.content.service.records[index].positional = true;
        record_name(index)
    }

    /// The record that was read at a path. The result is `any` if the fields of the record are still being read and no
    /// list or map is between the record and this reference to it.
    fn known_record(&mut self, pointer: &str) -> Option<String> {
        let known = *self.records.get(pointer)?;
        let is_inside_list = self.open_around_list >= self.open_records.len();
        if !self.open_records.contains(&known) || is_inside_list {
            return Some(record_name(known));
        }
        let why = "a record that becomes `any`, because it contains itself without a list or map in between";
        self.omissions.add(Weight::Untyped, why, pointer);
        Some(ANY.to_owned())
    }

    /// Adds a record with these fields to the draft, and returns its index.
    pub(super) fn add_record(
        &mut self,
        schema: &'d Value,
        name: &str,
        pointer: &str,
        properties: Vec<Property<'d>>,
    ) -> usize {
        let summary = self.summary(schema, &["description"]);
        let record = Record { summary, evidence: self.options.evidence, ..Record::default() };
        // The record is added before its fields are read, so that a field that refers back to the record finds it.
        let index = self.draft.content.service.records.len();
        self.draft.add_record(record, wanted_name(name, pointer));
        self.records.insert(pointer.to_owned(), index);
        self.open_records.push(index);
        // A record is read only once, where it is found first. The depth is counted from the record, so that it does not
        // depend on the schemas around this first occurrence.
        let schemas_outside = std::mem::take(&mut self.schemas_in_record);
        let mut fields = Vec::new();
        for property in properties {
            fields.push(self.field(&property));
        }
        self.schemas_in_record = schemas_outside;
        self.open_records.pop();
        self.draft.content.service.records[index].fields = fields;
        index
    }
}
