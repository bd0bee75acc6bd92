//! Separates error responses from data, and learns from both where the responses of a service have a status.
//!
//! Conventions differ: a number (`code: 0`), a word (`status: success`, `s: ok`, `Response: "True"`), a flag
//! (`success: false`), at the top of the body or in an object such as `meta`; or only a message, whose presence means an
//! error. An error response is never learned as data, unless all responses are errors; then `check` refuses them.

use catalogue::spec::{ErrorBody, Evidence};
use serde_yaml::Value;

use super::error_leaves::{FAILURES, Leaf, SUCCESSES, WITHOUT_DATA, add_word, leaves, message_among, written};
use super::error_signs::{
    error_line, failed_status, has_listed_error, has_only_errors, likely_error, list_of_errors, without_list,
};
use super::flag_status;
use crate::editor::Editor;
use crate::json_paths::{entries_of, is_list_or_object};
use crate::saved_response::SavedResponse;

/// The maximum number of members of an object that has the status of a response. Records with more members have words
/// such as `result: success` too.
const MAX_ENVELOPE: usize = 12;

/// Removes the error responses, and those without data, if there are others. Returns the removed responses.
pub(super) fn take_errors(editor: &mut Editor, responses: &mut Vec<SavedResponse>) -> Vec<SavedResponse> {
    let known = editor.content.service.error_body.clone();
    let lists = responses.iter().find_map(|response| list_of_errors(&response.body)).unwrap_or_default();
    let flag = flag_status::name_of_status(responses);
    let is_error = |response: &SavedResponse| {
        let is_flagged = flag.as_ref().is_some_and(|name| flag_status::is_failed(name, response));
        is_flagged || is_error(&known, response) || has_listed_error(&lists, response)
    };
    if responses.iter().all(is_error) {
        return Vec::new();
    }
    let mut errors = Vec::new();
    let mut data = Vec::new();
    for mut response in std::mem::take(responses) {
        if is_error(&response) {
            editor.note(format!(
                "{} is an error response or has no data, so only its status and message are learned",
                response.origin
            ));
            editor.error_responses.insert(response.origin.clone());
            if let Some(line) = error_line(&response) {
                response.body = line.clone();
            }
            errors.push(response);
        } else {
            data.push(response);
        }
    }
    *responses = data;
    errors
}

/// Learns the `error_body` from responses that are all errors by their status, or that all have no data. Returns `false`
/// if they show nothing new.
pub(super) fn learn_from_errors(editor: &mut Editor, evidence: Evidence, errors: &[SavedResponse]) -> bool {
    let before = editor.content.service.error_body.clone();
    if errors.is_empty() || !errors.iter().all(has_error_status) {
        flag_status::add_messages_without_data(&mut editor.content.service.error_body, errors);
        return editor.content.service.error_body != before;
    }
    if before == ErrorBody::default() {
        learn_words(editor, evidence, &[], errors);
    } else {
        learn_errors(editor, errors);
    }
    editor.content.service.error_body != before
}

pub(super) fn has_error_status(response: &SavedResponse) -> bool {
    response.status.is_some_and(|status| !(200..300).contains(&status))
}

/// `true` if a response is an error, or says that there are no data.
fn is_error(known: &ErrorBody, response: &SavedResponse) -> bool {
    if has_error_status(response) {
        return true;
    }
    if failed_status(known, response).is_some() {
        return true;
    }
    for leaf in leaves(&response.body) {
        if leaf.is_status_among(FAILURES) || leaf.is_status_among(WITHOUT_DATA) {
            return true;
        }
    }
    let body = without_list(&response.body);
    likely_error(body).is_some() || is_problem(body) || has_only_errors(body) || error_line(response).is_some()
}

/// `true` if a body describes a problem as RFC 9457 does.
fn is_problem(body: &Value) -> bool {
    let status = body.get("status").and_then(Value::as_u64).unwrap_or_default();
    let has_text = ["detail", "title"].iter().any(|key| body.get(key).is_some_and(Value::is_string));
    (400..600).contains(&status) && has_text
}

