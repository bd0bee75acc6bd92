//! Access control: the API key, if the service needs one, and the optional bearer token of data requests.
//!
//! Comparisons are not in constant time, because no real secret is stored here.

use std::borrow::Cow;

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use runtime::registry::ServiceInfo;

use crate::rejection::Rejection;
use crate::token::Tokens;

/// Checks the API key. Any key is accepted unless a key is configured.
pub(crate) fn api_key(
    headers: &HeaderMap,
    query: &str,
    service: &ServiceInfo,
    expected: Option<&str>,
) -> Result<(), Rejection> {
    let prefix = service.api_key_prefix;
    let of_query = |name| form_urlencoded::parse(query.as_bytes()).find(|(known, _)| known == name);
    let (carrier, value) = match (service.api_key_header, service.api_key_query) {
        (Some(header), _) => (format!("header `{header}`"), text(headers, header).map(Cow::Borrowed)),
        (None, Some(name)) => (format!("query param `{name}`"), of_query(name).map(|(_, value)| value)),
        (None, None) => return Ok(()),
    };
    let expected = expected.map(|key| service.api_key_value(key));
    let problem = match value {
        None if service.api_key_optional => return Ok(()),
        Some(value) if value.strip_prefix(prefix).is_some_and(|key| !key.is_empty()) => match expected {
            Some(expected) if expected != value => "not valid",
            _ => return Ok(()),
        },
        _ => "missing",
    };
    let message = format!("the API key in the {carrier} is {problem}");
    Err(Rejection::new(StatusCode::FORBIDDEN, "invalid_api_key", message))
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

/// Returns the value after the scheme in the `Authorization` header; `None` if there is no header with this scheme.
pub(crate) fn credentials<'h>(headers: &'h HeaderMap, scheme: &str) -> Option<&'h str> {
    let (found, credentials) = text(headers, AUTHORIZATION.as_str())?.split_once(' ')?;
    found.eq_ignore_ascii_case(scheme).then(|| credentials.trim())
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}
