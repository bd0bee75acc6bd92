//! The schemas that a schema combines by `allOf`, `oneOf` and `anyOf`, or by a reference next to other keys.

use serde_yaml::Value;

use super::tree::{items, text};

/// A schema, and its path in the description.
#[derive(Clone, Debug)]
pub(super) struct Layer<'d> {
    pub(super) schema: &'d Value,
    pub(super) pointer: String,
}

/// The keys with alternatives.
const CHOICES: [&str; 2] = ["anyOf", "oneOf"];

/// A schema under `anyOf` or `oneOf`.
pub(super) struct Alternative<'v> {
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
pub(super) fn several_alternatives(schema: &Value) -> Vec<Alternative<'_>> {
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

/// The schema with the reference whose target a schema extends.
pub(super) fn extended(schema: &Value) -> Option<&Value> {
    schema.get("$ref").filter(|target| target.is_mapping())
}

/// The schemas that a schema combines. The keys of the schema itself are not included.
pub(super) fn parts<'v>(schema: &'v Value, pointer: &str) -> Vec<Layer<'v>> {
    let mut parts = Vec::new();
    if let Some(schema) = extended(schema) {
        parts.push(Layer { schema, pointer: format!("{pointer}/$ref") });
    }
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
