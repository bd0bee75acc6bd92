//! An OpenAPI description as a tree, in which references can be resolved.

use catalogue::model::TimeUnit;
use percent_encoding::percent_decode_str;
use serde_yaml::{Mapping, Value};

use super::tree::{entries, text, text_of};
use super::{parse_text, swagger};
use crate::refusal::Refusal;

/// A parsed description.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) root: Value,
}

/// A value whose references were followed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Resolved<'d> {
    pub(super) value: &'d Value,
    /// The last reference, which is the path of the value; `None` if there was no reference.
    pub(super) reference: Option<&'d str>,
}

impl<'d> Resolved<'d> {
    /// The path of the value, which was found at `pointer`.
    pub(super) fn pointer<'p>(self, pointer: &'p str) -> &'p str
    where
        'd: 'p,
    {
        self.reference.unwrap_or(pointer)
    }
}

/// An operation `get`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Get<'d> {
    pub(super) path: &'d str,
    pub(super) operation: &'d Value,
}

/// The maximum length of a chain of references, far above the length of any real chain.
const HOPS: usize = 16;

/// The versions of OpenAPI that can be imported.
const VERSIONS: [&str; 3] = ["3.0", "3.1", "3.2"];

impl Document {
    /// Parses a description in JSON or YAML, and rejects unsupported versions.
    pub(super) fn read(text: &str) -> Result<Self, Refusal> {
        let mut root = parse_text::parse(text).map_err(|why| unreadable(&why))?;
        root.apply_merge().map_err(|error| unreadable(&error.to_string()))?;
        normalize(&mut root);
        if version(&root, "swagger").starts_with('2') {
            root = swagger::converted(root);
        }
        check_version(&root)?;
        Ok(Self { root })
    }

    /// Follows the references of a value.
    ///
    /// The result is `None` if a reference does not begin with `#/`, if its target is missing, or if the references form
    /// a cycle.
    pub(super) fn follow<'d>(&'d self, mut value: &'d Value) -> Option<Resolved<'d>> {
        let mut reference = None;
        for _ in 0..HOPS {
            let Some(next) = text(value, "$ref") else { return Some(Resolved { value, reference }) };
            reference = Some(next);
            value = self.find(next)?;
        }
        None
    }

    /// The value under a key, whose references are followed.
    pub(super) fn child<'d>(&'d self, value: &'d Value, key: &str) -> Option<&'d Value> {
        Some(self.follow(value.get(key)?)?.value)
    }

    /// The operation `get` of every path, as far as references can be resolved.
    pub(super) fn gets(&self) -> Vec<Get<'_>> {
        let mut gets = Vec::new();
        for (path, item) in entries(&self.root, "paths") {
            let Some(item) = self.follow(item) else { continue };
            if let Some(operation) = self.child(item.value, "get") {
                gets.push(Get { path, operation });
            }
        }
        gets
    }

    /// `true` if our own export wrote the description.
    pub(super) fn is_own_export(&self) -> bool {
        self.root.get("x-catalogue").is_some()
    }

    /// The unit of timestamps that are numbers, which our own export states. In other descriptions, a value with such a
    /// unit may be a duration.
    pub(super) fn declared_unit(&self, schema: &Value) -> Option<TimeUnit> {
        if !self.is_own_export() {
            return None;
        }
        TimeUnit::of(text(schema, "x-unit")?)
    }

    fn find(&self, reference: &str) -> Option<&Value> {
        let mut value = &self.root;
        for step in reference.strip_prefix("#/")?.split('/') {
            let step = step.replace("~1", "/").replace("~0", "~");
            value = match step.parse::<usize>() {
                Ok(index) if value.is_sequence() => value.get(index)?,
                _ => value.get(step.as_str())?,
            };
        }
        Some(value)
    }
}

fn unreadable(why: &str) -> String {
    format!("the description cannot be read: {why}")
}

/// A version. One such as 3.1 is often written without quotes, so that YAML reads it as a number.
fn version(root: &Value, key: &str) -> String {
    match root.get(key) {
        Some(version) => text_of(version),
        None => String::new(),
    }
}

