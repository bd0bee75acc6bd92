//! The span of a request, for `tracing`. The macro in `define_client/log.rs` logs the events in the span.

use std::fmt;

use tracing::Span;

use super::RequestContext;
use crate::request::RequestTarget;
use crate::secrets::Redact;

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

/// Adds to the span the number of attempts, the waiting time, the status, and the size of a successful body.
pub(crate) fn end(span: &Span, bytes: Option<usize>, context: &RequestContext) {
    let timing = context.timing();
    span.record("attempts", timing.attempts);
    span.record("waited_ms", u64::try_from(timing.waited.as_millis()).unwrap_or(u64::MAX));
    if let Some(status) = context.status {
        span.record("status", status);
    }
    if let Some(bytes) = bytes {
        span.record("bytes", bytes);
    }
}
