//! Finds several groups of records in one body: items of a list, or members of an object, each with a list of records and
//! with labels next to it.
//!
//! Groups are recognized by the times in their records: without a time, an object in a list is usually a record that has
//! a list, such as an order with its trades.

use catalogue::spec::Body;
use serde_yaml::{Mapping, Value};

use super::guess_type::{Guess, guess, is_key_of_data, is_time_text, is_year_and_period};
use crate::observed_values::Observed;
use crate::saved_response::SavedResponse;

/// The greatest number of keys before `*` in the path of records.
const MAX_DEPTH: usize = 3;
/// The greatest number of objects around the records in a group.
const MAX_INNER_DEPTH: usize = 2;
/// The name of the label that is the key of a group.
const KEY: &str = "key";

/// The groups in the bodies of an endpoint.
#[derive(Default)]
pub(super) struct Groups {
    /// The path of the records, in which `*` stands for each group.
    pub(super) data: String,
    /// The records of all groups.
    pub(super) records: Vec<Value>,
    /// For each label its name and its path in the group.
    pub(super) labels: Vec<(String, String)>,
    /// For each group an object with its labels.
    pub(super) label_values: Vec<Value>,
}

/// A group in a body.
struct Group<'v> {
    key: Option<&'v str>,
    value: &'v Value,
}

/// The groups of an endpoint: those that the catalogue declares, or those that all responses have in one place.
pub(super) fn of(responses: &[SavedResponse], declared: Option<&Body>) -> Option<Groups> {
    let Some(body) = declared else {
        let filled = responses.iter().find_map(|response| find(&response.body, "", 0))?;
        return collect(responses, filled);
    };
    let data = body.data.as_ref().filter(|_| !body.labels.is_empty())?;
    let labels = body.labels.iter().map(|label| {
        let path = label.at.as_ref().unwrap_or(&label.name);
        (label.name.to_string(), path.to_string())
    });
    collect(responses, Groups { data: data.to_string(), labels: labels.collect(), ..Groups::default() })
}

/// Collects the records and the labels of all responses. Returns `None` if a response has other groups.
fn collect(responses: &[SavedResponse], mut groups: Groups) -> Option<Groups> {
    let (before, after) = groups.data.split_once('*')?;
    let after = after.trim_start_matches('.').to_owned();
    let before = before.trim_end_matches('.').to_owned();
    for response in responses {
        let around = if before.is_empty() { Some(&response.body) } else { response.at(&before) };
        for group in groups_in(around?)? {
            if group.value.is_null() {
                continue;
            }
            let mut labels = Mapping::new();
            for (name, path) in &groups.labels {
                let value = if path == "*" { group.key.map(Value::from) } else { at(group.value, path).cloned() };
                if let Some(value) = value {
                    labels.insert(name.as_str().into(), value);
                }
            }
            groups.label_values.push(Value::Mapping(labels));
            match at(group.value, &after)? {
                Value::Sequence(items) if items.iter().any(|item| item.is_mapping() || item.is_sequence()) => {
                    groups.records.extend(items.iter().cloned());
                }
                Value::Sequence(items) if items.is_empty() => {}
                one => groups.records.push(one.clone()),
            }
        }
    }
    (!groups.records.is_empty()).then_some(groups)
}

/// The groups in a list or an object.
fn groups_in(around: &Value) -> Option<Vec<Group<'_>>> {
    match around {
        Value::Sequence(items) => Some(items.iter().map(|value| Group { key: None, value }).collect()),
        Value::Mapping(members) => {
            let groups = members.iter().map(|(key, value)| Some(Group { key: Some(key.as_str()?), value }));
            groups.collect()
        }
        _ => None,
    }
}

fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').filter(|key| !key.is_empty()).try_fold(value, |value, key| value.get(key))
}

/// Searches the groups in a body.
fn find(value: &Value, path: &str, depth: usize) -> Option<Groups> {
    if let Some(groups) = groups_at(value, path) {
        return Some(groups);
    }
    let mut found = value.as_mapping().filter(|_| depth < MAX_DEPTH)?.iter().filter_map(|(key, inner)| {
        let key = key.as_str().filter(|key| !key.contains('.') && *key != "*")?;
        find(inner, &joined(path, key), depth + 1)
    });
    found.next().filter(|_| found.next().is_none())
}

