//! The one error of this crate.
//!
//! It is made where something goes wrong and learns on the way out which request it was about.
//! It says what happened and what to do; it never holds a key, a secret or a token.
//! What caused it is chained with [`source`](std::error::Error::source) and not printed by `Display`.

mod line;

use std::sync::Arc;
use std::time::Duration;

use crate::call::Call;
use crate::cause::{self, Cause};
use crate::credentials::Credentials;
use crate::decode::DecodeError;
use crate::gate::GateError;
use crate::registry::EndpointInfo;
use crate::transport::{Headers, InvalidHeader, Phase, SettingsError, TransportError};
use crate::trip::Account;

/// Any failure, from building a client to reading a reply.
///
/// `Display` is one line that says what happened and what to do; `{:#}` adds what caused it, and so does
/// `Debug`, which is what a `main` that returns an error prints.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    message: String,
    hint: String,
    request: Option<Request>,
    token: bool,
    status: Option<u16>,
    code: Option<String>,
    headers: Option<Box<Headers>>,
    body: Option<Box<[u8]>>,
    timeout: bool,
    retryable: bool,
    retry_after: Option<Duration>,
    account: Account,
    source: Option<Cause>,
}

/// The request that an error is about.
#[derive(Clone)]
struct Request {
    endpoint: &'static EndpointInfo,
    line: String,
}

