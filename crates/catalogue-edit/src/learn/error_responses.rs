//! Detects error responses among saved responses, whose status may be missing or in the body.

use catalogue::spec::{ErrorBody, Evidence, Service};
use serde_yaml::Value;

use super::error_words;
use crate::content::At;
use crate::editor::Editor;
use crate::observed_values::Observed;
use crate::saved_response::SavedResponse;

/// The names of members that contain a status code, in lower case without underscores.
pub(super) const CODES: &str = "code errcode errno errorcode resultcode retcode statuscode";
/// The names of members that contain the message of an error, in lower case without underscores.
pub(super) const MESSAGES: &str = "err errmsg error errormessage errors message msg retmsg";
/// The names of other members of error responses.
const OTHERS: &str = "detail details path requestid status success timestamp type";
/// Values of status codes that mean success.
const SUCCESS: &str = "0 00000 200 200000 ok success";

pub(super) fn is_among(names: &str, name: &str) -> bool {
    let name = name.to_lowercase().replace(['_', '-', ' '], "");
    names.split(' ').any(|known| known == name)
}

/// The members of a body that is an object.
fn members(body: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let members = body.as_mapping().into_iter().flatten();
    members.filter_map(|(key, value)| Some((key.as_str()?, value)))
}

/// Learns the status in the bodies of a service: a code that means success, a word, or an empty list of errors.
/// `errors` are error responses.
pub(super) fn learn_status(
    editor: &mut Editor,
    evidence: Evidence,
    responses: &[SavedResponse],
    errors: &[SavedResponse],
) {
    if editor.service.error_body != ErrorBody::default() {
        return error_words::learn_errors(editor, errors);
    }
    let Some(SavedResponse { body, .. }) = responses.first() else { return };
    let find = |names| members(body).find(|(key, _)| is_among(names, key));
    let (message, code, success) = match (find(MESSAGES), find(CODES)) {
        (Some((message, text)), Some((code, value))) if (text.is_string() || text.is_null()) && is_success(value) => {
            (message, vec![code.to_owned()], written(value))
        }
        _ if error_words::learn_words(editor, evidence, responses, errors) => return,
        (Some((errors, list)), _) if list.as_sequence().is_some_and(Vec::is_empty) => {
            (errors, Vec::new(), written(list))
        }
        _ => return,
    };
    editor.note(format!("every response has a status: `error_body` in service.yaml is learned from `{message}`"));
    let (message, success) = (vec![message.to_owned()], success.into_iter().map(Into::into).collect());
    editor.service.error_body = ErrorBody { message, code, success, evidence: Some(evidence), ..ErrorBody::default() };
    error_words::learn_errors(editor, errors);
}

fn is_success(code: &Value) -> bool {
    written(code).is_some_and(|code| is_among(SUCCESS, &code))
}

/// A status as the catalogue writes it.
pub(super) fn written(status: &Value) -> Option<String> {
    match status {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Sequence(items) if items.is_empty() => Some("[]".to_owned()),
        _ => None,
    }
}

/// Removes the members of the status from the fields of a body. They are the same in all bodies.
pub(super) fn without_status(editor: &Editor, mut seen: Observed) -> Observed {
    let ErrorBody { message, code, success, .. } = &editor.service.error_body;
    seen.fields.retain(|name, _| success.is_empty() || !message.iter().chain(code).any(|path| path == name));
    seen
}

