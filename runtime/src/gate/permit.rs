//! Permission to send one request, and what becomes of the request.
//!
//! A gate makes a permit; the sender reports when the request leaves and how it ends. The gate gets both through
//! [`Admitted`].

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::transport::Departure;

/// Permission to send one request.
///
/// It is dropped when the reply is complete or when the request is abandoned.
#[must_use = "dropping it says that nobody waits for a reply"]
pub struct Permit {
    admitted: Arc<dyn Admitted>,
    departure: Departure,
    ending: Ending,
}

impl Permit {
    /// A permit that drops `guard`, a permit of a semaphore for example, when it is dropped itself.
    pub fn new(guard: impl Send + 'static) -> Self {
        Self::of(Guarded(Mutex::new(Some(guard))))
    }

    /// A permit that reports how the request fares.
    pub fn of(admitted: impl Admitted) -> Self {
        let admitted = Arc::new(admitted);
        let (leaving, is_told) = (admitted.clone(), AtomicBool::new(false));
        let departure = Departure::new(move || {
            // A transport that resends a request by itself reports its departure more than once.
            if !is_told.swap(true, Ordering::Relaxed) {
                report(|| leaving.departed());
            }
        });
        Self { admitted, departure, ending: Ending::Failed }
    }

    /// The handle on which the transport reports that the request has left.
    pub(crate) fn departure(&self) -> Departure {
        self.departure.clone()
    }

    /// Says that the reply is whole.
    pub(crate) fn answered(&mut self) {
        self.ending = Ending::Answered;
    }

    /// Gives the permit back: nothing was sent with it.
    pub(crate) fn give_back(mut self) {
        self.ending = Ending::GivenBack;
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        report(|| self.admitted.ended(self.ending));
    }
}

/// Calls code of a user's gate. A panic there must not end the connection that sends the request, nor the process if
/// the permit is dropped by another panic; the panic hook has reported it.
fn report(call: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(call));
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Permit(..)")
    }
}

/// A request that a gate has let pass; the client reports to it when the request leaves and how it ends. A panic in it is
/// caught, so that it affects no other request.
///
/// ```
/// # use runtime::gate::{Admitted, Ending, Permit};
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// #[derive(Default)]
/// struct Sent(AtomicU64);
///
/// /// Counts what has left.
/// struct Counted(Arc<Sent>);
///
/// impl Admitted for Counted {
///     fn departed(&self) {
///         self.0.0.fetch_add(1, Ordering::Relaxed);
///     }
///
///     fn ended(&self, _: Ending) {}
/// }
///
/// let sent = Arc::new(Sent::default());
/// let permit = Permit::of(Counted(sent.clone()));
/// ```
pub trait Admitted: Send + Sync + 'static {
    /// The request leaves now: it is written to its connection, or handed to a transport that cannot tell.
    ///
    /// It is called once at most, on any thread. Rarely it comes after the request has [ended](Admitted::ended), if the
    /// request is abandoned at the moment at which it leaves. A request that fails before it is written never leaves.
    fn departed(&self);

    /// The request is over and its place is free; called once.
    fn ended(&self, ending: Ending);
}

/// How a request that was let pass has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Ending {
    /// A whole reply came, whatever its status.
    Answered,
    /// There is no whole reply: the request failed, or it was abandoned.
    Failed,
    /// Nothing was sent: a token had expired while the request waited for its turn.
    GivenBack,
}

struct Guarded<G>(Mutex<Option<G>>);

impl<G: Send + 'static> Admitted for Guarded<G> {
    fn departed(&self) {}

    fn ended(&self, _: Ending) {
        // A guard that panics when it is dropped does not affect this permit.
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_free_when_the_permit_is_dropped_whoever_still_knows_of_the_request() {
        let guard = Arc::new(());
        let permit = Permit::new(guard.clone());
        let departure = permit.departure();
        assert_eq!(format!("{permit:?}"), "Permit(..)");
        drop(permit);
        assert_eq!(Arc::strong_count(&guard), 1);
        departure.tell();
    }
}
