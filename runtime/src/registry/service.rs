//! The service as a whole: what all endpoints share.
//!
//! Credentials, headers, errors, rate limits, the envelope of a series, and the params of a history.

use super::{EndpointInfo, Evidence, FieldInfo, HistoryInfo};

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
    /// The prefix of the environment variables that `Client::from_env` reads.
    pub env_prefix: &'static str,
    /// What every base URL ends in, `/v2` for example; empty if anything goes.
    pub base_url_suffix: &'static str,
    /// The unit of every timestamp on the wire.
    pub time_unit: TimeUnit,
    /// The request header that carries the API key, if the service wants one.
    pub api_key_header: Option<&'static str>,
    /// The text before the API key in that header; empty if there is none.
    pub api_key_prefix: &'static str,
    /// The query param that carries the API key, if the service wants it there.
    pub api_key_query: Option<&'static str>,
    /// Whether the API key is `name:password`, sent in base64 (HTTP Basic authentication).
    pub api_key_basic: bool,
    /// Whether requests are answered without an API key too.
    pub api_key_optional: bool,
    /// Headers that every request carries, with their values.
    pub headers: &'static [(&'static str, &'static str)],
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
    /// Params of a history, for endpoints that have them; `None` if unknown.
    pub history: Option<HistoryInfo>,
}

/// What points in time are written in: a unit that they count, or a form of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TimeUnit {
    /// Whole seconds since the Unix epoch.
    Seconds,
    /// Whole milliseconds since the Unix epoch.
    Milliseconds,
    /// Text like `2024-03-01T00:00:00Z`.
    Iso8601,
    /// Text like `2024-03-01`: a day, in UTC.
    Date,
}

impl TimeUnit {
    /// The word that the catalogue uses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Seconds => "seconds",
            Self::Milliseconds => "milliseconds",
            Self::Iso8601 => "iso8601",
            Self::Date => "date",
        }
    }

    /// Whether it is text, and counts nothing.
    pub const fn is_text(self) -> bool {
        matches!(self, Self::Iso8601 | Self::Date)
    }

    /// The unit a thousand times as fine, which is mistaken for this one.
    pub(crate) const fn finer(self) -> &'static str {
        match self {
            Self::Seconds => "milliseconds",
            Self::Milliseconds | Self::Iso8601 | Self::Date => "microseconds",
        }
    }
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
    /// Fields of a successful response.
    pub reply: &'static [FieldInfo],
    /// The documented failures.
    pub errors: &'static [StatusInfo],
    /// What else is known; empty if nothing is.
    pub notes: &'static str,
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
    /// What the interface calls its schema, and how that is known.
    pub name: Option<(&'static str, Evidence)>,
    /// JSON paths of the message.
    pub message: &'static [&'static str],
    /// JSON paths of the machine-readable code.
    pub code: &'static [&'static str],
}

/// One set of limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LimitInfo {
    /// The set's name.
    pub name: &'static str,
    /// At most this many requests …
    pub requests: u32,
    /// … in any window of this many seconds.
    pub seconds: u32,
    /// At most this many requests in flight; `None` if that is unlimited or unknown.
    pub concurrent: Option<u32>,
    /// When the set applies; `None` if that is unknown.
    pub scope: Option<&'static str>,
    /// Which endpoints it counts, by their groups or paths; every request if there are none.
    pub endpoints: &'static [&'static str],
    /// How it is known.
    pub evidence: Evidence,
}

impl LimitInfo {
    /// Whether it counts the requests of an endpoint; a token counts where every request does.
    pub fn counts(&self, endpoint: Option<&EndpointInfo>) -> bool {
        self.endpoints.is_empty() || endpoint.is_some_and(|endpoint| endpoint.is_one_of(self.endpoints))
    }
}

/// The object a series is wrapped in.
#[derive(Debug)]
#[non_exhaustive]
pub struct EnvelopeInfo {
    /// Where the records are: the keys that lead to them, with dots in between.
    pub data: &'static str,
    /// Where the metadata is, if there is any.
    pub metadata: Option<&'static str>,
    /// Field with the time of a record, unless an endpoint declares another.
    pub time: Option<&'static str>,
}
