//! Converts columns to records. Columns are an object with a list for each field, such as
//! `{"time": [1, 2], "price": [10, 11]}`.

use catalogue::spec::Field;
use serde_yaml::{Mapping, Value};

use super::guess_type::{Guess, guess};
use crate::observed_values::Observed;
use crate::saved_response::SavedResponse;

/// The maximum number of objects around columns.
const MAX_DEPTH: usize = 2;

/// Replaces columns in the bodies by lists of records, and removes the responses that have none. `declared` is the path
/// of the columns, with their fields, if the catalogue declares them; otherwise they are searched. Returns `false`, and
/// changes nothing, if there are no columns, or if a response has other data.
pub(super) fn to_records(responses: &mut Vec<SavedResponse>, declared: Option<(&str, &[Field])>) -> bool {
    let bodies: Vec<_> = responses.iter().map(|response| converted(response.body.clone(), declared)).collect();
    let first_with_columns = bodies.iter().position(Option::is_some);
    for (response, body) in responses.iter().zip(&bodies) {
        let is_empty = first_with_columns.is_some_and(|first| is_without_items(&response.body, &responses[first].body));
        if body.is_none() && !is_empty {
            return false;
        }
    }
    let mut bodies = bodies.into_iter();
    responses.retain_mut(|response| match bodies.next().flatten() {
        Some(body) => {
            response.body = body;
            true
        }
        None => false,
    });
    true
}

/// `true` if a body has no items, and a key of a body with columns.
fn is_without_items(body: &Value, with_columns: &Value) -> bool {
    let (Some(members), Some(known)) = (body.as_mapping(), with_columns.as_mapping()) else { return false };
    !has_items(body) && members.keys().any(|key| known.contains_key(key))
}

/// The body with records instead of columns.
fn converted(mut body: Value, declared: Option<(&str, &[Field])>) -> Option<Value> {
    let (columns, fields) = match declared {
        Some((path, fields)) => (value_at(&mut body, path)?, fields),
        None => (find(&mut body, 0)?, &[][..]),
    };
    *columns = Value::Sequence(records(columns, fields)?);
    Some(body)
}

fn value_at<'v>(value: &'v mut Value, path: &str) -> Option<&'v mut Value> {
    let mut value = value;
    for key in path.split('.').filter(|key| !key.is_empty()) {
        value = member(value, key)?;
    }
    Some(value)
}

/// The member with this key. For `*`, it is the only member that is an object.
fn member<'v>(value: &'v mut Value, key: &str) -> Option<&'v mut Value> {
    if key != "*" {
        return value.get_mut(key);
    }
    only(value.as_mapping_mut()?.values_mut().filter(|value| value.is_mapping()))
}

/// The item, if there is exactly one.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    if items.next().is_none() { Some(first) } else { None }
}

/// `true` if a value contains a list with items.
fn has_items(value: &Value) -> bool {
    value.as_sequence().is_some_and(|items| !items.is_empty())
        || value.as_mapping().is_some_and(|members| members.values().any(has_items))
}

/// The object with columns, if its fields include a time, and nothing but scalars is next to it.
fn find(value: &mut Value, depth: usize) -> Option<&mut Value> {
    if records(value, &[]).is_some_and(|records| have_time(&records)) {
        return Some(value);
    }
    if depth == MAX_DEPTH {
        return None;
    }
    let members = value.as_mapping_mut()?.values_mut();
    find(only(members.filter(|member| is_filled(member)))?, depth + 1)
}

fn have_time(records: &[Value]) -> bool {
    Observed::of(records).fields.iter().any(|(name, values)| matches!(guess(name, values), Guess::Time(_)))
}

fn is_filled(value: &Value) -> bool {
    value.is_mapping() || value.as_sequence().is_some_and(|list| !list.is_empty())
}

/// The records of an object. The lists of `declared` fields must have the same length, as for the client. Other lists
/// of scalars with this length are columns too. If no fields are declared, all lists must be columns, at least two.
fn records(value: &Value, declared: &[Field]) -> Option<Vec<Value>> {
    let mut length = None;
    let mut lists = Vec::new();
    for (key, value) in value.as_mapping()? {
        let Some(items) = value.as_sequence() else { continue };
        let is_declared = declared.iter().any(|field| Some(field.name.as_str()) == key.as_str());
        if is_declared || declared.is_empty() {
            length = length.or(Some(items.len()));
        }
        lists.push((key, items, is_declared));
    }
    let length = length?;
    let mut columns = Vec::new();
    for (key, items, is_declared) in lists {
        if items.len() == length && (is_declared || items.iter().all(is_scalar)) {
            columns.push((key, items));
        } else if is_declared || declared.is_empty() {
            return None;
        }
    }
    if declared.is_empty() && columns.len() < 2 {
        return None;
    }
    let mut records = Vec::with_capacity(length);
    for index in 0..length {
        let mut record = Mapping::new();
        for (key, items) in &columns {
            record.insert((*key).clone(), items[index].clone());
        }
        records.push(Value::Mapping(record));
    }
    Some(records)
}

fn is_scalar(value: &Value) -> bool {
    !value.is_mapping() && !value.is_sequence()
}
