//! What a request is for.
//!
//! Gates and observers receive it: an endpoint, or a token. It names no param and no credential.

use std::fmt;

use crate::registry::EndpointInfo;

/// What a request is for.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum RequestKind {
    /// The data of an endpoint.
    Data(&'static EndpointInfo),
    /// A token.
    Token,
}

/// `market.ratio`, or `token`.
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
