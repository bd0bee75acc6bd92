//! The check that a successful body is JSON, and the conversion of other formats to JSON.
//!
//! The content of a body decides, and not its labels. A body that begins like JSON is JSON, and the decoder reports where
//! it is not. A body that is not JSON often comes from a proxy in front of the service. Text such as CSV becomes a JSON
//! string.

use crate::decode::{DecodeError, any, as_json, begins_structure, ends_early};
use crate::error::{Error, ErrorKind, quoted};
use crate::html_page;
use crate::registry::{BodyFormat, EndpointInfo, ErrorBodyInfo};
use crate::text::is_plain_text;
use crate::transport::{HttpResponse, ResponseBody};
use crate::values::Value;

/// The byte order mark of UTF-8.
const BYTE_ORDER_MARK: &[u8] = &[0xef, 0xbb, 0xbf];

/// Removes the byte order mark at the beginning of a body.
pub(super) fn without_byte_order_mark(mut response: HttpResponse) -> HttpResponse {
    if response.body.starts_with(BYTE_ORDER_MARK) {
        response.body = ResponseBody(response.body.0.slice(BYTE_ORDER_MARK.len()..));
    }
    response
}

/// Converts a successful body to JSON, if its endpoint declares another format. A body that is JSON, such as an error of
/// the service, remains as it is.
pub(crate) fn converted(
    response: HttpResponse,
    endpoint: &EndpointInfo,
    errors: &ErrorBodyInfo,
) -> Result<HttpResponse, Error> {
    if endpoint.format == BodyFormat::Json || !(200..=299).contains(&response.status) || response.status == 204 {
        return Ok(response);
    }
    let mut response = without_byte_order_mark(response);
    check_encoding(&response)?;
    let last_line = response.body.trim_ascii().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    if endpoint.format == BodyFormat::Ndjson && !last_line.is_empty() {
        check_end(&response, last_line)?;
    }
    let outcome = std::str::from_utf8(&response.body).map_err(|error| DecodeError::not_utf8(&error));
    if outcome.as_ref().is_ok_and(|text| html_page::is_page(text)) {
        return Err(not_in(endpoint.format, response));
    }
    match outcome.and_then(|text| as_json(text, endpoint, errors)) {
        Ok(json) => {
            response.body = json.into_owned().into();
            Ok(response)
        }
        Err(error) if response.ends_with_connection && error.is_early_end() => Err(cut(&response, endpoint.format)),
        Err(error) => {
            let HttpResponse { status, headers, body, .. } = response;
            Err(error.into_error(&body, None).with_response(status, headers))
        }
    }
}

/// Checks that a successful body begins like JSON. A body with a text type, such as CSV, is converted to a JSON string,
/// and the missing body of a 204 to `null`. Any other body is an error. A complete body is never a reason to retry.
pub(crate) fn readable(mut response: HttpResponse) -> Result<HttpResponse, Error> {
    let kind = content_type(&response);
    let is_text = kind.starts_with("text/") && !kind.starts_with("text/html");
    let body = response.body.trim_ascii();
    if response.status == 204 && body.is_empty() {
        response.body = "null".into();
        return Ok(response);
    }
    // The decoder checks the whole body later, so this code usually checks only how it begins. Text such as CSV may begin
    // like a list or a string, so a body with a text type is then parsed completely.
    let is_json = begins_structure(body) || !is_text && begins_value(body) || is_valid_json(body);
    let may_be_json = !is_text || is_json || begins_value(body);
    if may_be_json {
        check_end(&response, body)?;
    }
    check_encoding(&response)?;
    if is_json {
        return Ok(response);
    }
    if let Some(text) = std::str::from_utf8(&response.body).ok().filter(|_| is_text && !body.is_empty()) {
        response.body = Value::from(text).to_string().into();
        return Ok(response);
    }
    Err(not_in(BodyFormat::Json, response))
}

/// The content type in lower case; empty if the response has none.
fn content_type(response: &HttpResponse) -> String {
    match response.headers.get("content-type") {
        Some(kind) => kind.trim().to_ascii_lowercase(),
        None => String::new(),
    }
}

/// Returns an error if the end of the connection marked the end of the body, and `json`, the end of the body, is
/// incomplete.
fn check_end(response: &HttpResponse, json: &[u8]) -> Result<(), Error> {
    if !response.ends_with_connection || !ends_early(json) {
        return Ok(());
    }
    Err(cut(response, BodyFormat::Json))
}

/// Creates the error for a body whose connection closed within a value or a row.
fn cut(response: &HttpResponse, format: BodyFormat) -> Error {
    let format = format.name();
    let message = format!("the connection closed before the end of the {format}, after {} bytes", response.body.len());
    let error = Error::retryable(ErrorKind::Body, message);
    error.with_response(response.status, response.headers.clone()).with_body(&response.body)
}

/// Returns an error if the body is still encoded.
fn check_encoding(response: &HttpResponse) -> Result<(), Error> {
    let Some(encoding) = unread_encoding(response) else { return Ok(()) };
    let message = format!("the body has the encoding `{}`, which was not requested", quoted(encoding));
    Err(Error::new(ErrorKind::Decode, message).with_response(response.status, response.headers.clone()))
}

