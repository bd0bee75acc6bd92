//! The interpretation of HTTP statuses.
//!
//! A successful response is returned. Any other response becomes an error, which contains the message of the body or
//! the catalogue's description of the status. The module `retry` decides about retries.

use serde_core::de::IgnoredAny;

use super::retry::again;
use super::retry_after;
use crate::decode;
use crate::error::{Again, Error, ErrorKind, excerpt, one_line};
use crate::registry::{ErrorBodyInfo, RecordInfo, StatusInfo};
use crate::transport::HttpResponse;
use crate::values::Value;

/// Returns a successful response, or the error for its status.
pub(crate) fn accept(
    response: HttpResponse,
    known: &[StatusInfo],
    error_body: &ErrorBodyInfo,
) -> Result<HttpResponse, Error> {
    match response.status {
        200..=299 => readable(response),
        300..=399 => Err(redirect(response)),
        _ => Err(refusal(response, known, error_body)),
    }
}

/// Checks that a successful body begins like JSON. A body with a text type, such as CSV, is converted to a JSON string,
/// and the missing body of a 204 to `null`. Any other body is an error, because it often comes from a proxy in front of
/// the service. A complete body is never a reason to retry.
fn readable(mut response: HttpResponse) -> Result<HttpResponse, Error> {
    let kind = response.headers.get("content-type").map(|kind| kind.trim().to_ascii_lowercase()).unwrap_or_default();
    let is_text = kind.starts_with("text/") && !kind.starts_with("text/html");
    // A body with this header is still encoded: a transport that decompresses a body must also remove the header.
    let encoding =
        response.headers.get("content-encoding").filter(|encoding| !encoding.eq_ignore_ascii_case("identity"));
    let body = response.body.trim_ascii();
    if response.status == 204 && body.is_empty() {
        response.body = "null".into();
        return Ok(response);
    }
    if response.ends_with_connection && (!is_text || looks_like_json(body)) && is_cut(body) {
        let message = format!("the connection closed before the end of the JSON, after {} bytes", response.body.len());
        let error = Error::new(ErrorKind::Body, message).again(Again::Yes);
        return Err(error.with_response(response.status, response.headers).with_body(&response.body));
    }
    if let Some(encoding) = encoding {
        let message = format!("the body has the encoding `{}`, which was not requested", quoted(encoding));
        return Err(Error::new(ErrorKind::Decode, message).with_response(response.status, response.headers));
    }
    // Most bodies are JSON. The decoder checks the whole body later, so this code usually checks only how it begins.
    // A body with a text type is parsed completely, because text such as CSV may begin like JSON.
    if looks_like_json(body) && (!is_text || any(body).is_some()) {
        return Ok(response);
    }
    if let Some(text) = std::str::from_utf8(&response.body).ok().filter(|_| is_text && !body.is_empty()) {
        response.body = Value::from(text).to_string().into();
        return Ok(response);
    }
    let of_type = if kind.is_empty() { kind } else { format!(" of type `{}`", quoted(&kind)) };
    let (message, hint) = match body.first() {
        None => (format!("status {} with an empty body instead of JSON", response.status), ""),
        // JSON never begins with `<`, so the declared type does not matter.
        Some(b'<') => {
            (format!("the body is HTML or XML{of_type} instead of JSON"), "check the base URL and any proxy in between")
        }
        Some(_) => (format!("the body{of_type} is not JSON"), ""),
    };
    let HttpResponse { status, headers, body, .. } = response;
    Err(Error::new(ErrorKind::Decode, message).with_hint(hint).with_response(status, headers).with_body(&body))
}

/// Returns whether a body is truncated JSON that is valid up to its end.
fn is_cut(body: &[u8]) -> bool {
    let ends_early = |text: &[u8]| serde_json::from_slice::<IgnoredAny>(text).is_err_and(|error| error.is_eof());
    // The parser reports a truncated number such as `0.` as invalid rather than as ending early, so a digit is
    // appended.
    ends_early(body) || ends_early(&[body, b"0"].concat())
}