fn check_version(root: &Value) -> Result<(), String> {
    let version = version(root, "openapi");
    if VERSIONS.iter().any(|known| version.starts_with(known)) {
        return Ok(());
    }
    if !version.is_empty() {
        return Err(format!("OpenAPI {version} is not supported, expected 3.0, 3.1 or 3.2, or Swagger 2.0"));
    }
    if root.get("swagger").is_some() {
        return Err("Swagger 1 is not supported, expected 2.0".to_owned());
    }
    let help = "to learn from responses, use `cargo xtask learn`";
    Err(format!("not an OpenAPI description: the key `openapi` is missing; {help}"))
}

/// Removes tags, converts keys to strings, and decodes the percent-encoded characters in references.
fn normalize(value: &mut Value) {
    match value {
        Value::Tagged(tagged) => {
            *value = std::mem::take(&mut tagged.value);
            normalize(value);
        }
        Value::Sequence(items) => {
            for item in items {
                normalize(item);
            }
        }
        Value::Mapping(entries) => {
            for (key, mut value) in std::mem::take(entries) {
                normalize(&mut value);
                if let (Some("$ref"), Value::String(text)) = (key.as_str(), &mut value) {
                    *text = percent_decode_str(text).decode_utf8_lossy().into_owned();
                }
                // In YAML, a key such as `200` is a number, so it is converted to a string.
                entries.insert(text_of(&key).into(), value);
            }
            wrap_extended_reference(entries);
        }
        _ => {}
    }
}

/// The lists and maps that extend the target of a reference next to them.
const EXTENSIONS: [&str; 5] = ["allOf", "anyOf", "oneOf", "properties", "required"];

/// Makes a reference a part of its schema if other keys extend its target: the value of `$ref` becomes a schema with the
/// reference. In OpenAPI 3.0, keys next to a reference have no effect, but authors who write them mean that they apply.
fn wrap_extended_reference(schema: &mut Mapping) {
    let is_extended = EXTENSIONS.iter().any(|key| schema.get(key).is_some_and(is_list_or_map));
    if let Some(reference @ Value::String(_)) = schema.get_mut("$ref")
        && is_extended
    {
        let target = ("$ref".into(), std::mem::take(reference));
        *reference = Value::Mapping(Mapping::from_iter([target]));
    }
}

fn is_list_or_map(value: &Value) -> bool {
    value.is_sequence() || value.is_mapping()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsupported_documents_are_rejected() {
        let table = [
            ("openapi: 3.0.3", ""),
            ("{\"openapi\": \"3.1.0\"}", ""),
            ("{openapi: 3.1}", ""),
            ("swagger: '2.0'", ""),
            ("swagger: 2.0", ""),
            ("openapi: 3.2.0", ""),
            ("swagger: '1.2'", "Swagger 1 is not supported, expected 2.0"),
            ("openapi: 4.0.0", "OpenAPI 4.0.0 is not supported, expected 3.0, 3.1 or 3.2, or Swagger 2.0"),
            (
                "a: 1",
                "not an OpenAPI description: the key `openapi` is missing; to learn from responses, use `cargo xtask learn`",
            ),
            ("{", "the description cannot be read: EOF while parsing an object at line 1 column 1"),
        ];
        for (text, expected) in table {
            let message = Document::read(text).err().map(|refusal| refusal.to_string());
            assert_eq!(message.unwrap_or_default(), expected, "{text}");
        }
    }

    #[test]
    fn reference_cycles_end() {
        let text = "{openapi: 3.1.0, a: {$ref: '#/b/200/x~1y/0'}, b: {200: {x/y: [{z: 1}], a b: 2}}, c: {$ref: '#/c'}, d: {$ref: 'other.yaml#/d'}, e: {$ref: '#/b/200/a%20b'}}";
        let document = Document::read(&format!("# YAML\n{text}")).expect("a description");
        let follow = |key: &str| document.follow(document.root.get(key)?);
        let found = follow("a").expect("a target");
        assert_eq!((found.value["z"].as_i64(), found.reference), (Some(1), Some("#/b/200/x~1y/0")));
        let found = follow("e").expect("a target");
        assert_eq!((found.value.as_i64(), found.reference), (Some(2), Some("#/b/200/a b")));
        assert_eq!(follow("c"), None);
        assert_eq!(follow("d"), None);
    }
}
