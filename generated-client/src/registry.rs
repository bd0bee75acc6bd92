//! The words in which the emitted registry describes the service.
//!
//! The types are written by hand, the data is emitted from the catalogue: [`SERVICE`](crate::SERVICE) and
//! [`GROUPS`](crate::GROUPS). Everything is static and reads without a client: tools list what exists,
//! a server routes from it, and errors name what was meant.

mod describe;

use std::fmt;

use crate::record::Record;
use crate::wire::NamedType;

/// How a fact about the interface is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Evidence {
    /// The interface document says so.
    Document,
    /// The provider's public documentation of this version says so.
    Published,
    /// Public clients that ran against the live service agree.
    Reported,
}

impl Evidence {
    /// The word the catalogue uses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Published => "published",
            Self::Reported => "reported",
        }
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What all endpoints share.
#[derive(Debug)]
#[non_exhaustive]
pub struct ServiceInfo {
    /// The service's title.
    pub title: &'static str,
    /// The version of the interface.
    pub version: &'static str,
    /// One sentence on what the service is.
    pub summary: &'static str,
    /// The prefix of the environment variables that [`Client::from_env`](crate::Client::from_env) reads.
    pub env_prefix: &'static str,
    /// What every base URL ends in, `/v2` for example; empty if anything goes.
    pub base_url_suffix: &'static str,
    /// The unit of every timestamp on the wire.
    pub time_unit: TimeUnit,
    /// The request header that carries the API key, if the service wants one.
    pub api_key_header: Option<&'static str>,
    /// The OAuth 2.0 client credentials flow, if the service has one.
    pub client_credentials: Option<ClientCredentialsInfo>,
    /// Statuses that a data request can be answered with, other than success.
    pub errors: &'static [StatusInfo],
    /// Where an error body keeps its message and its code.
    pub error_body: ErrorBodyInfo,
    /// The limit sets the service names.
    pub limits: &'static [LimitInfo],
    /// What a series is wrapped in; `None` if a series is a bare list.
    pub envelope: Option<EnvelopeInfo>,
}

/// The unit in which timestamps are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeUnit {
    /// Whole seconds since the Unix epoch.
    Seconds,
    /// Whole milliseconds since the Unix epoch.
    Milliseconds,
}

/// The token endpoint of the OAuth 2.0 client credentials flow (RFC 6749, section 4.4).
#[derive(Debug)]
#[non_exhaustive]
pub struct ClientCredentialsInfo {
    /// Path of the token endpoint, from the base URL on.
    pub path: &'static str,
    /// What the interface document calls the flow.
    pub label: &'static str,
    /// How the flow is known.
    pub evidence: Evidence,
    /// The fields of a successful reply.
    pub reply: &'static [FieldInfo],
    /// The documented failures.
    pub errors: &'static [StatusInfo],
}

/// A status other than success, and what is known of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct StatusInfo {
    /// The HTTP status code.
    pub status: u16,
    /// The label the interface document prints for it.
    pub label: Option<&'static str>,
    /// What it means.
    pub summary: &'static str,
    /// What to do about it; empty if nothing is known.
    pub advice: &'static str,
    /// What else is known; empty if nothing is.
    pub notes: &'static str,
    /// How it is known.
    pub evidence: Evidence,
}

/// Where an error body keeps what a person wants to read: dotted paths, the first that exists wins.
#[derive(Debug)]
#[non_exhaustive]
pub struct ErrorBodyInfo {
    /// Places of the message.
    pub message: &'static [&'static str],
    /// Places of the machine-readable code.
    pub code: &'static [&'static str],
}

/// One set of limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LimitInfo {
    /// The set's name.
    pub name: &'static str,
    /// At most so many requests …
    pub requests: u32,
    /// … in any window of so many seconds.
    pub seconds: u32,
    /// At most so many requests in flight.
    pub concurrent: u32,
    /// When the set applies; `None` if that is unknown.
    pub applies_to: Option<&'static str>,
    /// How it is known.
    pub evidence: Evidence,
}

