//! Facts that all endpoints of the service share.
//!
//! These facts are credentials, headers, errors, rate limits, the envelope of a series, and the params of a history.

use base64::prelude::{BASE64_STANDARD, Engine as _};

use super::endpoint::{BodyInfo, EndpointInfo, HistoryInfo, HistorySource};
use super::evidence::Evidence;
use super::time_unit::TimeUnit;
use super::value::FieldInfo;

entry! {
    /// Facts that all endpoints share.
    #[derive(Debug)]
    pub struct ServiceInfo {
        /// The service's title.
        pub title: &'static str,
        ..
        /// The version of the interface.
        pub version: &'static str = "",
        /// A description of the service in one sentence.
        pub summary: &'static str = "",
        /// The prefix of the environment variables that `Client::from_env` reads.
        pub env_prefix: &'static str = "",
        /// Required ending of every base URL, for example `/v2`; empty if any ending is allowed.
        pub base_url_suffix: &'static str = "",
        /// The base URLs of groups on other hosts; empty if all groups have the base URL of the service.
        pub base_urls: &'static [BaseUrlInfo] = &[],
        /// The unit of timestamps on the wire, unless a field or param declares another unit.
        pub time_unit: TimeUnit = TimeUnit::Seconds,
        /// The request header that carries the API key, if the service uses one.
        pub api_key_header: Option<&'static str> = None,
        /// The text before the API key in the header; empty if there is none.
        pub api_key_prefix: &'static str = "",
        /// The query param that carries the API key, if the service uses one.
        pub api_key_query: Option<&'static str> = None,
        /// True if the API key is `name:password`, sent in base64 (HTTP Basic authentication).
        pub api_key_basic: bool = false,
        /// True if the service also accepts requests without an API key.
        pub api_key_optional: bool = false,
        /// Headers that every request has, with their values.
        pub headers: &'static [(&'static str, &'static str)] = &[],
        /// The OAuth 2.0 client credentials flow, if the service has one.
        pub client_credentials: Option<ClientCredentialsInfo> = None,
        /// Statuses other than success with which the service can respond to a data request.
        pub errors: &'static [StatusInfo] = &[],
        /// JSON paths of the message and the code in an error body.
        pub error_body: ErrorBodyInfo = ErrorBodyInfo::new(&[]),
        /// The rate limits that the service documents.
        pub limits: &'static [LimitInfo] = &[],
        /// The headers with which the service reports how much of a rate limit is left; `None` if unknown.
        pub rate_limit_headers: Option<RateLimitHeadersInfo> = None,
        /// The object around the records of a series; `None` if a series is a bare list.
        pub envelope: Option<EnvelopeInfo> = None,
        /// The field of the metadata with the requested values that an endpoint does not support; `None` if there is none.
        pub unsupported_values: Option<&'static str> = None,
        /// Params of a history, for the endpoints that accept them; `None` if unknown.
        pub history: Option<HistoryInfo> = None,
    }
}

impl ServiceInfo {
    /// Returns whether requests can carry an API key, in a header or in the query.
    #[doc(hidden)]
    pub const fn takes_api_key(&self) -> bool {
        self.api_key_header.is_some() || self.api_key_query.is_some()
    }

    /// Returns the base URL of an endpoint whose group is on another host; `None` if the endpoint has the base URL of the
    /// service.
    pub fn base_url_of(&self, endpoint: &EndpointInfo) -> Option<&'static BaseUrlInfo> {
        self.base_urls.iter().find(|info| info.has(endpoint))
    }

    /// Returns the value of the header that carries the API key `key`.
    #[doc(hidden)]
    pub fn api_key_value(&self, key: &str) -> String {
        let key = if self.api_key_basic { BASE64_STANDARD.encode(key) } else { key.to_owned() };
        format!("{}{key}", self.api_key_prefix)
    }
}

/// The base URL of groups whose endpoints are on another host than those of the other groups. The host is a setting of the
/// client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BaseUrlInfo {
    /// The name of the setting, for example `futures`.
    pub name: &'static str,
    /// Required ending of the base URL; empty if any ending is allowed.
    pub suffix: &'static str,
    /// The `ident` of each group.
    pub groups: &'static [&'static str],
}

impl BaseUrlInfo {
    /// Returns the environment variable that `Client::from_env` reads, for example `MARKET_FUTURES_BASE_URL`.
    pub fn variable(&self, service: &ServiceInfo) -> String {
        format!("{}_{}_BASE_URL", service.env_prefix, self.name.to_ascii_uppercase())
    }

    /// `true` if the endpoint is in one of the groups.
    pub(crate) fn has(&self, endpoint: &EndpointInfo) -> bool {
        self.groups.contains(&endpoint.group)
    }
}

