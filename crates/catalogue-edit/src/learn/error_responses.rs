//! Detects error responses among saved responses, whose status may be missing or in the body.

use catalogue::spec::{ErrorBody, Evidence};
use serde_yaml::Value;

use super::error_leaves::{CODES, MESSAGES, written};
use super::error_signs::{
    error_line, failed_status, first_key, has_listed_error, is_plain_message, is_success, likely_error, list_of_errors,
    member_among, message_path, without_list,
};
use super::error_words;
use super::options::{LearnOptions, read};
use crate::content::{Content, EntryPosition};
use crate::editor::Editor;
use crate::json_paths::entries_of;
use crate::observed_values::Observed;
use crate::saved_response::SavedResponse;

/// Learns the status in the bodies of a service: a code that means success, a word, or an empty list of errors.
/// `errors` are error responses.
pub(super) fn learn_status(
    editor: &mut Editor,
    options: &LearnOptions,
    responses: &[SavedResponse],
    errors: &[SavedResponse],
) {
    if editor.content.service.error_body != ErrorBody::default() {
        error_words::learn_errors(editor, errors);
        return;
    }
    learn_new_status(editor, options.evidence, responses, errors);
    let learned = &editor.content.service.error_body;
    if *learned != ErrorBody::default() && has_records_as_status(options, learned) {
        editor.note("another endpoint has records in that place, so `error_body` stays unknown");
        editor.content.service.error_body = ErrorBody::default();
    }
}

/// `true` if an endpoint has objects where `error_body` has a status, so that its responses would be errors.
fn has_records_as_status(options: &LearnOptions, error_body: &ErrorBody) -> bool {
    for sample in &options.endpoints {
        for response in read(options, sample).unwrap_or_default() {
            if has_listed_error(error_body, &response) {
                continue;
            }
            let Some(status) = failed_status(error_body, &response) else { continue };
            let value = response.at(status.path);
            let has_object = match value {
                Some(Value::Sequence(items)) => items.first().is_some_and(Value::is_mapping),
                value => value.is_some_and(Value::is_mapping),
            };
            if has_object {
                return true;
            }
        }
    }
    false
}

fn learn_new_status(editor: &mut Editor, evidence: Evidence, responses: &[SavedResponse], errors: &[SavedResponse]) {
    let Some(first) = responses.first() else { return };
    let mut learned = status_code(&first.body);
    if learned.is_none() && error_words::path_of_status(responses, errors).is_none() {
        learned = list_of_errors(&first.body).filter(|list| are_listed(list, errors));
    }
    if learned.is_none() {
        if error_words::learn_words(editor, evidence, responses, errors) {
            return;
        }
        learned = list_of_errors(&first.body);
    }
    let Some(learned) = learned else { return };
    let from = &learned.message[0];
    editor.note(format!("every response has a status: `error_body` in service.yaml is learned from `{from}`"));
    editor.content.service.error_body = ErrorBody { evidence: Some(evidence), ..learned };
    error_words::learn_errors(editor, errors);
}

/// The `error_body` of a body with a message and a code that means success.
fn status_code(body: &Value) -> Option<ErrorBody> {
    let (message, text) = member_among(MESSAGES, body)?;
    let (code, value) = member_among(CODES, body)?;
    let is_message = text.is_string() || text.is_null();
    if !is_message || !is_success(value) {
        return None;
    }
    Some(ErrorBody {
        message: vec![message.to_owned()],
        code: vec![code.to_owned()],
        success: vec![written(value)?.into()],
        ..ErrorBody::default()
    })
}

/// `true` if the list of errors has messages in every error response with a success status.
fn are_listed(list: &ErrorBody, errors: &[SavedResponse]) -> bool {
    errors.iter().all(|error| error_words::has_error_status(error) || has_listed_error(list, error))
}

