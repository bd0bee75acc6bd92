//! The log of requests, for `tracing`: a span for each request, and the events in the span.
//!
//! Only the values that are listed here are logged, and never a URL, a header or a body.

use std::fmt;
use std::time::Duration;

use tracing::Span;
use tracing::field::Empty;

use super::observer::{Event, Outcome};
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

/// Logs an event, and adds the outcome to the span at the end of the request.
pub(super) fn event(event: &Event, span: &Span) {
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
        Event::End { request, outcome, bytes, attempts, elapsed, waited, .. } => {
            let (elapsed_ms, waited_ms) = (ms(elapsed), ms(waited));
            span.record("attempts", attempts).record("waited_ms", waited_ms);
            match outcome {
                Outcome::Success { status, .. } => span.record("status", status).record("bytes", bytes),
                Outcome::Failure { status: Some(status), .. } => span.record("status", status),
                _ => span,
            };
            if let Outcome::Failure { .. } = outcome {
                tracing::warn!(target: TARGET, %request, ?outcome, attempts, elapsed_ms, waited_ms, "failed");
            } else {
                tracing::debug!(target: TARGET, %request, ?outcome, bytes, attempts, elapsed_ms, waited_ms, "end");
            }
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

fn ms(time: &Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
