//! The built-in gate: one queue in one process.
//!
//! Whoever is first in the queue waits for a place among those under way, for room in every window, for its turn at an
//! even pace and for the end of a pause. What a limit allows an idle client goes out at once, up to ten.
//! Dropping the future of a permit gives back its place in the queue and everything it had taken.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::margin::YEAR;
use super::moment::Moment;
use super::queue::{Queue, Rank, Ticket};
use super::state::{Closed, State};
use super::{Admitted, Attempt, Ending, Gate, Permit, PermitFuture, RateLimit};

/// The gate of one client and its clones.
pub(crate) struct RollingGate(Arc<Mutex<Shared>>);

struct Shared {
    state: State,
    queue: Queue,
    /// When the gate's time began.
    begun: Instant,
}

/// The gate's time when it begins: what is reckoned back from then has a place, too.
const BEGIN: Moment = Moment::after_origin(YEAR);

impl Shared {
    fn now(&self) -> Moment {
        BEGIN + self.begun.elapsed()
    }

    fn instant(&self, moment: Moment) -> Instant {
        self.begun + moment.saturating_since(BEGIN)
    }

    /// Lets the next request pass, if it may.
    fn enter(&mut self, weight: usize) -> Result<(), Closed> {
        let now = self.now();
        self.state.enter(now, weight)
    }
}

impl RollingGate {
    pub(crate) fn new(limit: RateLimit) -> Self {
        let (state, queue) = (State::new(limit), Queue::default());
        Self(Arc::new(Mutex::new(Shared { state, queue, begun: Instant::now() })))
    }

    /// Whether a request could leave.
    #[cfg(test)]
    pub(super) fn is_open(&self) -> bool {
        let shared = lock(&self.0);
        shared.state.is_open(shared.now(), 1).is_ok()
    }

    async fn turn(&self, attempt: Attempt) -> Permit {
        let (rank, weight) = (Rank::from(attempt), usize::try_from(attempt.weight()).unwrap_or(usize::MAX));
        let waiting = {
            let mut shared = lock(&self.0);
            if shared.queue.would_lead(rank) && shared.enter(weight).is_ok() {
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
        let mut shared = lock(&self.0);
        let now = shared.now();
        shared.state.refused(now, pause);
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
        shared.enter(self.weight).map_err(|closed| match closed {
            Closed::Full => None,
            Closed::Until(later) => Some(shared.instant(later)),
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
    Left(Moment),
    /// Nobody waits for it any more.
    Ended,
}

impl Admitted for Entered {
    fn departed(&self) {
        let mut progress = lock(&self.progress);
        let mut shared = lock(&self.shared);
        let now = shared.now();
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
        let now = shared.now();
        match (progress, ending) {
            (Progress::Left(at), Ending::Answered) => shared.state.answered(now.saturating_since(at)),
            // It was answered, so it left, whatever its transport has told.
            (Progress::Leaving, Ending::Answered) => shared.state.departed(now, self.weight),
            (Progress::Leaving, _) => shared.state.stayed(now, self.weight),
            _ => {}
        }
        shared.state.ended();
        shared.queue.wake();
    }
}
