//! Notifications from a transport: that a request is sent, and that the headers of its response have arrived.
//!
//! Both notifiers are part of a request. The rate limiter counts a request when its [`SentNotifier`] is called, and
//! stops further requests when a [`HeadersNotifier`] reports a 429.

use std::sync::Arc;

use crate::transport::Headers;

/// Notified when a request is sent. That may be long after the transport received the request, because a connection may
/// have to be opened first.
///
/// ```
/// # use generated_client_runtime::transport::SentNotifier;
/// let on_sent = SentNotifier::new(|| println!("the request is sent"));
/// on_sent.notify();
/// ```
#[derive(Clone, Default)]
pub struct SentNotifier(Option<Arc<dyn Fn() + Send + Sync>>);

impl SentNotifier {
    /// Creates a notifier that calls `notified` when a request is sent; for testing a transport.
    pub fn new(notified: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(notified)))
    }

    /// Reports that the request is being sent; may be called from any thread. The rate limiter ignores all calls after
    /// the first.
    pub fn notify(&self) {
        if let Some(notified) = &self.0 {
            notified();
        }
    }
}

crate::transport::opaque_debug!(SentNotifier);

type OnHeaders = dyn Fn(u16, &Headers) + Send + Sync;

/// Notified when the status and headers of a response have arrived. The transport sends the notification before it
/// reads the body, so that a 429 stops further requests at once.
#[derive(Clone, Default)]
pub struct HeadersNotifier(Option<Arc<OnHeaders>>);

impl HeadersNotifier {
    /// Creates a notifier that calls `on_headers` with the status and headers; for testing a transport.
    pub fn new(on_headers: impl Fn(u16, &Headers) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(on_headers)))
    }

    /// Reports the status and headers. A transport may omit this call, because the client also reports them once the
    /// response is complete.
    pub fn notify(&self, status: u16, headers: &Headers) {
        if let Some(on_headers) = &self.0 {
            on_headers(status, headers);
        }
    }
}

crate::transport::opaque_debug!(HeadersNotifier);