/// Learns the status and the message of a service whose `error_body` is unknown, from data and from error responses.
/// Returns `false` if they have none.
pub(super) fn learn_words(
    editor: &mut Editor,
    evidence: Evidence,
    data: &[SavedResponse],
    errors: &[SavedResponse],
) -> bool {
    if let Some(learned) = flag_status::error_body(data, errors) {
        let from = learned.code.first().unwrap_or(&learned.message[0]);
        editor.note(format!("`error_body` in service.yaml is learned from `{from}`"));
        editor.content.service.error_body = ErrorBody { evidence: Some(evidence), ..learned };
        return true;
    }
    let mut learned = ErrorBody { evidence: Some(evidence), ..ErrorBody::default() };
    let status = path_of_status(data, errors);
    if let Some(path) = &status {
        for response in data {
            if let Some(word) = response.at(path).and_then(written) {
                add_word(&mut learned.success, word);
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
    editor.content.service.error_body = learned;
    true
}

/// The path of the word that means success. Without error responses, a word next to scalars alone is usually data, as is
/// a word among the many members of a record.
pub(super) fn path_of_status(data: &[SavedResponse], errors: &[SavedResponse]) -> Option<String> {
    let first = data.first()?;
    if errors.is_empty() && !has_inner(&first.body) {
        return None;
    }
    let leaf = leaves(&first.body).into_iter().find(|leaf| leaf.is_status_among(SUCCESSES))?;
    let container = match leaf.path.rsplit_once('.') {
        Some((container, _)) => first.at(container)?,
        None => &first.body,
    };
    if entries_of(container).len() > MAX_ENVELOPE { None } else { Some(leaf.path) }
}

/// `true` if a body has an object or a list, next to which a word is a status rather than data.
fn has_inner(body: &Value) -> bool {
    let Some(members) = body.as_mapping() else { return false };
    members.values().any(is_list_or_object)
}

/// Adds what error responses show to the known `error_body`: paths of messages, and words that mean that there are no
/// data.
pub(super) fn learn_errors(editor: &mut Editor, errors: &[SavedResponse]) {
    let mut known = editor.content.service.error_body.clone();
    add_paths(&mut known, errors);
    flag_status::add_messages_without_data(&mut known, errors);
    if known != editor.content.service.error_body {
        editor.note("`error_body` in service.yaml gets the paths and words of the error responses");
        editor.content.service.error_body = known;
    }
}

fn add_paths(known: &mut ErrorBody, errors: &[SavedResponse]) {
    let has_status = !known.success.is_empty();
    for error in errors {
        let leaves = leaves(&error.body);
        let without_data = leaves.iter().find(|leaf| leaf.is_status_among(WITHOUT_DATA));
        if let Some(word) = without_data.and_then(|leaf| written(leaf.value)) {
            if has_status {
                add_word(&mut known.no_data, word);
            }
            continue;
        }
        add_message(known, error, message_among(&leaves));
        if let Some(code) = leaves.iter().find(|leaf| leaf.is_code())
            && !has_status
            && !known.code.contains(&code.path)
        {
            known.code.push(code.path.clone());
        }
    }
}

/// Adds the path of the message of an error response, unless the message is at a known path.
fn add_message(known: &mut ErrorBody, error: &SavedResponse, message: Option<&Leaf<'_>>) {
    let Some(message) = message else { return };
    if known.message.contains(&message.path) {
        return;
    }
    if !known.success.is_empty() && known.code.is_empty() {
        // Without a message, the word of the status has been the message so far.
        known.code.append(&mut known.message);
    }
    for path in &known.message {
        if error.at(path).is_some_and(|value| value.is_string() || value.is_sequence()) {
            return;
        }
    }
    known.message.push(message.path.clone());
}
