//! JSON paths of members, and the values that have members.

use serde_yaml::Value;

/// The path of what has the path `rest` in the value at `path`.
pub(crate) fn joined(path: &str, rest: &str) -> String {
    if path.is_empty() { rest.to_owned() } else { format!("{path}.{rest}") }
}

pub(crate) fn is_list_or_object(value: &Value) -> bool {
    value.is_mapping() || value.is_sequence()
}

/// The entries of a map whose keys are texts.
pub(crate) fn entries_of(value: &Value) -> Vec<(&str, &Value)> {
    let Value::Mapping(map) = value else { return Vec::new() };
    let mut entries = Vec::new();
    for (key, value) in map {
        if let Some(key) = key.as_str() {
            entries.push((key, value));
        }
    }
    entries
}
