//! Reads single values of a description, which is a tree of YAML values with texts as keys.

use serde_yaml::Value;

use crate::json_paths::entries_of;

/// A scalar as text; empty for any other value.
pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        _ => String::new(),
    }
}

/// The text under a key.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// The text under a key; empty if there is none.
pub(super) fn text_or_empty<'v>(value: &'v Value, key: &str) -> &'v str {
    text(value, key).unwrap_or_default()
}

/// `true` if the value under a key is `true`.
pub(super) fn is_true(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool) == Some(true)
}

/// The items of a list under a key.
pub(super) fn items<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    match value.get(key) {
        Some(Value::Sequence(items)) => items,
        _ => &[],
    }
}

/// The entries of a map under a key.
pub(super) fn entries<'v>(value: &'v Value, key: &str) -> Vec<(&'v str, &'v Value)> {
    match value.get(key) {
        Some(value) => entries_of(value),
        None => Vec::new(),
    }
}

/// `true` if a value has at least one of several keys.
pub(super) fn has_any(value: &Value, keys: &[&str]) -> bool {
    keys.iter().any(|key| value.get(key).is_some())
}
