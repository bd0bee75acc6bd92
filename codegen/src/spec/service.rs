//! `service.yaml`: what all endpoints share.

use crate::time_unit::TimeUnit;
use serde::Deserialize;

use super::{Evidence, Field, Known, Param, Record};

/// `service.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Service {
    pub(crate) title: String,
    pub(crate) version: String,
    pub(crate) summary: String,
    pub(crate) env_prefix: String,
    pub(crate) base_url: Option<BaseUrl>,
    pub(crate) time: Time,
    #[serde(default)]
    pub(crate) credentials: Credentials,
    #[serde(default)]
    pub(crate) errors: Vec<Status>,
    #[serde(default)]
    pub(crate) error_body: ErrorBody,
    #[serde(default)]
    pub(crate) limits: Vec<Limit>,
    pub(crate) envelope: Option<Envelope>,
    #[serde(default)]
    pub(crate) types: Vec<Type>,
    #[serde(default)]
    pub(crate) params: Vec<Param>,
    #[serde(default)]
    pub(crate) param_sets: Vec<ParamSet>,
    #[serde(default)]
    pub(crate) records: Vec<Record>,
}

impl Service {
    /// The field that has the time of a record, unless a body names its own.
    pub(crate) fn envelope_time(&self) -> Option<&Field> {
        self.envelope.as_ref()?.time.as_ref()
    }

    /// A service of which nothing is known.
    pub(crate) fn unknown() -> Self {
        let unknown = || "unknown".to_owned();
        Self {
            title: unknown(),
            version: unknown(),
            summary: unknown(),
            env_prefix: "UNKNOWN".to_owned(),
            base_url: None,
            time: Time { unit: TimeUnit::Seconds, evidence: Evidence::Reported },
            credentials: Credentials::default(),
            errors: Vec::new(),
            error_body: ErrorBody::default(),
            limits: Vec::new(),
            envelope: None,
            types: Vec::new(),
            params: Vec::new(),
            param_sets: Vec::new(),
            records: Vec::new(),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BaseUrl {
    pub(crate) suffix: String,
    pub(crate) evidence: Evidence,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Time {
    pub(crate) unit: TimeUnit,
    pub(crate) evidence: Evidence,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Credentials {
    pub(crate) api_key: Option<ApiKey>,
    pub(crate) client_credentials: Option<ClientCredentials>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApiKey {
    pub(crate) header: String,
    pub(crate) evidence: Evidence,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClientCredentials {
    pub(crate) path: String,
    pub(crate) label: String,
    #[serde(default)]
    pub(crate) reply: Vec<Field>,
    #[serde(default)]
    pub(crate) errors: Vec<Status>,
    pub(crate) evidence: Evidence,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Status {
    pub(crate) status: u64,
    #[serde(default)]
    pub(crate) label: Known<String>,
    pub(crate) summary: String,
    #[serde(default)]
    pub(crate) advice: String,
    #[serde(default)]
    pub(crate) notes: String,
    pub(crate) evidence: Evidence,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ErrorBody {
    pub(crate) message: Vec<String>,
    #[serde(default)]
    pub(crate) code: Vec<String>,
    pub(crate) evidence: Option<Evidence>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limit {
    pub(crate) name: String,
    pub(crate) requests: u64,
    pub(crate) seconds: u64,
    pub(crate) concurrent: u64,
    #[serde(default)]
    pub(crate) applies_to: Known<String>,
    pub(crate) evidence: Evidence,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Envelope {
    pub(crate) data: String,
    pub(crate) time: Option<Field>,
    pub(crate) metadata: Option<Metadata>,
    pub(crate) evidence: Evidence,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Metadata {
    pub(crate) name: String,
    pub(crate) fields: Vec<Field>,
    pub(crate) unsupported: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Type {
    pub(crate) name: String,
    pub(crate) kind: TypeKind,
    pub(crate) summary: String,
    pub(crate) evidence: Evidence,
    #[serde(default)]
    pub(crate) values: Vec<Value>,
    pub(crate) shapes: Option<Shapes>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TypeKind {
    Enum,
    Identifier,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Value {
    pub(crate) value: String,
    pub(crate) ident: Option<String>,
    #[serde(default)]
    pub(crate) summary: String,
    pub(crate) duration: Option<String>,
    pub(crate) evidence: Option<Evidence>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shapes {
    pub(crate) part: String,
    pub(crate) question: String,
    pub(crate) suffixes: Vec<Suffix>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Suffix {
    pub(crate) suffix: String,
    pub(crate) answer: Option<String>,
    pub(crate) summary: String,
    pub(crate) evidence: Option<Evidence>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ParamSet {
    pub(crate) name: String,
    pub(crate) params: Vec<String>,
}