/// In which phase something went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Before anything was sent: the client or the request cannot be built.
    Build,
    /// While it waited for a token, for its turn at the gate or for the time of the next attempt.
    Wait,
    /// No connection was made.
    Connect,
    /// The request could not be sent.
    Send,
    /// The request was sent, but no status and headers came back.
    Head,
    /// The body did not arrive whole.
    Body,
    /// The service answered with a status other than success.
    Status,
    /// The body is not what the catalogue says.
    Decode,
    /// The reply leaves out some of what was asked for; see [`Series::require_complete`](crate::Series).
    Incomplete,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            hint: String::new(),
            request: None,
            token: false,
            status: None,
            code: None,
            headers: None,
            body: None,
            timeout: false,
            retryable: false,
            retry_after: None,
            account: Account::default(),
            source: None,
        }))
    }

    /// Something that is wrong before anything is sent.
    pub(crate) fn build(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Build, message)
    }

    /// A setting that the transport cannot use, taken over with its words and its cause.
    pub(crate) fn settings(error: SettingsError) -> Self {
        let mut this = Self::build(error.to_string());
        this.0.source = error.into_cause();
        this
    }

    /// A header that HTTP cannot carry.
    pub(crate) fn header(error: &InvalidHeader) -> Self {
        Self::build(error.to_string())
    }

    /// A body that is not what the catalogue says.
    pub(crate) fn decode(error: &DecodeError, body: Vec<u8>) -> Self {
        Self::new(ErrorKind::Decode, format!("the body is not as expected: {error}")).with_body(body)
    }

    /// Adds what to do, or what else there is to know.
    pub(crate) fn with_hint(mut self, hint: impl AsRef<str>) -> Self {
        let (hints, hint) = (&mut self.0.hint, hint.as_ref());
        if !hints.is_empty() && !hint.is_empty() {
            hints.push_str("; ");
        }
        hints.push_str(hint);
        self
    }

    pub(crate) fn with_status(mut self, status: u16, code: Option<String>) -> Self {
        self.0.status = Some(status);
        self.0.code = code;
        self.0.retryable = matches!(status, 429 | 502 | 503 | 504);
        self
    }

    pub(crate) fn with_retry_after(mut self, asked: Option<Duration>) -> Self {
        self.0.retry_after = asked;
        self
    }

    /// Says that time ran out, and what had gone wrong before.
    pub(crate) fn timed_out(mut self, before: Option<Self>) -> Self {
        self.0.timeout = true;
        self.0.retryable = true;
        self.0.source = before.map(|before| Arc::new(before) as _);
        self
    }

    /// Says what the way so far has cost; what is known of attempts already stays.
    pub(crate) fn after(mut self, account: Account) -> Self {
        let attempts = match self.0.account.attempts {
            0 => account.attempts,
            known => known,
        };
        self.0.account = Account { attempts, ..account };
        self
    }

    /// Says what caused it.
    #[cfg(feature = "blocking")]
    pub(crate) fn because(mut self, cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.0.source = Some(Arc::new(cause));
        self
    }

    pub(crate) fn with_headers(mut self, headers: Headers) -> Self {
        self.0.headers = Some(Box::new(headers));
        self
    }

    pub(crate) fn with_body(mut self, body: Vec<u8>) -> Self {
        self.0.body = Some(body.into());
        self
    }

    /// Takes the body out, which may hold a token that nobody knows yet.
    pub(crate) fn without_body(mut self) -> Self {
        self.0.body = None;
        self
    }

    /// Says that the request for a token failed, on the way of another request.
    pub(crate) fn of_token(mut self) -> Self {
        self.0.token = true;
        self
    }

    /// Says which request it was about.
    pub(crate) fn about(mut self, call: &Call) -> Self {
        self.0.request = Some(Request { endpoint: call.endpoint(), line: call.to_string() });
        self
    }

    /// Takes out what a server may have echoed, or a caller have put into a param.
    pub(crate) fn without_secrets(mut self, credentials: &Credentials) -> Self {
        let inner = &mut *self.0;
        credentials.redact(&mut inner.message);
        if let Some(request) = &mut inner.request {
            credentials.redact(&mut request.line);
        }
        if let Some(code) = &mut inner.code {
            credentials.redact(code);
        }
        if let Some(headers) = &mut inner.headers {
            credentials.redact_headers(headers);
        }
        if let Some(body) = &mut inner.body {
            credentials.redact_bytes(body);
        }
        inner.source = inner.source.take().map(|source| cause::without_secrets(source, credentials));
        self
    }

    /// The phase in which it happened.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The endpoint that was asked, unless it happened before there was one.
    pub fn endpoint(&self) -> Option<&'static EndpointInfo> {
        self.0.request.as_ref().map(|request| request.endpoint)
    }

    /// The HTTP status, if the service answered with one other than success.
    pub fn status(&self) -> Option<u16> {
        self.0.status
    }

    /// The machine-readable code that the service gave, if it gave one.
    pub fn code(&self) -> Option<&str> {
        self.0.code.as_deref()
    }

    /// The headers, if the service answered with a status other than success: a trace id may be among them.
    pub fn headers(&self) -> Option<&Headers> {
        self.0.headers.as_deref()
    }

    /// The whole body, where one arrived: of another status than success, or one that did not decode.
    pub fn body(&self) -> Option<&[u8]> {
        self.0.body.as_deref()
    }

    /// How often the request was sent; where [`Error::is_token`], the request for a token.
    pub fn attempts(&self) -> u32 {
        self.0.account.attempts
    }

    /// The time from the first step to the error.
    pub fn elapsed(&self) -> Duration {
        self.0.account.elapsed
    }

    /// How much of it was spent waiting: for a token, at the gate, between attempts.
    pub fn waited(&self) -> Duration {
        self.0.account.waited
    }

    /// How long the service asks to wait, if it does.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// Whether the same request may succeed if it is sent again.
    pub fn is_retryable(&self) -> bool {
        self.0.retryable
    }

    /// Whether the credentials are at fault.
    pub fn is_auth(&self) -> bool {
        matches!(self.0.status, Some(401 | 403))
    }

    /// Whether time ran out.
    pub fn is_timeout(&self) -> bool {
        self.0.timeout
    }

    /// Whether the body is not what the catalogue says.
    pub fn is_decode(&self) -> bool {
        self.0.kind == ErrorKind::Decode
    }

    /// Whether the service asked for fewer requests.
    pub fn is_rate_limited(&self) -> bool {
        self.0.status == Some(429)
    }

    /// Whether it was the request for a token that failed, and not the one for data.
    pub fn is_token(&self) -> bool {
        self.0.token
    }
}

/// A failure of the transport, taken over with its words and its cause.
impl From<TransportError> for Error {
    fn from(error: TransportError) -> Self {
        let kind = match error.phase() {
            Phase::Connect => ErrorKind::Connect,
            Phase::Send => ErrorKind::Send,
            Phase::Head => ErrorKind::Head,
            Phase::Body => ErrorKind::Body,
        };
        let mut this = Self::new(kind, error.to_string());
        this.0.timeout = error.is_timeout();
        this.0.retryable = error.is_retryable();
        this.0.source = error.into_cause();
        this
    }
}

/// A failure of the gate, taken over with its words and its cause.
impl From<GateError> for Error {
    fn from(error: GateError) -> Self {
        let mut this = Self::new(ErrorKind::Wait, error.to_string());
        this.0.retryable = true;
        this.0.source = error.into_cause();
        this
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}
