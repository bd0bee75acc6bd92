//! Finds several groups of records in one body: items of a list, or members of an object, each with a list of records and
//! with labels next to it.
//!
//! Groups are recognized by the times in their records: without a time, an object in a list is usually a record that has
//! a list, such as an order with its trades.

use std::collections::BTreeSet;

use catalogue::spec::Body;
use serde_yaml::{Mapping, Value};

use super::guess_type::{Guess, TIME, guess, has_time, is_time_field};
use super::key_names::is_key_of_data;
use super::time_texts::{is_time_text, is_year_and_period};
use crate::json_paths::{entries_of, is_list_or_object, joined};
use crate::named_records::objects_of;
use crate::observed_values::Observed;
use crate::saved_response::SavedResponse;
use crate::sent_values::SentValues;
use crate::unix_time::ENDS;

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
    /// The path in a group of the names of the values, if the catalogue declares it.
    column_names: Option<String>,
    /// The records of all groups.
    pub(super) records: Vec<Value>,
    pub(super) labels: Vec<Label>,
    /// For each group an object with its labels.
    pub(super) label_values: Vec<Value>,
}

/// A label of groups.
pub(super) struct Label {
    pub(super) name: String,
    /// The path in the group; `*` for the key of the group.
    pub(super) path: String,
    /// The path of the member of a group that repeats its key.
    repeated_at: Option<String>,
}

/// A group in a body.
#[derive(Clone, Copy)]
struct Group<'v> {
    key: Option<&'v str>,
    value: &'v Value,
}

/// The groups of an endpoint: those that the catalogue declares, or those that all responses have in one place.
/// `sent` are the values that the requests have sent.
pub(super) fn of(responses: &[SavedResponse], declared: Option<&Body>, sent: &SentValues) -> Option<Groups> {
    let Some(body) = declared else {
        let found = responses.iter().find_map(|response| find(&response.body, "", 0, sent))?;
        return collect(responses, found);
    };
    if body.labels.is_empty() {
        return None;
    }
    let data = body.data.as_ref()?.to_string();
    let mut labels = Vec::new();
    for label in &body.labels {
        let path = label.at.as_ref().unwrap_or(&label.name);
        labels.push(Label { name: label.name.to_string(), path: path.to_string(), repeated_at: None });
    }
    let column_names = body.columns_at.as_ref().map(ToString::to_string);
    collect(responses, Groups { data, column_names, labels, ..Groups::default() })
}

impl Groups {
    /// The paths of the members next to all groups that contain records.
    pub(super) fn records_beside(&self, responses: &[SavedResponse]) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let Some((before, _)) = self.data.split_once(".*") else { return found };
        for response in responses {
            let mut around = &response.body;
            let mut path = String::new();
            for key in before.split('.') {
                for (name, value) in entries_of(around) {
                    if name != key && has_records(value, MAX_DEPTH) {
                        found.insert(joined(&path, name));
                    }
                }
                let Some(inner) = around.get(key) else { break };
                path = joined(&path, key);
                around = inner;
            }
        }
        found
    }
}

/// `true` if a value contains a list of objects or lists.
fn has_records(value: &Value, depth: usize) -> bool {
    match value {
        Value::Sequence(items) => items.first().is_some_and(is_list_or_object),
        Value::Mapping(members) if depth > 0 => members.values().any(|member| has_records(member, depth - 1)),
        _ => false,
    }
}

/// Collects the records and the labels of all responses. Returns `None` if a response has other groups.
fn collect(responses: &[SavedResponse], mut groups: Groups) -> Option<Groups> {
    let (before, after) = groups.data.split_once('*')?;
    let before = before.trim_end_matches('.').to_owned();
    let after = after.trim_start_matches('.').to_owned();
    let mut all = Vec::new();
    for response in responses {
        let around = if before.is_empty() { &response.body } else { response.at(&before)? };
        if is_group(around, &after) {
            groups.label_by_members();
            all.push(Group { key: None, value: around });
        } else {
            all.extend(groups_in(around)?);
        }
    }
    for group in all {
        if !group.value.is_null() {
            groups.add(group, &after)?;
        }
    }
    if groups.records.is_empty() { None } else { Some(groups) }
}

