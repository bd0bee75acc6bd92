//! `service.yaml`: what all endpoints share.

use serde::Deserialize;

use super::{Evidence, Field, Known, Param, Record};

/// `service.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Service {
    pub title: String,
    pub version: String,
    pub summary: String,
    pub env_prefix: String,
    pub base_url: Option<BaseUrl>,
    pub time: Time,
    #[serde(default)]
    pub credentials: Credentials,
    #[serde(default)]
    pub errors: Vec<Status>,
    #[serde(default)]
    pub error_body: ErrorBody,
    #[serde(default)]
    pub limits: Vec<Limit>,
    pub envelope: Option<Envelope>,
    #[serde(default)]
    pub types: Vec<Type>,
    #[serde(default)]
    pub params: Vec<Param>,
    #[serde(default)]
    pub param_sets: Vec<ParamSet>,
    #[serde(default)]
    pub records: Vec<Record>,
}

impl Service {
    /// The field that has the time of a record, unless a body names its own.
    pub fn envelope_time(&self) -> Option<&Field> {
        self.envelope.as_ref()?.time.as_ref()
    }

    /// A service of which nothing is known.
    pub fn unknown() -> Self {
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
pub struct BaseUrl {
    pub suffix: String,
    pub evidence: Evidence,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Time {
    pub unit: TimeUnit,
    pub evidence: Evidence,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum TimeUnit {
    Seconds,
    Milliseconds,
}

impl TimeUnit {
    /// The catalogue's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Seconds => "seconds",
            Self::Milliseconds => "milliseconds",
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Credentials {
    pub api_key: Option<ApiKey>,
    pub client_credentials: Option<ClientCredentials>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApiKey {
    pub header: String,
    pub evidence: Evidence,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientCredentials {
    pub path: String,
    pub label: String,
    #[serde(default)]
    pub reply: Vec<Field>,
    #[serde(default)]
    pub errors: Vec<Status>,
    pub evidence: Evidence,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Status {
    pub status: u64,
    #[serde(default)]
    pub label: Known<String>,
    pub summary: String,
    #[serde(default)]
    pub advice: String,
    #[serde(default)]
    pub notes: String,
    pub evidence: Evidence,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorBody {
    pub message: Vec<String>,
    #[serde(default)]
    pub code: Vec<String>,
    pub evidence: Option<Evidence>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    pub name: String,
    pub requests: u64,
    pub seconds: u64,
    pub concurrent: u64,
    #[serde(default)]
    pub applies_to: Known<String>,
    pub evidence: Evidence,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Envelope {
    pub data: String,
    pub time: Option<Field>,
    pub metadata: Option<Metadata>,
    pub evidence: Evidence,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metadata {
    pub name: String,
    pub fields: Vec<Field>,
    pub unsupported: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Type {
    pub name: String,
    pub kind: TypeKind,
    pub summary: String,
    pub evidence: Evidence,
    #[serde(default)]
    pub values: Vec<Value>,
    pub shapes: Option<Shapes>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum TypeKind {
    Enum,
    Identifier,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Value {
    pub value: String,
    pub ident: Option<String>,
    #[serde(default)]
    pub summary: String,
    pub evidence: Option<Evidence>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shapes {
    pub part: String,
    pub question: String,
    pub suffixes: Vec<Suffix>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suffix {
    pub suffix: String,
    pub answer: Option<String>,
    pub summary: String,
    pub evidence: Option<Evidence>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParamSet {
    pub name: String,
    pub params: Vec<String>,
}
