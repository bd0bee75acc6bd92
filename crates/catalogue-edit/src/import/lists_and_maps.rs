//! Converts schemas of arrays, and of objects with arbitrary keys, to lists and maps.

use catalogue::names::{self, Case, OTHERS};
use catalogue::type_expr::TypeExpr;
use serde_yaml::{Mapping, Value};

use super::description_reader::DescriptionReader;
use super::omissions::{NEXT_TO_PROPERTIES, Weight};
use super::schema_facts::{is_scalar, type_of};
use super::schema_layers::Property;
use super::schema_parts::{Layer, extended};
use super::tree::has_any;
use crate::drafted_type::{ANY, TIMESTAMP, innermost, or_null, replace_innermost};
use crate::rust_names::singular;

impl<'d> DescriptionReader<'d> {
    /// The type of an object: a map, a record, or `any` if the object lists no fields.
    pub(super) fn object_type(&mut self, schema: &'d Value, name: &str, pointer: &str) -> String {
        let has_fields = extended(schema).is_some() || has_any(schema, &["properties", "allOf", "required"]);
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

    /// The type of the properties that an object does not list next to those that it lists. Any type but a scalar is
    /// omitted, with a note.
    pub(super) fn others_type(&mut self, schema: &'d Value, listed: &[Property<'d>], pointer: &str) -> Option<String> {
        let values = Layer { schema: other_properties(schema)?, pointer: format!("{pointer}/additionalProperties") };
        self.type_of_others(Some(values), listed, pointer)
    }

    /// As `others_type`, for an object that has a list of values for each property.
    pub(super) fn others_type_of_columns(
        &mut self,
        schema: &'d Value,
        listed: &[Property<'d>],
        pointer: &str,
    ) -> Option<String> {
        let mut values = None;
        if let Some(column) = self.document.follow(other_properties(schema)?)
            && let Some(items) = column.value.get("items")
        {
            values = Some(Layer { schema: items, pointer: format!("{pointer}/additionalProperties/items") });
        }
        self.type_of_others(values, listed, pointer)
    }

    /// The type of the values of the properties that the object at `pointer` does not list. They become one field, so a
    /// property with the name of this field excludes them.
    fn type_of_others(&mut self, values: Option<Layer<'d>>, listed: &[Property<'d>], pointer: &str) -> Option<String> {
        let is_name_free = listed.iter().all(|property| !is_named_others(&property.name));
        if let Some(values) = values
            && let Some(resolved) = self.document.follow(values.schema)
            && is_scalar(type_of(resolved.value))
            && is_name_free
        {
            let ty = self.item_type(values.schema, "other", &values.pointer);
            // The catalogue has no key for the format of these timestamps.
            let is_written = innermost(&ty) == TIMESTAMP && self.document.timestamp_format(values.schema).is_some();
            return Some(if is_written { replace_innermost(&ty, "string") } else { ty });
        }
        self.omissions.add(Weight::Fact, NEXT_TO_PROPERTIES, pointer);
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

/// The schema of the properties that an object does not list, if it says anything about them.
fn other_properties(schema: &Value) -> Option<&Value> {
    let values = schema.get("additionalProperties")?;
    if values.as_mapping().is_none_or(Mapping::is_empty) { None } else { Some(values) }
}

/// `true` if the field for a property gets the name of the field for all properties that are not listed.
fn is_named_others(name: &str) -> bool {
    names::ident(name, Case::Snake).as_deref() == Ok(OTHERS)
}
