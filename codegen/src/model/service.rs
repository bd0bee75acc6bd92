//! What all endpoints share.

use super::{Evidence, Field, TimeUnit, UNKNOWN_MEANING};

/// What all endpoints share.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) title: String,
    pub(crate) version: String,
    pub(crate) summary: String,
    pub(crate) env_prefix: String,
    pub(crate) base_url_suffix: String,
    pub(crate) base_url_evidence: Option<Evidence>,
    pub(crate) time_unit: TimeUnit,
    pub(crate) time_evidence: Evidence,
    pub(crate) api_key: Option<ApiKey>,
    pub(crate) client_credentials: Option<ClientCredentials>,
    pub(crate) errors: Vec<Status>,
    pub(crate) error_body: ErrorBody,
    pub(crate) limits: Vec<Limit>,
    pub(crate) envelope: Option<Envelope>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct ApiKey {
    /// In lower case, as HTTP compares it.
    pub(crate) header: String,
    pub(crate) evidence: Evidence,
}

/// Where a body that says what went wrong says it; each place is keys with dots between them.
#[derive(Debug, PartialEq)]
pub(crate) struct ErrorBody {
    /// What the interface calls the schema, and how that is known.
    pub(crate) name: Option<(String, Evidence)>,
    pub(crate) message: Vec<String>,
    pub(crate) code: Vec<String>,
    /// `None` where no place is known.
    pub(crate) evidence: Option<Evidence>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct ClientCredentials {
    pub(crate) path: String,
    pub(crate) label: String,
    pub(crate) evidence: Evidence,
    pub(crate) reply: Vec<Field>,
    pub(crate) errors: Vec<Status>,
    pub(crate) notes: String,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Status {
    pub(crate) status: u16,
    pub(crate) label: Option<String>,
    /// What it means, if anybody knows.
    pub(crate) summary: Option<String>,
    pub(crate) advice: String,
    pub(crate) notes: String,
    pub(crate) evidence: Evidence,
}

impl Status {
    /// What it means, or that nobody knows.
    pub(crate) fn meaning(&self) -> &str {
        self.summary.as_deref().unwrap_or(UNKNOWN_MEANING)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Limit {
    pub(crate) name: String,
    /// The constant of `RateLimit`.
    pub(crate) constant: String,
    pub(crate) requests: u32,
    pub(crate) seconds: u32,
    pub(crate) concurrent: u32,
    pub(crate) applies_to: Option<String>,
    pub(crate) evidence: Evidence,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Envelope {
    pub(crate) data: String,
    pub(crate) metadata: Option<String>,
    /// The Rust field of the metadata that lists what was asked for and is not covered.
    pub(crate) unsupported: Option<String>,
    pub(crate) time: Option<Field>,
    pub(crate) evidence: Evidence,
}
