//! A body with the status and headers of its reply.
//!
//! Awaiting a request returns the body alone, which most callers want; this type is for those who keep a trace id,
//! read the rest of a quota from a header, or ask how old a reply is.

use crate::transport::Headers;

/// What the service answered; from `Request::response`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Response<B> {
    /// The HTTP status, from 200 to 299.
    pub status: u16,
    /// The headers. Where a value repeats a secret, asterisks stand instead.
    pub headers: Headers,
    /// What was asked for.
    pub body: B,
}

impl<B> Response<B> {
    pub(crate) fn new(status: u16, headers: Headers, body: B) -> Self {
        Self { status, headers, body }
    }
}