/// Rejects a response that is probably an error response. If its status is a success, returns a warning instead.
pub(super) fn check(editor: &Editor, at: &At, responses: &[SavedResponse]) -> Result<Option<String>, String> {
    let (service, endpoint) = (&editor.service, editor.endpoint(at));
    let listed = editor.body_record(&at.module, endpoint).unwrap_or_default().fields;
    let data = service.envelope.as_ref().map(|envelope| envelope.data.as_str());
    let is_listed = |name: &str| listed.iter().any(|field| *field.name == name);
    let mut warning = None;
    for response @ SavedResponse { origin, status, body, .. } in responses {
        if let Some(status) = status.filter(|status| !(200..300).contains(status)) {
            return Err(format!(
                "{origin}: the status is {status}, expected a success; save a response with status 200"
            ));
        }
        if let Some((path, status)) = failed_status(&service.error_body, response) {
            return Err(format!(
                "{origin} is an error response: `{path}` is {status}, which `error_body` in service.yaml does not list \
                 under `success`"
            ));
        }
        let is_unknown = endpoint.body.known().is_none() && service.error_body == ErrorBody::default();
        if let Some(why) = likely_error(body).filter(|_| is_unknown) {
            return Err(format!(
                "{origin} looks like an error response: {why}; if it is a success, write its `body` by hand"
            ));
        }
        let has_records = data.and_then(|data| response.at(data)).is_some_and(Value::is_sequence);
        let path = message_path(service, response).filter(|path| !has_records && !is_listed(first(path)));
        let Some(path) = path else { continue };
        let why = format!("it contains `{path}` (see `error_body` in service.yaml)");
        if status.is_none() {
            return Err(format!(
                "{origin} looks like an error response: {why}; if it is not one, save it with its status (`curl -i`)"
            ));
        }
        warning = Some(format!("{origin} looks like an error response, although its status is a success: {why}"));
    }
    Ok(warning)
}

/// The reason why a body is probably that of an error, judged by the names of its members.
pub(super) fn likely_error(body: &Value) -> Option<&'static str> {
    let is_part = |(key, _): (&str, _)| [MESSAGES, CODES, OTHERS].iter().any(|names| is_among(names, key));
    let has =
        |names, fits: &dyn Fn(&Value) -> bool| members(body).any(|(key, value)| is_among(names, key) && fits(value));
    if has(MESSAGES, &|_| true) && members(body).all(is_part) {
        return Some("it has only a message");
    }
    let has_failed = has(MESSAGES, &|text| text.as_str().is_some_and(|text| !text.is_empty()))
        && has(CODES, &|code| written(code).is_some() && !is_success(code));
    has_failed.then_some("it has a message and a status code that does not mean success")
}

/// The path and the value of the status in a body, if the value does not mean success.
pub(super) fn failed_status<'s>(error: &'s ErrorBody, response: &SavedResponse) -> Option<(&'s str, String)> {
    let paths = if error.code.is_empty() { &error.message } else { &error.code };
    let (path, status) = paths.iter().find_map(|path| Some((path, response.at(path)?)))?;
    let is_listed = |status: &str| error.success.iter().any(|known| known.eq_ignore_ascii_case(status));
    let shown = || serde_json::to_string(status).unwrap_or_default();
    (!error.success.is_empty() && !written(status).is_some_and(|status| is_listed(&status)))
        .then(|| (path.as_str(), shown()))
}

/// The JSON path of the message, if a body is an error response.
fn message_path<'s>(service: &'s Service, response: &SavedResponse) -> Option<&'s str> {
    if !service.error_body.success.is_empty() {
        return None;
    }
    let (messages, codes) = (&service.error_body.message, &service.error_body.code);
    let has_text = |path: &&str| response.at(path).is_some_and(Value::is_string);
    // Some error responses have a list where `error_body` declares the object with the message. Such a response is
    // recognized by its keys: each of them is the first key of a path in `error_body`.
    let is_first = |(key, _): (&str, _)| messages.iter().chain(codes).any(|path| first(path) == key);
    let has_nothing_else = response.body.is_mapping() && members(&response.body).all(is_first);
    let has_first = |path: &&str| has_nothing_else && response.body.get(first(path)).is_some();
    let mut paths = messages.iter().map(String::as_str);
    paths.clone().find(has_text).or_else(|| paths.find(has_first).map(first))
}

fn first(path: &str) -> &str {
    path.split('.').next().unwrap_or_default()
}
