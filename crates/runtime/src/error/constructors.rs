//! Constructors of errors, and methods that add context.
//!
//! The code that detects a failure creates the error. Its callers add the request, the attempts and the time, and mask
//! the credentials.
//!
//! The text of a cause from another crate may contain a secret. If the cause or one of its own causes contains one, all
//! of them are replaced by one masked text. Otherwise the cause keeps its type, so that callers can examine it.

use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

use super::{BoxError, CanRetry, Cause, Error, ErrorFacts, ErrorKind, Inner, Timing};
use crate::headers::{Headers, InvalidHeader};
use crate::registry::EndpointInfo;
use crate::secrets::Redact;

impl Error {
    /// Creates an error for an attempt that would fail again. The message must contain neither credentials nor the text
    /// of the source.
    ///
    /// A transport reports the phase in which the attempt failed: [`Connect`](ErrorKind::Connect),
    /// [`Send`](ErrorKind::Send), [`Headers`](ErrorKind::Headers) or [`Body`](ErrorKind::Body). A rate limiter that cannot
    /// decide whether a request may be sent reports [`Queue`](ErrorKind::Queue).
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner { kind, message: message.into(), facts: ErrorFacts::default() }))
    }

    /// Creates an error like [`new`](Self::new), for an attempt that may succeed if it is repeated.
    pub fn retryable(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::new(kind, message).can_retry(CanRetry::Yes)
    }

    /// Creates the error for a body that is larger than `limit` bytes, the
    /// [`max_body_bytes`](crate::transport::HttpRequest::max_body_bytes) of its request.
    pub fn body_too_large(limit: usize) -> Self {
        let message = format!("the body exceeds {limit} bytes (`max_body_bytes`)");
        Self::new(ErrorKind::Body, message).can_retry(CanRetry::InParts)
    }

    /// Creates an error for a problem found before anything is sent.
    pub(crate) fn build(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Builder, message)
    }

    /// Marks the error as a problem of a setting, found before anything is sent.
    pub(crate) fn of_setting(mut self) -> Self {
        self.0.kind = ErrorKind::Builder;
        self.can_retry(CanRetry::No)
    }

    /// Creates the error for a request whose Tokio runtime has shut down.
    pub(crate) fn shutdown() -> Self {
        Self::retryable(ErrorKind::Shutdown, "the runtime that sent the request has shut down")
    }

    fn with(mut self, change: impl FnOnce(&mut ErrorFacts)) -> Self {
        change(&mut self.0.facts);
        self
    }

    /// Adds a remedy or further information.
    pub(crate) fn with_hint(mut self, hint: impl AsRef<str>) -> Self {
        let hints = &mut self.0.facts.hint;
        let hint = hint.as_ref();
        if !hints.is_empty() && !hint.is_empty() {
            hints.push_str("; ");
        }
        hints.push_str(hint);
        self
    }

    /// Adds the status and headers of the response, which arrived before the error.
    pub fn with_response(self, status: u16, headers: Headers) -> Self {
        self.with(|facts| facts.response = Some(Box::new((status, headers))))
    }

    /// Sets whether the same request may succeed if it is sent again.
    pub(crate) fn can_retry(self, can_retry: CanRetry) -> Self {
        self.with(|facts| facts.can_retry = can_retry)
    }

    pub(crate) fn with_retry_after(self, retry_after: Option<Duration>) -> Self {
        self.with(|facts| facts.retry_after = retry_after)
    }

    /// Marks the error as one whose `Retry-After` is longer than the `max_retry_after`.
    pub(crate) fn of_long_pause(self) -> Self {
        self.with(|facts| facts.long_pause = true)
    }

    /// Marks the error as a timeout. Create it with [`retryable`](Self::retryable), because attempts that timed out are
    /// usually retried.
    pub fn timed_out(self) -> Self {
        self.with(|facts| facts.timeout = true)
    }

    /// Marks the error as a failure of a pooled connection that had worked before. The failure may come from the
    /// connection rather than from the service, so the first retry does not use the retry budget.
    pub fn on_stale_connection(self) -> Self {
        self.with(|facts| facts.stale = true)
    }

    /// Marks the error as caused by a limit of this machine.
    pub(crate) fn of_this_machine(self) -> Self {
        self.with(|facts| facts.local = true)
    }

    /// Marks the error as caused by a setting that the client lacks.
    pub(crate) fn of_missing_setting(self) -> Self {
        self.with(|facts| facts.missing_setting = true)
    }

    /// Marks the response as an HTML page, whose body the text of the error does not quote.
    pub(crate) fn of_page(self) -> Self {
        self.with(|facts| facts.page = true)
    }

    /// Creates the error for a response that was not complete within `timeout`. The text has whole milliseconds, because a
    /// timeout of which a part is used up has digits that the user did not set.
    pub(crate) fn late(kind: ErrorKind, timeout: Duration, so_far: &str) -> Self {
        let shown = Duration::new(timeout.as_secs(), 0)
            + Duration::from_millis(timeout.subsec_nanos().div_ceil(1_000_000).into());
        Self::retryable(kind, format!("no complete response within {shown:?}{so_far}")).timed_out()
    }

    /// Adds the time and the attempts so far; a number of attempts that is already set is kept.
    pub(crate) fn after(mut self, timing: Timing) -> Self {
        let known = self.0.facts.timing.attempts;
        let attempts = if known == 0 { timing.attempts } else { known };
        self.0.facts.timing = Timing { attempts, ..timing };
        self
    }

    /// Sets the source. Secrets of the client are masked in its text.
    pub fn with_source(self, cause: impl Into<BoxError>) -> Self {
        self.with(|facts| facts.cause = Some(cause.into().into()))
    }

    pub(crate) fn with_body(self, body: &[u8]) -> Self {
        self.with(|facts| facts.body = Some(body.into()))
    }

    /// Adds facts from the body of an error response: the body itself, the error code in the body, and whether the
    /// message of this error is a message from the body.
    pub(crate) fn with_refusal(mut self, body: &[u8], code: Option<String>, has_body_message: bool) -> Self {
        (self.0.facts.code, self.0.facts.has_body_message) = (code, has_body_message);
        self.with_body(body)
    }

    /// Sets whether the body says that the service rate-limited the request, which can then be retried.
    pub(crate) fn rate_limited(mut self, is_rate_limited: bool) -> Self {
        self.0.facts.rate_limited = is_rate_limited;
        if is_rate_limited { self.can_retry(CanRetry::Yes) } else { self }
    }

    /// Removes the body, which may contain a token that is not masked yet.
    pub(crate) fn without_body(self) -> Self {
        self.with(|facts| facts.body = None)
    }

    /// Marks the error as the failure of a token request, on which a data request depends.
    pub(crate) fn of_token(self) -> Self {
        self.with(|facts| facts.token = true)
    }

    /// Makes an error of another request the source of an error without that request's facts. A rate limiter or a
    /// transport returns such an error if it sends requests with another client.
    pub(crate) fn of_this_request(self, kind: ErrorKind, message: &str) -> Self {
        if self.0.facts.request.is_none() {
            return self;
        }
        Self::new(kind, message).can_retry(self.0.facts.can_retry).with_source(self)
    }

    /// Adds the request: its endpoint, and its method and target in one line.
    pub(crate) fn with_request(self, endpoint: &'static EndpointInfo, line: String) -> Self {
        self.with(|facts| facts.request = Some((endpoint, line)))
    }

    /// Masks secrets that the server may have echoed, or that the caller may have put into a param.
    pub(crate) fn without_secrets(mut self, secrets: &dyn Redact) -> Self {
        let Inner { message, facts, .. } = &mut *self.0;
        let line = facts.request.as_mut().map(|(_, line)| line);
        [message].into_iter().chain(line).chain(&mut facts.code).for_each(|text| secrets.redact(text));
        if let Some((_, headers)) = facts.response.as_deref_mut() {
            secrets.redact_headers(headers);
        }
        if let Some(body) = &mut facts.body {
            secrets.redact_bytes(body);
        }
        facts.cause = facts.cause.take().map(|cause| without_secrets(cause, secrets));
        self
    }
}