/// The groups whose list or object is at this path.
fn groups_at(value: &Value, path: &str) -> Option<Groups> {
    let mut groups = groups_in(value)?;
    let has_several = groups.len() > 1;
    groups.retain(|group| !group.value.is_null());
    let first = groups.first()?;
    let are_keyed = first.key.is_some();
    if are_keyed && groups.iter().all(|group| group.key.is_some_and(is_time_text)) {
        return keyed_by_time(&groups, path);
    }
    let inner = records_in(first.value, "", 0)?;
    let has_records = |group: &Group<'_>| at(group.value, &inner).is_some_and(Value::is_sequence);
    let is_data = |group: &Group<'_>| group.key.is_some_and(is_key_of_data);
    if !are_keyed && Observed::of(groups.iter().map(|group| group.value)).fields.iter().any(is_time) {
        return None;
    }
    let are_groups = groups.iter().all(has_records) && (!are_keyed || has_several || groups.iter().all(is_data));
    if !are_groups {
        return None;
    }
    let data = joined(path, &format!("*.{inner}"));
    Some(Groups { data, labels: labels(&groups, &inner), ..Groups::default() })
}

/// Returns groups that are single records, with their times as keys.
fn keyed_by_time(groups: &[Group<'_>], path: &str) -> Option<Groups> {
    let are_records = groups.iter().all(|group| group.value.as_mapping().is_some_and(|record| !record.is_empty()));
    let labels = vec![("time".to_owned(), "*".to_owned())];
    are_records.then(|| Groups { data: joined(path, "*"), labels, ..Groups::default() })
}

fn joined(path: &str, rest: &str) -> String {
    if path.is_empty() { rest.to_owned() } else { format!("{path}.{rest}") }
}

/// The path of the only list in a group that has records with times.
fn records_in(value: &Value, path: &str, depth: usize) -> Option<String> {
    let mut found = value.as_mapping().filter(|_| depth < MAX_INNER_DEPTH)?.iter().filter_map(|(key, inner)| {
        let key = key.as_str().filter(|key| !key.contains('.') && *key != "*")?;
        let path = joined(path, key);
        if are_timed(inner) { Some(path) } else { records_in(inner, &path, depth + 1) }
    });
    found.next().filter(|_| found.next().is_none())
}

/// `true` if a field is a time, by its name and its values.
fn is_time((name, seen): (&String, &Observed)) -> bool {
    matches!(guess(name, seen), Guess::Time(_))
}

/// `true` if a value is a list of records with times.
fn are_timed(value: &Value) -> bool {
    let Some(items) = value.as_sequence().filter(|items| !items.is_empty()) else { return false };
    let seen = Observed::of(items);
    let has_time = seen.fields.iter().any(is_time) || is_year_and_period(&seen);
    let rows_have_time = || {
        matches!(guess("rows", &seen), Guess::Rows)
            || seen.are_rows() && {
                seen.by_index.first().is_some_and(|first| matches!(guess("time", first), Guess::Time(_)))
            }
    };
    seen.objects == seen.times && has_time || seen.lists == seen.times && rows_have_time()
}

/// The labels of groups: the key, and the scalars next to the records.
fn labels(groups: &[Group<'_>], records: &str) -> Vec<(String, String)> {
    let mut labels = Vec::new();
    let mut key_is_named = false;
    for group in groups {
        let around = records.split('.').next().unwrap_or_default();
        for (path, value) in scalars(group.value, around) {
            let is_key = group.key.is_some() && value.as_str() == group.key;
            let name = path.rsplit('.').next().unwrap_or_default().to_owned();
            if is_key && !key_is_named {
                labels.push((name, "*".to_owned()));
                key_is_named = true;
            } else if labels.iter().all(|(known, _)| *known != name) && value.is_string() {
                labels.push((name, path));
            }
        }
    }
    if groups[0].key.is_some() && !key_is_named {
        labels.insert(0, (KEY.to_owned(), "*".to_owned()));
    }
    labels
}

/// The scalars of a group and of its objects, with their paths, without the member that contains the records.
fn scalars<'v>(group: &'v Value, records: &str) -> Vec<(String, &'v Value)> {
    let mut found = Vec::new();
    for (key, value) in group.as_mapping().into_iter().flatten() {
        let Some(key) = key.as_str().filter(|key| !key.contains('.') && *key != records) else { continue };
        match value {
            Value::Mapping(inner) => {
                let inner = inner.iter().filter_map(|(name, value)| Some((name.as_str()?, value)));
                found.extend(
                    inner.filter(|(name, _)| !name.contains('.')).map(|(name, value)| (format!("{key}.{name}"), value)),
                );
            }
            Value::String(_) | Value::Number(_) => found.push((key.to_owned(), value)),
            _ => {}
        }
    }
    found
}
