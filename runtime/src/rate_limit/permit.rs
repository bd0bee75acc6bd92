//! Permission to send one request, and the events of that request.
//!
//! A rate limiter creates a permit. The client reports to the permit when the request is sent and when it ends, and a
//! [`PermitObserver`] receives both reports.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::platform::{catch_panic, lock};
use crate::transport::SentNotifier;

/// Permission to send one request.
///
/// Drop the permit when the response is complete or the request is cancelled.
#[must_use = "dropping a permit reports that its request has ended"]
pub struct Permit {
    /// Called when the permit is dropped. The lock only makes the permit `Sync`.
    on_end: Mutex<Option<Box<dyn FnOnce() + Send>>>,
    /// The handle with which the transport reports that the request is sent.
    pub(crate) on_sent: SentNotifier,
}

impl Permit {
    /// Creates a permit that drops `guard`, for example a permit of a semaphore, when the request ends.
    pub fn new(guard: impl Send + 'static) -> Self {
        Self { on_end: Mutex::new(Some(Box::new(|| drop(guard)))), on_sent: SentNotifier::default() }
    }

    /// Creates a permit that reports to an observer when the request is sent and when it ends.
    pub fn with_observer(admitted: impl PermitObserver) -> Self {
        let admitted = Arc::new(admitted);
        let (observer, is_sent) = (admitted.clone(), AtomicBool::new(false));
        let on_sent = SentNotifier::new(move || {
            // A transport that resends a request internally may notify more than once.
            if !is_sent.swap(true, Ordering::Relaxed) {
                catch_panic(|| observer.on_sent());
            }
        });
        Self { on_end: Mutex::new(Some(Box::new(move || admitted.on_end()))), on_sent }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let on_end = lock(&self.on_end).take();
        on_end.into_iter().for_each(catch_panic);
    }
}

crate::transport::opaque_debug!(Permit);

/// Observes when one permitted request is sent and when it ends. A panic in the observer is caught, so it affects no
/// other request.
///
/// ```
/// # use generated_client_runtime::rate_limit::{PermitObserver, Permit};
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// #[derive(Default)]
/// struct Sent(AtomicU64);
///
/// /// Counts sent requests.
/// struct Counted(Arc<Sent>);
///
/// impl PermitObserver for Counted {
///     fn on_sent(&self) {
///         self.0.0.fetch_add(1, Ordering::Relaxed);
///     }
///
///     fn on_end(&self) {}
/// }
///
/// let sent = Arc::new(Sent::default());
/// let permit = Permit::with_observer(Counted(sent.clone()));
/// ```
pub trait PermitObserver: Send + Sync + 'static {
    /// Called when the request has been sent, which means that it was written to its connection, or passed to a
    /// transport that cannot report the writing.
    ///
    /// Called at most once, on any thread. The call can follow [`on_end`](PermitObserver::on_end) if the request is
    /// cancelled while it is being sent. There is no call if the request fails before it is written.
    fn on_sent(&self);

    /// Called once, when the request has ended and its slot is free: the request received a response, failed, was
    /// cancelled or was no longer needed.
    fn on_end(&self);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_permit_frees_its_slot_at_once() {
        let guard = Arc::new(());
        let permit = Permit::new(guard.clone());
        let on_sent = permit.on_sent.clone();
        assert_eq!(format!("{permit:?}"), "Permit(..)");
        drop(permit);
        assert_eq!(Arc::strong_count(&guard), 1);
        on_sent.notify();
    }
}
