//! The part of the model that all endpoints share.

use std::ops::Deref;

use super::{Evidence, Field};
use crate::spec;

/// The facts that all endpoints share. Dereferences to their declaration.
#[derive(Debug)]
pub struct Service {
    pub(crate) declared: spec::Service,
    pub api_key: Option<ApiKey>,
    /// The fields of the response of the token endpoint.
    pub token_fields: Vec<Field>,
    /// The time field of the envelope.
    pub time_field: Option<Field>,
}

impl Deref for Service {
    type Target = spec::Service;

    fn deref(&self) -> &spec::Service {
        &self.declared
    }
}

#[derive(Debug, PartialEq)]
pub struct ApiKey {
    pub carrier: KeyCarrier,
    /// `true` if requests also work without the key.
    pub optional: bool,
    pub evidence: Evidence,
}

/// The part of a request that carries the API key.
#[derive(Debug, PartialEq)]
pub enum KeyCarrier {
    /// A header. The name is in lower case, because HTTP ignores the case of header names. The prefix is sent before
    /// the key.
    Header { name: String, prefix: String },
    /// `name:password` in base64, in the header `authorization`.
    Basic,
    /// A query param.
    Query(String),
}
