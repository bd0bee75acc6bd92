//! Converts objects to records, which contain the fields of all parts of the object.

use codegen::is_line;
use codegen::spec::{Field, Record};
use serde_yaml::Value;

use super::Reader;
use super::composed_schemas::Properties;
use super::document::text;
use super::draft::{DraftedRecord, wanted};
use super::omissions::Weight;
use super::schemas::owner;
use crate::draft_types::{or_null, record_in, record_name};

impl<'d> Reader<'d> {
    /// Returns the record for an object; `None` if the object lists no fields.
    pub(super) fn object(&mut self, schema: &'d Value, name: &str, pointer: &str) -> Option<usize> {
        if let Some(known) = self.records.get(pointer).copied() {
            return self.closed(known, pointer);
        }
        let Properties { listed, required } = self.properties(schema, pointer);
        if listed.is_empty() {
            return None;
        }
        if schema.get("additionalProperties").and_then(Value::as_mapping).is_some_and(|values| !values.is_empty()) {
            self.omissions.add(Weight::Fact, "`additionalProperties` next to `properties`", pointer);
        }
        let mut fields = Vec::new();
        for (key, property, at) in listed {
            if is_line(key) {
                fields.push((key.to_owned(), property, at, required.contains(key)));
            } else {
                self.omissions.add(Weight::Missing, "a property with an invalid name", pointer);
            }
        }
        Some(self.new_record(schema, name, pointer, fields, false))
    }

    /// Returns a known record. Returns `None` if its fields are still being read and no list or map is between the
    /// record and this reference to it.
    fn closed(&mut self, known: usize, pointer: &str) -> Option<usize> {
        if !self.open.contains(&known) || self.open_around_list >= self.open.len() {
            return Some(known);
        }
        let why = "a record that becomes `any`, because it contains itself without a list or map in between";
        self.omissions.add(Weight::Untyped, why, pointer);
        None
    }

    /// Returns the positional record for a list; `None` if the list has no `prefixItems`.
    pub(super) fn positional(&mut self, schema: &'d Value, name: &str, pointer: &str) -> Option<usize> {
        let items = schema.get("prefixItems")?.as_sequence()?;
        let has_more = schema.get("items").and_then(Value::as_mapping).is_some_and(|rest| !rest.is_empty());
        if has_more {
            self.omissions.add(Weight::Fact, "`prefixItems` next to `items`", pointer);
            return None;
        }
        if let Some(known) = self.records.get(pointer).copied() {
            return self.closed(known, pointer);
        }
        let fields = items.iter().enumerate().map(|(index, field)| {
            let name = text(field, "title").filter(|name| is_line(name));
            let name = name.map_or_else(|| format!("value {}", index + 1), str::to_owned);
            (name, field, format!("{pointer}/prefixItems/{index}"), true)
        });
        let fields = fields.collect();
        Some(self.new_record(schema, name, pointer, fields, true))
    }

    fn new_record(
        &mut self,
        schema: &'d Value,
        name: &str,
        pointer: &str,
        listed: Vec<(String, &'d Value, String, bool)>,
        is_positional: bool,
    ) -> usize {
        let index = self.draft.records.len();
        let record = Record {
            name: record_name(index).into(),
            summary: self.summary(schema, &["description"]),
            evidence: self.options.evidence,
            positional: is_positional,
            fields: Vec::new(),
        };
        // The record is added before its fields are read, so that a field that refers back to the record finds it.
        self.records.insert(pointer.to_owned(), index);
        let wanted = wanted(name, owner(pointer));
        self.draft.records.push(DraftedRecord { record, wanted, uses: 0 });
        self.open.push(index);
        // A record is read only once, where it is found first. The nesting depth is counted from the record, so that
        // it does not depend on the schemas around this first occurrence.
        let nesting = std::mem::take(&mut self.nesting);
        let mut fields = Vec::new();
        for (key, property, at, is_required) in listed {
            let field = self.field(property, &key, &at, is_required);
            if let Some(inner) = record_in(&field.ty) {
                self.draft.records[inner].uses += 1;
            }
            fields.push(field);
        }
        self.nesting = nesting;
        self.open.pop();
        self.draft.records[index].record.fields = fields;
        index
    }

    /// Reads a field.
    pub(super) fn field(&mut self, schema: &'d Value, name: &str, pointer: &str, is_required: bool) -> Field {
        let value = self.value(schema, name, pointer);
        let facts = self.facts_of_value(schema, &value.ty, pointer);
        if self.default_of(schema).is_some() {
            self.omissions.add(Weight::Fact, "the `default` of a field", pointer);
        }
        Field {
            name: name.into(),
            ty: value.ty.into(),
            summary: facts.summary,
            format: facts.format.map(Into::into),
            range: facts.range.map(Into::into),
            example: facts.example.map(Into::into),
            optional: value.nullable || !is_required,
            ..Field::default()
        }
    }

    /// Returns the type of an object with arbitrary keys; `None` if the object lists fields, or has no schema for its
    /// values.
    pub(super) fn map(&mut self, schema: &'d Value, name: &str, pointer: &str) -> Option<String> {
        let values = schema.get("additionalProperties").filter(|values| values.is_mapping())?;
        if ["properties", "allOf", "required"].iter().any(|key| schema.get(key).is_some()) {
            return None;
        }
        Some(format!("map<{}>", self.item(values, name, &format!("{pointer}/additionalProperties"))))
    }

    /// Returns the type of the items of a list or the values of a map.
    pub(super) fn item(&mut self, schema: &'d Value, name: &str, pointer: &str) -> String {
        let outside = std::mem::replace(&mut self.open_around_list, self.open.len());
        let value = self.value(schema, &crate::rust_names::singular(name), pointer);
        self.open_around_list = outside;
        or_null(&value.ty, value.nullable)
    }
}
