//! Determines the kind of a body: a series, one object, or another value.

use std::collections::BTreeSet;

use catalogue::spec::Body;
use serde_yaml::Value;

use super::data_beside::{DataBeside, is_time_series};
use super::key_names::{is_record, is_symbol};
use super::records::{all_bodies, list_of};
use crate::json_paths::is_list_or_object;
use crate::saved_response::SavedResponse;
use crate::sent_values::SentValues;

/// The maximum number of keys in the path of records.
const MAX_DEPTH: usize = 2;
/// The maximum number of other members in the object that contains a list of records.
const MAX_OTHERS: usize = 4;

/// The maximum number of other members at the top of a body with records. A body with more members, such as an order with
/// its trades, is a record itself.
const MAX_MEMBERS_AROUND: usize = 16;

/// The kind of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum BodyKind {
    Series,
    Object,
    /// A value of any other type.
    Value,
}

/// The kind of a body that is unknown in the catalogue.
pub(super) struct FoundKind {
    pub(super) kind: BodyKind,
    /// The path of its records, if that differs from the path in the envelope.
    pub(super) path: Option<String>,
    /// What the bodies have next to their list of records, if it is more than facts about the response.
    pub(super) beside: Option<DataBeside>,
}

impl BodyKind {
    /// The kind that the catalogue declares.
    pub(super) fn known(body: Option<&Body>) -> Option<Self> {
        let body = body?;
        Some(if body.series.is_some() {
            Self::Series
        } else if body.object.is_some() {
            Self::Object
        } else {
            Self::Value
        })
    }
}

impl FoundKind {
    fn series_at(path: String) -> Self {
        Self { kind: BodyKind::Series, path: Some(path), beside: None }
    }
}

impl From<BodyKind> for FoundKind {
    fn from(kind: BodyKind) -> Self {
        Self { kind, path: None, beside: None }
    }
}

/// Determines the kind of a body that is unknown in the catalogue. `data` is the path of records in the envelope.
/// `sent` are the values that the requests have sent.
pub(super) fn of(responses: &[SavedResponse], data: Option<&str>, sent: &SentValues) -> Result<FoundKind, String> {
    for response in responses {
        if let Some(index) = list_index(&response.body) {
            return Ok(FoundKind::series_at(index.to_string()));
        }
    }
    let series = responses.iter().find(|response| is_series(response, data));
    let other = responses.iter().find(|response| !is_series(response, data));
    match (series, other) {
        (Some(_), None) if are_values(responses, data) => Ok(BodyKind::Value.into()),
        (Some(_), None) => Ok(BodyKind::Series.into()),
        (Some(series), Some(other)) => Err(format!(
            "{} is a series, but {} is not; omit responses of other endpoints",
            series.origin, other.origin
        )),
        (None, _) => Ok(kind_without_envelope(responses, sent)),
    }
}

/// `true` if a response has a list in the place of the records. Some services send `null` instead of an empty list of
/// records, so `null` counts as a list.
fn is_series(response: &SavedResponse, data: Option<&str>) -> bool {
    list_of(response, data).is_some_and(|list| list.is_sequence() || list.is_null())
}

/// The kind of bodies that have no records where the envelope declares them.
fn kind_without_envelope(responses: &[SavedResponse], sent: &SentValues) -> FoundKind {
    let mut bodies = all_bodies(responses);
    bodies.mark_sent_keys(&|key| sent.contains(key));
    let are_objects = bodies.objects == bodies.times && is_record(&bodies);
    let Some(path) = common_path(responses, sent) else {
        return if are_objects { BodyKind::Object.into() } else { BodyKind::Value.into() };
    };
    let beside = DataBeside::of(responses, &path, sent);
    let Some(found) = &beside else { return FoundKind::series_at(path) };
    let is_body_of_its_own = are_objects && found.is_much && !is_time_series(responses, &path);
    if is_body_of_its_own {
        return FoundKind { beside, ..BodyKind::Object.into() };
    }
    FoundKind { beside, ..FoundKind::series_at(path) }
}

/// The path of the only list of records in all responses together. A response may have no records there, but no other
/// list: `None` if any response has a second one.
fn common_path(responses: &[SavedResponse], sent: &SentValues) -> Option<String> {
    let mut all = BTreeSet::new();
    for response in responses {
        let paths = paths_of_records(&response.body, sent);
        if paths.len() > 1 {
            return None;
        }
        all.extend(paths);
    }
    let path = all.pop_first()?;
    let is_only = all.is_empty();
    let are_lists = responses.iter().all(|response| response.at(&path).is_some_and(can_be_list));
    if is_only && are_lists { Some(path) } else { None }
}

/// `true` for a list of records, which may be empty.
fn can_be_list(value: &Value) -> bool {
    let Some(items) = value.as_sequence() else { return false };
    items.iter().all(is_list_or_object)
}

/// `true` if the bodies are lists whose items are no records: scalars, or lists of different lengths.
fn are_values(responses: &[SavedResponse], data: Option<&str>) -> bool {
    if data.is_some() {
        return false;
    }
    let Some(items) = all_bodies(responses).items else { return false };
    items.values() > 0 && items.objects < items.values() && !items.are_rows()
}

/// The paths of the lists of records in a body; `.` if the body is a list of records.
fn paths_of_records(body: &Value, sent: &SentValues) -> Vec<String> {
    if is_list(body) { vec![".".to_owned()] } else { paths_of_lists(body, 0, sent) }
}

/// The paths of the lists of objects or of lists in an object, if there is not much next to them.
fn paths_of_lists(object: &Value, depth: usize, sent: &SentValues) -> Vec<String> {
    let mut paths = Vec::new();
    let Some(members) = object.as_mapping() else { return paths };
    if depth == MAX_DEPTH {
        return paths;
    }
    let mut lists = 0;
    let mut others = 0;
    for (key, value) in members {
        if is_list(value) {
            lists += 1;
        } else {
            others += 1;
        }
        paths.extend(path_through(key, value, depth, sent));
    }
    let is_small = match depth {
        0 => others <= MAX_MEMBERS_AROUND,
        _ => lists == 0 || others <= MAX_OTHERS,
    };
    if is_small { paths } else { Vec::new() }
}

/// The path of a list of records that is a member of an object, or is in the member. A key that looks like data, such as
/// the name of a market, becomes `*`, and so does one that the request has sent.
fn path_through(key: &Value, member: &Value, depth: usize, sent: &SentValues) -> Option<String> {
    let key = key.as_str()?;
    let mut rest = String::new();
    if !is_list(member) {
        let paths = paths_of_lists(member, depth + 1, sent);
        let [only] = paths.as_slice() else { return None };
        rest = format!(".{only}");
    }
    let key = if is_symbol(key) || sent.contains(key) { "*" } else { key };
    let has_two_stars = key == "*" && rest.contains('*');
    if key.contains('.') || has_two_stars { None } else { Some(format!("{key}{rest}")) }
}

/// The index of the only list of records in a list that also has an object, such as `[{"page": 1}, [...]]`.
fn list_index(body: &Value) -> Option<usize> {
    let items = body.as_sequence()?;
    if !items.iter().any(Value::is_mapping) {
        return None;
    }
    let mut only_index = None;
    for (index, item) in items.iter().enumerate() {
        if is_list(item) {
            if only_index.is_some() {
                return None;
            }
            only_index = Some(index);
        }
    }
    only_index
}

/// `true` if a value is a list of objects or of lists.
fn is_list(value: &Value) -> bool {
    let Some(items) = value.as_sequence() else { return false };
    !items.is_empty() && items.iter().all(is_list_or_object)
}
