//! What all endpoints share.

use super::{Evidence, Field, TimeForm, UNKNOWN_MEANING};

/// What all endpoints share.
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

/// The params that a range of time is walked by, by their names on the wire.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    pub from: String,
    pub to: String,
    pub limit: String,
    pub step: String,
    /// The param of the order, and its value for the oldest first.
    pub sort: Option<(String, String)>,
    pub evidence: Evidence,
}

#[derive(Debug, PartialEq)]
pub struct ApiKey {
    /// In lower case, as HTTP compares it.
    pub header: String,
    /// What stands before the key.
    pub prefix: String,
    /// Whether requests are answered without it too.
    pub optional: bool,
    pub evidence: Evidence,
}

/// A header that every request carries.
#[derive(Debug, PartialEq)]
pub struct Header {
    /// In lower case, as HTTP compares it.
    pub name: String,
    pub value: String,
    pub evidence: Evidence,
}

/// Where an error body has its message and its code; each place is keys with dots between them.
#[derive(Debug, PartialEq)]
pub struct ErrorBody {
    /// What the interface calls the schema, and how that is known.
    pub name: Option<(String, Evidence)>,
    pub message: Vec<String>,
    pub code: Vec<String>,
    /// `None` where no place is known.
    pub evidence: Option<Evidence>,
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
pub struct Status {
    pub status: u16,
    pub label: Option<String>,
    /// What it means, if anybody knows.
    pub summary: Option<String>,
    pub advice: String,
    pub notes: String,
    pub evidence: Evidence,
}

impl Status {
    /// What it means, or a sentence that says that this is unknown.
    pub fn meaning(&self) -> &str {
        self.summary.as_deref().unwrap_or(UNKNOWN_MEANING)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    pub name: String,
    /// The constant of `RateLimit`.
    pub constant: String,
    pub requests: u32,
    pub seconds: u32,
    pub concurrent: Option<u32>,
    pub scope: Option<String>,
    /// Which endpoints it counts, by groups or paths; every request if there are none.
    pub endpoints: Vec<String>,
    pub evidence: Evidence,
}

#[derive(Debug, PartialEq)]
pub struct Envelope {
    pub data: String,
    pub metadata: Option<String>,
    /// The Rust field of the metadata that lists what was asked for and is not covered.
    pub unsupported: Option<String>,
    pub time: Option<Field>,
    pub evidence: Evidence,
}
