//! Composed schemas: `allOf`, `oneOf` and `anyOf`.
//!
//! The schemas under `allOf` are parts. A single alternative under `oneOf` or `anyOf`, with or without `null`, is a
//! part too. The parts and the keys of the schema itself are merged into one record. The catalogue cannot express a
//! choice among several alternatives.

use std::collections::HashSet;

use catalogue::model::TimeFormat;
use indexmap::IndexMap;
use serde_yaml::Value;

use super::Reader;
use super::document::{Document, Layer, entries, items, text};
use super::omissions::Weight;
use super::schemas::{DEPTH, is_nullable, type_of, written_format};
use crate::draft::ANY;

/// Keys that describe the type itself. A part without any of them contains only facts such as a range.
const STRUCTURE: &str = "$ref additionalProperties allOf anyOf enum format items oneOf properties required type";

/// The name of a property, its schema, its path, and `true` if it is required.
pub(super) type Property<'d> = (String, &'d Value, String, bool);

/// The alternatives under a key, except `null`, each with its index.
pub(super) fn alternatives<'v>(schema: &'v Value, key: &str) -> Vec<(usize, &'v Value)> {
    let all = items(schema, key).iter().enumerate();
    all.filter(|(_, option)| text(option, "type") != Some("null")).collect()
}

/// The key `anyOf` or `oneOf`, if the schema has several alternatives under it.
fn key_of_several(schema: &Value) -> Option<&'static str> {
    ["anyOf", "oneOf"].into_iter().find(|key| alternatives(schema, key).len() > 1)
}

/// The values of an enum that is written as alternatives: each alternative is a constant, optionally with a
/// description.
pub(super) fn constants(schema: &Value) -> Vec<&Value> {
    let options = key_of_several(schema).map(|key| alternatives(schema, key)).unwrap_or_default();
    let is_constant = |option: &Value| option.get("const").is_some_and(|value| !value.is_mapping());
    let are_constants = options.iter().all(|(_, option)| is_constant(option));
    options.into_iter().map(|(_, option)| option).filter(|_| are_constants).collect()
}

/// The schemas that a schema combines, each with its path. The keys of the schema itself are not included.
fn parts<'v>(schema: &'v Value, pointer: &str) -> Vec<Layer<'v>> {
    let single = ["anyOf", "oneOf"].into_iter().filter_map(|key| match alternatives(schema, key).as_slice() {
        [(index, only)] => Some((*only, format!("{pointer}/{key}/{index}"))),
        _ => None,
    });
    let all = items(schema, "allOf").iter().enumerate();
    all.map(|(index, part)| (part, format!("{pointer}/allOf/{index}"))).chain(single).collect()
}

