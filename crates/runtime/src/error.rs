//! The error type of this crate.
//!
//! An error is created where a failure occurs, and callers add the request to it. The text of an error describes the
//! failure and a remedy, and never contains a key, a secret or a token. `Display` omits the cause, which
//! [`source`](std::error::Error::source) returns.

// The modules, lowest layer first, as in `lib.rs`.
mod display;

mod constructors;

use std::sync::Arc;
use std::time::Duration;

use crate::headers::Headers;
use crate::registry::EndpointInfo;

pub(crate) use crate::text::{excerpt, one_line, quoted};

pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;
pub(crate) type Cause = Arc<dyn std::error::Error + Send + Sync>;

/// Any error of the client, from building it to decoding a response.
///
/// A custom [`Transport`](crate::transport::Transport) or [`RateLimiter`](crate::rate_limit::RateLimiter) creates its
/// errors with [`new`](Self::new) or [`retryable`](Self::retryable); the client adds the request and the attempts.
///
/// `Display` prints one line with the failure and a remedy; `{:#}` adds the causes. `Debug` prints the same as `{:#}`,
/// because a `main` that returns an error prints its `Debug` form.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    message: String,
    facts: ErrorFacts,
}

/// Further facts about a failure; each of them may be absent.
#[derive(Clone, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is an independent fact about the failure")]
struct ErrorFacts {
    hint: String,
    /// The endpoint of the request, and the method and target in one line, which may be empty.
    request: Option<(&'static EndpointInfo, String)>,
    token: bool,
    code: Option<String>,
    body: Option<Box<[u8]>>,
    /// True if the message is from the body, so that `Display` need not print the body too.
    has_body_message: bool,
    rate_limited: bool,
    timeout: bool,
    /// True if a limit of this machine caused the failure.
    local: bool,
    /// True if the client lacks a setting that the request needs.
    missing_setting: bool,
    /// True if the response is an HTML page.
    page: bool,
    can_retry: CanRetry,
    /// True if a pooled connection failed.
    stale: bool,
    /// Status and headers of the response, if they arrived.
    response: Option<Box<(u16, Headers)>>,
    cause: Option<Cause>,
    retry_after: Option<Duration>,
    /// True if that is longer than the client waits.
    long_pause: bool,
    timing: Timing,
}

/// The longest `Retry-After` that is not a mistake.
const YEAR: Duration = Duration::from_secs(365 * 86_400);

/// Whether the same request may succeed if it is sent again.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum CanRetry {
    #[default]
    No,
    /// The response body exceeds the maximum size, so only a request for less data can succeed.
    InParts,
    Yes,
}

/// `true` if the default rules retry a request after this status.
pub(crate) fn is_transient(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500 | 502..=504 | 520..=524 | 529 | 530)
}

/// Headers that contain the id of a request in the logs of a service, a proxy or a tracing system. The headers that
/// services use precede the others.
const REQUEST_ID: [&str; 8] = [
    "x-request-id",
    "request-id",
    "x-amzn-requestid",
    "x-amz-request-id",
    "x-correlation-id",
    "x-trace-id",
    "x-amz-cf-id",
    "cf-ray",
];

/// Attempts and times of a request so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Timing {
    pub(crate) attempts: u32,
    pub(crate) elapsed: Duration,
    pub(crate) waited: Duration,
}

/// The phase in which the failure occurred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Nothing was sent: the client or the request could not be built.
    Builder,
    /// The request failed during a wait: for a token, in the rate-limit queue, or for its next attempt.
    Queue,
    /// No connection was made.
    Connect,
    /// The request could not be sent.
    Send,
    /// The status and headers did not arrive in time, or not at all; the service may have received the request.
    Headers,
    /// The body did not arrive completely.
    Body,
    /// The status of the response, or a status in its body, is not a success.
    Status,
    /// The runtime that sent the request has shut down, or the task of a token request panicked; the service may have
    /// received the request.
    Shutdown,
    /// The body does not match the catalogue.
    Decode,
    /// Requested data is missing from the response (see `Series::require_complete`), or may be missing because a step
    /// of a history has more records than fit on a page.
    Incomplete,
}

