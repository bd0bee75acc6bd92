//! Separates error responses from data, and learns from both where the responses of a service have a status.
//!
//! Conventions differ: a number (`code: 0`), a word (`status: success`, `s: ok`, `Response: "True"`), a flag
//! (`success: false`), at the top of the body or in an object such as `meta`; or only a message, whose presence means an
//! error. An error response is never learned as data, unless all responses are errors; then `check` refuses them.

use catalogue::spec::{ErrorBody, Evidence};
use serde_yaml::Value;

use super::error_responses::{CODES, MESSAGES, failed_status, is_among, likely_error, written};
use crate::editor::Editor;
use crate::saved_response::SavedResponse;

/// The names of members whose word is the status of a response, in lower case without separators.
const STATUSES: &str = "ok response result resultstatus s stat state status success";
/// The names of objects at the top of a body that have its status. A status elsewhere is usually one of a record.
const CONTAINERS: &str = "envelope head header info meta metadata response status";
/// Words that mean success.
const SUCCESSES: &str = "ok okay requestsucceeded succeeded success successful true";
/// Words that mean failure.
const FAILURES: &str = "bad badrequest denied err error fail failed failure false invalid nok notok \
    requestfailed requestnotprocessed requestfailedinvalidparameters unauthorized";
/// Words that mean that there are no records.
const WITHOUT_DATA: &str = "empty nodata norecords noresults";
/// The names of further members that contain the message of an error.
const DETAILS: &str = "description detail errordescription information note reason title";

/// The greatest depth of a status or a message in a body.
const MAX_DEPTH: usize = 4;

/// A scalar in a body, with its JSON path.
struct Leaf<'v> {
    path: String,
    name: String,
    value: &'v Value,
}

impl Leaf<'_> {
    fn is_status(&self) -> bool {
        let around = self.path.rsplit_once('.').map(|(around, _)| around);
        is_among(STATUSES, &self.name) && around.is_none_or(|around| is_among(CONTAINERS, around))
    }

    fn has_word(&self, words: &str) -> bool {
        written(self.value).is_some_and(|word| is_among(words, &plain(&word)))
    }

    /// `true` if the value is a text for users that explains an error.
    fn is_message(&self) -> bool {
        let is_text = self.value.as_str().is_some_and(|text| !text.is_empty());
        let is_within = ["message", "error"].iter().any(|part| self.path.to_lowercase().contains(part));
        let is_part = is_within && is_among("text value", &self.name);
        is_text && (is_among(MESSAGES, &self.name) || is_among(DETAILS, &self.name) || is_part)
    }

    fn is_code(&self) -> bool {
        written(self.value).is_some() && is_among(CODES, &self.name)
    }
}

/// A word in lower case, without anything but letters and digits.
fn plain(word: &str) -> String {
    word.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The scalars of a body, those at its top first. Of a list, only the first item is read.
fn leaves(body: &Value) -> Vec<Leaf<'_>> {
    let mut found = Vec::new();
    let mut level = vec![(String::new(), body)];
    for _ in 0..MAX_DEPTH {
        let mut deeper = Vec::new();
        for (path, value) in level {
            for (key, inner) in members(value) {
                if key.contains('.') || key == "*" {
                    continue;
                }
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                let is_text_list = inner.as_sequence().and_then(|items| items.first()).is_some_and(Value::is_string);
                match inner {
                    Value::Sequence(items) if is_text_list => found.push(Leaf { path, name: key, value: &items[0] }),
                    Value::Mapping(_) | Value::Sequence(_) => deeper.push((path, inner)),
                    scalar => found.push(Leaf { path, name: key, value: scalar }),
                }
            }
        }
        level = deeper;
    }
    found
}

