//! Access control: the API key, unless the service answers without one, and the bearer token that data requests may
//! need.
//!
//! Nothing is compared in constant time, since no real secret is kept here.

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use runtime::registry::ServiceInfo;

use crate::refusal::Refusal;
use crate::token::Tokens;

/// Asks for the API key: the given one, or any.
pub(crate) fn api_key(headers: &HeaderMap, service: &ServiceInfo, expected: Option<&str>) -> Result<(), Refusal> {
    let Some(header) = service.api_key_header else {
        return Ok(());
    };
    let said = text(headers, header).map(|said| said.strip_prefix(service.api_key_prefix).unwrap_or(""));
    let problem = match said {
        None if service.api_key_optional => return Ok(()),
        None | Some("") => "missing",
        Some(key) if expected.is_some_and(|expected| expected != key) => "not valid",
        Some(_) => return Ok(()),
    };
    let message = format!("the API key in the header `{header}` is {problem}");
    Err(Refusal::new(StatusCode::FORBIDDEN, "invalid_api_key", message))
}

/// Asks for a token that was issued here, and has neither expired nor been revoked.
pub(crate) fn bearer(headers: &HeaderMap, tokens: &Tokens) -> Result<(), Refusal> {
    match credentials(headers, "bearer") {
        Some(token) if tokens.is_valid(token) => Ok(()),
        Some(_) => Err(Refusal::new(
            StatusCode::UNAUTHORIZED,
            "invalid_token",
            "the bearer token is unknown, expired or revoked",
        )),
        None => Err(Refusal::new(StatusCode::UNAUTHORIZED, "missing_token", "the bearer token is missing")),
    }
}

/// The value after the scheme in the `Authorization` header, if it has this scheme.
pub(crate) fn credentials<'h>(headers: &'h HeaderMap, scheme: &str) -> Option<&'h str> {
    let (said, credentials) = text(headers, AUTHORIZATION.as_str())?.split_once(' ')?;
    said.eq_ignore_ascii_case(scheme).then(|| credentials.trim())
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}