/// Converts the error for a header that is not valid in HTTP.
impl From<InvalidHeader> for Error {
    fn from(error: InvalidHeader) -> Self {
        Self::build(error.to_string())
    }
}

/// The cause with secrets masked.
pub(crate) fn without_secrets(cause: Cause, credentials: &dyn Redact) -> Cause {
    // An error of this crate also has headers and a body, which its text omits or shortens; they are masked too.
    if let Some(error) = cause.downcast_ref::<Error>() {
        return Arc::new(error.clone().without_secrets(credentials));
    }
    let mut shows_secret = false;
    let mut texts = Vec::new();
    let mut next: Option<&(dyn StdError + 'static)> = Some(&*cause);
    while let Some(cause) = next {
        let shown = format!("{cause} {cause:#} {cause:?}");
        shows_secret |= masked(shown.clone(), credentials) != shown;
        texts.push(masked(cause.to_string(), credentials));
        next = cause.source();
    }
    if shows_secret { BoxError::from(texts.join(": ")).into() } else { cause }
}

fn masked(mut text: String, credentials: &dyn Redact) -> String {
    credentials.redact(&mut text);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_timeout_is_not_shown_as_zero() {
        let error = Error::late(ErrorKind::Headers, Duration::from_nanos(1), "");
        assert_eq!(error.to_string(), "no complete response within 1ms");
    }

    #[test]
    fn timeout_of_which_a_part_is_used_up_is_shown_in_milliseconds() {
        for (micros, shown) in
            [(299_895, "300ms"), (300_000, "300ms"), (7, "1ms"), (1_999_001, "2s"), (60_000_000, "60s")]
        {
            let error = Error::late(ErrorKind::Headers, Duration::from_micros(micros), "; no status received");
            assert_eq!(error.to_string(), format!("no complete response within {shown}; no status received"));
        }
    }
}
