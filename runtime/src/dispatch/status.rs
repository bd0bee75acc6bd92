//! The interpretation of HTTP statuses.
//!
//! A success is returned as it is; any other response becomes an error with the catalogue's description and the message
//! of the body. Whether to retry is decided elsewhere.

use serde_core::de::IgnoredAny;

use super::retry::again;
use super::retry_after;
use crate::decode;
use crate::error::{Again, Error, ErrorKind, excerpt, one_line};
use crate::registry::{ErrorBodyInfo, StatusInfo};
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

/// Checks that the beginning of a successful body is JSON. Any other body often comes from a proxy in front of the
/// service, and a retry may succeed.
fn readable(response: HttpResponse) -> Result<HttpResponse, Error> {
    // A transport that decompresses bodies must also remove this header.
    let encoding = response.headers.get("content-encoding");
    let kind = || response.headers.get("content-type").map(|kind| format!(" of type `{}`", quoted(kind)));
    let body = response.body.trim_ascii();
    if response.ends_with_connection && is_cut(body) {
        let message = format!("the connection closed before the end of the JSON, after {} bytes", response.body.len());
        let error = Error::new(ErrorKind::Body, message).again(Again::Yes);
        return Err(error.with_response(response.status, response.headers).with_body(&response.body));
    }
    let (message, hint) = match (encoding, body.first()) {
        (Some(encoding), _) if !encoding.eq_ignore_ascii_case("identity") => {
            (format!("the body has the encoding `{}`, which was not requested", quoted(encoding)), "")
        }
        (_, None) => (format!("status {} with an empty body instead of JSON", response.status), ""),
        (_, Some(_)) if looks_like_json(body) => return Ok(response),
        // JSON never begins with `<`, whatever the declared type.
        (_, Some(b'<')) => (
            format!("the body is a page{} instead of JSON", kind().unwrap_or_default()),
            "check the base URL and any proxy in between",
        ),
        (_, Some(_)) => (format!("the body{} is not JSON", kind().unwrap_or_default()), ""),
    };
    let is_text = encoding.is_none_or(|encoding| encoding.eq_ignore_ascii_case("identity"));
    let HttpResponse { status, headers, body, .. } = response;
    let error =
        Error::new(ErrorKind::Decode, message).again(Again::Once).with_hint(hint).with_response(status, headers);
    Err(if is_text { error.with_body(&body) } else { error })
}

/// Returns whether a body is truncated JSON without another error.
fn is_cut(body: &[u8]) -> bool {
    let ends_early = |text: &[u8]| serde_json::from_slice::<IgnoredAny>(text).is_err_and(|error| error.is_eof());
    // The parser reports a truncated number such as `0.` as invalid rather than as ending early, so a digit is
    // appended.
    !body.is_empty() && (ends_early(body) || ends_early(&[body, b"0"].concat()))
}

/// Returns whether the beginning of a body is JSON. A body that is one word or number is parsed completely.
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

/// The error for a redirect, which is not followed because that would send the credentials to any host.
fn redirect(response: HttpResponse) -> Error {
    let target = response.headers.get("location").map_or("nowhere".to_owned(), target);
    let status = response.status;
    Error::new(ErrorKind::Status, format!("status {status}, a redirect to {target}, is not followed"))
        .with_hint("check the base URL")
        .with_response(status, response.headers)
}

/// Describes the target of a redirect: another host by its name, or another path of the same host.
fn target(location: &str) -> String {
    let whole = match location.strip_prefix("//") {
        Some(_) => format!("https:{location}"),
        None => location.to_owned(),
    };
    let first = whole.split(['/', '?', '#']).next().unwrap_or_default();
    if !first.ends_with(':') {
        return "another path of the same host".to_owned();
    }
    match whole.parse::<http::Uri>() {
        Ok(uri) => uri.host().map_or("nowhere".to_owned(), |host| format!("the host `{}`", quoted(host))),
        Err(_) => "nowhere".to_owned(),
    }
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
        .with_code(find(error_body.code))
        .again(again(status))
        .with_retry_after(retry_after)
        .with_hint(info.map(|info| clause(info.advice)).unwrap_or_default())
        .with_response(status, headers)
        .with_body(&body)
        .with_body_message(has_message)
}

/// The error message in a body without data.
pub(crate) fn message(body: &[u8], error_body: &ErrorBodyInfo) -> Option<String> {
    find(&any(body)?, error_body.message)
}

/// The contents of a body, if it is JSON.
fn any(body: &[u8]) -> Option<Value> {
    decode::any(std::str::from_utf8(body).ok()?).ok()
}

/// Turns a sentence of the catalogue into a clause: `Check the key.` becomes `check the key`, `API` stays.
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

/// The value of the first of these JSON paths that has a string or a number, or a list that begins with one.
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
    use crate::registry::Evidence;
    use crate::transport::Headers;

    #[test]
    fn undocumented_status_has_no_description() {
        let known = [
            StatusInfo::new(418, Evidence::Documented).label("Teapot"),
            StatusInfo::new(429, Evidence::Documented).summary("Too many requests."),
        ];
        for (status, expected) in [(418, "status 418"), (429, "status 429: too many requests"), (499, "status 499")] {
            let response = HttpResponse::new(status, Headers::new(), "");
            let error = accept(response, &known, &ErrorBodyInfo::new(&[], &[])).expect_err("a failure");
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn message_is_a_text_or_the_first_of_a_list() {
        let error_body = ErrorBodyInfo::new(&["errors", "error.message"], &[]);
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
