//! Converts records that are lists to objects, if the body has the names of their values in another list, such as
//! `{"names": ["day", "price"], "rows": [["2024-01-02", 1.5]]}`.

use std::collections::BTreeSet;

use serde_yaml::{Mapping, Value};

use crate::json_paths::joined;
use crate::named_records::{names_in, to_objects};
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
    if response.at(&paths.data).is_none() {
        return Some(body);
    }
    let records = to_objects(response.at(&paths.data)?, response.at(&paths.names))?;
    let mut place = &mut body;
    for key in paths.data.split('.') {
        place = place.get_mut(key)?;
    }
    *place = records;
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
    let mut only = None;
    for (key, member) in members {
        let Some(key) = usable(key) else { continue };
        let Some(found) = find(member, &joined(path, key), depth + 1) else { continue };
        if only.is_some() {
            return None;
        }
        only = Some(found);
    }
    only
}

/// The paths of the only records in an object, and of the only list with as many names as each record has values.
fn found_in(members: &Mapping, path: &str) -> Option<NamedRecords> {
    let records = only_records(members)?;
    let mut only_names = None;
    for (key, value) in members {
        let Some(key) = usable(key) else { continue };
        if !are_different_names(value, records.length) {
            continue;
        }
        if only_names.is_some() {
            return None;
        }
        only_names = Some(key);
    }
    Some(NamedRecords { data: joined(path, records.key), names: joined(path, only_names?) })
}

/// A list of lists that have the same length.
struct Records<'v> {
    key: &'v str,
    length: usize,
}

/// The records in an object, if only one of its members is a list of records.
fn only_records(members: &Mapping) -> Option<Records<'_>> {
    let mut only = None;
    for (key, value) in members {
        let Some(key) = usable(key) else { continue };
        let Some(length) = row_length(value) else { continue };
        if only.is_some() {
            return None;
        }
        only = Some(Records { key, length });
    }
    only
}

/// `true` if a list has this number of names, all of them different.
fn are_different_names(list: &Value, count: usize) -> bool {
    let Some(names) = names_in(list) else { return false };
    let different: BTreeSet<_> = names.iter().collect();
    names.len() == count && different.len() == count
}

/// The key as a part of a path.
fn usable(key: &Value) -> Option<&str> {
    let key = key.as_str()?;
    if key.contains(['.', '*']) { None } else { Some(key) }
}

/// The length of all lists in a list; `None` if they differ or are no records.
fn row_length(value: &Value) -> Option<usize> {
    let rows = value.as_sequence()?;
    let length = rows.first()?.as_sequence()?.len();
    for row in rows {
        if row.as_sequence()?.len() != length {
            return None;
        }
    }
    if length > 1 { Some(length) } else { None }
}