/// The object a series is wrapped in.
#[derive(Debug)]
#[non_exhaustive]
pub struct EnvelopeInfo {
    /// The key of the records.
    pub data: &'static str,
    /// The key of the metadata, if there is any.
    pub metadata: Option<&'static str>,
    /// The field of every record that carries its time, unless an endpoint says otherwise.
    pub time: Option<&'static str>,
}

/// One metric group.
#[derive(Debug)]
#[non_exhaustive]
pub struct GroupInfo {
    /// The accessor on [`Client`](crate::Client) and the name of the module.
    pub ident: &'static str,
    /// The group's name as the market says it.
    pub title: &'static str,
    /// One sentence on what the group measures.
    pub summary: &'static str,
    /// Other names in print.
    pub aliases: &'static [&'static str],
    /// Every endpoint of the group, also those known by name only.
    pub endpoints: &'static [&'static EndpointInfo],
}

/// One endpoint, as the catalogue describes it.
#[derive(Debug)]
#[non_exhaustive]
pub struct EndpointInfo {
    /// The group's ident.
    pub group: &'static str,
    /// The method on the group's handle.
    pub ident: &'static str,
    /// The endpoint's name.
    pub name: &'static str,
    /// Other names in print.
    pub aliases: &'static [&'static str],
    /// One sentence on what it measures.
    pub summary: &'static str,
    /// Path from the base URL on; `None` if only the name is known.
    pub path: Option<&'static str>,
    /// How the path is known, or the name where the path is not.
    pub evidence: Evidence,
    /// The params it takes; `None` if unknown.
    pub params: Option<ParamList>,
    /// What comes back.
    pub body: BodyInfo,
    /// What else is known; empty if nothing is.
    pub notes: &'static str,
    /// Why it is deprecated and what to use instead, if it is.
    pub deprecated: Option<&'static str>,
}

impl EndpointInfo {
    /// The param with this name on the wire.
    pub fn param(&self, wire_name: &str) -> Option<&'static ParamInfo> {
        self.params.unwrap_or_default().iter().find(|param| param.wire_name == wire_name)
    }
}

/// `orderflow.volume_ratio`: the group and the method.
impl fmt::Display for EndpointInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.group, self.ident)
    }
}

/// The params of an endpoint: those of a set that it shares with others, then its own.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct ParamList {
    /// The params of the set.
    pub set: &'static [ParamInfo],
    /// Its own params.
    pub own: &'static [ParamInfo],
}

impl ParamList {
    /// All of them.
    pub fn iter(self) -> impl Iterator<Item = &'static ParamInfo> {
        self.into_iter()
    }

    /// How many there are.
    pub const fn len(self) -> usize {
        self.set.len() + self.own.len()
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }
}

impl IntoIterator for ParamList {
    type Item = &'static ParamInfo;
    type IntoIter = std::iter::Chain<std::slice::Iter<'static, ParamInfo>, std::slice::Iter<'static, ParamInfo>>;

    fn into_iter(self) -> Self::IntoIter {
        self.set.iter().chain(self.own)
    }
}

/// One param, as one endpoint takes it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ParamInfo {
    /// The setter on the request.
    pub ident: &'static str,
    /// The name on the wire.
    pub wire_name: &'static str,
    /// Where it is sent.
    pub location: ParamLocation,
    /// What one value is.
    pub ty: ValueType,
    /// The setter that takes several values, written comma-separated on the wire.
    pub list: Option<&'static str>,
    /// How it is known to be required; `None` if it is not known to be.
    pub required: Option<Evidence>,
    /// What the service takes where it is left out.
    pub default: Option<&'static str>,
    /// The only values that public clients were served; empty if nothing is known. Never enforced.
    pub served: &'static [&'static str],
    /// The smallest and the largest value.
    pub range: Range,
    /// The unit, in words; empty if it has none.
    pub unit: &'static str,
    /// What it means.
    pub summary: &'static str,
    /// What else is known; empty if nothing is.
    pub notes: &'static str,
    /// How it is known.
    pub evidence: Evidence,
}

/// Where a param is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParamLocation {
    /// In the query.
    Query,
    /// In the path.
    Path,
}

