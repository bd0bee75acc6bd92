//! Reads one entry of a HAR file: the request without its secrets, and the response as it would be saved.

use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::base64;
use super::functions::{FunctionParam, function_params};
use crate::exact_numbers;
use crate::long_ids::shown_path;
use crate::observed_query::{ObservedQuery, QueryParam};
use crate::saved_response::MOCK_MARKER;
use crate::text_body::{TextBody, stated_format};

/// A response in JSON, with its request.
#[derive(Debug)]
pub(super) struct Entry {
    /// The file and the number of the entry.
    pub(super) origin: String,
    /// The host with the port, in lower case.
    pub(super) host: String,
    /// The segments of the path, without empty segments at the end.
    pub(super) segments: Vec<String>,
    /// `true` if the path ends in `/`.
    pub(super) has_slash: bool,
    pub(super) query: ObservedQuery,
    /// The query as it was sent, by which endpoints on one path are distinguished. It may contain secrets.
    values: Vec<QueryParam>,
    /// The response as `curl -i` would save it.
    pub(super) saved: Vec<u8>,
    /// The status, if it is that of an error.
    pub(super) error_status: Option<u64>,
}

impl Entry {
    /// Reads an entry. An error is the reason why it is skipped.
    pub(super) fn read(entry: &Value, origin: String) -> Result<Self, String> {
        let url = text_at(entry, "/request/url");
        if url.is_empty() {
            return Err(format!("{origin}: no `request.url`"));
        }
        let url = RecordedUrl::parse(url);
        let status = entry.pointer("/response/status").and_then(Value::as_u64).unwrap_or_default();
        let saved = match saved_response(entry, status) {
            Ok(saved) => saved,
            Err(why) => return Err(format!("`{}`: {why}", shown_path(url.path.split('/').skip(1)))),
        };
        let mut segments = Vec::new();
        for segment in url.path.trim_end_matches('/').split('/').skip(1) {
            segments.push(percent_decode_str(segment).decode_utf8_lossy().into_owned());
        }
        let values = QueryParam::all(url.query);
        Ok(Self {
            origin,
            host: url.host.to_ascii_lowercase(),
            segments,
            has_slash: url.path.ends_with('/'),
            query: ObservedQuery::of(&values),
            values,
            saved,
            error_status: if is_success(status) { None } else { Some(status) },
        })
    }

    /// The params of the query with their values, which may be secrets.
    pub(super) fn params(&self) -> &[QueryParam] {
        &self.values
    }

    /// `true` if the query has a param with this value.
    pub(super) fn sends(&self, name: &str, value: &str) -> bool {
        self.values.iter().any(|param| param.name == name && param.value == value)
    }

    /// `true` if the query has several params with this name.
    pub(super) fn sends_several(&self, name: &str) -> bool {
        self.values.iter().filter(|param| param.name == name).count() > 1
    }

    /// The params of the query that select a function.
    pub(super) fn functions(&self) -> Vec<FunctionParam> {
        function_params(&self.values)
    }

    /// The body of the response; null if it is not valid JSON.
    pub(super) fn body(&self) -> Value {
        let text = String::from_utf8_lossy(&self.saved);
        let Some((_, body)) = text.split_once("\n\n") else { return Value::Null };
        serde_json::from_str(body).unwrap_or_default()
    }

    /// The path for messages.
    pub(super) fn shown_path(&self) -> String {
        let mut shown = shown_path(self.segments.iter().map(String::as_str));
        if self.has_slash {
            shown.push('/');
        }
        shown
    }
}

/// The parts of a URL, without credentials and without the fragment.
struct RecordedUrl<'u> {
    host: &'u str,
    path: &'u str,
    query: &'u str,
}

