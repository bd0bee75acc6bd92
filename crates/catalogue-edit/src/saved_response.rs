//! Reads saved responses: a body, alone or after its status line and headers.

use std::path::Path;

use catalogue::model::BodyFormat;
use serde_yaml::Value;

use crate::exact_numbers;
use crate::text_body::{TextBody, stated_format};

/// The header and the body key by which the sandbox marks a response with mock data.
pub(super) const MOCK_MARKER: &str = "x-sandbox-invented";

/// A response to learn from.
#[derive(Debug)]
pub(super) struct SavedResponse {
    /// The origin of the response, which messages mention.
    pub(super) origin: String,
    /// The text of the body, as the client receives it.
    pub(super) text: String,
    pub(super) body: Value,
    /// `true` if the response is marked as a mock response.
    pub(super) is_mock: bool,
    /// The format of the body; `None` for JSON. In any other format, `body` is the list of the records.
    pub(super) format: Option<BodyFormat>,
    /// The HTTP status, if it was saved with the response.
    pub(super) status: Option<u16>,
}

impl SavedResponse {
    /// Reads a saved response.
    pub(super) fn read(origin: &str, bytes: &[u8]) -> Result<Self, String> {
        let text = text(bytes)?.trim_start_matches('\u{feff}').trim_start();
        let SavedText { head, body: text } = SavedText::parse(text)?;
        let stated = header(head, "content-type").or(extension(origin)).and_then(stated_format);
        let mut body = exact_numbers::parse(text);
        let mut format = None;
        if let Err(error) = &body
            && let Some(read) = text_body(text, stated, error)?
        {
            body = Ok(read.records);
            format = Some(read.format);
        }
        let mut body = body.map_err(|error| no_json(text, &error))?;
        let is_one_line = format.is_none() && body.is_mapping() && stated == Some(BodyFormat::Ndjson);
        if is_one_line {
            body = Value::Sequence(vec![body]);
            format = stated;
        }
        let is_mock = take_mock_marker(&mut body) || header(head, MOCK_MARKER).is_some();
        Ok(Self { origin: origin.to_owned(), text: text.to_owned(), body, is_mock, format, status: status_of(head) })
    }

    /// The value at a JSON path of the body. `.` is the entire body, and the key `*` is the only member that is a list.
    pub(super) fn at(&self, path: &str) -> Option<&Value> {
        let mut value = &self.body;
        for key in path.split('.').filter(|key| !key.is_empty()) {
            value = match value {
                _ if key == "*" => only_list(value)?,
                Value::Sequence(items) => items.get(key.parse::<usize>().ok()?)?,
                other => other.get(key)?,
            };
        }
        Some(value)
    }
}

/// The only member of an object that is a list.
fn only_list(object: &Value) -> Option<&Value> {
    let mut only = None;
    for value in object.as_mapping()?.values() {
        if value.is_sequence() {
            if only.is_some() {
                return None;
            }
            only = Some(value);
        }
    }
    only
}

/// Removes the marker of mock data from a body, so that it is not learned as a field.
fn take_mock_marker(body: &mut Value) -> bool {
    let Some(members) = body.as_mapping_mut() else { return false };
    members.remove(MOCK_MARKER).is_some()
}

/// The value of a header.
fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    for line in head.lines() {
        let (found, value) = line.split_once(':').unwrap_or((line, ""));
        if found.trim().eq_ignore_ascii_case(name) {
            return Some(value);
        }
    }
    None
}

/// The end of a file's name, without the dot.
fn extension(origin: &str) -> Option<&str> {
    Path::new(origin).extension()?.to_str()
}

/// The body in another format than JSON, in which it is not valid; `None` if it is in no such format.
fn text_body(text: &str, stated: Option<BodyFormat>, error: &serde_json::Error) -> Result<Option<TextBody>, String> {
    let is_page = ["<!doctype", "<html", "<?xml"].iter().any(|begin| begins_with(text, begin));
    match stated {
        _ if is_page || is_limit(&error.to_string()) || text.trim().is_empty() => Ok(None),
        Some(format) => TextBody::read(text, format).map(Some),
        None => Ok(TextBody::recognized(text)),
    }
}

fn begins_with(text: &str, begin: &str) -> bool {
    text.get(..begin.len()).is_some_and(|start| start.eq_ignore_ascii_case(begin))
}

/// The saved text, or an error message if the bytes are not text.
fn text(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|_| match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "the response is encoded as UTF-16; save it as UTF-8".to_owned(),
        _ => "the response is compressed or not UTF-8 text; save it with `curl --compressed`".to_owned(),
    })
}