/// Returns whether a body begins like JSON. A body that begins like a number, `true`, `false` or `null` is parsed
/// completely.
fn looks_like_json(body: &[u8]) -> bool {
    let begins_value = |byte| matches!(byte, b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n');
    match body {
        [b'"', ..] => true,
        [b'{', rest @ ..] => rest.trim_ascii_start().first().is_none_or(|next| matches!(next, b'"' | b'}')),
        [b'[', rest @ ..] => rest.trim_ascii_start().first().is_none_or(|next| *next == b']' || begins_value(*next)),
        [first, ..] if begins_value(*first) => any(body).is_some(),
        _ => false,
    }
}

/// Creates the error for a redirect. Redirects are not followed, because that could send the credentials to any host.
fn redirect(response: HttpResponse) -> Error {
    let target = response.headers.get("location").map_or("an unknown target".to_owned(), target);
    let status = response.status;
    Error::new(ErrorKind::Status, format!("status {status}, a redirect to {target}, is not followed"))
        .with_hint("check the base URL")
        .with_response(status, response.headers)
}

/// Describes the target of a redirect: the name of another host, or another path of the same host.
fn target(location: &str) -> String {
    let scheme = if location.starts_with("//") { "https:" } else { "" };
    let whole = format!("{scheme}{location}");
    let first = whole.split(['/', '?', '#']).next().unwrap_or_default();
    if !first.ends_with(':') {
        return "another path of the same host".to_owned();
    }
    let host = whole.parse::<http::Uri>().ok().and_then(|uri| uri.host().map(quoted));
    host.map_or("an unknown target".to_owned(), |host| format!("the host `{host}`"))
}

fn refusal(response: HttpResponse, known: &[StatusInfo], error_body: &ErrorBodyInfo) -> Error {
    let retry_after = retry_after::read(&response.headers);
    let HttpResponse { status, headers, body, .. } = response;
    let info = known.iter().find(|info| info.status == status);
    let body_value = any(&body);
    let find = |paths| body_value.as_ref().and_then(|value| find(value, paths));
    let message = find(error_body.message);
    let has_message = message.is_some();
    let meaning = message
        .or_else(|| info.map(|info| clause(info.summary)).filter(|meaning| !meaning.is_empty()))
        .map(|meaning| format!(": {meaning}"));
    Error::new(ErrorKind::Status, format!("status {status}{}", meaning.unwrap_or_default()))
        .again(again(status))
        .with_retry_after(retry_after)
        .with_hint(info.map(|info| clause(info.advice)).unwrap_or_default())
        .with_response(status, headers)
        .with_refusal(&body, find(error_body.code), has_message)
}

/// Returns the error message in a body without data.
pub(crate) fn message(body: &[u8], error_body: &ErrorBodyInfo) -> Option<String> {
    find(&any(body)?, error_body.message)
}

/// Returns whether a successful body is an error of the service: it has a value at the path of an error message, and
/// that path is not a field of the record.
pub(crate) fn is_error(body: &str, record: Option<&RecordInfo>, error_body: &ErrorBodyInfo) -> bool {
    let is_field = |key: &str| record.is_some_and(|record| record.fields.iter().any(|field| field.wire_name == key));
    let mut paths = error_body.message.to_vec();
    paths.retain(|path| path.split('.').next().is_some_and(|key| !is_field(key) && body.contains(key)));
    // A number is not a message: `"error": 0` means that there is no error.
    let is_message = |text: String| text.parse::<f64>().is_err();
    !paths.is_empty() && any(body.as_bytes()).is_some_and(|value| find(&value, &paths).is_some_and(is_message))
}

/// Returns whether the envelope of a series without records is an error of the service. Some services send a message
/// such as `success` with every response, so the body must also have an error code, if the catalogue has a path for it.
pub(crate) fn is_error_of_series(envelope: &str, error_body: &ErrorBodyInfo) -> bool {
    let has_code = || any(envelope.as_bytes()).is_some_and(|value| find(&value, error_body.code).is_some());
    is_error(envelope, None, error_body) && (error_body.code.is_empty() || has_code())
}

/// Parses a body, if it is JSON.
fn any(body: &[u8]) -> Option<Value> {
    decode::any(std::str::from_utf8(body).ok()?).ok()
}

/// Converts a sentence of the catalogue to a clause: `Check the key.` becomes `check the key`. A first word such as
/// `API` keeps its capitals.
fn clause(sentence: &str) -> String {
    let sentence = sentence.trim_end_matches('.');
    let mut letters = sentence.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            first.to_lowercase().chain(sentence.chars().skip(1)).collect()
        }
        _ => sentence.to_owned(),
    }
}

