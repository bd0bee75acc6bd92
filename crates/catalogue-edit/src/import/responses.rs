//! Chooses the response of an operation that is imported: a successful one with a body in JSON, or else in CSV or lines of
//! JSON.

use catalogue::model::BodyFormat;
use serde_yaml::Value;

use super::document::Document;
use super::tree::entries;
use crate::json_paths::entries_of;
use crate::text_body::stated_format;

/// A response, and the status under which an operation lists it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListedResponse<'d> {
    pub(super) status: &'d str,
    pub(super) response: &'d Value,
}

/// The body of a response.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListedBody<'d> {
    pub(super) media_type: &'d str,
    /// `None` for JSON.
    pub(super) format: Option<BodyFormat>,
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

/// The body in JSON of a response, or else a body in another format that the client reads.
pub(super) fn readable_body(response: &Value) -> Option<ListedBody<'_>> {
    let mut in_text = None;
    for (media_type, content) in entries(response, "content") {
        let format = stated_format(media_type);
        let listed = ListedBody { media_type, format, content };
        if is_json(media_type) {
            return Some(listed);
        }
        if format.is_some() {
            in_text = in_text.or(Some(listed));
        }
    }
    in_text
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
        let content = self.follow(readable_body(response)?.content)?.value;
        content.get("schema")
    }
}