/// A step of a visit of schemas: the parts of a schema are visited between both.
enum Visit<'d> {
    Enter(&'d Value, String),
    Leave(&'d Value, String),
}

impl Document {
    /// A schema and all schemas that apply to it, nearest first: the targets of its references, its parts, and the
    /// targets of their references.
    pub(super) fn layers<'d>(&'d self, schema: &'d Value, pointer: &str) -> Vec<Layer<'d>> {
        let mut layers = Vec::new();
        let mut seen = HashSet::new();
        // The layers are visited without recursion, because a chain of references can be longer than the stack allows.
        let mut pending = vec![Visit::Enter(schema, pointer.to_owned())];
        while let Some(visit) = pending.pop() {
            match visit {
                Visit::Leave(layer, at) => layers.push((layer, at)),
                // A part that contains itself is not read again, because it would add nothing.
                Visit::Enter(_, at) if !seen.insert(at.clone()) => {}
                Visit::Enter(layer, at) => {
                    let inner = self.parts_of(layer, &at);
                    pending.push(Visit::Leave(layer, at));
                    pending.extend(inner.into_iter().rev().map(|(part, at)| Visit::Enter(part, at)));
                }
            }
        }
        layers.reverse();
        layers
    }

    /// The target of a reference, or the parts of a schema.
    fn parts_of<'d>(&'d self, schema: &'d Value, at: &str) -> Vec<Layer<'d>> {
        match self.follow(schema) {
            Some((target, Some(reference))) => vec![(target, reference.to_owned())],
            _ => parts(schema, at),
        }
    }

    /// The properties in the layers of a schema. If several have the same name, the nearest one is used. Responses do
    /// not contain properties that are `writeOnly`.
    pub(super) fn properties<'d>(&'d self, schema: &'d Value, pointer: &str) -> Vec<Property<'d>> {
        let layers = self.layers(schema, pointer);
        let required = layers.iter().flat_map(|(layer, _)| items(layer, "required")).filter_map(Value::as_str);
        let required: HashSet<_> = required.collect();
        let mut all = IndexMap::new();
        for (layer, at) in layers.into_iter().rev() {
            for (key, schema) in entries(layer, "properties") {
                let at = format!("{at}/properties/{key}");
                all.insert(key, (key.to_owned(), schema, at, required.contains(key)));
            }
        }
        all.into_values().filter(|(_, schema, ..)| !self.is_write_only(schema)).collect()
    }

    fn is_write_only(&self, schema: &Value) -> bool {
        self.layers(schema, "").iter().any(|(layer, _)| layer.get("writeOnly").and_then(Value::as_bool) == Some(true))
    }

    /// The layers of a schema, then those of its items, of their items, and so on, without their paths.
    pub(super) fn levels<'d>(&'d self, schema: &'d Value) -> Vec<&'d Value> {
        let (mut levels, mut next) = (Vec::new(), Some(schema));
        for _ in 0..DEPTH {
            let Some(schema) = next else { break };
            let layers = self.layers(schema, "");
            next = layers.iter().find_map(|(layer, _)| layer.get("items").or(layer.get("additionalProperties")));
            levels.extend(layers.into_iter().map(|(layer, _)| layer));
        }
        levels
    }

    /// The default of a schema, or of the schemas that apply to it.
    pub(super) fn default_of<'d>(&'d self, schema: &'d Value) -> Option<&'d Value> {
        self.layers(schema, "").into_iter().find_map(|(layer, _)| layer.get("default"))
    }

    /// `true` if a schema, or one that applies to it, allows `null`.
    pub(super) fn is_nullable(&self, schema: &Value) -> bool {
        self.layers(schema, "").into_iter().any(|(layer, _)| is_nullable(layer))
    }

    /// The format of the timestamps in a schema, if they are strings.
    pub(super) fn timestamp_format(&self, schema: &Value) -> Option<TimeFormat> {
        let levels = self.levels(schema);
        let is_number = |level: &&&Value| matches!(type_of(level), "integer" | "number");
        if levels.iter().any(|level| is_number(&level)) {
            return None;
        }
        levels.into_iter().find_map(|level| text(level, "format")).and_then(written_format)
    }
}

impl<'d> Reader<'d> {
    /// The type of a schema, including the schemas that it combines.
    pub(super) fn composed(&mut self, schema: &'d Value, name: &str, pointer: &str) -> String {
        let has = |key: &str| schema.get(key).is_some();
        let has_type = |part: &Value| STRUCTURE.split(' ').any(|key| part.get(key).is_some());
        let parts: Vec<_> = parts(schema, pointer).into_iter().filter(|(part, _)| has_type(part)).collect();
        let is_one_of_several = key_of_several(schema).is_some() && constants(schema).is_empty();
        let ty = match parts.as_slice() {
            [] if is_one_of_several && !has("properties") => ANY.to_owned(),
            [] => self.plain(schema, name, pointer),
            [(part, at)] if !has("properties") && !has("required") => self.value(part, name, at),
            _ => self.record(schema, name, pointer),
        };
        if is_one_of_several && ty != ANY {
            self.omissions.add(Weight::Fact, "`anyOf` or `oneOf` next to other keys", pointer);
        }
        ty
    }
}
