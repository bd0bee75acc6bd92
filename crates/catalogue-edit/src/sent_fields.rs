//! Finds the fields of a record in an object as it was sent.

use runtime::registry::{FieldInfo, RecordInfo, ValueType};
use serde_yaml::{Mapping, Value};

/// The name under which an object has a field: its own, or one of its other names.
pub(crate) fn name_of(field: &FieldInfo, sent: &Mapping) -> Option<&'static str> {
    if sent.contains_key(field.wire_name) {
        return Some(field.wire_name);
    }
    field.also_named.iter().copied().find(|name| sent.contains_key(*name))
}

/// The type of the members that a record does not list, if it declares one.
pub(crate) fn type_of_others(info: &RecordInfo) -> Option<&'static ValueType> {
    match info.fields[info.others?].ty {
        ValueType::Map(item) => Some(item),
        _ => None,
    }
}

/// The members of an object that a record does not list.
pub(crate) fn others<'v>(sent: &'v Mapping, info: &RecordInfo) -> Vec<(&'v str, &'v Value)> {
    let mut others = Vec::new();
    for (key, value) in sent {
        if let Some(key) = key.as_str()
            && !is_listed(info, key)
        {
            others.push((key, value));
        }
    }
    others
}

fn is_listed(info: &RecordInfo, key: &str) -> bool {
    for (index, field) in info.fields.iter().enumerate() {
        // The field for the members that are not listed has no name on the wire.
        if info.others != Some(index) && (field.wire_name == key || field.also_named.contains(&key)) {
            return true;
        }
    }
    false
}
