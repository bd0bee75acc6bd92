//! The signs by which the body of an error response is recognized.

use catalogue::model::BodyFormat;
use catalogue::spec::{ErrorBody, Service};
use serde_yaml::Value;

use super::error_leaves::{CODES, CONTAINERS, Leaf, MESSAGES, leaves, written};
use crate::json_paths::entries_of;
use crate::saved_response::SavedResponse;
use crate::word_lists::is_among_plain;

/// The names of members of error responses other than messages and codes.
const OTHERS: &str = "detail details path requestid status success timestamp type";
/// Values of status codes that mean success.
const SUCCESS: &str = "0 00000 200 200000 ok success";

/// A status that does not mean success.
pub(super) struct FailedStatus<'s> {
    pub(super) path: &'s str,
    /// The value as JSON.
    pub(super) value: String,
}

pub(super) fn is_success(code: &Value) -> bool {
    written(code).is_some_and(|code| is_among_plain(SUCCESS, &code))
}

/// The body of an error, which can be the only item of a list.
pub(super) fn without_list(body: &Value) -> &Value {
    match body {
        Value::Sequence(items) if items.len() == 1 => &items[0],
        body => body,
    }
}

/// `true` if a body has only a text under a name such as `message`, with which a service can answer a request too.
pub(super) fn is_plain_message(body: &Value) -> bool {
    let mut has_message = false;
    for (key, value) in entries_of(body) {
        if is_among_plain(CODES, key) {
            return false;
        }
        has_message |= is_among_plain("message msg", key) && value.is_string();
    }
    has_message
}

/// The reason why a body is probably that of an error, judged by the names of its members.
pub(super) fn likely_error(body: &Value) -> Option<&'static str> {
    let mut has_message = false;
    let mut has_text = false;
    let mut has_failed_code = false;
    let mut has_other_members = false;
    for (key, value) in entries_of(body) {
        if is_among_plain(MESSAGES, key) {
            has_message = true;
            has_text |= value.as_str().is_some_and(|text| !text.is_empty());
        } else if is_among_plain(CODES, key) {
            has_failed_code |= written(value).is_some() && !is_success(value);
        } else if !is_among_plain(OTHERS, key) {
            has_other_members = true;
        }
    }
    if has_message && !has_other_members {
        return Some("it has only a message");
    }
    if has_text && has_failed_code {
        return Some("it has a message and a status code that does not mean success");
    }
    None
}

/// The line of a response in lines of JSON that is an error instead of a record: it has no member in common with the
/// other lines.
pub(super) fn error_line(response: &SavedResponse) -> Option<&Value> {
    if response.format != Some(BodyFormat::Ndjson) {
        return None;
    }
    let lines = response.body.as_sequence()?;
    let is_like = |line: &Value, other: &Value| entries_of(line).iter().any(|(key, _)| other.get(key).is_some());
    for (index, line) in lines.iter().enumerate() {
        // Only a likely error is compared with all other lines.
        if likely_error(line).is_none() {
            continue;
        }
        let mut others = lines.iter().enumerate().filter(|(at, _)| *at != index);
        if !others.any(|(_, other)| is_like(line, other)) {
            return Some(line);
        }
    }
    None
}

/// The status in a body, if its value does not mean success.
pub(super) fn failed_status<'s>(error: &'s ErrorBody, response: &SavedResponse) -> Option<FailedStatus<'s>> {
    if error.success.is_empty() {
        return None;
    }
    let paths = if error.code.is_empty() { &error.message } else { &error.code };
    for path in paths {
        let Some(status) = response.at(path) else { continue };
        if status.is_null() {
            continue;
        }
        if is_listed(error, status) {
            return None;
        }
        return Some(FailedStatus { path, value: serde_json::to_string(status).unwrap_or_default() });
    }
    None
}

/// `true` if a response has messages in the list of errors that is empty in others.
pub(super) fn has_listed_error(lists: &ErrorBody, response: &SavedResponse) -> bool {
    let Some(failed) = failed_status(lists, response) else { return false };
    let Some(errors) = response.at(failed.path).and_then(Value::as_sequence) else { return false };
    errors.iter().all(is_message)
}

/// `true` if a value is a text, or an object with a text that explains an error.
fn is_message(error: &Value) -> bool {
    error.is_string() || leaves(error).iter().any(Leaf::is_message)
}

/// `true` if a body has a list of errors, which are objects with messages, and no data next to it.
pub(super) fn has_only_errors(body: &Value) -> bool {
    let mut has_errors = false;
    for (key, value) in entries_of(body) {
        if is_among_plain(MESSAGES, key) && is_list_of_errors(value) {
            has_errors = true;
        } else if !is_among_plain(CONTAINERS, key) && has_items(value) {
            return false;
        }
    }
    has_errors
}

fn is_list_of_errors(value: &Value) -> bool {
    let Value::Sequence(errors) = value else { return false };
    !errors.is_empty() && errors.iter().all(|error| error.is_mapping() && is_message(error))
}

/// `true` for a list with items, or an object with members.
pub(super) fn has_items(value: &Value) -> bool {
    match value {
        Value::Sequence(items) => !items.is_empty(),
        Value::Mapping(members) => !members.is_empty(),
        _ => false,
    }
}

/// The `error_body` of a body with an empty list of errors.
pub(super) fn list_of_errors(body: &Value) -> Option<ErrorBody> {
    let (errors, list) = member_among(MESSAGES, body)?;
    if !list.as_sequence()?.is_empty() {
        return None;
    }
    let success = vec![written(list)?.into()];
    Some(ErrorBody { message: vec![errors.to_owned()], success, ..ErrorBody::default() })
}

/// The first member whose name is among several.
pub(super) fn member_among<'v>(names: &str, body: &'v Value) -> Option<(&'v str, &'v Value)> {
    entries_of(body).into_iter().find(|(key, _)| is_among_plain(names, key))
}

/// `true` if `error_body` lists a status as a success.
fn is_listed(error: &ErrorBody, status: &Value) -> bool {
    let Some(status) = written(status) else { return false };
    error.success.iter().any(|known| known.eq_ignore_ascii_case(&status))
}

/// The JSON path of the message, if a body is an error response.
pub(super) fn message_path<'s>(service: &'s Service, response: &SavedResponse) -> Option<&'s str> {
    let error = &service.error_body;
    if !error.success.is_empty() {
        return None;
    }
    for path in &error.message {
        if response.at(path).is_some_and(Value::is_string) {
            return Some(path);
        }
    }
    // Some error responses have a list where `error_body` declares the object with the message. Such a response is
    // recognized by its keys: each of them is the first key of a path in `error_body`.
    if !response.body.is_mapping() {
        return None;
    }
    for (key, _) in entries_of(&response.body) {
        if !begins_path(&error.message, key) && !begins_path(&error.code, key) {
            return None;
        }
    }
    for path in &error.message {
        let key = first_key(path);
        if response.body.get(key).is_some() {
            return Some(key);
        }
    }
    None
}

/// `true` if a key is the first key of one of these paths.
fn begins_path(paths: &[String], key: &str) -> bool {
    paths.iter().any(|path| first_key(path) == key)
}

pub(super) fn first_key(path: &str) -> &str {
    path.split('.').next().unwrap_or_default()
}