/// The members of an object, or the first item of a list.
fn members(value: &Value) -> Vec<(String, &Value)> {
    match value {
        Value::Mapping(entries) => {
            let named = entries.iter().filter_map(|(key, value)| Some((key.as_str()?.to_owned(), value)));
            named.collect()
        }
        Value::Sequence(items) => items.first().map(|first| ("0".to_owned(), first)).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Removes the error responses, and those without data, if there are others. Returns the removed responses.
pub(super) fn take_errors(editor: &mut Editor, responses: &mut Vec<SavedResponse>) -> Vec<SavedResponse> {
    let known = editor.service.error_body.clone();
    let is_error = |response: &SavedResponse| is_error(&known, response);
    if responses.iter().all(is_error) {
        return Vec::new();
    }
    let (errors, data): (Vec<_>, Vec<_>) = std::mem::take(responses).into_iter().partition(is_error);
    *responses = data;
    for error in &errors {
        editor.note(format!(
            "{} is an error response or has no data, so only its status and message are learned",
            error.origin
        ));
    }
    errors
}

/// `true` if a response is an error, or says that there are no data.
fn is_error(known: &ErrorBody, response: &SavedResponse) -> bool {
    if response.status.is_some_and(|status| !(200..300).contains(&status)) {
        return true;
    }
    if failed_status(known, response).is_some() {
        return true;
    }
    let leaves = leaves(&response.body);
    let has_failed = leaves.iter().any(|leaf| leaf.is_status() && leaf.has_word(FAILURES));
    let has_no_data = leaves.iter().any(|leaf| leaf.is_status() && leaf.has_word(WITHOUT_DATA));
    let body = match &response.body {
        Value::Sequence(items) if items.len() == 1 => &items[0],
        body => body,
    };
    has_failed || has_no_data || likely_error(body).is_some() || is_problem(body)
}

/// `true` if a body describes a problem as RFC 9457 does.
fn is_problem(body: &Value) -> bool {
    let status = body.get("status").and_then(Value::as_u64).unwrap_or_default();
    (400..600).contains(&status) && ["detail", "title"].iter().any(|key| body.get(key).is_some_and(Value::is_string))
}

/// Learns the status and the message of a service whose `error_body` is unknown, from data and from error responses.
/// Returns `false` if they have none.
pub(super) fn learn_words(
    editor: &mut Editor,
    evidence: Evidence,
    data: &[SavedResponse],
    errors: &[SavedResponse],
) -> bool {
    let mut learned = ErrorBody { evidence: Some(evidence), ..ErrorBody::default() };
    let status = data.first().filter(|response| !errors.is_empty() || has_inner(&response.body)).and_then(|response| {
        let mut leaves = leaves(&response.body).into_iter();
        leaves.find(|leaf| leaf.is_status() && leaf.has_word(SUCCESSES)).map(|leaf| leaf.path)
    });
    if let Some(path) = &status {
        for word in data.iter().filter_map(|response| written(response.at(path)?)) {
            if !learned.success.iter().any(|known| **known == word) {
                learned.success.push(word.into());
            }
        }
        learned.code.push(path.clone());
    }
    add_paths(&mut learned, errors);
    if learned.message.is_empty() {
        // The word itself is then the message of an error.
        learned.message.append(&mut learned.code);
    }
    if learned.message.is_empty() {
        return false;
    }
    let from = status.as_ref().unwrap_or(&learned.message[0]);
    editor.note(format!("`error_body` in service.yaml is learned from `{from}`"));
    editor.service.error_body = learned;
    true
}

/// Adds a note if a body names a time zone other than UTC, because times without an offset are read as UTC.
pub(super) fn note_zone(editor: &mut Editor, responses: &[SavedResponse]) {
    let is_zone = |leaf: &Leaf<'_>| {
        let name = plain(&leaf.name);
        let is_named = ["timezone", "zone", "tz"].iter().any(|end| name.trim_start_matches(char::is_numeric) == *end);
        // A zone such as `US/Eastern` or `EST`, and not a place such as `eu-west-1`.
        let is_abbreviation =
            |zone: &str| (3..=4).contains(&zone.len()) && zone.chars().all(|c| c.is_ascii_uppercase());
        let is_other =
            |zone: &str| (zone.contains('/') || is_abbreviation(zone)) && !["UTC", "GMT", "Etc/UTC"].contains(&zone);
        is_named && leaf.value.as_str().is_some_and(is_other)
    };
    let found = responses.iter().find_map(|response| leaves(&response.body).into_iter().find(is_zone));
    if let Some(zone) = found.and_then(|leaf| Some(leaf.value.as_str()?.to_owned())) {
        editor.note(format!(
            "the body names the time zone {zone:?}, but the client reads times without an offset as UTC"
        ));
    }
}

/// `true` if a body has an object or a list, next to which a word is a status rather than data.
fn has_inner(body: &Value) -> bool {
    let is_inner = |value: &&Value| value.is_mapping() || value.is_sequence();
    body.as_mapping().is_some_and(|members| members.values().any(|value| is_inner(&value)))
}

/// Adds what error responses show to the known `error_body`: paths of messages, and words that mean that there are no
/// data.
pub(super) fn learn_errors(editor: &mut Editor, errors: &[SavedResponse]) {
    let mut known = editor.service.error_body.clone();
    add_paths(&mut known, errors);
    if known != editor.service.error_body {
        editor.note("`error_body` in service.yaml gets the paths and words of the error responses");
        editor.service.error_body = known;
    }
}

fn add_paths(known: &mut ErrorBody, errors: &[SavedResponse]) {
    let has_status = !known.success.is_empty();
    for error in errors {
        let leaves = leaves(&error.body);
        let status = |words: &str| leaves.iter().find(|leaf| leaf.is_status() && leaf.has_word(words));
        if let Some(word) = status(WITHOUT_DATA).and_then(|leaf| written(leaf.value)) {
            if has_status && !known.no_data.iter().any(|listed| **listed == word) {
                known.no_data.push(word.into());
            }
            continue;
        }
        let message = leaves.iter().find(|leaf| leaf.is_message());
        if has_status && known.code.is_empty() && message.is_some() {
            // Without a message, the word of the status has been the message so far.
            known.code.append(&mut known.message);
        }
        let is_text = |path: &String| error.at(path).is_some_and(|value| value.is_string() || value.is_sequence());
        if !known.message.iter().any(is_text) {
            known.message.extend(message.map(|leaf| leaf.path.clone()));
        }
        let code = leaves.iter().find(|leaf| leaf.is_code()).map(|leaf| leaf.path.clone());
        known.code.extend(code.filter(|code| !has_status && !known.code.contains(code)));
    }
}
