//! Converts records that are lists to objects, if the body has the names of their values in another list, such as
//! `{"names": ["day", "price"], "rows": [["2024-01-02", 1.5]]}`.

use std::collections::BTreeSet;

use serde_yaml::{Mapping, Value};

use crate::column_names::{names_in, to_objects};
use crate::saved_response::SavedResponse;

/// The maximum number of objects around the two lists.
const MAX_DEPTH: usize = 3;

/// The JSON paths of records without names, and of their names.
pub(super) struct NamedRecords {
    pub(super) data: String,
    pub(super) names: String,
}

/// Converts the records in all responses, and returns where they are. `declared` are the paths in the catalogue;
/// otherwise they are searched. Returns `None`, and changes nothing, if a response has other records.
pub(super) fn name_records(responses: &mut [SavedResponse], declared: Option<NamedRecords>) -> Option<NamedRecords> {
    let paths = match declared {
        Some(declared) => declared,
        None => responses.iter().find_map(|response| find(&response.body, "", 0))?,
    };
    let mut bodies = Vec::with_capacity(responses.len());
    for response in &*responses {
        bodies.push(converted(response, &paths)?);
    }
    for (response, body) in responses.iter_mut().zip(bodies) {
        response.body = body;
    }
    Some(paths)
}

/// The body with objects in place of lists.
fn converted(response: &SavedResponse, paths: &NamedRecords) -> Option<Value> {
    let mut body = response.body.clone();
    let records = to_objects(response.at(&paths.data)?, response.at(&paths.names))?;
    let mut slot = &mut body;
    for key in paths.data.split('.') {
        slot = slot.get_mut(key)?;
    }
    *slot = records;
    Some(body)
}

/// Searches an object that has both lists: records of the same length, and as many different names.
fn find(value: &Value, path: &str, depth: usize) -> Option<NamedRecords> {
    let members = value.as_mapping()?;
    if let Some(found) = found_in(members, path) {
        return Some(found);
    }
    if depth == MAX_DEPTH {
        return None;
    }
    let mut inner = members.iter().filter_map(|(key, value)| find(value, &joined(path, usable(key)?), depth + 1));
    inner.next().filter(|_| inner.next().is_none())
}

fn found_in(members: &Mapping, path: &str) -> Option<NamedRecords> {
    let mut records = members.iter().filter_map(|(key, value)| Some((usable(key)?, row_length(value)?)));
    let (data, length) = records.next().filter(|_| records.next().is_none())?;
    let mut lists = members.iter().filter_map(|(key, value)| {
        let names = names_in(value)?;
        let different: BTreeSet<_> = names.iter().collect();
        usable(key).filter(|_| different.len() == length && names.len() == length)
    });
    let names = lists.next().filter(|_| lists.next().is_none())?;
    Some(NamedRecords { data: joined(path, data), names: joined(path, names) })
}

/// The key as a part of a path.
fn usable(key: &Value) -> Option<&str> {
    key.as_str().filter(|key| !key.contains(['.', '*']))
}

/// The length of all lists in a list; `None` if they differ or are no records.
fn row_length(value: &Value) -> Option<usize> {
    let mut lengths = value.as_sequence()?.iter().map(|row| Some(row.as_sequence()?.len()));
    let first = lengths.next()??;
    (first > 1 && lengths.all(|length| length == Some(first))).then_some(first)
}

fn joined(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