/// Removes the members of the status from the fields of a body. They are the same in all bodies.
pub(super) fn without_status(editor: &Editor, mut seen: Observed) -> Observed {
    let error = &editor.content.service.error_body;
    if !error.success.is_empty() {
        seen.fields.retain(|name, _| !error.message.contains(name) && !error.code.contains(name));
    }
    seen
}

/// Rejects a response that is probably an error response. If its status is a success, returns a warning instead.
pub(super) fn check(
    editor: &Editor,
    at: &EntryPosition,
    responses: &[SavedResponse],
) -> Result<Option<String>, String> {
    let mut warning = None;
    for response in responses {
        check_status(editor, at, response)?;
        let Some(path) = unexpected_message(editor, at, response) else { continue };
        let origin = &response.origin;
        let why = format!("it contains `{path}` (see `error_body` in service.yaml)");
        if response.status.is_none() {
            return Err(format!(
                "{origin} looks like an error response: {why}; if it is not one, save it with its status (`curl -i`)"
            ));
        }
        warning = Some(format!("{origin} looks like an error response, although its status is a success: {why}"));
    }
    Ok(warning)
}

/// Rejects a response whose status is that of an error, or which looks like an error of an unknown service.
fn check_status(editor: &Editor, at: &EntryPosition, response: &SavedResponse) -> Result<(), String> {
    let content = &editor.content;
    let error_body = &content.service.error_body;
    let origin = &response.origin;
    if let Some(status) = response.status
        && !(200..300).contains(&status)
    {
        return Err(format!("{origin}: the status is {status}, expected a success; save a response with status 200"));
    }
    if let Some(failed) = failed_status(error_body, response) {
        return Err(format!(
            "{origin} is an error response: `{}` is {}, which `error_body` in service.yaml does not list under \
             `success`",
            failed.path, failed.value
        ));
    }
    if error_line(response).is_some() {
        return Err(format!("{origin} has an error in one of its lines; save a response without an error"));
    }
    let body = without_list(&response.body);
    let Some(why) = likely_error(body) else { return Ok(()) };
    let has_fields = content.endpoint(at).body.known().is_some();
    let can_be_data = if has_fields {
        !has_only_other_members(content, at, body)
    } else {
        *error_body != ErrorBody::default() && is_plain_message(&response.body)
    };
    if can_be_data {
        return Ok(());
    }
    let rest =
        if has_fields { ", and none of the known fields" } else { "; if it is a success, write its `body` by hand" };
    Err(format!("{origin} looks like an error response: {why}{rest}"))
}

/// `true` if the fields of an endpoint are known, and none of them is a member of a body.
fn has_only_other_members(content: &Content, at: &EntryPosition, body: &Value) -> bool {
    let Some(record) = content.body_record(&at.module, content.endpoint(at)) else { return false };
    let mut known = Vec::new();
    for field in &record.fields {
        known.push(first_key(field.at.as_deref().map_or(field.name.as_str(), |path| path.as_str())));
    }
    entries_of(body).iter().all(|(key, _)| !known.contains(key))
}

/// `true` if the client returns an error instead of the records of a response with a success status.
pub(crate) fn is_reported(editor: &Editor, at: &EntryPosition, response: &SavedResponse) -> bool {
    let error_body = &editor.content.service.error_body;
    failed_status(error_body, response).is_some() || unexpected_message(editor, at, response).is_some()
}

/// The path of the message of an error, if the response has no records and the message is not a known field.
fn unexpected_message<'e>(editor: &'e Editor, at: &EntryPosition, response: &SavedResponse) -> Option<&'e str> {
    let content = &editor.content;
    if let Some(envelope) = &content.service.envelope
        && response.at(&envelope.data).is_some_and(Value::is_sequence)
    {
        return None;
    }
    let path = message_path(&content.service, response)?;
    let listed = content.body_record(&at.module, content.endpoint(at)).unwrap_or_default();
    let is_field = listed.fields.iter().any(|field| *field.name == first_key(path));
    if is_field { None } else { Some(path) }
}