impl<'u> RecordedUrl<'u> {
    fn parse(url: &'u str) -> Self {
        let sent = url.split('#').next().unwrap_or_default();
        let (address, query) = sent.split_once('?').unwrap_or((sent, ""));
        let Some((_, rest)) = address.split_once("://") else { return Self { host: "", path: address, query } };
        let end = rest.find('/').unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        // Credentials in the address are never shown.
        let host = authority.rsplit('@').next().unwrap_or_default();
        Self { host, path: if path.is_empty() { "/" } else { path }, query }
    }
}

/// The text at a path; empty if there is none.
fn text_at<'e>(entry: &'e Value, path: &str) -> &'e str {
    match entry.pointer(path) {
        Some(Value::String(text)) => text,
        _ => "",
    }
}

/// The response of a `GET` request as `curl -i` would save it, or the reason why there is none. Only the client and the
/// service cause errors that say more than their status.
fn saved_response(entry: &Value, status: u64) -> Result<Vec<u8>, String> {
    let method = text_at(entry, "/request/method");
    if method != "GET" {
        return Err(format!("a {method} request"));
    }
    let is_error = (400..600).contains(&status);
    if !is_success(status) && !is_error {
        return Err(format!("the status is {status}"));
    }
    let body = match readable_body(entry) {
        Err(_) if is_error => return Err(format!("the status is {status}")),
        body => body?,
    };
    let media_type = text_at(entry, "/response/content/mimeType");
    let mut headers = mock_header(entry);
    if stated_format(media_type).is_some() {
        headers += &format!("content-type: {}\n", essence(media_type));
    }
    Ok(format!("HTTP/1.1 {status}\n{headers}\n{body}").into_bytes())
}

/// Media types of downloads and of JSON, which services also send for CSV and for lines of JSON.
const ANY_TEXT: [&str; 10] = [
    "",
    "text/plain",
    "text/json",
    "application/json",
    "application/octet-stream",
    "binary/octet-stream",
    "application/download",
    "application/x-download",
    "application/force-download",
    "application/vnd.ms-excel",
];

/// `true` if a body is CSV or lines of JSON. The content decides only if the media type allows any text, because
/// recordings of a browser have scripts and style sheets.
fn is_text_body(body: &str, media_type: &str) -> bool {
    let is_any = ANY_TEXT.contains(&essence(media_type).as_str());
    stated_format(media_type).is_some() || is_any && TextBody::recognized(body).is_some()
}

/// A media type without its params.
fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn is_success(status: u64) -> bool {
    (200..300).contains(&status)
}

/// The text of a body in JSON, in CSV or in lines of JSON, or the reason why there is none.
fn readable_body(entry: &Value) -> Result<String, String> {
    let body = body(entry)?;
    let media_type = text_at(entry, "/response/content/mimeType");
    let Err(error) = exact_numbers::parse(&body) else { return Ok(body) };
    if is_text_body(&body, media_type) {
        return Ok(body);
    }
    let media_type = match media_type {
        "" => String::new(),
        media_type => format!(" (`{media_type}`)"),
    };
    Err(format!("the body is no JSON{media_type}: {error}"))
}

/// The text of the body, or the reason why there is none.
fn body(entry: &Value) -> Result<String, String> {
    let text = text_at(entry, "/response/content/text");
    if text.trim().is_empty() {
        return Err("the recording has no body".to_owned());
    }
    match text_at(entry, "/response/content/encoding") {
        "" => Ok(text.to_owned()),
        "base64" => {
            let bytes = base64::decode(text).ok_or("the body is not valid base64")?;
            String::from_utf8(bytes).map_err(|_| "the body is not UTF-8 text".to_owned())
        }
        other => Err(format!("the body has the unknown encoding `{other}`")),
    }
}

/// The header by which the sandbox marks a mock response, if the response has it.
fn mock_header(entry: &Value) -> String {
    let Some(Value::Array(headers)) = entry.pointer("/response/headers") else { return String::new() };
    for header in headers {
        let name = text_at(header, "/name");
        if name.eq_ignore_ascii_case(MOCK_MARKER) {
            return format!("{name}: \n");
        }
    }
    String::new()
}
