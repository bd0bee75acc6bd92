//! The catalogue as its author wrote it: YAML's words, defaults not filled in, references not followed.
//!
//! Only `load` makes these and only `check` and `lower` read them. `spec/README.md` says what each key means.

use serde::Deserialize;
use serde::de::{Deserializer, Error};
use serde_yaml::Value as Yaml;

pub(crate) use crate::evidence::Evidence;

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

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TimeUnit {
    Seconds,
    Milliseconds,
}

impl TimeUnit {
    /// The catalogue's word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Seconds => "seconds",
            Self::Milliseconds => "milliseconds",
        }
    }
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
pub(crate) struct Param {
    id: Option<String>,
    pub(crate) name: String,
    pub(crate) ident: Option<String>,
    #[serde(rename = "type")]
    pub(crate) ty: String,
    pub(crate) list: Option<String>,
    #[serde(rename = "in", default)]
    pub(crate) location: ParamLocation,
    pub(crate) required: Option<Evidence>,
    pub(crate) default: Option<String>,
    pub(crate) range: Option<Range>,
    #[serde(default)]
    pub(crate) served: Vec<String>,
    #[serde(default)]
    pub(crate) unit: String,
    pub(crate) summary: String,
    pub(crate) evidence: Option<Evidence>,
    #[serde(default)]
    pub(crate) notes: String,
}

impl Param {
    /// What entries refer to it by.
    pub(crate) fn id(&self) -> &str {
        self.id.as_ref().unwrap_or(&self.name)
    }
}

#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ParamLocation {
    #[default]
    Query,
    Path,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Use {
    #[serde(rename = "use")]
    pub(crate) param: String,
    pub(crate) required: Option<Evidence>,
    pub(crate) evidence: Option<Evidence>,
    pub(crate) notes: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ParamSet {
    pub(crate) name: String,
    pub(crate) params: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record {
    pub(crate) name: String,
    pub(crate) summary: String,
    pub(crate) fields: Vec<Field>,
    pub(crate) evidence: Evidence,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) ident: Option<String>,
    #[serde(rename = "type")]
    pub(crate) ty: String,
    pub(crate) summary: String,
    #[serde(default)]
    pub(crate) unit: String,
    pub(crate) range: Option<Range>,
    #[serde(default)]
    pub(crate) optional: bool,
    pub(crate) evidence: Option<Evidence>,
    #[serde(default)]
    pub(crate) notes: String,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Range {
    pub(crate) min: Option<f64>,
    pub(crate) max: Option<f64>,
}

/// Any other file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Group {
    pub(crate) title: String,
    pub(crate) summary: String,
    #[serde(default)]
    pub(crate) aliases: Vec<String>,
    #[serde(default)]
    pub(crate) records: Vec<Record>,
    pub(crate) endpoints: Vec<Endpoint>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Endpoint {
    pub(crate) name: String,
    pub(crate) ident: Option<String>,
    #[serde(default)]
    pub(crate) aliases: Vec<String>,
    pub(crate) path: Known<String>,
    pub(crate) evidence: Evidence,
    pub(crate) summary: String,
    pub(crate) params: Known<Vec<ParamEntry>>,
    pub(crate) body: Known<Body>,
    #[serde(default)]
    pub(crate) notes: String,
    pub(crate) deprecated: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Body {
    pub(crate) series: Option<Known<Fields>>,
    pub(crate) object: Option<Known<Fields>>,
    pub(crate) time: Option<String>,
    pub(crate) evidence: Option<Evidence>,
}

/// Something, or `unknown`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Known<T> {
    #[default]
    Unknown,
    Known(T),
}

impl<T> Known<T> {
    pub(crate) fn known(&self) -> Option<&T> {
        match self {
            Self::Unknown => None,
            Self::Known(value) => Some(value),
        }
    }
}

/// The fields of a record, or the name of a record that has them.
#[derive(Debug)]
pub(crate) enum Fields {
    Record(String),
    Inline(Vec<Field>),
}

/// One entry of an endpoint's `params`.
#[derive(Debug)]
pub(crate) enum ParamEntry {
    /// The name of a shared param or of a param set.
    Name(String),
    /// A shared param with something said anew.
    Use(Use),
    /// A param of this endpoint alone.
    Own(Box<Param>),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Known<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Yaml::deserialize(deserializer)? {
            Yaml::String(text) if text == "unknown" => Ok(Self::Unknown),
            value => T::deserialize(value).map(Self::Known).map_err(D::Error::custom),
        }
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Yaml::deserialize(deserializer)? {
            Yaml::String(name) => Ok(Self::Record(name)),
            value => Vec::deserialize(value).map(Self::Inline).map_err(D::Error::custom),
        }
    }
}

impl<'de> Deserialize<'de> for ParamEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entry = match Yaml::deserialize(deserializer)? {
            Yaml::String(name) => Ok(Self::Name(name)),
            value if value.get("use").is_some() => Use::deserialize(value).map(Self::Use),
            value => Param::deserialize(value).map(|param| Self::Own(Box::new(param))),
        };
        entry.map_err(D::Error::custom)
    }
}
