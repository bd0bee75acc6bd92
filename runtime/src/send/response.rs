//! A body with the status and headers of its response.
//!
//! Awaiting a request returns the body alone, which most callers want; this type is for callers that need a trace id,
//! the remaining quota or the age of a response from its headers.

use crate::transport::Headers;

/// What the service answered; from `Request::response`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Response<B> {
    /// The HTTP status, from 200 to 299.
    pub status: u16,
    /// The headers. Secrets in values are replaced by asterisks.
    pub headers: Headers,
    /// The body.
    pub body: B,
}

impl<B> Response<B> {
    pub(crate) fn new(status: u16, headers: Headers, body: B) -> Self {
        Self { status, headers, body }
    }
}
