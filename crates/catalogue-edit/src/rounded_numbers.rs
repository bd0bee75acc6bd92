//! Finds the numbers that the client rounds: those in values of the type `any`, which are raw JSON with the digits of an
//! `f64` and of 64 bits.

use runtime::registry::{RecordInfo, RecordLayout, ValueType};
use serde_yaml::{Mapping, Value};

use crate::exact_numbers::{self, Number};
use crate::json_paths::joined;
use crate::sent_fields::{name_of, others, type_of_others};

/// A number of which the client does not keep all digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RoundedNumber {
    /// The JSON path of the number.
    pub(crate) path: String,
    /// The number as it was sent.
    pub(crate) digits: String,
}

impl RoundedNumber {
    /// The note about a number in a response.
    pub(crate) fn note(&self, response: &str) -> String {
        let Self { path, digits } = self;
        let help = "the type `decimal` keeps all digits";
        format!("`{path}` is {digits} in {response}, which the client rounds, because its type is `any`; {help}")
    }
}

/// The first number that the client rounds in a value of a type.
pub(crate) fn first_rounded(sent: &Value, ty: ValueType, path: &str) -> Option<RoundedNumber> {
    match ty {
        ValueType::Any => first_with_more_digits(sent, path),
        ValueType::Option(item) => first_rounded(sent, *item, path),
        ValueType::List(item) | ValueType::Map(item) => {
            for child in children(sent, path) {
                let found = first_rounded(child.value, *item, &child.path);
                if found.is_some() {
                    return found;
                }
            }
            None
        }
        ValueType::Record(info) => first_in_record(sent, info, path),
        ValueType::Recursive(record) => first_in_record(sent, record.record(), path),
        _ => None,
    }
}

fn first_in_record(sent: &Value, info: &RecordInfo, path: &str) -> Option<RoundedNumber> {
    if let RecordLayout::Value = info.layout {
        return first_rounded(sent, info.fields.first()?.ty, path);
    }
    match sent {
        Value::Sequence(items) => first_in_list(items, info, path),
        Value::Mapping(members) => first_in_object(members, info, path),
        _ => None,
    }
}

fn first_in_list(items: &[Value], info: &RecordInfo, path: &str) -> Option<RoundedNumber> {
    for (value, field) in items.iter().zip(info.fields) {
        let found = first_rounded(value, field.ty, &joined(path, field.wire_name));
        if found.is_some() {
            return found;
        }
    }
    None
}

fn first_in_object(members: &Mapping, info: &RecordInfo, path: &str) -> Option<RoundedNumber> {
    for (index, field) in info.fields.iter().enumerate() {
        if info.others == Some(index) {
            continue;
        }
        let Some(name) = name_of(field, members) else { continue };
        let found = first_rounded(&members[name], field.ty, &joined(path, name));
        if found.is_some() {
            return found;
        }
    }
    first_in_others(members, info, path)
}

/// The first number that the client rounds in the members that a record does not list.
fn first_in_others(members: &Mapping, info: &RecordInfo, path: &str) -> Option<RoundedNumber> {
    let ty = type_of_others(info)?;
    for (key, value) in others(members, info) {
        let found = first_rounded(value, *ty, &joined(path, key));
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The first number that has more digits than raw JSON keeps.
fn first_with_more_digits(sent: &Value, path: &str) -> Option<RoundedNumber> {
    if let Value::Tagged(_) = sent {
        let digits = exact_numbers::text_of(sent)?;
        let is_exact = Number::parse(&digits)?.is_exact;
        return if is_exact { None } else { Some(RoundedNumber { path: path.to_owned(), digits }) };
    }
    for child in children(sent, path) {
        let found = first_with_more_digits(child.value, &child.path);
        if found.is_some() {
            return found;
        }
    }
    None
}

/// A value in a list or map, and its JSON path.
struct Child<'v> {
    value: &'v Value,
    path: String,
}

fn children<'v>(value: &'v Value, path: &str) -> Vec<Child<'v>> {
    let mut children = Vec::new();
    match value {
        Value::Sequence(items) => {
            for (index, value) in items.iter().enumerate() {
                children.push(Child { value, path: format!("{path}[{index}]") });
            }
        }
        Value::Mapping(entries) => {
            for (key, value) in entries {
                children.push(Child { value, path: joined(path, key.as_str().unwrap_or_default()) });
            }
        }
        _ => {}
    }
    children
}
