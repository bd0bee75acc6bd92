//! Access control: the API key, if the service needs one, and the optional bearer token of data requests.
//!
//! Comparisons are not in constant time, because no real secret is stored here.

use std::borrow::Cow;

use axum::http::{HeaderMap, StatusCode};
use runtime::registry::ServiceInfo;

use crate::authorization::{credentials, header_text};
use crate::rejection::Rejection;
use crate::token::Tokens;

/// Checks the API key. Any key is accepted unless a key is configured.
pub(crate) fn api_key(
    headers: &HeaderMap,
    query: &str,
    service: &ServiceInfo,
    expected: Option<&str>,
) -> Result<(), Rejection> {
    let (carrier, value) = match (service.api_key_header, service.api_key_query) {
        (Some(header), _) => (format!("header `{header}`"), header_text(headers, header).map(Cow::Borrowed)),
        (None, Some(name)) => (format!("query param `{name}`"), query_value(query, name)),
        (None, None) => return Ok(()),
    };
    let expected = expected.map(|key| service.api_key_value(key));
    let problem = match value {
        None if service.api_key_optional => return Ok(()),
        Some(value) if has_key(&value, service.api_key_prefix) => match expected {
            Some(expected) if expected != value => "not valid",
            _ => return Ok(()),
        },
        _ => "missing",
    };
    let message = format!("the API key in the {carrier} is {problem}");
    Err(Rejection::new(StatusCode::FORBIDDEN, "invalid_api_key", message))
}

fn query_value<'q>(query: &'q str, name: &str) -> Option<Cow<'q, str>> {
    let (_, value) = form_urlencoded::parse(query.as_bytes()).find(|(sent, _)| sent == name)?;
    Some(value)
}

fn has_key(value: &str, prefix: &str) -> bool {
    value.strip_prefix(prefix).is_some_and(|key| !key.is_empty())
}

/// Checks that the bearer token was issued by this sandbox, and is neither expired nor revoked.
pub(crate) fn bearer(headers: &HeaderMap, tokens: &Tokens) -> Result<(), Rejection> {
    match credentials(headers, "bearer") {
        Some(token) if tokens.is_valid(token) => Ok(()),
        Some(_) => Err(Rejection::new(
            StatusCode::UNAUTHORIZED,
            "invalid_token",
            "the bearer token is unknown, expired or revoked",
        )),
        None => Err(Rejection::new(StatusCode::UNAUTHORIZED, "missing_token", "the bearer token is missing")),
    }
}
