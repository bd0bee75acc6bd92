//! The credentials in the headers of a request.

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;

/// The value after the scheme in the `Authorization` header; `None` if there is no header with this scheme.
pub(crate) fn credentials<'h>(headers: &'h HeaderMap, scheme: &str) -> Option<&'h str> {
    let (found, credentials) = header_text(headers, AUTHORIZATION.as_str())?.split_once(' ')?;
    if found.eq_ignore_ascii_case(scheme) { Some(credentials.trim()) } else { None }
}

pub(crate) fn header_text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}