/// Bounds, both inclusive, of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The smallest value, if there is one.
    pub min: Option<f64>,
    /// The largest value, if there is one.
    pub max: Option<f64>,
}

impl Range {
    /// No bounds.
    pub const ALL: Self = Self { min: None, max: None };

    /// Whether a value lies within the bounds.
    pub fn contains(&self, value: f64) -> bool {
        self.min.is_none_or(|min| value >= min) && self.max.is_none_or(|max| value <= max)
    }
}

/// What a body is.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum BodyInfo {
    /// The envelope with a list of records.
    Series {
        /// The records; `None` if their fields are unknown.
        record: Option<&'static RecordInfo>,
        /// The field that carries a record's time; `None` if the list is no time series.
        time: Option<&'static str>,
        /// How the body is known.
        evidence: Evidence,
    },
    /// One object.
    Object {
        /// Its fields.
        record: &'static RecordInfo,
        /// How the body is known.
        evidence: Evidence,
    },
    /// Nothing is known of it.
    Unknown,
}

/// One object of a series, or any other object with known fields.
#[derive(Debug)]
#[non_exhaustive]
pub struct RecordInfo {
    /// The Rust type.
    pub name: &'static str,
    /// What it is.
    pub summary: &'static str,
    /// Its known fields.
    pub fields: &'static [FieldInfo],
}

impl RecordInfo {
    /// What the catalogue says of a record's type.
    pub const fn of<R: Record>() -> &'static Self {
        R::INFO
    }
}

/// One known key of a record.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct FieldInfo {
    /// The Rust field.
    pub ident: &'static str,
    /// The name on the wire.
    pub wire_name: &'static str,
    /// Whether JSON writes that name without escapes, so that it can be compared as it stands.
    pub(crate) plain: bool,
    /// What its value is.
    pub ty: ValueType,
    /// Whether it can be absent or null.
    pub optional: bool,
    /// The smallest and the largest value.
    pub range: Range,
    /// The unit, in words; empty if it has none.
    pub unit: &'static str,
    /// What it means.
    pub summary: &'static str,
    /// What else is known; empty if nothing is.
    pub notes: &'static str,
    /// How it is known.
    pub evidence: Evidence,
}

/// What a value is.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum ValueType {
    /// Text.
    String,
    /// A number without fraction.
    Integer,
    /// A number without fraction that cannot be negative.
    Count,
    /// Any number.
    Number,
    /// True or false.
    Boolean,
    /// A point in time, in the service's unit.
    Timestamp,
    /// Anything.
    Any,
    /// One of a named type's values, or one that nobody knows yet.
    Named(&'static TypeInfo),
    /// An object with known fields.
    Record(&'static RecordInfo),
    /// A list of values.
    List(&'static ValueType),
}

impl ValueType {
    /// A named type.
    pub const fn named<T: NamedType>() -> Self {
        Self::Named(T::INFO)
    }

    /// An object with known fields.
    pub const fn record<R: Record>() -> Self {
        Self::Record(R::INFO)
    }
}

/// A named type of the catalogue.
#[derive(Debug)]
#[non_exhaustive]
pub struct TypeInfo {
    /// The Rust type.
    pub name: &'static str,
    /// What it says.
    pub summary: &'static str,
    /// Whether values beyond the known ones are to be expected.
    pub open: bool,
    /// The known values.
    pub values: &'static [ValueInfo],
    /// How an identifier can end.
    pub suffixes: &'static [SuffixInfo],
}

/// A known value of a named type.
#[derive(Debug)]
#[non_exhaustive]
pub struct ValueInfo {
    /// As on the wire.
    pub value: &'static str,
    /// What it means; empty if it speaks for itself.
    pub summary: &'static str,
    /// How it is known.
    pub evidence: Evidence,
}

/// How an identifier can end, and what that says.
#[derive(Debug)]
#[non_exhaustive]
pub struct SuffixInfo {
    /// The ending.
    pub suffix: &'static str,
    /// What the ending says.
    pub summary: &'static str,
    /// How it is known.
    pub evidence: Evidence,
}
