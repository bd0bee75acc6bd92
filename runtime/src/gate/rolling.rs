//! The built-in gate: one queue in one process.
//!
//! Whoever is first in the queue waits for a place among those under way, for room in every window and
//! for the end of a pause. What the limit allows goes out at once.
//! Nobody owns anything that dropping a future does not give back, so whoever gives up leaves no debt.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::window::{Windows, YEAR};
use super::{Attempt, Counted, Gate, GateError, Permit, PermitFuture, RateLimit};

/// The gate of one client and its clones.
pub(crate) struct RollingGate {
    /// Held by the first in the queue; fair, so the others are served in the order in which they came.
    first: tokio::sync::Mutex<()>,
    places: Option<Arc<Semaphore>>,
    shared: Arc<Shared>,
}

/// What the permits give back to.
struct Shared {
    state: Mutex<State>,
    /// Told when the first in the queue may not have to wait as long as it thinks.
    earlier: Notify,
}

struct State {
    windows: Windows,
    /// The service wants no requests before.
    paused: Option<Instant>,
    /// Requests leave one by one before, and slower than allowed.
    slow: Option<Instant>,
    /// When the last request passed.
    last: Option<Instant>,
}

/// After a pause the gate is slow for so long, …
const SLOW: Duration = Duration::from_secs(30);

/// … with so many times the usual distance between requests.
const SLOWER: u32 = 2;

impl RollingGate {
    pub(crate) fn new(limit: RateLimit) -> Self {
        let (windows, concurrent) = limit.into_parts();
        let places = concurrent.map(|places| Arc::new(Semaphore::new(places.min(Semaphore::MAX_PERMITS))));
        let state = State { windows: Windows::new(windows), paused: None, slow: None, last: None };
        let shared = Arc::new(Shared { state: Mutex::new(state), earlier: Notify::new() });
        Self { first: tokio::sync::Mutex::default(), places, shared }
    }

    /// Whether a request could leave, if there is a place for it.
    #[cfg(test)]
    pub(super) fn is_open(&self) -> bool {
        self.shared.state().later(Instant::now()).is_none()
    }

    async fn turn(&self) -> Result<Permit, GateError> {
        let _first = self.first.lock().await;
        let place = match &self.places {
            Some(places) => Some(places.clone().acquire_owned().await.map_err(|error| closed().because(error))?),
            None => None,
        };
        loop {
            let now = Instant::now();
            let entered = self.shared.state().enter(now);
            match entered {
                Ok(()) => return Ok(Permit::of(Entered { at: Some(now), shared: self.shared.clone(), _place: place })),
                // Either way the state is looked at again.
                Err(later) => drop(tokio::time::timeout_at(later, self.shared.earlier.notified()).await),
            }
        }
    }
}

impl Gate for RollingGate {
    fn enter(&self, _: Attempt) -> PermitFuture<'_> {
        Box::pin(self.turn())
    }

    fn refused(&self, pause: Duration) {
        self.shared.state().refused(Instant::now(), pause);
    }
}

fn closed() -> GateError {
    GateError::new("the gate is closed")
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // The state is whole between any two of its statements, so a panic elsewhere does no harm.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Lets a request go, or says how long it has to wait.
    fn enter(&mut self, now: Instant) -> Result<(), Instant> {
        if let Some(later) = self.later(now) {
            return Err(later);
        }
        self.windows.permit();
        self.last = Some(now);
        Ok(())
    }

    /// How long a request has to wait, if it has to.
    fn later(&self, now: Instant) -> Option<Instant> {
        let slow = self.slow.filter(|slow| now < *slow);
        let apart =
            slow.and_then(|slow| Some(self.last?.checked_add(self.windows.gap()?.saturating_mul(SLOWER))?.min(slow)));
        let later = [self.windows.room_from(now), self.paused, apart].into_iter().flatten().max();
        later.filter(|later| *later > now)
    }

    fn refused(&mut self, now: Instant, pause: Duration) {
        let until = now.checked_add(pause.min(YEAR));
        self.paused = self.paused.max(until);
        self.slow = self.slow.max(until.and_then(|until| until.checked_add(SLOW)));
    }
}

/// A request that has passed.
struct Entered {
    /// When; `None` as soon as it is known whether and when it left.
    at: Option<Instant>,
    shared: Arc<Shared>,
    _place: Option<OwnedSemaphorePermit>,
}

impl Counted for Entered {
    fn give_back(&mut self) {
        if self.at.take().is_some() {
            self.shared.state().windows.forget();
            self.shared.earlier.notify_one();
        }
    }

    fn departed(&mut self, after: Duration) {
        if let Some(at) = self.at.take() {
            let now = Instant::now();
            self.shared.state().windows.count(at.checked_add(after).map_or(now, |left| left.min(now)), now);
            self.shared.earlier.notify_one();
        }
    }
}

/// What failed or was given up may have left at any time until now.
impl Drop for Entered {
    fn drop(&mut self) {
        if self.at.take().is_some() {
            let now = Instant::now();
            self.shared.state().windows.count(now, now);
            self.shared.earlier.notify_one();
        }
    }
}
