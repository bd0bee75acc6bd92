//! The log of requests, for `tracing`: a span for each request, and the events in the span.
//!
//! Only the values that are listed here are logged, and never a URL, a header or a body.

use std::time::Duration;

use tracing::Span;
use tracing::field::{DisplayValue, Empty, display};

use super::observer::{Event, Outcome, RequestParams};
use crate::error::ErrorKind;
use crate::registry::EndpointInfo;
use crate::request::RequestKind;

/// The target of all spans and events.
const TARGET: &str = "generated_client_runtime";

/// Creates the span of a request. It has the level `ERROR`, so that it is enabled whenever an event inside the span is
/// enabled.
pub(super) fn span(endpoint: &EndpointInfo, params: &dyn std::fmt::Display) -> Span {
    tracing::error_span!(
        target: TARGET, "request", %endpoint, %params, status = Empty, bytes = Empty, attempts = Empty,
        waited_ms = Empty
    )
}

/// The log of one request.
pub(super) struct Log<'l> {
    pub(super) span: &'l Span,
    /// The params of the request, which each event repeats, because not every subscriber shows the span.
    pub(super) params: &'l RequestParams,
    /// True for the requests of a follower: the follower warns about the first failure and about an outage, so that each
    /// failure need not be a warning.
    pub(super) is_quiet: bool,
}

/// Logs an event with one of two levels.
macro_rules! either {
    ($is_first:expr, $first:ident, $other:ident, $($event:tt)+) => {
        if $is_first { tracing::$first!($($event)+) } else { tracing::$other!($($event)+) }
    };
}

impl Log<'_> {
    /// Logs an event, and adds the outcome to the span at the end of the request.
    pub(super) fn event(&self, event: &Event) {
        let is_quiet = self.is_quiet;
        let params = self.params();
        match event {
            Event::Wait { request, reason, elapsed, .. } => {
                tracing::debug!(target: TARGET, %request, ?reason, elapsed_ms = ms(elapsed), params, "waited");
            }
            Event::Attempt { request, number, pause: Some(pause), .. } => either!(
                is_quiet, debug, warn,
                target: TARGET, %request, number, pause_ms = ms(pause), params,
                "rate-limited: the client sends nothing until the pause ends"
            ),
            Event::Attempt { request, number, outcome, bytes, elapsed, .. } => {
                let elapsed_ms = ms(elapsed);
                tracing::debug!(target: TARGET, %request, number, ?outcome, bytes, elapsed_ms, params, "attempt");
            }
            Event::Retry { request, kind, cause, delay, .. } => {
                let (cause, delay_ms) = (cause.as_deref(), ms(delay));
                either!(is_quiet, debug, info, target: TARGET, %request, ?kind, cause, delay_ms, params, "retry");
            }
            Event::UnrecognizedRecords { request, records, .. } => tracing::warn!(
                target: TARGET, %request, records, params,
                "records without any known field; their fields are in `unknown_fields`"
            ),
            Event::UnexpectedValues { request, values, .. } => tracing::warn!(
                target: TARGET, %request, values, params, "values of other types; they are in `unknown_fields`"
            ),
            Event::FieldMissing { request, field, new, .. } => tracing::warn!(
                target: TARGET, %request, field, ?new, params, "the service no longer sends a field; it is `None`"
            ),
            Event::End { request, outcome, cause, bytes, attempts, elapsed, waited, .. } => {
                self.end(*request, *outcome, cause.as_deref(), *bytes, *attempts, [ms(elapsed), ms(waited)]);
            }
            Event::Outage { request, kind, elapsed, is_first, is_outage, .. } => {
                let is_news = *is_first || *is_outage;
                self.outage(*request, *kind, ms(elapsed), is_news, *is_outage);
            }
            Event::Recovered { request, elapsed, was_outage, .. } => either!(
                *was_outage, warn, info, target: TARGET, %request, elapsed_ms = ms(elapsed), params, "recovered"
            ),
            Event::Token { renewed, .. } => tracing::debug!(target: TARGET, renewed, "token"),
        }
    }

    /// The params as the value of a field; `None` if there are none.
    fn params(&self) -> Option<DisplayValue<&RequestParams>> {
        self.params.iter().next().is_some().then(|| display(self.params))
    }

    fn outage(&self, request: RequestKind, kind: ErrorKind, elapsed_ms: u64, is_news: bool, is_outage: bool) {
        let params = self.params();
        let what = if is_outage { "outage" } else { "a follower's request failed" };
        either!(is_news, warn, debug, target: TARGET, %request, ?kind, elapsed_ms, params, "{what}");
    }

    fn end(
        &self,
        request: RequestKind,
        outcome: Outcome,
        cause: Option<&str>,
        bytes: usize,
        attempts: u32,
        times: [u64; 2],
    ) {
        let Self { span, is_quiet, .. } = *self;
        let params = self.params();
        let [elapsed_ms, waited_ms] = times;
        span.record("attempts", attempts).record("waited_ms", waited_ms);
        match outcome {
            Outcome::Success { status, .. } => span.record("status", status).record("bytes", bytes),
            Outcome::Failure { status: Some(status), .. } => span.record("status", status),
            _ => span,
        };
        if let Outcome::Failure { .. } = outcome {
            either!(
                is_quiet, debug, warn,
                target: TARGET, %request, ?outcome, cause, attempts, elapsed_ms, waited_ms, params, "failed"
            );
        } else {
            tracing::debug!(target: TARGET, %request, ?outcome, bytes, attempts, elapsed_ms, waited_ms, params, "end");
        }
    }
}

fn ms(time: &Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
