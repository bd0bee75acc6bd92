//! Composed schemas: `allOf`, `oneOf` and `anyOf`.
//!
//! The schemas under `allOf` are parts. A single alternative under `oneOf` or `anyOf`, with or without `null`, is a
//! part too. The parts and the keys of the schema itself are merged into one record. The catalogue cannot express a
//! choice among several alternatives.

use serde_yaml::Value;

use super::description_reader::DescriptionReader;
use super::omissions::{SCHEMA, Weight};
use super::schema_parts::{constants, parts, several_alternatives};
use super::tree::has_any;
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

impl<'d> DescriptionReader<'d> {
    /// The type of a schema, including the schemas that it combines.
    pub(super) fn composed(&mut self, schema: &'d Value, name: &str, pointer: &str) -> String {
        let mut typed_parts = parts(schema, pointer);
        for part in &typed_parts {
            self.omissions.unread(part.schema, SCHEMA, &part.pointer);
        }
        typed_parts.retain(|part| has_any(part.schema, STRUCTURE));
        let is_choice = !several_alternatives(schema).is_empty() && constants(schema).is_empty();
        let has_properties = schema.get("properties").is_some();
        let extends = has_properties || schema.get("required").is_some();
        let has_fields = extends && !self.document.properties(schema, pointer).is_empty();
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
