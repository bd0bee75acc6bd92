//! Texts and paths of JSON values.

use runtime::Value;
use serde_json::Map;

/// Inserts a value at a path of keys separated by dots.
pub(crate) fn put(body: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => {
            body.insert(path.to_owned(), value);
        }
        Some((outer, rest)) => {
            if let Value::Object(inner) = body.entry(outer).or_insert_with(|| Value::Object(Map::new())) {
                put(inner, rest, value);
            }
        }
    }
}

/// The text of a string without its quotes, or the JSON text of another value.
pub(crate) fn text_of(value: &Value) -> String {
    match value.as_str() {
        Some(text) => text.to_owned(),
        None => value.to_string(),
    }
}
