//! What happens to requests, for `tracing`.
//!
//! A span for each request, with an event for each step. Every logged value is named here: no URL, no param, no header
//! and no body gets into a log.

use std::time::Duration;

use tracing::field::Empty;
use tracing::{Span, debug, debug_span, info, warn};

use super::RequestContext;
use super::observer::{Event, Outcome};
use crate::registry::EndpointInfo;

/// The span of a request; [`end`] fills in the empty values.
pub(crate) fn request(endpoint: &EndpointInfo) -> Span {
    debug_span!("request", %endpoint, status = Empty, bytes = Empty, attempts = Empty, waited_ms = Empty)
}

/// Logs the end of a request, and the size of a successful body.
pub(crate) fn end(span: &Span, bytes: Option<usize>, context: &RequestContext<'_>) {
    let timing = context.timing();
    span.record("attempts", timing.attempts);
    span.record("waited_ms", milliseconds(timing.waited));
    if let Some(status) = context.status() {
        span.record("status", status);
    }
    if let Some(bytes) = bytes {
        span.record("bytes", bytes);
    }
}

pub(crate) fn event(event: &Event) {
    match event {
        Event::Wait { request, reason, elapsed } => {
            debug!(%request, ?reason, elapsed_ms = milliseconds(*elapsed), "waited");
        }
        Event::Attempt { request, number, outcome: Ok(429), .. } => {
            warn!(%request, number, "rate limited: the client sends nothing until the pause is over");
        }
        Event::Attempt { request, number, outcome, bytes, elapsed } => {
            debug!(%request, number, ?outcome, bytes, elapsed_ms = milliseconds(*elapsed), "attempt");
        }
        Event::Retry { request, kind, delay } => {
            info!(%request, ?kind, delay_ms = milliseconds(*delay), "retry");
        }
        Event::UnrecognizedRecords { request, records } => {
            warn!(%request, records, "records without any known field; their fields are in `unknown_fields`");
        }
        Event::End { request, outcome, bytes, attempts, elapsed, waited } => {
            let (elapsed_ms, waited_ms) = (milliseconds(*elapsed), milliseconds(*waited));
            if matches!(outcome, Outcome::Failure { .. }) {
                warn!(%request, ?outcome, attempts, elapsed_ms, waited_ms, "failed");
            } else {
                debug!(%request, ?outcome, bytes, attempts, elapsed_ms, waited_ms, "end");
            }
        }
        Event::Outage { request, kind, elapsed } => {
            warn!(%request, ?kind, elapsed_ms = milliseconds(*elapsed), "outage");
        }
        Event::Token { renewed } => debug!(renewed, "token"),
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
