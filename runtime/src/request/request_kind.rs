//! The purpose of a request.
//!
//! A request is either for data of an endpoint or for a token. Rate limiters and observers receive this purpose, which
//! contains no params and no credentials.

use std::fmt;

use crate::registry::EndpointInfo;

/// The purpose of a request.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum RequestKind {
    /// Data of an endpoint.
    Data(&'static EndpointInfo),
    /// A token.
    Token,
}

/// Writes the endpoint, for example `market.ratio`, or `token`.
impl fmt::Display for RequestKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Data(endpoint) => endpoint.fmt(f),
            Self::Token => f.write_str("token"),
        }
    }
}

impl fmt::Debug for RequestKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
