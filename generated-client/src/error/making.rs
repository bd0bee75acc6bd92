//! How an error is made, and what it learns on its way out.
//!
//! Whoever meets a failure says what it knows, and whoever hands it on adds what only it can know: the request, the
//! cost, the credentials that must not be seen.

use std::sync::Arc;
use std::time::Duration;

use super::{Error, ErrorKind, Inner, Request};
use crate::call::Call;
use crate::cause;
use crate::credentials::Credentials;
use crate::decode::DecodeError;
use crate::gate::GateError;
use crate::retry;
use crate::transport::{Headers, InvalidHeader, Phase, SettingsError, TransportError};
use crate::trip::Account;

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
        self.0.retryable = retry::is_passing(status);
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
