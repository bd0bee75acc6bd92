//! A body with the status and headers of its response.
//!
//! Awaiting a request returns only the body, which most callers want. This type is for callers that need a header,
//! which may contain a trace id, the remaining quota or the age of a response, for example.

use crate::transport::Headers;

/// A response of the service, returned by `Request::response`.
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
