//! A request before it is sent: the endpoint, its params and the resulting URL.
//!
//! The values of params are checked, and encoded into the path and query. This module does not depend on the Rust type
//! of an endpoint, and sends nothing.

pub(crate) mod check;

mod base_urls;

mod target;

use std::fmt;

use crate::registry::EndpointInfo;

pub(crate) use base_urls::{BaseUrlSettings, BaseUrls};
pub(crate) use target::{RequestTarget, key_param};

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

crate::debug::debug_as_display!(RequestKind);
