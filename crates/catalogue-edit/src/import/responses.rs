//! Chooses the response of an operation that is imported: a successful one with a body in JSON.

use serde_yaml::Value;

use super::document::Document;
use super::tree::entries;
use crate::json_paths::entries_of;

/// A response, and the status under which an operation lists it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListedResponse<'d> {
    pub(super) status: &'d str,
    pub(super) response: &'d Value,
}

/// The body of a response in JSON.
#[derive(Clone, Copy, Debug)]
pub(super) struct JsonBody<'d> {
    pub(super) media_type: &'d str,
    pub(super) content: &'d Value,
}

/// The response with status 200, or else the first response with a success status.
pub(super) fn success_response(responses: &Value) -> Option<ListedResponse<'_>> {
    let mut first = None;
    for (status, response) in entries_of(responses) {
        let listed = ListedResponse { status, response };
        if status == "200" {
            return Some(listed);
        }
        if status.starts_with('2') {
            first = first.or(Some(listed));
        }
    }
    first
}

/// The body in JSON of a response.
pub(super) fn json_body(response: &Value) -> Option<JsonBody<'_>> {
    for (media_type, content) in entries(response, "content") {
        if is_json(media_type) {
            return Some(JsonBody { media_type, content });
        }
    }
    None
}

/// `true` if a media type is one JSON value, unlike `application/x-ndjson`.
fn is_json(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    matches!(essence.as_str(), "application/json" | "text/json" | "application/*" | "*/*") || essence.ends_with("+json")
}

impl Document {
    /// The schema of the body of a successful response, as far as references can be resolved.
    pub(super) fn success_schema<'d>(&'d self, operation: &'d Value) -> Option<&'d Value> {
        let listed = success_response(operation.get("responses")?)?;
        let response = self.follow(listed.response)?.value;
        let content = self.follow(json_body(response)?.content)?.value;
        content.get("schema")
    }
}
