//! Compares values as they were sent with the values that the client writes back.

use runtime::registry::{RecordInfo, RecordLayout, ValueType};
use serde_yaml::{Mapping, Value};

use crate::exact_numbers;
use crate::sent_fields::{name_of, others, type_of_others};
use crate::unix_time::unit_by_magnitude;

/// The part of a value whose digits the client keeps. Values of any type are raw JSON, which has the digits of an `f64`
/// and of 64 bits.
fn exact_part(sent: &Value, ty: ValueType) -> Value {
    match (ty, sent) {
        (ValueType::Any, _) => Value::Null,
        (ValueType::Option(item), _) => exact_part(sent, *item),
        (ValueType::List(item), Value::Sequence(items)) => {
            let mut parts = Vec::new();
            for value in items {
                parts.push(exact_part(value, *item));
            }
            Value::Sequence(parts)
        }
        (ValueType::Map(item), Value::Mapping(entries)) => {
            let mut parts = Mapping::new();
            for (key, value) in entries {
                parts.insert(key.clone(), exact_part(value, *item));
            }
            Value::Mapping(parts)
        }
        (ValueType::Record(info), _) => exact_record(sent, info),
        (ValueType::Recursive(record), _) => exact_record(sent, record.record()),
        _ => sent.clone(),
    }
}

/// The part of a record whose digits the client keeps.
pub(crate) fn exact_record(sent: &Value, info: &RecordInfo) -> Value {
    if info.layout == RecordLayout::Value {
        return match info.fields.first() {
            Some(field) => exact_part(sent, field.ty),
            None => Value::Null,
        };
    }
    match sent {
        Value::Mapping(members) => {
            let mut fields = Mapping::new();
            // Members that are not listed are written back like fields, if their type is declared.
            if let Some(ty) = type_of_others(info) {
                for (key, value) in others(members, info) {
                    fields.insert(key.into(), exact_part(value, *ty));
                }
            }
            for (index, field) in info.fields.iter().enumerate() {
                if info.others == Some(index) {
                    continue;
                }
                if let Some(name) = name_of(field, members) {
                    fields.insert(field.wire_name.into(), exact_part(&members[name], field.ty));
                }
            }
            Value::Mapping(fields)
        }
        Value::Sequence(items) => {
            let mut values = Vec::new();
            for (value, field) in items.iter().zip(info.fields) {
                values.push(exact_part(value, field.ty));
            }
            Value::Sequence(values)
        }
        _ => sent.clone(),
    }
}

/// A value without tagged numbers, which are numbers with more digits than the value needs here.
pub(crate) fn untagged(value: &Value) -> Value {
    match value {
        Value::Tagged(_) => match exact_numbers::text_of(value) {
            Some(digits) => Value::String(digits),
            None => Value::Null,
        },
        Value::Sequence(items) => {
            let mut untagged_items = Vec::new();
            for item in items {
                untagged_items.push(untagged(item));
            }
            Value::Sequence(untagged_items)
        }
        Value::Mapping(entries) => {
            let mut untagged_entries = Mapping::new();
            for (key, value) in entries {
                untagged_entries.insert(key.clone(), untagged(value));
            }
            Value::Mapping(untagged_entries)
        }
        other => other.clone(),
    }
}

/// A description of the first value that the client writes back with other digits, or not at all. Texts are not
/// compared, because times are written in one form.
pub(crate) fn lost(sent: &Value, written: &Value, path: &str) -> Option<String> {
    match (sent, written) {
        (Value::Sequence(sent), Value::Sequence(written)) => lost_item(sent, written, path),
        (Value::Mapping(sent), Value::Mapping(written)) => lost_member(sent, written, path),
        _ => lost_number(sent, written, path),
    }
}

fn lost_item(sent: &[Value], written: &[Value], path: &str) -> Option<String> {
    if sent.len() > written.len() {
        return Some(format!("`{path}` has {} of {} values", written.len(), sent.len()));
    }
    for (index, (sent, written)) in sent.iter().zip(written).enumerate() {
        let found = lost(sent, written, &format!("{path}[{index}]"));
        if found.is_some() {
            return found;
        }
    }
    None
}

fn lost_member(sent: &Mapping, written: &Mapping, path: &str) -> Option<String> {
    for (key, sent) in sent {
        let path = format!("{path}.{}", key.as_str().unwrap_or_default());
        let found = match written.get(key) {
            Some(written) => lost(sent, written, &path),
            None if is_nothing(sent) => None,
            None => Some(format!("`{path}` is missing")),
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

fn lost_number(sent: &Value, written: &Value, path: &str) -> Option<String> {
    let number = exact_numbers::text_of(sent)?;
    match exact_numbers::text_of(written) {
        Some(written) if exact_numbers::are_equal(&number, &written) => None,
        Some(written) if is_rounded_time(&number, &written) => None,
        Some(written) => Some(format!("`{path}` is {number} and becomes {written}")),
        // A time in quotes is written as text.
        None if written.is_string() => None,
        None => Some(format!("`{path}` is {number} and becomes nothing")),
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Sequence(items) => items.is_empty(),
        Value::Mapping(entries) => entries.is_empty(),
        _ => false,
    }
}

/// `true` if a number is a time with a fraction. The client keeps the fraction, and writes whole units.
fn is_rounded_time(number: &str, written: &str) -> bool {
    let Some((whole, _)) = number.split_once('.') else { return false };
    match number.parse() {
        Ok(number) => whole == written && unit_by_magnitude(number).is_some(),
        Err(_) => false,
    }
}
