//! The one error of this crate.
//!
//! An error is created where a failure occurs; callers add the request. Its text describes the failure and a remedy,
//! and never contains a key, a secret or a token. The cause is chained with [`source`](std::error::Error::source) and
//! not printed by `Display`.

pub(crate) mod cause;
mod excerpt;
mod line;
mod making;

use std::time::Duration;

use crate::registry::EndpointInfo;
use crate::transport::Headers;

use cause::Cause;
pub(crate) use excerpt::{excerpt, one_line};

/// Any failure, from building a client to decoding a response.
///
/// `Display` is one line with the failure and a remedy; `{:#}` adds the causes, and so does `Debug`, which a `main`
/// that returns an error prints.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
#[allow(clippy::struct_excessive_bools, reason = "each is an independent fact about the failure")]
struct Inner {
    kind: ErrorKind,
    message: String,
    hint: String,
    request: Option<FailedRequest>,
    token: bool,
    status: Option<u16>,
    code: Option<String>,
    headers: Option<Box<Headers>>,
    body: Option<Box<[u8]>>,
    /// Whether the message is that of the body, which the text then does not repeat.
    has_body_message: bool,
    timeout: bool,
    again: Again,
    stale: bool,
    retry_after: Option<Duration>,
    timing: Timing,
    source: Option<Cause>,
}

/// Headers in which services, proxies and tracing identify a request; the service's own names are first.
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

/// The request that an error is about.
#[derive(Clone)]
struct FailedRequest {
    endpoint: &'static EndpointInfo,
    line: String,
}

/// What a request has cost so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Timing {
    pub(crate) attempts: u32,
    pub(crate) elapsed: Duration,
    pub(crate) waited: Duration,
}

/// In which phase something went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Nothing was sent: the client or the request cannot be built.
    Builder,
    /// While it waited for a token, for its turn at the gate or for the time of the next attempt.
    Queue,
    /// No connection was made.
    Connect,
    /// The request could not be sent.
    Send,
    /// No status and headers arrived, or not in time; the service may have received the request.
    Headers,
    /// The body did not arrive whole.
    Body,
    /// The service answered with a status other than success.
    Status,
    /// The runtime that sent the request has shut down, or the task of a request for a token panicked; the service may
    /// have got the request.
    Shutdown,
    /// The body does not match the catalogue.
    Decode,
    /// The response omits some of the requested data; see `Series::require_complete`.
    Incomplete,
}

/// Whether what failed may succeed if it is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    No,
    /// Not unchanged: the body is larger than allowed. A request for a part of it may succeed.
    InParts,
    /// It may or may not: once is enough to find out.
    Once,
    Yes,
}

impl Error {
    /// The phase in which it happened.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The endpoint of the request; `None` if the failure precedes the request.
    pub fn endpoint(&self) -> Option<&'static EndpointInfo> {
        self.0.request.as_ref().map(|request| request.endpoint)
    }

    /// The HTTP status of the response, if one arrived; a success status if the body was cut off or did not decode.
    pub fn status(&self) -> Option<u16> {
        self.0.status
    }

    /// The machine-readable code that the service gave, if it gave one.
    pub fn code(&self) -> Option<&str> {
        self.0.code.as_deref()
    }

    /// The headers of the response, if one arrived.
    pub fn headers(&self) -> Option<&Headers> {
        self.0.headers.as_deref()
    }

    /// The id of this request in the logs of the service or of a proxy, from one of the usual headers. The provider can
    /// find the request by it.
    pub fn request_id(&self) -> Option<&str> {
        REQUEST_ID.iter().find_map(|name| self.headers()?.get(name))
    }

    /// The whole body of an error status, or of a success that did not decode. `None` if it may contain a token, or has
    /// an encoding that was not requested.
    pub fn body(&self) -> Option<&[u8]> {
        self.0.body.as_deref()
    }

    /// How often the request was sent; where [`Error::is_token`], the request for a token.
    pub fn attempts(&self) -> u32 {
        self.0.timing.attempts
    }

    /// The time from the first step to the error.
    pub fn elapsed(&self) -> Duration {
        self.0.timing.elapsed
    }

    /// How much of it was spent waiting: for a token, at the gate, between attempts.
    pub fn waited(&self) -> Duration {
        self.0.timing.waited
    }

    /// The wait that the service requests with `Retry-After`, if any.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// Whether the same request may succeed if it is sent again, as by the rules of [`Retry`](crate::Retry).
    pub fn is_retryable(&self) -> bool {
        matches!(self.0.again, Again::Yes | Again::Once)
    }

    /// Whether a pooled connection failed, which may have died unnoticed and so does not indicate a failing service.
    pub(crate) fn is_stale(&self) -> bool {
        self.0.stale
    }

    /// Whether it is worth exactly one more attempt.
    pub(crate) fn is_worth_one_more(&self) -> bool {
        self.0.again == Again::Once
    }

    /// Whether the service rejected the credentials: status 401 or 403.
    pub fn is_auth(&self) -> bool {
        matches!(self.0.status, Some(401 | 403))
    }

    /// Whether time ran out.
    pub fn is_timeout(&self) -> bool {
        self.0.timeout
    }

    /// Whether the body does not match the catalogue.
    pub fn is_decode(&self) -> bool {
        self.0.kind == ErrorKind::Decode
    }

    /// Whether the body is larger than [`Builder::max_body_bytes`](crate::Builder::max_body_bytes) allows.
    pub fn is_body_too_large(&self) -> bool {
        self.0.again == Again::InParts
    }

    /// Whether the service rate-limited the request: status 429.
    pub fn is_rate_limited(&self) -> bool {
        self.0.status == Some(429)
    }

    /// Whether it was the request for a token that failed, and not the one for data.
    pub fn is_token(&self) -> bool {
        self.0.token
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}
