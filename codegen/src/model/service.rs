//! The part of the model that all endpoints share.

use super::{ErrorBody, Evidence, Field, History, Status, TimeForm};

/// The facts that all endpoints share.
#[derive(Debug)]
pub struct Service {
    pub title: String,
    pub version: String,
    pub summary: String,
    pub env_prefix: String,
    pub base_url_suffix: String,
    pub base_url_evidence: Option<Evidence>,
    pub time_form: TimeForm,
    pub time_evidence: Evidence,
    pub api_key: Option<ApiKey>,
    pub headers: Vec<Header>,
    pub client_credentials: Option<ClientCredentials>,
    pub errors: Vec<Status>,
    pub error_body: ErrorBody,
    pub limits: Vec<Limit>,
    pub envelope: Option<Envelope>,
    pub history: Option<History>,
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

/// A header that every request carries.
#[derive(Debug, PartialEq)]
pub struct Header {
    /// The name in lower case, because HTTP ignores the case of header names.
    pub name: String,
    pub value: String,
    pub evidence: Evidence,
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

#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    pub name: String,
    /// The name of the constant with this `RateLimit`.
    pub constant: String,
    pub requests: u32,
    pub seconds: u32,
    pub concurrent: Option<u32>,
    pub scope: Option<String>,
    /// The groups and paths to which the limit applies: only requests to them count. Empty if all requests count.
    pub endpoints: Vec<String>,
    pub evidence: Evidence,
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
