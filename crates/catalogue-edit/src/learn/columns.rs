//! Converts columns to records. Columns are an object with a list for each field, such as
//! `{"time": [1, 2], "price": [10, 11]}`.

use std::collections::BTreeSet;

use catalogue::spec::Field;
use serde_yaml::{Mapping, Value};

use super::guess_type::has_time;
use crate::json_paths::is_list_or_object;
use crate::observed_values::Observed;
use crate::saved_response::SavedResponse;

/// The maximum number of objects around columns.
const MAX_DEPTH: usize = 2;

/// Replaces columns in the bodies by lists of records, and removes the responses that have none. `declared` is the path
/// of the columns, with their fields, if the catalogue declares them; otherwise they are searched. Returns `false`, and
/// changes nothing, if there are no columns, or if a response has other data.
pub(super) fn to_records(responses: &mut Vec<SavedResponse>, declared: Option<(&str, &[Field])>) -> bool {
    let mut bodies = Vec::with_capacity(responses.len());
    for response in &*responses {
        bodies.push(converted(response.body.clone(), declared));
    }
    let first_with_columns = bodies.iter().position(Option::is_some);
    for (response, body) in responses.iter().zip(&bodies) {
        let is_empty = match first_with_columns {
            Some(first) => is_without_items(&response.body, &responses[first].body),
            None => false,
        };
        if body.is_none() && !is_empty {
            return false;
        }
    }
    let received = std::mem::take(responses);
    for (response, body) in received.into_iter().zip(bodies) {
        if let Some(body) = body {
            responses.push(SavedResponse { body, ..response });
        }
    }
    true
}

/// The members of undeclared columns that contain lists, and so are no columns, by their names.
pub(super) fn members_beside(responses: &[SavedResponse]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for response in responses {
        let mut body = response.body.clone();
        let Some(columns) = find(&mut body, 0) else { continue };
        for (name, value) in columns.as_mapping().into_iter().flatten() {
            if let Some(name) = name.as_str()
                && value.is_mapping()
                && has_items(value)
            {
                names.insert(name.to_owned());
            }
        }
    }
    names
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
    match value {
        Value::Sequence(items) => !items.is_empty(),
        Value::Mapping(members) => members.values().any(has_items),
        _ => false,
    }
}

/// The object with columns, if its fields include a time, and nothing but scalars is next to it.
fn find(value: &mut Value, depth: usize) -> Option<&mut Value> {
    if let Some(records) = records(value, &[])
        && has_time(&Observed::of(&records))
    {
        return Some(value);
    }
    if depth == MAX_DEPTH {
        return None;
    }
    let filled = value.as_mapping_mut()?.values_mut().filter(|member| is_filled(member));
    find(only(filled)?, depth + 1)
}

fn is_filled(value: &Value) -> bool {
    match value {
        Value::Mapping(_) => true,
        Value::Sequence(items) => !items.is_empty(),
        _ => false,
    }
}

/// A list that is a member of an object.
struct List<'v> {
    key: &'v Value,
    items: &'v [Value],
    is_declared: bool,
}

/// The records of an object, if it has columns.
fn records(value: &Value, declared: &[Field]) -> Option<Vec<Value>> {
    let lists = lists_in(value.as_mapping()?, declared);
    let columns = columns_among(lists, declared.is_empty())?;
    let length = columns[0].items.len();
    let mut records = Vec::with_capacity(length);
    for index in 0..length {
        let mut record = Mapping::new();
        for column in &columns {
            record.insert(column.key.clone(), column.items[index].clone());
        }
        records.push(Value::Mapping(record));
    }
    Some(records)
}

fn lists_in<'v>(object: &'v Mapping, declared: &[Field]) -> Vec<List<'v>> {
    let mut lists = Vec::new();
    for (key, value) in object {
        if let Value::Sequence(items) = value {
            let is_declared = declared.iter().any(|field| Some(field.name.as_str()) == key.as_str());
            lists.push(List { key, items, is_declared });
        }
    }
    lists
}

/// The lists that are columns; at least one. The lists of declared fields must have the same length, as for the
/// client. Other lists of scalars with this length are columns too. If no fields are declared (`is_open`), all lists must
/// be columns, at least two.
fn columns_among(lists: Vec<List<'_>>, is_open: bool) -> Option<Vec<List<'_>>> {
    let length = lists.iter().find(|list| list.is_declared || is_open)?.items.len();
    let mut columns = Vec::new();
    for list in lists {
        let is_required = list.is_declared || is_open;
        let is_column = list.items.len() == length && (list.is_declared || list.items.iter().all(is_scalar));
        if is_column {
            columns.push(list);
        } else if is_required {
            return None;
        }
    }
    if columns.is_empty() || is_open && columns.len() < 2 { None } else { Some(columns) }
}

fn is_scalar(value: &Value) -> bool {
    !is_list_or_object(value)
}
