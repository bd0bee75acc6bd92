//! The receivers of the events of requests.

use std::sync::Arc;

#[cfg(feature = "tracing")]
use super::log;
use super::observer::{Event, Observer};
use super::request_params::{RequestParams, ShownParams};
use crate::platform::catch_panic;

/// The receivers of events: the user's observer, and `tracing`.
#[derive(Clone)]
pub(crate) struct Observers {
    observer: Option<Arc<dyn Observer>>,
    /// The params of the request; empty if nobody receives its events.
    params: RequestParams,
    /// The span of the request; disabled for events that belong to no request.
    #[cfg(feature = "tracing")]
    span: tracing::Span,
    /// True for the requests of a follower, which logs failures itself.
    #[cfg(feature = "tracing")]
    is_quiet: bool,
}

impl Observers {
    pub(crate) fn new(observer: Option<Arc<dyn Observer>>) -> Self {
        Self {
            observer,
            params: RequestParams::default(),
            #[cfg(feature = "tracing")]
            span: tracing::Span::none(),
            #[cfg(feature = "tracing")]
            is_quiet: false,
        }
    }

    /// The receivers for the events of one request, which are logged in a span. The failures of a quiet request are
    /// logged for debugging only.
    #[cfg_attr(not(feature = "tracing"), expect(unused_variables, reason = "only the log distinguishes requests"))]
    pub(crate) fn of_request(&self, params: &ShownParams<'_>, is_quiet: bool) -> Self {
        let mut observers = self.clone();
        #[cfg(feature = "tracing")]
        {
            observers.span = log::span(params.target.endpoint, params);
            observers.is_quiet = is_quiet;
        }
        if observers.has_receiver() {
            observers.params = params.copied();
        }
        observers
    }

    /// `true` if anybody receives the events of this request.
    pub(crate) fn has_receiver(&self) -> bool {
        #[cfg(feature = "tracing")]
        if !self.span.is_disabled() {
            return true;
        }
        self.observer.is_some()
    }

    /// The receivers for the events of a token request that a data request starts.
    pub(crate) fn of_token(&self) -> Self {
        Self { params: RequestParams::default(), ..self.clone() }
    }

    /// The params of the request, for its events.
    pub(crate) fn params(&self) -> RequestParams {
        self.params.clone()
    }

    /// The span in which the events of a request are logged.
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
