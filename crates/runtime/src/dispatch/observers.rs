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
    /// The params of the request, for its events.
    #[cfg(feature = "tracing")]
    params: Arc<str>,
    /// True for the requests of a follower, which logs failures itself.
    #[cfg(feature = "tracing")]
    is_quiet: bool,
}

impl Observers {
    pub(crate) fn new(observer: Option<Arc<dyn Observer>>) -> Self {
        Self {
            observer,
            #[cfg(feature = "tracing")]
            span: tracing::Span::none(),
            #[cfg(feature = "tracing")]
            params: Arc::from(""),
            #[cfg(feature = "tracing")]
            is_quiet: false,
        }
    }

    /// Returns the receivers for the events of one request, which are logged in a span. The failures of a quiet request
    /// are logged for debugging only.
    #[cfg(feature = "tracing")]
    pub(crate) fn in_span(&self, endpoint: &EndpointInfo, params: &dyn std::fmt::Display, is_quiet: bool) -> Self {
        let span = log::span(endpoint, params);
        // Without a subscriber, the text is not needed.
        let params = if span.is_disabled() { self.params.clone() } else { params.to_string().into() };
        Self { observer: self.observer.clone(), span, params, is_quiet }
    }

    /// Returns the receivers for the events of a token request that a data request starts.
    pub(crate) fn of_token(&self) -> Self {
        #[cfg_attr(not(feature = "tracing"), expect(unused_mut, reason = "only the log has params"))]
        let mut observers = self.clone();
        #[cfg(feature = "tracing")]
        {
            observers.params = Arc::from("");
        }
        observers
    }

    /// Returns the span in which the events of a request are logged.
    #[cfg(feature = "tracing")]
    pub(crate) fn span(&self) -> tracing::Span {
        self.span.clone()
    }

    pub(crate) fn notify(&self, event: &Event) {
        catch_panic(|| {
            #[cfg(feature = "tracing")]
            self.span
                .in_scope(|| log::Log { span: &self.span, params: &self.params, is_quiet: self.is_quiet }.event(event));
            if let Some(observer) = &self.observer {
                observer.observe(event);
            }
        });
    }
}