/// The error message for a body that is not JSON, including the remedy.
fn no_json(body: &str, error: &serde_json::Error) -> String {
    match body.trim_start().chars().next() {
        None => "the response has no body; send a request that returns one".to_owned(),
        Some('<') => "the body is HTML or XML, not JSON, so another server has probably responded; \
                      check the address and the credentials"
            .to_owned(),
        _ if error.to_string().starts_with("duplicate entry") => {
            format!("an object of the body contains a key twice, so the right value is unknown: {error}")
        }
        _ if is_limit(&error.to_string()) => {
            format!("the client cannot read this JSON: {error}; leave the body `unknown`")
        }
        _ => format!("invalid JSON in the body: {error}; save the response with `curl -i`"),
    }
}

/// `true` for an error about valid JSON that the client does not read.
fn is_limit(error: &str) -> bool {
    error.starts_with("recursion limit") || error.starts_with("number out of range")
}

/// The status in the first line of the headers.
fn status_of(head: &str) -> Option<u16> {
    head.split_whitespace().nth(1)?.parse().ok()
}

/// The parts of the text of a saved response.
#[derive(Clone, Copy)]
struct SavedText<'t> {
    /// The status line and the headers; empty if they were not saved.
    head: &'t str,
    body: &'t str,
}

impl<'t> SavedText<'t> {
    /// Splits a response into its headers and its body. A proxy may have added another block of headers before the
    /// headers of the response, so only the last block is used.
    fn parse(text: &'t str) -> Result<Self, String> {
        let mut parts = Self { head: "", body: text };
        while parts.body.starts_with("HTTP/") {
            parts = after_headers(parts.body).ok_or("the file ends within the headers; save the complete response")?;
        }
        Ok(parts)
    }
}

/// The first block of headers in a text, and the text after it.
fn after_headers(text: &str) -> Option<SavedText<'_>> {
    let mut parts: Option<SavedText<'_>> = None;
    for blank_line in ["\r\n\r\n", "\n\n"] {
        if let Some((head, body)) = text.split_once(blank_line)
            && parts.is_none_or(|known| head.len() < known.head.len())
        {
            parts = Some(SavedText { head, body });
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_have_optional_headers() {
        let table = [
            ("{\"a\": 1}", Ok((false, false))),
            ("\u{feff}{\r\n\"a\": 1\r\n}\r\n", Ok((false, false))),
            ("HTTP/1.1 200 OK\r\ncontent-type: x\r\n\r\n[]", Ok((false, true))),
            ("HTTP/1.1 200 OK\nX-Sandbox-Invented: fields\n\n[]", Ok((true, true))),
            (
                "HTTP/1.1 200 Connection established\r\n\r\nHTTP/2 200\r\nx-sandbox-invented: body\r\n\r\n{}",
                Ok((true, true)),
            ),
            ("{\"data\": [], \"x-sandbox-invented\": \"fields\"}", Ok((true, false))),
            ("HTTP/1.1 422 Unauthorized\r\n\r\n{}", Ok((false, true))),
            ("HTTP/1.1 200 OK\r\n", Err("the file ends within the headers; save the complete response")),
            ("HTTP/1.1 204 No Content\r\n\r\n", Err("the response has no body; send a request that returns one")),
            (" \n", Err("the response has no body; send a request that returns one")),
            (
                "{\"a\": ",
                Err(
                    "invalid JSON in the body: EOF while parsing a value at line 1 column 6; save the response with `curl -i`",
                ),
            ),
            (
                "{\"a\": 1e400}",
                Err(
                    "the client cannot read this JSON: number out of range at line 1 column 11; leave the body `unknown`",
                ),
            ),
            (
                "{\"a\": 1, \"a\": 2}",
                Err("an object of the body contains a key twice, so the right value is unknown: \
                     duplicate entry with key \"a\" at line 1 column 12"),
            ),
        ];
        for (text, expected) in table {
            let read =
                SavedResponse::read("", text.as_bytes()).map(|response| (response.is_mock, response.status.is_some()));
            assert_eq!(read, expected.map_err(str::to_owned), "{text}");
        }
    }

    #[test]
    fn response_that_is_not_text_is_an_error_with_help() {
        let table: [(&[u8], &str); 4] = [
            (b"\x1f\x8b\x08\x00", "the response is compressed"),
            (b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n\x8b\x02\xff", "the response is compressed"),
            (b"\xff\xfe{\x00}\x00", "the response is encoded as UTF-16"),
            (b"{\"a\": \"\xe9\"}", "the response is compressed or not UTF-8 text"),
        ];
        for (bytes, expected) in table {
            let why = SavedResponse::read("", bytes).expect_err(expected);
            assert!(why.starts_with(expected), "{why}");
        }
    }
}
