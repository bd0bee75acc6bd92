//! Reads one entry of a HAR file: the request without its secrets, and the response as it would be saved.

use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::exact_numbers;
use crate::observed_query::{ObservedQuery, QueryParam};
use crate::saved_response::MOCK_MARKER;

/// A successful response in JSON, with its request.
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
}

impl Entry {
    /// Reads an entry. An error is the reason why it is skipped.
    pub(super) fn read(entry: &Value, origin: String) -> Result<Self, String> {
        let text = |path: &str| entry.pointer(path).and_then(Value::as_str);
        let Some(url) = text("/request/url") else { return Err(format!("{origin}: no `request.url`")) };
        let (address, query) = split_url(url);
        let (host, path) = split_address(address);
        let named = |why: String| format!("`{path}`: {why}");
        let method = text("/request/method").unwrap_or_default();
        if method != "GET" {
            return Err(named(format!("a {method} request")));
        }
        let status = entry.pointer("/response/status").and_then(Value::as_u64).unwrap_or_default();
        if !(200..300).contains(&status) {
            return Err(named(format!("the status is {status}")));
        }
        let body = body(entry).map_err(named)?;
        if let Err(why) = exact_numbers::parse(&body) {
            return Err(named(format!("the body is no JSON{}: {why}", label(text("/response/content/mimeType")))));
        }
        let values = QueryParam::all(query);
        Ok(Self {
            host: host.to_ascii_lowercase(),
            segments: path.trim_end_matches('/').split('/').skip(1).map(decoded).collect(),
            has_slash: path.ends_with('/'),
            query: ObservedQuery::of(&values),
            values,
            saved: format!("HTTP/1.1 {status}\n{}\n{body}", mock_header(entry)).into_bytes(),
            origin,
        })
    }

    /// `true` if the query has a param with this value.
    pub(super) fn sends(&self, name: &str, value: &str) -> bool {
        self.values.iter().any(|param| param.name == name && param.value == value)
    }

    /// The path for messages.
    pub(super) fn shown_path(&self) -> String {
        format!("/{}{}", self.segments.join("/"), if self.has_slash && !self.segments.is_empty() { "/" } else { "" })
    }
}

/// Splits a URL into the part before the query, and the query. The fragment is dropped.
fn split_url(url: &str) -> (&str, &str) {
    let sent = url.split('#').next().unwrap_or_default();
    sent.split_once('?').unwrap_or((sent, ""))
}

/// Splits the part before the query into the host and the path.
fn split_address(address: &str) -> (&str, &str) {
    let Some((_, rest)) = address.split_once("://") else { return ("", address) };
    let end = rest.find('/').unwrap_or(rest.len());
    // Credentials in the address are never shown.
    let host = rest[..end].rsplit('@').next().unwrap_or_default();
    (host, if end == rest.len() { "/" } else { &rest[end..] })
}

fn decoded(segment: &str) -> String {
    percent_decode_str(segment).decode_utf8_lossy().into_owned()
}

/// The media type in parentheses, if it is known.
fn label(kind: Option<&str>) -> String {
    kind.filter(|kind| !kind.is_empty()).map(|kind| format!(" (`{kind}`)")).unwrap_or_default()
}

/// The text of the body, or the reason why there is none.
fn body(entry: &Value) -> Result<String, String> {
    let content = entry.pointer("/response/content").unwrap_or(&Value::Null);
    let Some(text) = content.get("text").and_then(Value::as_str).filter(|text| !text.trim().is_empty()) else {
        return Err("the recording has no body".to_owned());
    };
    match content.get("encoding").and_then(Value::as_str) {
        Some("base64") => {
            let bytes = decode_base64(text).ok_or("the body is not valid base64")?;
            String::from_utf8(bytes).map_err(|_| "the body is not UTF-8 text".to_owned())
        }
        None | Some("") => Ok(text.to_owned()),
        Some(other) => Err(format!("the body has the unknown encoding `{other}`")),
    }
}

/// Decodes base64 of both alphabets, with or without padding. Line breaks are ignored.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut bits = 0_u32;
    let mut count = 0;
    for byte in text.trim_end().trim_end_matches('=').bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    Some(bytes)
}

/// The header by which the sandbox marks a mock response, if the response has it.
fn mock_header(entry: &Value) -> String {
    let headers = entry.pointer("/response/headers").and_then(Value::as_array).into_iter().flatten();
    let mut names = headers.filter_map(|header| header.get("name")?.as_str());
    let marker = names.find(|name| name.eq_ignore_ascii_case(MOCK_MARKER));
    marker.map(|name| format!("{name}: \n")).unwrap_or_default()
}
