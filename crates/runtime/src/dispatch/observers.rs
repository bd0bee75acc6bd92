//! The receivers of the events of requests.

use std::sync::Arc;

#[cfg(feature = "tracing")]
use super::log;
use super::observer::{Event, Observer};
use crate::platform::catch_panic;
#[cfg(feature = "tracing")]
use crate::registry::EndpointInfo;

/// The receivers of events: the user's observer, and `tracing`.
#[derive(Clone)]
pub(crate) struct Observers {
    observer: Option<Arc<dyn Observer>>,
    /// The span of the request; disabled for events that belong to no request.
    #[cfg(feature = "tracing")]
    span: tracing::Span,
}

impl Observers {
    pub(crate) fn new(observer: Option<Arc<dyn Observer>>) -> Self {
        Self {
            observer,
            #[cfg(feature = "tracing")]
            span: tracing::Span::none(),
        }
    }

    /// Returns the receivers for the events of one request, and the span in which these events are logged.
    #[cfg(feature = "tracing")]
    pub(crate) fn in_span(&self, endpoint: &EndpointInfo, params: &dyn std::fmt::Display) -> (Self, tracing::Span) {
        let span = log::span(endpoint, params);
        (Self { span: span.clone(), ..self.clone() }, span)
    }

    pub(crate) fn notify(&self, event: &Event) {
        catch_panic(|| {
            #[cfg(feature = "tracing")]
            self.span.in_scope(|| log::event(event, &self.span));
            if let Some(observer) = &self.observer {
                observer.observe(event);
            }
        });
    }
}
