//! The log of an emitted crate, for `tracing`.
//!
//! The target of a span or an event must be a constant in the code that logs it, so this code is compiled in the
//! emitted crate. It logs only the values that are listed here, and never a URL, a header or a body.

#[cfg(feature = "tracing")]
#[doc(hidden)]
#[macro_export]
macro_rules! __log {
    ($name:literal) => {{
        use $crate::emitted::tracing::{self, field::Empty};
        use $crate::observer::{Event, Outcome};

        // The span has the level `ERROR`, so that the span is enabled whenever an event inside the span is enabled.
        fn span(endpoint: &$crate::registry::EndpointInfo, params: &dyn ::std::fmt::Display) -> tracing::Span {
            tracing::error_span!(
                target: $name, "request", %endpoint, %params, status = Empty, bytes = Empty, attempts = Empty,
                waited_ms = Empty
            )
        }

        fn event(event: &Event) {
            let ms = |time: &::std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
            match event {
                Event::Wait { request, reason, elapsed, .. } => {
                    tracing::debug!(target: $name, %request, ?reason, elapsed_ms = ms(elapsed), "waited");
                }
                Event::Attempt { request, number, outcome: Ok(429), .. } => tracing::warn!(
                    target: $name, %request, number, "rate-limited: the client sends nothing until the pause ends"
                ),
                Event::Attempt { request, number, outcome, bytes, elapsed, .. } => {
                    tracing::debug!(target: $name, %request, number, ?outcome, bytes, elapsed_ms = ms(elapsed), "attempt");
                }
                Event::Retry { request, kind, delay, .. } => {
                    tracing::info!(target: $name, %request, ?kind, delay_ms = ms(delay), "retry");
                }
                Event::UnrecognizedRecords { request, records, .. } => tracing::warn!(
                    target: $name, %request, records,
                    "records without any known field; their fields are in `unknown_fields`"
                ),
                Event::UnexpectedValues { request, values, .. } => tracing::warn!(
                    target: $name, %request, values, "values of other types; they are in `unknown_fields`"
                ),
                Event::End { request, outcome: outcome @ Outcome::Failure { .. }, attempts, elapsed, waited, .. } => {
                    let (elapsed_ms, waited_ms) = (ms(elapsed), ms(waited));
                    tracing::warn!(target: $name, %request, ?outcome, attempts, elapsed_ms, waited_ms, "failed");
                }
                Event::End { request, outcome, bytes, attempts, elapsed, waited, .. } => {
                    let (elapsed_ms, waited_ms) = (ms(elapsed), ms(waited));
                    tracing::debug!(target: $name, %request, ?outcome, bytes, attempts, elapsed_ms, waited_ms, "end");
                }
                Event::Outage { request, kind, elapsed, .. } => {
                    tracing::warn!(target: $name, %request, ?kind, elapsed_ms = ms(elapsed), "outage");
                }
                Event::Token { renewed, .. } => tracing::debug!(target: $name, renewed, "token"),
                _ => {}
            }
        }

        $crate::emitted::Log { span, event }
    }};
}

#[cfg(not(feature = "tracing"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __log {
    ($name:literal) => {
        $crate::emitted::Log {}
    };
}
