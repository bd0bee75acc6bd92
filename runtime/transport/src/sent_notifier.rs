//! The notification that a request is sent.
//!
//! A [`SentNotifier`] is part of a request. The transport calls it when the request is written to a connection, and the
//! rate limiter then counts the request.

use std::fmt;
use std::sync::Arc;

/// Notified when a request is sent. That may be long after the transport received the request, because a connection may
/// have to be opened first.
///
/// ```
/// # use generated_client_transport::SentNotifier;
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

    /// Reports that the request is being sent, from any thread. The rate limiter ignores all reports after the first.
    pub fn notify(&self) {
        if let Some(notified) = &self.0 {
            notified();
        }
    }
}

impl fmt::Debug for SentNotifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SentNotifier(..)")
    }
}