/// The maximum number of bytes of the service's message that are quoted.
const MAX_MESSAGE_BYTES: usize = 300;

fn quoted(text: &str) -> String {
    one_line(&excerpt(text, MAX_MESSAGE_BYTES))
}

/// Returns the value at the first of these JSON paths that leads to a string or a number, or to a list whose first item
/// is a string or a number.
fn find(body: &Value, paths: &[&str]) -> Option<String> {
    paths.iter().find_map(|path| {
        let value = path.split('.').try_fold(body, |value, key| value.get(key))?;
        match value.get(0).unwrap_or(value) {
            Value::String(text) if !text.is_empty() => Some(quoted(text)),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{Evidence, FieldInfo, ValueType};
    use crate::transport::Headers;

    const ERRORS: &ErrorBodyInfo =
        &ErrorBodyInfo { name: None, message: &["error.message", "error", "note"], code: &[] };

    #[test]
    fn text_becomes_a_string_and_no_content_null() {
        for (status, kind, body, expected) in [
            (200, "text/csv", "a,b\n1,2\n", Ok(r#""a,b\n1,2\n""#)),
            (200, "text/csv", "\"a\",\"b\"\n1,2", Ok(r#""\"a\",\"b\"\n1,2""#)),
            (200, "text/plain; charset=utf-8", "pong", Ok(r#""pong""#)),
            (200, "text/plain", r#"{"a": 1}"#, Ok(r#"{"a": 1}"#)),
            (200, "application/json", "pong", Err("the body of type `application/json` is not JSON")),
            (204, "", "", Ok("null")),
        ] {
            let mut headers = Headers::new();
            headers.insert("content-type", kind).expect("a header");
            let outcome = accept(HttpResponse::new(status, headers, body), &[], ERRORS);
            let read = outcome.map(|response| String::from_utf8_lossy(&response.body).into_owned());
            assert!(read.as_ref().err().is_none_or(|error| !error.is_retryable()));
            let read = read.map_err(|error| error.to_string());
            assert_eq!(read.as_deref().map_err(|error| error.split(';').next().unwrap_or_default()), expected);
        }
    }

    #[test]
    fn error_in_a_successful_body_has_a_message() {
        const NOTED: RecordInfo =
            RecordInfo::new("Noted", &[FieldInfo::new("note", "note", ValueType::String, Evidence::Documented)]);
        for (body, is_expected) in [
            (r#"{"error": {"message": "no"}}"#, true),
            (r#"{"error": "no"}"#, true),
            (r#"{"error": ["no"], "result": {}}"#, true),
            (r#"{"error": [], "result": {}}"#, false),
            (r#"{"error": "", "result": {}}"#, false),
            (r#"{"error": null}"#, false),
            (r#"{"note": "a field"}"#, false),
            ("[]", false),
        ] {
            assert_eq!(is_error(body, Some(&NOTED), ERRORS), is_expected, "{body}");
        }
        assert!(is_error(r#"{"note": "no field"}"#, None, ERRORS));
    }

    #[test]
    fn undocumented_status_has_no_description() {
        let known = [
            StatusInfo { label: Some("Teapot"), ..StatusInfo::new(418, Evidence::Documented) },
            StatusInfo { summary: "Too many requests.", ..StatusInfo::new(429, Evidence::Documented) },
        ];
        for (status, expected) in [(418, "status 418"), (429, "status 429: too many requests"), (499, "status 499")] {
            let response = HttpResponse::new(status, Headers::new(), "");
            let error = accept(response, &known, &ErrorBodyInfo { name: None, message: &[], code: &[] })
                .expect_err("a failure");
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn message_is_a_text_or_the_first_of_a_list() {
        let error_body = ErrorBodyInfo { name: None, message: &["errors", "error.message"], code: &[] };
        let table = [
            (r#"{"errors": ["wrong pair", "other"]}"#, Some("wrong pair")),
            (r#"{"errors": [], "error": {"message": "down"}}"#, Some("down")),
            (r#"{"errors": {"0": "x"}}"#, None),
        ];
        for (body, expected) in table {
            assert_eq!(message(body.as_bytes(), &error_body).as_deref(), expected, "{body}");
        }
    }
}
