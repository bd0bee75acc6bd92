//! The check that a successful body is JSON.
//!
//! A body that is not JSON often comes from a proxy in front of the service. Text such as CSV becomes a JSON string.

use crate::decode::{any, ends_early};
use crate::error::{Error, ErrorKind, quoted};
use crate::transport::HttpResponse;
use crate::values::Value;

/// Checks that a successful body begins like JSON. A body with a text type, such as CSV, is converted to a JSON string,
/// and the missing body of a 204 to `null`. Any other body is an error, because it often comes from a proxy in front of
/// the service. A complete body is never a reason to retry.
pub(crate) fn readable(mut response: HttpResponse) -> Result<HttpResponse, Error> {
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
    if response.ends_with_connection && (!is_text || looks_like_json(body)) && ends_early(body) {
        let message = format!("the connection closed before the end of the JSON, after {} bytes", response.body.len());
        let error = Error::retryable(ErrorKind::Body, message);
        return Err(error.with_response(response.status, response.headers).with_body(&response.body));
    }
    if let Some(encoding) = encoding {
        let message = format!("the body has the encoding `{}`, which was not requested", quoted(encoding));
        return Err(Error::new(ErrorKind::Decode, message).with_response(response.status, response.headers));
    }
    // Most bodies are JSON. The decoder checks the whole body later, so this code usually checks only how it begins.
    // A body with a text type is parsed completely, because text such as CSV may begin like JSON.
    if looks_like_json(body) && (!is_text || is_json(body)) {
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

/// Returns whether a body begins like JSON. A body that begins like a number, `true`, `false` or `null` is parsed
/// completely.
fn looks_like_json(body: &[u8]) -> bool {
    let begins_value = |byte| matches!(byte, b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n');
    match body {
        [b'"', ..] => true,
        [b'{', rest @ ..] => rest.trim_ascii_start().first().is_none_or(|next| matches!(next, b'"' | b'}')),
        [b'[', rest @ ..] => rest.trim_ascii_start().first().is_none_or(|next| *next == b']' || begins_value(*next)),
        [first, ..] if begins_value(*first) => is_json(body),
        _ => false,
    }
}

/// Returns whether a body is valid JSON.
fn is_json(body: &[u8]) -> bool {
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
