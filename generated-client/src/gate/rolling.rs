//! The built-in gate: one queue in one process.
//!
//! Whoever is first in the queue waits for a place among those under way, for room in every window and
//! for the end of a pause. What the limit allows goes out at once.
//! Nobody owns anything that dropping a future does not give back, so whoever gives up leaves no debt.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::window::Windows;
use super::{Entering, Gate, GateError, Pass, Place, RateLimit};

/// The gate of one client and its clones.
pub(crate) struct RollingGate {
    /// Held by the first in the queue; fair, so the others are served in the order in which they came.
    first: tokio::sync::Mutex<()>,
    places: Option<Arc<Semaphore>>,
    shared: Arc<Shared>,
}

/// What the passes give back to.
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
}

/// After a pause the gate is slow for so long, …
const SLOW: Duration = Duration::from_secs(30);

/// … with so many times the usual distance between requests.
const SLOWER: u32 = 2;

impl RollingGate {
    pub(crate) fn new(limit: RateLimit) -> Self {
        let (windows, concurrent) = limit.into_parts();
        let places = concurrent.map(|places| Arc::new(Semaphore::new(places.min(Semaphore::MAX_PERMITS))));
        let state = State { windows: Windows::new(windows), paused: None, slow: None };
        let shared = Arc::new(Shared { state: Mutex::new(state), earlier: Notify::new() });
        Self { first: tokio::sync::Mutex::default(), places, shared }
    }

    async fn turn(&self) -> Result<Pass, GateError> {
        let _first = self.first.lock().await;
        let place = match &self.places {
            Some(places) => Some(places.clone().acquire_owned().await.map_err(|error| closed().because(error))?),
            None => None,
        };
        loop {
            let now = Instant::now();
            let entered = self.shared.state().enter(now);
            match entered {
                Ok(()) => return Ok(Pass::of(Entered { at: now, shared: self.shared.clone(), _place: place })),
                // Either way the state is looked at again.
                Err(later) => drop(tokio::time::timeout_at(later, self.shared.earlier.notified()).await),
            }
        }
    }
}

impl Gate for RollingGate {
    fn enter(&self) -> Entering<'_> {
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
    /// Counts a request, or says how long it has to wait.
    fn enter(&mut self, now: Instant) -> Result<(), Instant> {
        let slow = self.slow.filter(|slow| now < *slow);
        let apart = slow.and_then(|slow| Some(self.windows.apart_from_last(SLOWER)?.min(slow)));
        let later = [self.windows.room_from(), self.paused, apart].into_iter().flatten().max();
        match later {
            Some(later) if later > now => Err(later),
            _ => {
                self.windows.count(now);
                Ok(())
            }
        }
    }

    fn refused(&mut self, now: Instant, pause: Duration) {
        let until = now.checked_add(pause);
        self.paused = self.paused.max(until);
        self.slow = self.slow.max(until.and_then(|until| until.checked_add(SLOW)));
    }
}

/// A request that has passed.
struct Entered {
    at: Instant,
    shared: Arc<Shared>,
    _place: Option<OwnedSemaphorePermit>,
}

impl Place for Entered {
    fn give_back(&mut self) {
        self.shared.state().windows.forget(self.at);
        self.shared.earlier.notify_one();
    }

    fn departed(&mut self, after: Duration) {
        let Some(later) = self.at.checked_add(after) else { return };
        self.shared.state().windows.postpone(self.at, later);
        self.at = later;
    }
}
