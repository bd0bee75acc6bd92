//! What happens to requests, for `tracing`.
//!
//! A span for each request and an event for whatever happens in it. Every value is named here, one by one:
//! no URL, no param, no header and no body gets into a log.

use std::time::Duration;

use tracing::field::Empty;
use tracing::{Span, debug, debug_span};

use crate::observer::Event;
use crate::registry::EndpointInfo;
use crate::trip::Trip;

/// The span of a request; [`end`] fills in what is known only then.
pub(crate) fn request(endpoint: &EndpointInfo) -> Span {
    debug_span!("request", %endpoint, status = Empty, bytes = Empty, attempts = Empty, waited_ms = Empty)
}

/// Says how a request has ended, and how long the text of a success was.
pub(crate) fn end(span: &Span, bytes: Option<usize>, trip: &Trip) {
    let account = trip.account();
    span.record("attempts", account.attempts);
    span.record("waited_ms", milliseconds(account.waited));
    if let Some(status) = trip.status() {
        span.record("status", status);
    }
    if let Some(bytes) = bytes {
        span.record("bytes", bytes);
    }
}

pub(crate) fn event(event: &Event) {
    match event {
        Event::Wait { purpose, what, elapsed } => {
            debug!(%purpose, ?what, elapsed_ms = milliseconds(*elapsed), "waited");
        }
        Event::Attempt { purpose, number, outcome, bytes, elapsed } => {
            debug!(%purpose, number, ?outcome, bytes, elapsed_ms = milliseconds(*elapsed), "attempt");
        }
        Event::Retry { purpose, kind, delay } => {
            debug!(%purpose, ?kind, delay_ms = milliseconds(*delay), "retry");
        }
        Event::Token { renewed } => debug!(renewed, "token"),
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
