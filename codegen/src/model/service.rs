//! The part of the model that all endpoints share.

use std::ops::Deref;

use super::{Evidence, Field, Status};
use crate::spec;

/// The facts that all endpoints share. Dereferences to their declaration.
#[derive(Debug)]
pub struct Service {
    pub(crate) declared: spec::Service,
    pub api_key: Option<ApiKey>,
    pub client_credentials: Option<ClientCredentials>,
    pub envelope: Option<Envelope>,
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

#[derive(Debug, PartialEq)]
pub struct ClientCredentials {
    pub path: String,
    pub label: String,
    pub evidence: Evidence,
    pub reply: Vec<Field>,
    pub errors: Vec<Status>,
    pub notes: String,
}

#[derive(Debug, PartialEq)]
pub struct Envelope {
    pub data: String,
    pub metadata: Option<String>,
    /// The Rust name of the metadata field that lists the requested values that the endpoint does not support.
    pub unsupported: Option<String>,
    pub time: Option<Field>,
    pub evidence: Evidence,
}
