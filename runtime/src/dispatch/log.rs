//! The log of requests, for `tracing`: a span for each request, and the events in the span.
//!
//! Only the values that are listed here are logged, and never a URL, a header or a body.

use std::fmt;
use std::time::Duration;

use tracing::Span;
use tracing::field::Empty;

use super::observer::{Event, Outcome};
use crate::error::Timing;
use crate::registry::EndpointInfo;
use crate::request::RequestTarget;
use crate::secrets::Redact;

/// The target of all spans and events.
const TARGET: &str = "generated_client_runtime";

/// Creates the span of a request. It has the level `ERROR`, so that it is enabled whenever an event inside the span is
/// enabled.
pub(super) fn span(endpoint: &EndpointInfo, params: &dyn fmt::Display) -> Span {
    tracing::error_span!(
        target: TARGET, "request", %endpoint, %params, status = Empty, bytes = Empty, attempts = Empty,
        waited_ms = Empty
    )
}

/// Logs an event.
pub(super) fn event(event: &Event) {
    match event {
        Event::Wait { request, reason, elapsed, .. } => {
            tracing::debug!(target: TARGET, %request, ?reason, elapsed_ms = ms(elapsed), "waited");
        }
        Event::Attempt { request, number, outcome: Ok(429), .. } => tracing::warn!(
            target: TARGET, %request, number, "rate-limited: the client sends nothing until the pause ends"
        ),
        Event::Attempt { request, number, outcome, bytes, elapsed, .. } => {
            tracing::debug!(target: TARGET, %request, number, ?outcome, bytes, elapsed_ms = ms(elapsed), "attempt");
        }
        Event::Retry { request, kind, delay, .. } => {
            tracing::info!(target: TARGET, %request, ?kind, delay_ms = ms(delay), "retry");
        }
        Event::UnrecognizedRecords { request, records, .. } => tracing::warn!(
            target: TARGET, %request, records,
            "records without any known field; their fields are in `unknown_fields`"
        ),
        Event::UnexpectedValues { request, values, .. } => tracing::warn!(
            target: TARGET, %request, values, "values of other types; they are in `unknown_fields`"
        ),
        Event::End { request, outcome: outcome @ Outcome::Failure { .. }, attempts, elapsed, waited, .. } => {
            let (elapsed_ms, waited_ms) = (ms(elapsed), ms(waited));
            tracing::warn!(target: TARGET, %request, ?outcome, attempts, elapsed_ms, waited_ms, "failed");
        }
        Event::End { request, outcome, bytes, attempts, elapsed, waited, .. } => {
            let (elapsed_ms, waited_ms) = (ms(elapsed), ms(waited));
            tracing::debug!(target: TARGET, %request, ?outcome, bytes, attempts, elapsed_ms, waited_ms, "end");
        }
        Event::Outage { request, kind, elapsed, .. } => {
            tracing::warn!(target: TARGET, %request, ?kind, elapsed_ms = ms(elapsed), "outage");
        }
        Event::Token { renewed, .. } => tracing::debug!(target: TARGET, renewed, "token"),
    }
}

/// The params of a request that are in the catalogue, with secrets masked. Other params, which only the user knows, are
/// omitted, because they may be secrets.
pub(crate) struct Params<'r>(pub(crate) &'r RequestTarget, pub(crate) &'r dyn Redact);

impl fmt::Display for Params<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.0.params().filter(|(name, _)| self.0.endpoint.param(name).is_some());
        let mut text = known.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ");
        self.1.redact(&mut text);
        f.write_str(&text)
    }
}

/// Adds to the span the number of attempts, the waiting time, the status of the last response, and the size of a
/// successful body.
pub(crate) fn end(span: &Span, timing: Timing, status: Option<u16>, bytes: Option<usize>) {
    span.record("attempts", timing.attempts);
    span.record("waited_ms", ms(&timing.waited));
    // `None` as a value would write an empty field.
    if let Some(status) = status {
        span.record("status", status);
    }
    if let Some(bytes) = bytes {
        span.record("bytes", bytes);
    }
}

fn ms(time: &Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
