//! The response of the token endpoint (RFC 6749, section 5.1).
//!
//! Only the token itself is required. Errors never show the body, because it contains the token.

use std::time::Duration;

use crate::decode;
use crate::error::{Error, ErrorKind};
use crate::values::{Number, Value};

/// A token and its lifetime.
pub(crate) struct TokenResponse {
    pub(crate) access_token: String,
    pub(crate) expires_in: Option<Duration>,
}

impl TokenResponse {
    pub(crate) fn read(body: &[u8]) -> Result<Self, Error> {
        let text = std::str::from_utf8(body).map_err(|_| unreadable("it is not UTF-8"))?;
        let response = decode::any(text).map_err(|_| unreadable("it is not JSON"))?;
        let access_token = match response.get("access_token") {
            Some(Value::String(token)) if !token.trim().is_empty() => token.trim().to_owned(),
            _ => return Err(unreadable("it has no `access_token`")),
        };
        let kind = response.get("token_type").and_then(Value::as_str).unwrap_or("Bearer");
        if !kind.eq_ignore_ascii_case("bearer") {
            return Err(unreadable("its `token_type` is not `Bearer`"));
        }
        Ok(Self { access_token, expires_in: response.get("expires_in").and_then(lifetime) })
    }
}

/// Parses a lifetime in seconds, given as a number or as a string; an invalid value counts as absent.
fn lifetime(value: &Value) -> Option<Duration> {
    let seconds = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => Number::parse(text)?.float(),
        _ => return None,
    };
    Duration::try_from_secs_f64(seconds.max(0.0)).ok()
}

/// Creates the error for a response without a usable token.
pub(super) fn unreadable(why: &str) -> Error {
    Error::new(ErrorKind::Decode, format!("invalid response from the token endpoint: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str) -> Result<(String, Option<Duration>), String> {
        TokenResponse::read(body.as_bytes())
            .map(|response| (response.access_token, response.expires_in))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn token_lifetimes_are_parsed() {
        let table = [
            (r#""expires_in": 84706"#, Some(84_706)),
            (r#""expires_in": 8.4706e4"#, Some(84_706)),
            (r#""expires_in": "84706""#, Some(84_706)),
            (r#""expires_in": 0"#, Some(0)),
            (r#""expires_in": -5"#, Some(0)),
            (r#""expires_in": null"#, None),
            (r#""expires_in": "soon""#, None),
            (r#""expires_in": 1e300"#, None),
            (r#""token_type": "bearer""#, None),
        ];
        for (entry, seconds) in table {
            let body = format!(r#"{{"access_token": "t", {entry}}}"#);
            assert_eq!(check(&body), Ok(("t".to_owned(), seconds.map(Duration::from_secs))), "{entry}");
        }
    }

    #[test]
    fn invalid_token_responses_are_errors() {
        let table = [
            ("", "it is not JSON"),
            ("[]", "it has no `access_token`"),
            ("{}", "it has no `access_token`"),
            (r#"{"access_token": ""}"#, "it has no `access_token`"),
            (r#"{"access_token": 7}"#, "it has no `access_token`"),
            (r#"{"access_token": "t", "token_type": "mac"}"#, "its `token_type` is not `Bearer`"),
        ];
        for (body, why) in table {
            let expected = format!("invalid response from the token endpoint: {why}");
            assert_eq!(check(body), Err(expected), "{body}");
        }
    }
}
