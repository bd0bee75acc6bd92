//! The schemas that apply to a value together: a schema, the targets of its references, and its parts.

use std::collections::HashSet;

use catalogue::model::TimeFormat;
use indexmap::IndexMap;
use serde_yaml::Value;

use super::document::Document;
use super::schema_facts::{is_nullable, type_of, written_format};
use super::schema_parts::{Layer, parts};
use super::tree::{entries, is_true, items, text};
use crate::json_paths::entries_of;
use crate::word_lists::is_among;

/// The maximum nesting depth, far above the depth of any readable schema.
pub(super) const DEPTH: usize = 32;

/// A property of an object.
#[derive(Clone, Debug)]
pub(super) struct Property<'d> {
    pub(super) name: String,
    pub(super) schema: &'d Value,
    /// The path of the schema in the description.
    pub(super) pointer: String,
    pub(super) is_required: bool,
}

/// A step of a visit of schemas: the parts of a schema are visited between both.
enum Visit<'d> {
    Enter(Layer<'d>),
    Leave(Layer<'d>),
}

/// The keys that state nothing about the values of a schema.
const DESCRIPTIONS: &str = "deprecated description example examples readOnly title";

/// `true` if a schema states nothing about its values.
fn only_describes(schema: &Value) -> bool {
    entries_of(schema).iter().all(|(key, _)| is_among(DESCRIPTIONS, key))
}

impl Document {
    /// A schema and all schemas that apply to it, nearest first: the targets of its references, its parts, and the
    /// targets of their references.
    pub(super) fn layers<'d>(&'d self, schema: &'d Value, pointer: &str) -> Vec<Layer<'d>> {
        let mut layers = Vec::new();
        let mut visited = HashSet::new();
        // The layers are visited without recursion, because a chain of references can be longer than the stack allows.
        let mut pending = vec![Visit::Enter(Layer { schema, pointer: pointer.to_owned() })];
        while let Some(visit) = pending.pop() {
            match visit {
                Visit::Leave(layer) => layers.push(layer),
                // A part that contains itself is not read again, because it would add nothing.
                Visit::Enter(layer) if !visited.insert(layer.pointer.clone()) => {}
                Visit::Enter(layer) => {
                    let inner = self.parts_of(&layer);
                    pending.push(Visit::Leave(layer));
                    for part in inner.into_iter().rev() {
                        pending.push(Visit::Enter(part));
                    }
                }
            }
        }
        layers.reverse();
        layers
    }

    /// The target of a reference, or the parts of a schema.
    fn parts_of<'d>(&'d self, layer: &Layer<'d>) -> Vec<Layer<'d>> {
        if let Some(target) = self.follow(layer.schema)
            && let Some(reference) = target.reference
        {
            return vec![Layer { schema: target.value, pointer: reference.to_owned() }];
        }
        parts(layer.schema, &layer.pointer)
    }

    /// The properties in the layers of a schema. If several have the same name, the nearest one is used that does not only
    /// describe the others. Responses do not contain properties that are `writeOnly`.
    pub(super) fn properties<'d>(&'d self, schema: &'d Value, pointer: &str) -> Vec<Property<'d>> {
        let layers = self.layers(schema, pointer);
        let mut required = HashSet::new();
        for layer in &layers {
            for name in items(layer.schema, "required") {
                required.insert(name.as_str());
            }
        }
        let mut nearest = IndexMap::new();
        for layer in layers.iter().rev() {
            for (name, schema) in entries(layer.schema, "properties") {
                if nearest.contains_key(name) && only_describes(schema) {
                    continue;
                }
                let pointer = format!("{}/properties/{name}", layer.pointer);
                let is_required = required.contains(&Some(name));
                nearest.insert(name, Property { name: name.to_owned(), schema, pointer, is_required });
            }
        }
        let mut properties: Vec<_> = nearest.into_values().collect();
        properties.retain(|property| !self.is_write_only(property.schema));
        properties
    }

    fn is_write_only(&self, schema: &Value) -> bool {
        self.layers(schema, "").iter().any(|layer| is_true(layer.schema, "writeOnly"))
    }

    /// The layers of a schema, then those of its items, of their items, and so on, without their paths.
    pub(super) fn levels<'d>(&'d self, schema: &'d Value) -> Vec<&'d Value> {
        let mut levels = Vec::new();
        let mut next = Some(schema);
        for _ in 0..DEPTH {
            let Some(schema) = next else { break };
            next = None;
            for layer in self.layers(schema, "") {
                let inner = layer.schema.get("items").or(layer.schema.get("additionalProperties"));
                next = next.or(inner);
                levels.push(layer.schema);
            }
        }
        levels
    }

    /// The default of a schema, or of the schemas that apply to it.
    pub(super) fn default_of<'d>(&'d self, schema: &'d Value) -> Option<&'d Value> {
        self.layers(schema, "").iter().find_map(|layer| layer.schema.get("default"))
    }

    /// `true` if a schema, or one that applies to it, allows `null`.
    pub(super) fn is_nullable(&self, schema: &Value) -> bool {
        self.layers(schema, "").iter().any(|layer| is_nullable(layer.schema))
    }

    /// The format of the timestamps in a schema, if they are strings.
    pub(super) fn timestamp_format(&self, schema: &Value) -> Option<TimeFormat> {
        let mut format = None;
        for level in self.levels(schema) {
            if matches!(type_of(level), "integer" | "number") {
                return None;
            }
            format = format.or(text(level, "format"));
        }
        written_format(format?)
    }
}