/// `true` if an object is a group itself, as in a response about one item: it has records at their path.
fn is_group(object: &Value, records: &str) -> bool {
    object.is_mapping() && !records.is_empty() && at(object, records).is_some_and(Value::is_sequence)
}

impl Groups {
    /// Reads labels from members instead of keys, because a group without others has no key.
    fn label_by_members(&mut self) {
        for label in &mut self.labels {
            if let Some(member) = label.repeated_at.take() {
                label.path = member;
            }
        }
    }

    /// Adds the labels and the records of a group, which has its records at a path.
    fn add(&mut self, group: Group<'_>, records: &str) -> Option<()> {
        let mut labels = Mapping::new();
        for label in &self.labels {
            let value =
                if label.path == "*" { group.key.map(Value::from) } else { at(group.value, &label.path).cloned() };
            if let Some(value) = value {
                labels.insert(label.name.as_str().into(), value);
            }
        }
        self.label_values.push(Value::Mapping(labels));
        let mut records = match at(group.value, records)? {
            Value::Sequence(items) if items.is_empty() => Vec::new(),
            Value::Sequence(items) if items.iter().any(is_list_or_object) => items.clone(),
            one => vec![one.clone()],
        };
        if let Some(path) = &self.column_names {
            records = objects_of(&records, at(group.value, path))?;
        }
        self.records.extend(records);
        Some(())
    }
}

/// The groups in a list or an object.
fn groups_in(around: &Value) -> Option<Vec<Group<'_>>> {
    let mut groups = Vec::new();
    match around {
        Value::Sequence(items) => {
            for value in items {
                groups.push(Group { key: None, value });
            }
        }
        Value::Mapping(members) => {
            for (key, value) in members {
                groups.push(Group { key: Some(key.as_str()?), value });
            }
        }
        _ => return None,
    }
    Some(groups)
}

fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let mut value = value;
    for key in path.split('.').filter(|key| !key.is_empty()) {
        value = value.get(key)?;
    }
    Some(value)
}

/// The groups in a body, if they are in one place.
fn find(value: &Value, path: &str, depth: usize, sent: &SentValues) -> Option<Groups> {
    if let Some(groups) = groups_at(value, path, sent) {
        return Some(groups);
    }
    if depth == MAX_DEPTH {
        return None;
    }
    let mut only = None;
    for (key, inner) in members_with_path(value, path)? {
        let Some(groups) = find(inner, &key, depth + 1, sent) else { continue };
        if only.is_some() {
            return None;
        }
        only = Some(groups);
    }
    only
}

/// The members of an object whose keys can be a part of a path, each with its path.
fn members_with_path<'v>(value: &'v Value, path: &str) -> Option<Vec<(String, &'v Value)>> {
    let mut members = Vec::new();
    for (key, inner) in value.as_mapping()? {
        if let Some(key) = key.as_str()
            && !key.contains('.')
            && key != "*"
        {
            members.push((joined(path, key), inner));
        }
    }
    Some(members)
}

/// The groups whose list or object is at this path.
fn groups_at(value: &Value, path: &str, sent: &SentValues) -> Option<Groups> {
    let mut groups = groups_in(value)?;
    let has_several = groups.len() > 1;
    groups.retain(|group| !group.value.is_null());
    let first = groups.first()?;
    let are_keyed = first.key.is_some();
    if are_keyed && have_keys(&groups, is_time_text) {
        return keyed_by_time(&groups, path);
    }
    let records = path_of_records(first.value, "", 0)?;
    let are_groups = if are_keyed {
        has_several || have_keys(&groups, |key| is_key_of_data(key) || sent.contains(key))
    } else {
        // Items with a time are records.
        !has_time(&Observed::of(groups.iter().map(|group| group.value)))
    };
    let have_records = groups.iter().all(|group| at(group.value, &records).is_some_and(Value::is_sequence));
    if !are_groups || !have_records {
        return None;
    }
    let data = joined(path, &format!("*.{records}"));
    Some(Groups { data, labels: labels(&groups, &records), ..Groups::default() })
}

