//! The built-in gate: one queue in one process.
//!
//! Whoever is first in the queue waits for a place among those under way, for room in every window, for its turn at an
//! even pace and for the end of a pause. What a limit allows an idle client goes out at once, up to ten.
//! Dropping the future of a permit gives back its place in the queue and everything it had taken.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::queue::{Queue, Rank, Ticket};
use super::state::{Closed, State};
use super::{Admitted, Attempt, Ending, Gate, Permit, PermitFuture, RateLimit};

/// The gate of one client and its clones.
pub(crate) struct RollingGate(Arc<Mutex<Shared>>);

struct Shared {
    state: State,
    queue: Queue,
}

impl RollingGate {
    pub(crate) fn new(limit: RateLimit) -> Self {
        Self(Arc::new(Mutex::new(Shared { state: State::new(limit), queue: Queue::default() })))
    }

    /// Whether a request could leave.
    #[cfg(test)]
    pub(super) fn is_open(&self) -> bool {
        lock(&self.0).state.is_open(Instant::now(), 1).is_ok()
    }

    async fn turn(&self, attempt: Attempt) -> Permit {
        let (rank, weight) = (Rank::from(attempt), usize::try_from(attempt.weight()).unwrap_or(usize::MAX));
        let waiting = {
            let mut shared = lock(&self.0);
            if shared.queue.would_lead(rank) && shared.state.enter(Instant::now(), weight).is_ok() {
                return self.permit(weight);
            }
            let (ticket, woken) = shared.queue.join(rank);
            Waiting { shared: &self.0, ticket, woken, weight }
        };
        while let Err(later) = waiting.look() {
            match later {
                // Either way the state is looked at again.
                Some(later) => drop(tokio::time::timeout_at(later, waiting.woken.notified()).await),
                None => waiting.woken.notified().await,
            }
        }
        self.permit(weight)
    }

    fn permit(&self, weight: usize) -> Permit {
        Permit::of(Entered { shared: self.0.clone(), weight, progress: Mutex::new(Progress::Leaving) })
    }
}

impl Gate for RollingGate {
    fn enter(&self, attempt: Attempt) -> PermitFuture<'_> {
        Box::pin(async move { Ok(self.turn(attempt).await) })
    }

    fn refused(&self, pause: Duration) {
        lock(&self.0).state.refused(Instant::now(), pause);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic leaves the state valid, so a poisoned lock is taken all the same.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Somebody in the queue.
struct Waiting<'g> {
    shared: &'g Mutex<Shared>,
    ticket: Ticket,
    woken: Arc<Notify>,
    weight: usize,
}

impl Waiting<'_> {
    /// Passes if it may, or says when to look again, woken or not; `None` if not before it is woken.
    fn look(&self) -> Result<(), Option<Instant>> {
        let shared = &mut *lock(self.shared);
        if !shared.queue.leads(self.ticket) {
            return Err(None);
        }
        shared.state.enter(Instant::now(), self.weight).map_err(|closed| match closed {
            Closed::Full => None,
            Closed::Until(later) => Some(later),
        })
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        lock(self.shared).queue.leave(self.ticket);
    }
}

/// A request that has passed.
struct Entered {
    shared: Arc<Mutex<Shared>>,
    weight: usize,
    /// Locked for a few statements at most, and always before `shared`.
    progress: Mutex<Progress>,
}

#[derive(Clone, Copy)]
enum Progress {
    /// It has passed, and leaves at any time.
    Leaving,
    /// It left then.
    Left(Instant),
    /// Nobody waits for it any more.
    Ended,
}

impl Admitted for Entered {
    fn departed(&self) {
        let mut progress = lock(&self.progress);
        let mut shared = lock(&self.shared);
        let now = Instant::now();
        match *progress {
            Progress::Leaving => {
                *progress = Progress::Left(now);
                shared.state.departed(now, self.weight);
            }
            Progress::Left(_) => {}
            Progress::Ended => shared.state.count(now, self.weight),
        }
    }

    fn ended(&self, ending: Ending) {
        let progress = std::mem::replace(&mut *lock(&self.progress), Progress::Ended);
        let mut shared = lock(&self.shared);
        let now = Instant::now();
        match (progress, ending) {
            (Progress::Left(at), Ending::Answered) => shared.state.answered(now.saturating_duration_since(at)),
            // It was answered, so it left, whatever its transport has told.
            (Progress::Leaving, Ending::Answered) => shared.state.departed(now, self.weight),
            (Progress::Leaving, _) => shared.state.stayed(now, self.weight),
            _ => {}
        }
        shared.state.ended();
        shared.queue.wake();
    }
}