/// The encoding of a body that is still encoded. A transport that decompresses a body removes the header, and a
/// label of a body that is readable means nothing.
fn unread_encoding(response: &HttpResponse) -> Option<&str> {
    let encoding = response.headers.get("content-encoding")?;
    if encoding.split(',').all(means_no_encoding) || is_plain_text(&response.body) {
        return None;
    }
    Some(encoding)
}

fn means_no_encoding(label: &str) -> bool {
    let label = label.trim();
    label.is_empty() || label.eq_ignore_ascii_case("identity")
}

/// Creates the error for a body in another format than `format`.
fn not_in(format: BodyFormat, response: HttpResponse) -> Error {
    let kind = content_type(&response);
    let HttpResponse { status, headers, body, .. } = response;
    let format = format.name();
    let text = String::from_utf8_lossy(&body);
    let of_type = if kind.is_empty() { String::new() } else { format!(" of type `{}`", quoted(&kind)) };
    let error = match text.trim_start().chars().next() {
        None => Error::new(ErrorKind::Decode, format!("status {status} with an empty body instead of {format}")),
        // A body that begins like this is never JSON, so the declared type does not matter.
        Some('<') => {
            let title = html_page::title(&text).map(|title| format!(": the page {:?}", quoted(&title)));
            let title = title.unwrap_or_default();
            let message = format!("the body is HTML or XML{of_type} instead of {format}{title}");
            let error = Error::new(ErrorKind::Decode, message).with_hint("check the base URL and any proxy in between");
            if html_page::is_page(&text) { error.of_page() } else { error }
        }
        Some(_) => Error::new(ErrorKind::Decode, format!("the body{of_type} is not {format}")),
    };
    error.with_response(status, headers).with_body(&body)
}

/// `true` if a body begins like a JSON string or a list.
fn begins_value(body: &[u8]) -> bool {
    match body {
        [b'"', ..] => true,
        [b'[', rest @ ..] => {
            let first = rest.trim_ascii_start().first();
            matches!(first, None | Some(b']' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n'))
        }
        _ => false,
    }
}

fn is_valid_json(body: &[u8]) -> bool {
    std::str::from_utf8(body).is_ok_and(|text| any(text).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headers::Headers;

    #[test]
    fn text_becomes_a_string_and_no_content_null() {
        for (status, kind, body, expected) in [
            (200, "text/csv", "a,b\n1,2\n", Ok(r#""a,b\n1,2\n""#)),
            (200, "text/csv", "\"a\",\"b\"\n1,2", Ok(r#""\"a\",\"b\"\n1,2""#)),
            (200, "text/plain; charset=utf-8", "pong", Ok(r#""pong""#)),
            (200, "text/plain", r#"{"a": 1}"#, Ok(r#"{"a": 1}"#)),
            (200, "text/plain", "[1, 2]", Ok("[1, 2]")),
            (200, "text/plain", "[1] first", Ok(r#""[1] first""#)),
            // The decoder reports where these bodies are not JSON.
            (200, "text/json", r#"{"a": 1"#, Ok(r#"{"a": 1"#)),
            (200, "text/plain", r#"[{"a": NaN}]"#, Ok(r#"[{"a": NaN}]"#)),
            (200, "application/json", "pong", Err("the body of type `application/json` is not JSON")),
            (204, "", "", Ok("null")),
        ] {
            let mut headers = Headers::new();
            headers.insert("content-type", kind).expect("a header");
            let outcome = readable(HttpResponse::new(status, headers, body));
            let read = outcome.map(|response| String::from_utf8_lossy(&response.body).into_owned());
            assert!(read.as_ref().err().is_none_or(|error| !error.is_retryable()));
            let read = read.map_err(|error| error.to_string());
            assert_eq!(read.as_deref().map_err(|error| error.split(';').next().unwrap_or_default()), expected);
        }
    }
}

#[cfg(test)]
mod label_tests {
    use super::*;
    use crate::headers::Headers;

    fn check(encoding: &str, body: &[u8]) -> Result<String, String> {
        let mut headers = Headers::new();
        headers.insert("content-encoding", encoding).expect("a header");
        let response = readable(HttpResponse::new(200, headers, body));
        let body = response.map_err(|error| error.to_string())?.body;
        Ok(String::from_utf8_lossy(&body).into_owned())
    }

    #[test]
    fn label_of_a_readable_body_means_nothing() {
        for encoding in ["utf-8", "none", "", "identity, identity", "aws-chunked", "br"] {
            assert_eq!(check(encoding, b"{}"), Ok("{}".to_owned()), "{encoding}");
        }
        let unread = Err("the body has the encoding `br`, which was not requested".to_owned());
        assert_eq!(check("br", b"{\x0b\x02\x80"), unread);
    }

    #[test]
    fn byte_order_mark_is_removed() {
        let marked = HttpResponse::new(200, Headers::new(), "\u{feff}{}");
        assert_eq!(&*without_byte_order_mark(marked).body, b"{}");
        assert_eq!(&*without_byte_order_mark(HttpResponse::new(200, Headers::new(), "{}")).body, b"{}");
    }
}
