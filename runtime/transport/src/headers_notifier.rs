//! Notification of the status and headers of a response, before its body has arrived.

use std::fmt;
use std::sync::Arc;

use crate::Headers;

type OnHeaders = dyn Fn(u16, &Headers) + Send + Sync;

/// Notified when the status and headers of a response have arrived, even while the body is still being read, because
/// after a 429 no other request may be sent.
#[derive(Clone, Default)]
pub struct HeadersNotifier(Option<Arc<OnHeaders>>);

impl HeadersNotifier {
    /// Creates a notifier that calls `on_headers` with the status and headers; for testing a transport.
    pub fn new(on_headers: impl Fn(u16, &Headers) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(on_headers)))
    }

    /// Reports the status and headers. A transport need not call this, because the client reports them after the
    /// complete response.
    pub fn notify(&self, status: u16, headers: &Headers) {
        if let Some(on_headers) = &self.0 {
            on_headers(status, headers);
        }
    }
}

impl fmt::Debug for HeadersNotifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HeadersNotifier(..)")
    }
}
