//! Composed schemas: `allOf`, `oneOf` and `anyOf`.
//!
//! The schemas under `allOf` are parts. A single alternative under `oneOf` or `anyOf`, with or without `null`, is a
//! part too. The parts and the keys of the schema itself are merged into one record. The catalogue cannot express a
//! choice among several alternatives.

use std::collections::HashSet;

use serde_yaml::Value;

use super::Reader;
use super::document::{Document, Layer, entries, items, text};
use super::omissions::Weight;
use super::schemas::{Valued, is_nullable};
use crate::draft_types::{ANY, record_name};

/// Keys that describe the type itself. A part without any of them contains only facts such as a range.
const STRUCTURE: &str = "$ref additionalProperties allOf anyOf enum format items oneOf properties required type";

/// Returns the alternatives under a key, except `null`, each with its index.
pub(super) fn alternatives<'v>(schema: &'v Value, key: &str) -> Vec<(usize, &'v Value)> {
    let all = items(schema, key).iter().enumerate();
    all.filter(|(_, option)| text(option, "type") != Some("null")).collect()
}

/// Returns the key `anyOf` or `oneOf`, if the schema has several alternatives under it.
fn key_of_several(schema: &Value) -> Option<&'static str> {
    ["anyOf", "oneOf"].into_iter().find(|key| alternatives(schema, key).len() > 1)
}

/// Returns the values of an enum that is written as alternatives: each alternative is a constant, optionally with a
/// description.
pub(super) fn constants(schema: &Value) -> Vec<&Value> {
    let options = key_of_several(schema).map(|key| alternatives(schema, key)).unwrap_or_default();
    let is_constant = |option: &Value| option.get("const").is_some_and(|value| !value.is_mapping());
    let are_constants = options.iter().all(|(_, option)| is_constant(option));
    options.into_iter().map(|(_, option)| option).filter(|_| are_constants).collect()
}

/// Returns the schemas that a schema combines, each with its path. The keys of the schema itself are not included.
fn parts<'v>(schema: &'v Value, pointer: &str) -> Vec<Layer<'v>> {
    let single = ["anyOf", "oneOf"].into_iter().filter_map(|key| match alternatives(schema, key).as_slice() {
        [(index, only)] => Some((*only, format!("{pointer}/{key}/{index}"))),
        _ => None,
    });
    let all = items(schema, "allOf").iter().enumerate();
    all.map(|(index, part)| (part, format!("{pointer}/allOf/{index}"))).chain(single).collect()
}

impl Document {
    /// Returns a schema and all schemas that apply to it, nearest first: the targets of its references, its parts, and
    /// the targets of their references.
    pub(super) fn layers<'d>(&'d self, schema: &'d Value, pointer: &str) -> Vec<Layer<'d>> {
        let mut layers = Vec::new();
        self.add_layers(schema, pointer, &mut layers, &mut HashSet::new());
        layers.reverse();
        layers
    }

    fn add_layers<'d>(&'d self, schema: &'d Value, at: &str, layers: &mut Vec<Layer<'d>>, seen: &mut HashSet<String>) {
        // A part that contains itself is not read again, because it would add nothing.
        if !seen.insert(at.to_owned()) {
            return;
        }
        match self.follow(schema) {
            Some((target, Some(reference))) => self.add_layers(target, reference, layers, seen),
            _ => {
                for (part, at) in parts(schema, at) {
                    self.add_layers(part, &at, layers, seen);
                }
            }
        }
        layers.push((schema, at.to_owned()));
    }
}

impl<'d> Reader<'d> {
    /// Returns the type of a schema, including the schemas that it combines.
    pub(super) fn composed(&mut self, schema: &'d Value, name: &str, pointer: &str) -> Valued {
        let has = |key: &str| schema.get(key).is_some();
        let has_type = |part: &Value| STRUCTURE.split(' ').any(|key| part.get(key).is_some());
        let (parts, annotations): (Vec<_>, Vec<_>) =
            parts(schema, pointer).into_iter().partition(|(part, _)| has_type(part));
        let nullable = is_nullable(schema) || annotations.iter().any(|(annotation, _)| is_nullable(annotation));
        let is_one_of_several = key_of_several(schema).is_some() && constants(schema).is_empty() && !has("properties");
        let value = match parts.as_slice() {
            [] if is_one_of_several => Valued { ty: ANY.to_owned(), nullable },
            [] => self.plain(schema, name, pointer),
            [(part, at)] if !has("properties") && !has("required") => self.value(part, name, at),
            _ => {
                let record = self.object(schema, name, pointer);
                Valued { ty: record.map_or_else(|| ANY.to_owned(), record_name), nullable }
            }
        };
        if key_of_several(schema).is_some() && constants(schema).is_empty() && value.ty != ANY {
            self.omissions.add(Weight::Fact, "`anyOf` or `oneOf` next to other keys", pointer);
        }
        Valued { nullable: value.nullable || nullable, ..value }
    }

    /// Returns the properties of an object and of its parts, with their paths. If several properties have the same
    /// name, the nearest property is used.
    pub(super) fn properties(&mut self, schema: &'d Value, pointer: &str) -> Properties<'d> {
        let mut all = Properties::default();
        for (layer, at) in self.document.layers(schema, pointer).into_iter().rev() {
            self.resolve(layer, &at);
            all.required.extend(items(layer, "required").iter().filter_map(Value::as_str));
            for (key, property) in entries(layer, "properties") {
                let at = format!("{at}/properties/{key}");
                match all.listed.iter_mut().find(|(known, ..)| *known == key) {
                    Some(known) => *known = (key, property, at),
                    None => all.listed.push((key, property, at)),
                }
            }
        }
        all
    }
}

/// The properties and the required names of an object and its parts.
#[derive(Default)]
pub(super) struct Properties<'d> {
    pub(super) listed: Vec<(&'d str, &'d Value, String)>,
    pub(super) required: HashSet<&'d str>,
}
