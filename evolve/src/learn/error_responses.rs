//! Detects error responses among saved responses, whose status may be missing.

use codegen::spec::{self, Body};
use serde_yaml::Value;

use crate::editor::{Editor, Refusal};
use crate::saved_response::SavedResponse;

/// Rejects a response that is probably an error response. If its status is a success, returns a warning instead.
pub(super) fn check(
    editor: &Editor,
    module: &str,
    known: Option<&Body>,
    responses: &[SavedResponse],
) -> Result<Option<String>, Refusal> {
    let service = &editor.service;
    let data = service.envelope.as_ref().map(|envelope| envelope.data.as_str());
    let listed = known.and_then(|known| editor.fields(module, known));
    let is_listed = |name: &str| listed.is_some_and(|of| of.get(name).is_some());
    let mut warning = None;
    for response @ SavedResponse { origin, has_status, .. } in responses {
        let has_records = data.and_then(|data| response.at(data)).is_some_and(Value::is_sequence);
        let Some(path) = message_path(service, response).filter(|path| !has_records && !is_listed(first(path))) else {
            continue;
        };
        let why = format!("it contains `{path}` (see `error_body` in service.yaml)");
        if !has_status {
            return Err(Refusal::Message(format!(
                "{origin} looks like an error response: {why}; if it is not one, save it with its status (`curl -i`)"
            )));
        }
        warning = Some(format!("{origin} looks like an error response, although its status is a success: {why}"));
    }
    Ok(warning)
}

/// Returns the JSON path of the message, if a body is an error response.
fn message_path<'s>(service: &'s spec::Service, response: &SavedResponse) -> Option<&'s str> {
    let (messages, codes) = (&service.error_body.message, &service.error_body.code);
    let has_text = |path: &&str| response.at(path).is_some_and(Value::is_string);
    // Some error responses have a list where `error_body` declares the object with the message. Such a response is
    // recognized by its keys: each of them is the first key of a path in `error_body`.
    let is_first = |key: &Value| messages.iter().chain(codes).any(|path| Some(first(path)) == key.as_str());
    let has_nothing_else = response.body.as_mapping().is_some_and(|body| body.keys().all(is_first));
    let has_first = |path: &&str| has_nothing_else && response.body.get(first(path)).is_some();
    let mut paths = messages.iter().map(String::as_str);
    paths.clone().find(has_text).or_else(|| paths.find(has_first).map(first))
}

fn first(path: &str) -> &str {
    path.split('.').next().unwrap_or_default()
}
