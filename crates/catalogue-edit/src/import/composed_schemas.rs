//! Composed schemas: `allOf`, `oneOf` and `anyOf`.
//!
//! The schemas under `allOf` are parts. A single alternative under `oneOf` or `anyOf`, with or without `null`, is a
//! part too. The parts and the keys of the schema itself are merged into one record. The catalogue cannot express a
//! choice among several alternatives.

use serde_yaml::Value;

use super::description_reader::DescriptionReader;
use super::omissions::Weight;
use super::schema_layers::Layer;
use super::tree::{has_any, items, text};
use crate::drafted_type::ANY;

/// Keys that describe the type itself. A part without any of them contains only facts such as a range.
const STRUCTURE: &[&str] = &[
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "enum",
    "format",
    "items",
    "oneOf",
    "properties",
    "required",
    "type",
];

/// The keys with alternatives.
const CHOICES: [&str; 2] = ["anyOf", "oneOf"];

/// A schema under `anyOf` or `oneOf`.
struct Alternative<'v> {
    schema: &'v Value,
    index: usize,
}

/// The alternatives under a key, except `null`.
fn alternatives<'v>(schema: &'v Value, key: &str) -> Vec<Alternative<'v>> {
    let mut alternatives = Vec::new();
    for (index, schema) in items(schema, key).iter().enumerate() {
        if text(schema, "type") != Some("null") {
            alternatives.push(Alternative { schema, index });
        }
    }
    alternatives
}

/// The alternatives among which a schema allows a choice; none if there are fewer than two.
fn several_alternatives(schema: &Value) -> Vec<Alternative<'_>> {
    for key in CHOICES {
        let alternatives = alternatives(schema, key);
        if alternatives.len() > 1 {
            return alternatives;
        }
    }
    Vec::new()
}

/// The values of an enum that is written as alternatives: each alternative is a constant, optionally with a
/// description.
pub(super) fn constants(schema: &Value) -> Vec<&Value> {
    let mut constants = Vec::new();
    for alternative in several_alternatives(schema) {
        match alternative.schema.get("const") {
            Some(value) if !value.is_mapping() => constants.push(alternative.schema),
            _ => return Vec::new(),
        }
    }
    constants
}

/// The schemas that a schema combines. The keys of the schema itself are not included.
pub(super) fn parts<'v>(schema: &'v Value, pointer: &str) -> Vec<Layer<'v>> {
    let mut parts = Vec::new();
    for (index, part) in items(schema, "allOf").iter().enumerate() {
        parts.push(Layer { schema: part, pointer: format!("{pointer}/allOf/{index}") });
    }
    for key in CHOICES {
        if let [only] = alternatives(schema, key).as_slice() {
            parts.push(Layer { schema: only.schema, pointer: format!("{pointer}/{key}/{}", only.index) });
        }
    }
    parts
}

impl<'d> DescriptionReader<'d> {
    /// The type of a schema, including the schemas that it combines.
    pub(super) fn composed(&mut self, schema: &'d Value, name: &str, pointer: &str) -> String {
        let mut typed_parts = parts(schema, pointer);
        typed_parts.retain(|part| has_any(part.schema, STRUCTURE));
        let is_choice = !several_alternatives(schema).is_empty() && constants(schema).is_empty();
        let has_properties = schema.get("properties").is_some();
        let has_fields = has_properties || schema.get("required").is_some();
        let ty = match typed_parts.as_slice() {
            [] if is_choice && !has_properties => ANY.to_owned(),
            [] => self.plain_type(schema, name, pointer),
            [part] if !has_fields => self.type_at(part.schema, name, &part.pointer),
            _ => self.record_type(schema, name, pointer),
        };
        if is_choice && ty != ANY {
            self.omissions.add(Weight::Fact, "`anyOf` or `oneOf` next to other keys", pointer);
        }
        ty
    }
}