/// The token endpoint of the OAuth 2.0 client credentials flow (RFC 6749, section 4.4).
#[derive(Debug)]
pub struct ClientCredentialsInfo {
    /// Path of the token endpoint, relative to the base URL.
    pub path: &'static str,
    /// The flow's name in the interface document.
    pub label: &'static str,
    /// Source of the flow.
    pub evidence: Evidence,
    /// Fields of a successful response.
    pub reply: &'static [FieldInfo],
    /// The documented failures.
    pub errors: &'static [StatusInfo],
    /// Further notes; may be empty.
    pub notes: &'static str,
}

entry! {
    /// An HTTP status other than success, with the known facts about this status.
    #[derive(Debug)]
    pub struct StatusInfo {
        /// The HTTP status code.
        pub status: u16,
        /// Source of the status.
        pub evidence: Evidence,
        ..
        /// The label of the status in the interface document.
        pub label: Option<&'static str> = None,
        /// Meaning of the status.
        pub summary: &'static str = "",
        /// Advice for users; empty if nothing is known.
        pub advice: &'static str = "",
        /// Further notes; may be empty.
        pub notes: &'static str = "",
        /// True if the service rate-limits requests with this status.
        pub rate_limited: bool = false,
    }
}

/// The response headers with which the service reports how much of a rate limit is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimitHeadersInfo {
    /// The header with the number of requests that are left.
    pub remaining: &'static str,
    /// The header with the time at which there is room again.
    pub reset: &'static str,
    /// The unit of the time.
    pub reset_is: ResetUnit,
}

/// The unit of the time at which a rate limit has room again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResetUnit {
    /// The number of seconds from now.
    Seconds,
    /// The number of seconds since 1970 in UTC.
    EpochSeconds,
    /// The number of milliseconds since 1970 in UTC.
    EpochMilliseconds,
}

entry! {
    /// JSON paths of the message and the code in an error body. Of several paths, the first that exists is used. A number
    /// in a path is the index of an item, if the value there is a list.
    #[derive(Debug)]
    pub struct ErrorBodyInfo {
        /// JSON paths of the message.
        pub message: &'static [&'static str],
        ..
        /// The name of the error body's schema in the interface document, and the source of the name.
        pub name: Option<(&'static str, Evidence)> = None,
        /// JSON paths of the machine-readable code.
        pub code: &'static [&'static str] = &[],
        /// The values of the code, or of the message if there is no code, that mean success. Empty if the service has no
        /// such status in the body.
        pub success: &'static [&'static str] = &[],
        /// The values of the code, or of the message if there is no code, with which the service rate-limits a request.
        pub rate_limited: &'static [&'static str] = &[],
        /// The values of the code, or of the message if there is no code, that mean that a series has no records.
        pub no_data: &'static [&'static str] = &[],
        /// The HTTP statuses that mean that a series has no records.
        pub no_data_statuses: &'static [u16] = &[],
    }
}

/// One rate limit of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitInfo {
    /// Name of the rate limit.
    pub name: &'static str,
    /// Maximum number of requests in any window of [`seconds`](Self::seconds).
    pub requests: u32,
    /// Length of the window in seconds.
    pub seconds: u32,
    /// Maximum number of requests in flight; `None` if unlimited or unknown.
    pub concurrent: Option<u32>,
    /// Condition under which the limit applies, as text; `None` if unknown.
    pub scope: Option<&'static str>,
    /// Groups or paths of the endpoints whose requests count; empty if every request counts.
    pub endpoints: &'static [&'static str],
    /// Source of the limit.
    pub evidence: Evidence,
}

impl LimitInfo {
    /// Returns whether the limit counts the requests of an endpoint. `endpoint` is `None` for a token request; a limit
    /// for certain endpoints never counts token requests.
    pub fn counts(&self, endpoint: Option<&EndpointInfo>) -> bool {
        self.endpoints.is_empty() || endpoint.is_some_and(|endpoint| endpoint.is_one_of(self.endpoints))
    }
}

/// The object around the records of a series.
#[derive(Debug)]
pub struct EnvelopeInfo {
    /// JSON path of the records, as keys that are separated by dots.
    pub data: &'static str,
    /// JSON path of the metadata, if there is any.
    pub metadata: Option<&'static str>,
    /// Field with the time of a record, unless an endpoint declares another field.
    pub time: Option<&'static str>,
}

impl EndpointInfo {
    /// Returns the params of this endpoint's history; `None` if it has none.
    pub fn history(&self, service: &'static ServiceInfo) -> Option<&'static HistoryInfo> {
        if !matches!(self.body, BodyInfo::Series { time: Some(_), .. }) {
            return None;
        }
        match self.history_source {
            HistorySource::Endpoint(info) => Some(info),
            HistorySource::Unknown => None,
            HistorySource::Service => {
                let info = service.history.as_ref()?;
                let needed = [info.from, info.to, info.limit, info.step];
                needed.iter().all(|name| name.is_empty() || self.param(name).is_some()).then_some(info)
            }
        }
    }
}
