//! An OpenAPI description as a tree, in which references can be resolved.

use catalogue::model::TimeUnit;
use percent_encoding::percent_decode_str;
use serde_yaml::Value;

use super::{parse_text, swagger};
use crate::editor::Refusal;

/// A parsed description.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) root: Value,
}

/// An object of a description, and its path.
pub(super) type Layer<'d> = (&'d Value, String);

/// The maximum length of a chain of references, far above the length of any real chain.
const HOPS: usize = 16;

impl Document {
    /// Parses a description in JSON or YAML, and rejects unsupported versions.
    pub(super) fn read(text: &str) -> Result<Self, Refusal> {
        let root = parse_text::parse(text);
        let merged = root.and_then(|mut root| root.apply_merge().map(|()| root).map_err(|error| error.to_string()));
        let mut root = merged.map_err(|error| format!("the description cannot be read: {error}"))?;
        normalize(&mut root);
        if root.get("swagger").map(text_of).is_some_and(|version| version.starts_with('2')) {
            root = swagger::converted(root);
        }
        // A version such as 3.1 is often written without quotes. YAML reads it as a number, so `text_of` converts it.
        match root.get("openapi").map(text_of).unwrap_or_default().as_str() {
            version if ["3.0", "3.1", "3.2"].iter().any(|known| version.starts_with(known)) => Ok(Self { root }),
            "" if root.get("swagger").is_some() => Err("Swagger 1 is not supported, expected 2.0".into()),
            "" => Err(Refusal::from(
                "not an OpenAPI description: the key `openapi` is missing; to learn from responses, use `cargo xtask learn`",
            )),
            version => {
                Err(format!("OpenAPI {version} is not supported, expected 3.0, 3.1 or 3.2, or Swagger 2.0").into())
            }
        }
    }

    /// Follows the references of a value, and returns the target and the last reference.
    ///
    /// Returns `None` if a reference does not begin with `#/`, if its target is missing, or if the references form a
    /// cycle.
    pub(super) fn follow<'d>(&'d self, mut value: &'d Value) -> Option<(&'d Value, Option<&'d str>)> {
        let mut last = None;
        for _ in 0..HOPS {
            let Some(reference) = value.get("$ref").and_then(Value::as_str) else { return Some((value, last)) };
            last = Some(reference);
            value = self.find(reference)?;
        }
        None
    }

    /// Every path with its `get`, as far as references can be resolved.
    pub(super) fn gets(&self) -> impl Iterator<Item = (&str, &Value)> {
        entries(&self.root, "paths").filter_map(|(path, item)| {
            let (item, _) = self.follow(item)?;
            Some((path, self.follow(item.get("get")?)?.0))
        })
    }

    /// The unit of timestamps that are numbers, which our own export states. In other descriptions, a value with such a
    /// unit may be a duration.
    pub(super) fn unit_of(&self, schema: &Value) -> Option<TimeUnit> {
        TimeUnit::of(text(schema, "x-unit").filter(|_| self.root.get("x-catalogue").is_some())?)
    }

    fn find(&self, reference: &str) -> Option<&Value> {
        let steps = reference.strip_prefix("#/")?.split('/');
        steps.map(|step| step.replace("~1", "/").replace("~0", "~")).try_fold(&self.root, |value, step| {
            match step.parse::<usize>() {
                Ok(index) if value.is_sequence() => value.get(index),
                _ => value.get(step.as_str()),
            }
        })
    }
}

/// Removes tags, converts keys to strings, and decodes the percent-encoded characters in references.
fn normalize(value: &mut Value) {
    match value {
        Value::Tagged(tagged) => {
            *value = std::mem::take(&mut tagged.value);
            normalize(value);
        }
        Value::Sequence(items) => items.iter_mut().for_each(normalize),
        Value::Mapping(entries) => {
            for (key, mut value) in std::mem::take(entries) {
                normalize(&mut value);
                if let (Some("$ref"), Value::String(text)) = (key.as_str(), &mut value) {
                    *text = percent_decode_str(text).decode_utf8_lossy().into_owned();
                }
                // In YAML, a key such as `200` is a number, so it is converted to a string.
                entries.insert(text_of(&key).into(), value);
            }
        }
        _ => {}
    }
}

/// A scalar as text.
pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        _ => String::new(),
    }
}

/// The entries of a map under a key.
pub(super) fn entries<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = (&'v str, &'v Value)> {
    value.get(key).into_iter().flat_map(entries_of)
}

/// The entries of a map.
pub(super) fn entries_of(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let map = value.as_mapping().into_iter().flatten();
    map.filter_map(|(key, value)| Some((key.as_str()?, value)))
}

/// The items of a list under a key.
pub(super) fn items<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_sequence).map_or(&[], Vec::as_slice)
}

/// The text under a key.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
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
        assert_eq!(
            follow("a").map(|(value, last)| (value["z"].as_i64(), last)),
            Some((Some(1), Some("#/b/200/x~1y/0")))
        );
        assert_eq!(follow("e").map(|(value, last)| (value.as_i64(), last)), Some((Some(2), Some("#/b/200/a b"))));
        assert_eq!(follow("c"), None);
        assert_eq!(follow("d"), None);
    }
}
