//! Converts schemas of arrays, and of objects with arbitrary keys, to lists and maps.

use catalogue::type_expr::TypeExpr;
use serde_yaml::{Mapping, Value};

use super::description_reader::DescriptionReader;
use super::omissions::Weight;
use super::schema_facts::type_of;
use super::tree::has_any;
use crate::drafted_type::{ANY, or_null};
use crate::rust_names::singular;

impl<'d> DescriptionReader<'d> {
    /// The type of an object: a map, a record, or `any` if the object lists no fields.
    pub(super) fn object_type(&mut self, schema: &'d Value, name: &str, pointer: &str) -> String {
        let has_fields = has_any(schema, &["properties", "allOf", "required"]);
        match schema.get("additionalProperties") {
            Some(values) if values.is_mapping() && !has_fields => {
                let value = self.item_type(values, name, &format!("{pointer}/additionalProperties"));
                self.if_not_too_deep(format!("map<{value}>"), pointer)
            }
            _ => self.record_type(schema, name, pointer),
        }
    }

    /// The type of a list: a record if the list describes each position, otherwise a list.
    pub(super) fn list_type(&mut self, schema: &'d Value, name: &str, pointer: &str) -> String {
        let items = schema.get("items");
        if let Some(Value::Sequence(fields)) = schema.get("prefixItems") {
            if items.and_then(Value::as_mapping).is_none_or(Mapping::is_empty) {
                return self.positional_type(schema, fields, name, pointer);
            }
            self.omissions.add(Weight::Fact, "`prefixItems` next to `items`", pointer);
        }
        let item = match items {
            Some(items) => self.item_type(items, name, &format!("{pointer}/items")),
            None => ANY.to_owned(),
        };
        self.if_not_too_deep(format!("list<{item}>"), pointer)
    }

    /// The type of the properties that an object does not list next to those that it lists, if it is a scalar.
    pub(super) fn others_type(&mut self, schema: &'d Value, pointer: &str) -> Option<String> {
        let values = schema.get("additionalProperties")?;
        if values.as_mapping().is_none_or(Mapping::is_empty) {
            return None;
        }
        let resolved = self.document.follow(values)?.value;
        if matches!(type_of(resolved), "boolean" | "integer" | "number" | "string") {
            return Some(self.item_type(values, "other", &format!("{pointer}/additionalProperties")));
        }
        self.omissions.add(Weight::Fact, "`additionalProperties` next to `properties`", pointer);
        None
    }

    /// The type of the items of a list or the values of a map.
    fn item_type(&mut self, schema: &'d Value, name: &str, pointer: &str) -> String {
        let outside = std::mem::replace(&mut self.open_around_list, self.open_records.len());
        let ty = self.type_at(schema, &singular(name), pointer);
        self.open_around_list = outside;
        or_null(&ty, self.document.is_nullable(schema))
    }

    /// The type, or `any` if the type nests more lists and maps than the catalogue allows.
    fn if_not_too_deep(&mut self, ty: String, pointer: &str) -> String {
        if TypeExpr::parse(&ty).is_some() {
            return ty;
        }
        self.omissions.add(Weight::Untyped, "lists and maps nested too deeply, which become `any`", pointer);
        ANY.to_owned()
    }
}