fn have_keys(groups: &[Group<'_>], is_expected: impl Fn(&str) -> bool) -> bool {
    groups.iter().all(|group| group.key.is_some_and(&is_expected))
}

/// Groups that are single records, with their times as keys.
fn keyed_by_time(groups: &[Group<'_>], path: &str) -> Option<Groups> {
    for group in groups {
        if group.value.as_mapping()?.is_empty() {
            return None;
        }
    }
    let labels = vec![Label { name: "time".to_owned(), path: "*".to_owned(), repeated_at: None }];
    Some(Groups { data: joined(path, "*"), labels, ..Groups::default() })
}

/// The path of the only list in a group that has records with times.
fn path_of_records(value: &Value, path: &str, depth: usize) -> Option<String> {
    if depth == MAX_INNER_DEPTH {
        return None;
    }
    let mut only = None;
    for (path, inner) in members_with_path(value, path)? {
        let found = if are_timed(inner) { Some(path) } else { path_of_records(inner, &path, depth + 1) };
        if found.is_none() {
            continue;
        }
        if only.is_some() {
            return None;
        }
        only = found;
    }
    only
}

/// `true` if a value is a list of records with times.
fn are_timed(value: &Value) -> bool {
    let Some(items) = value.as_sequence() else { return false };
    if items.is_empty() {
        return false;
    }
    let seen = Observed::of(items);
    if seen.objects == seen.times {
        return has_time(&seen) || is_year_and_period(&seen);
    }
    seen.lists == seen.times && are_timed_rows(&seen)
}

fn are_timed_rows(rows: &Observed) -> bool {
    if guess("rows", rows) == Guess::Rows {
        return true;
    }
    let first = rows.by_index.first();
    rows.are_rows() && first.is_some_and(|first| is_time_field(TIME, first))
}

/// The labels of groups: the key, and the scalars next to the records.
fn labels(groups: &[Group<'_>], records: &str) -> Vec<Label> {
    let mut labels: Vec<Label> = Vec::new();
    let mut key_is_named = false;
    let member_with_records = records.split('.').next().unwrap_or_default();
    for group in groups {
        for (path, value) in scalars(group.value, member_with_records) {
            let is_key = group.key.is_some() && value.as_str() == group.key;
            let name = path.rsplit('.').next().unwrap_or_default().to_owned();
            if is_key && !key_is_named {
                labels.push(Label { name, path: "*".to_owned(), repeated_at: Some(path) });
                key_is_named = true;
            } else if labels.iter().all(|known| known.name != name)
                && value.is_string()
                && !is_end_of_range(&name, value)
            {
                labels.push(Label { name, path, repeated_at: None });
            }
        }
    }
    let are_keyed = groups.iter().any(|group| group.key.is_some());
    if are_keyed && !key_is_named {
        labels.insert(0, Label { name: KEY.to_owned(), path: "*".to_owned(), repeated_at: None });
    }
    labels
}

/// `true` for an end of the range of a response, which differs from request to request.
fn is_end_of_range(name: &str, value: &Value) -> bool {
    ENDS.contains(&name) && value.as_str().is_some_and(is_time_text)
}

/// The scalars of a group and of its objects, with their paths, without the member that contains the records.
fn scalars<'v>(group: &'v Value, records: &str) -> Vec<(String, &'v Value)> {
    let mut found = Vec::new();
    for (key, value) in group.as_mapping().into_iter().flatten() {
        let Some(key) = key.as_str() else { continue };
        if key.contains('.') || key == records {
            continue;
        }
        match value {
            Value::Mapping(members) => {
                for (name, value) in members {
                    if let Some(name) = name.as_str()
                        && !name.contains('.')
                    {
                        found.push((format!("{key}.{name}"), value));
                    }
                }
            }
            Value::String(_) | Value::Number(_) => found.push((key.to_owned(), value)),
            _ => {}
        }
    }
    found
}