impl Error {
    /// Returns the phase in which the failure occurred.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The message without the request, hints, attempts and the body.
    pub(crate) fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the endpoint of the request; `None` if the failure precedes the request.
    pub fn endpoint(&self) -> Option<&'static EndpointInfo> {
        self.0.facts.request.as_ref().map(|(endpoint, _)| *endpoint)
    }

    /// Returns the HTTP status of the response, if one arrived. It is a success status if the body was cut off or did
    /// not decode.
    pub fn status(&self) -> Option<u16> {
        self.0.facts.response.as_deref().map(|(status, _)| *status)
    }

    /// Returns the machine-readable error code of the service, if any.
    pub fn code(&self) -> Option<&str> {
        self.0.facts.code.as_deref()
    }

    /// Returns the headers of the response, if one arrived.
    pub fn headers(&self) -> Option<&Headers> {
        self.0.facts.response.as_deref().map(|(_, headers)| headers)
    }

    /// Returns the id by which the provider can find this request in the logs of the service or of a proxy. It is read
    /// from one of the headers that usually contain such an id.
    pub fn request_id(&self) -> Option<&str> {
        REQUEST_ID.iter().find_map(|name| self.headers()?.get(name))
    }

    /// Returns the complete body of a response with an error status, or of a success that did not decode. `None` if the
    /// body may contain a token, or has an encoding that was not requested.
    pub fn body(&self) -> Option<&[u8]> {
        self.0.facts.body.as_deref()
    }

    /// Returns the number of attempts; if [`Error::is_token`] is true, the number of attempts of the token request.
    pub fn attempts(&self) -> u32 {
        self.0.facts.timing.attempts
    }

    /// Returns the time from the start of the request to the error.
    pub fn elapsed(&self) -> Duration {
        self.0.facts.timing.elapsed
    }

    /// Returns how long the request waited in total: for a token, in the rate-limit queue, and between attempts. This
    /// time is part of [`Error::elapsed`].
    pub fn waited(&self) -> Duration {
        self.0.facts.timing.waited
    }

    /// Returns the wait that the service requests with `Retry-After`, if any.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.facts.retry_after
    }

    /// Returns the wait that the service requests if it is longer than
    /// [`Retry::max_retry_after`](crate::Retry::max_retry_after), so that the request failed at once; at most a year, because
    /// longer waits are mistakes.
    pub fn long_pause(&self) -> Option<Duration> {
        let requested = self.retry_after().filter(|_| self.is_long_pause())?;
        Some(requested.min(YEAR))
    }

    /// Returns whether there is a [long pause](Self::long_pause). Until its end, the service would reject the request again,
    /// and probably any other one for the same endpoint.
    pub fn is_long_pause(&self) -> bool {
        self.0.facts.long_pause
    }

    /// Returns whether the [long pause](Self::is_long_pause) is one of all requests of the client: a rate limit, except with
    /// the status 403, which pauses only its endpoint.
    pub fn is_long_pause_of_client(&self) -> bool {
        self.is_long_pause() && self.is_rate_limited() && self.status() != Some(403)
    }

    /// Returns whether the default rules of [`Retry`](crate::Retry) permit sending the same request again.
    pub fn is_retryable(&self) -> bool {
        self.0.facts.can_retry == CanRetry::Yes
    }

    /// `true` if a pooled connection failed. The server may have closed the connection while it was idle, so the
    /// failure is not necessarily a problem of the service.
    pub(crate) fn is_stale(&self) -> bool {
        self.0.facts.stale
    }

    /// Returns whether the service rejected the credentials: status 401, or status 403 unless it is a rate limit or the
    /// [page](Self::is_page) of a proxy.
    pub fn is_auth(&self) -> bool {
        match self.status() {
            Some(401) => true,
            Some(403) => !self.is_rate_limited() && !self.is_page(),
            _ => false,
        }
    }

    /// Returns whether the response is an HTML page, which was probably sent by a CDN or a proxy in front of the service.
    pub fn is_page(&self) -> bool {
        self.0.facts.page
    }

    /// Returns whether a limit of this machine caused the failure: no file descriptor was free.
    pub fn is_local(&self) -> bool {
        self.0.facts.local
    }

    /// Returns whether the client lacks a setting that the request needs: the base URL of a group on another host, or an
    /// API key that its file or its source does not return.
    pub fn is_missing_setting(&self) -> bool {
        self.0.facts.missing_setting
    }

    /// Returns whether the request timed out.
    pub fn is_timeout(&self) -> bool {
        self.0.facts.timeout
    }

    /// Returns whether the body does not match the catalogue.
    pub fn is_decode(&self) -> bool {
        self.0.kind == ErrorKind::Decode
    }

    /// Returns whether the body is larger than `Builder::max_body_bytes` allows.
    pub fn is_body_too_large(&self) -> bool {
        self.0.facts.can_retry == CanRetry::InParts
    }

    /// Returns whether the service rate-limited the request: status 429, or a status in the body that the catalogue
    /// lists as `rate_limited`.
    pub fn is_rate_limited(&self) -> bool {
        self.status() == Some(429) || self.0.facts.rate_limited
    }

    /// Returns whether the token request failed, and not the data request.
    pub fn is_token(&self) -> bool {
        self.0.facts.token
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.facts.cause.as_deref().map(|source| source as _)
    }
}
