//! The built-in rate limiter: one queue for the clients of one process.
//!
//! Each window that counts only certain endpoints has a separate queue in front of the global queue, so requests for
//! other endpoints do not wait for that window. A request passes its queues in a fixed order, which rules out a
//! deadlock, and counts in the windows of these queues when it is sent. The first request in a queue waits for a slot,
//! for room in every window, for the interval that keeps an even pace, and for the end of a pause. An idle client sends
//! up to ten requests at once if the limit allows it. Dropping the future of a permit releases its position in the
//! queue and its slots.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Notify;

use super::limit::LimitWindow;
use super::queue::{Queue, Rank};
use super::safety_margin::YEAR;
use super::state::{Closed, State};
use super::{AcquireFuture, Attempt, GateTime, Permit, PermitObserver, RateLimit, RateLimiter};
use crate::platform::{Instant, lock, timeout_at};

/// The built-in rate limiter, which enforces a rate limit for one client and its clones.
///
/// Create one yourself if the API keys of several clients in one process share a limit, or to change the limit at run
/// time:
///
/// ```
/// # extern crate generated_client_runtime as runtime;
/// # mod invented { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/invented/service.rs")); }
/// # use invented::Client;
/// # use runtime::{RateLimit, rate_limit::ProcessRateLimiter};
/// # fn demo() -> Result<(), runtime::Error> {
/// use std::time::Duration;
///
/// let limiter = ProcessRateLimiter::new(RateLimit::new(10, Duration::from_secs(1), 20));
/// let one = Client::builder("https://example.com/v2").api_key("one").rate_limiter(limiter.clone()).build()?;
/// let other = Client::builder("https://example.com/v2").api_key("other").rate_limiter(limiter.clone()).build()?;
/// // Applies to both clients, which keep their tokens and connections.
/// limiter.set_rate_limit(RateLimit::new(20, Duration::from_secs(1), 20));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ProcessRateLimiter(Arc<Mutex<Queues>>);

/// The queues of a limit.
struct Queues {
    limit: RateLimit,
    all: LimitQueue,
    of_some: Vec<(LimitWindow, LimitQueue)>,
}

/// A queue, with the state of the windows for which its requests wait.
#[derive(Clone)]
struct LimitQueue(Arc<Mutex<Shared>>);

struct Shared {
    state: State,
    queue: Queue,
    /// The time at which this queue was created. At this time, the clock of the queue reads `BEGIN`.
    begun: Instant,
}

/// The reading of a queue's clock when the queue is created. It is a year, so that earlier times can be represented.
const BEGIN: GateTime = YEAR;

impl Shared {
    fn now(&self) -> GateTime {
        BEGIN + self.begun.elapsed()
    }
}

impl ProcessRateLimiter {
    /// Creates a rate limiter that enforces this limit.
    pub fn new(limit: RateLimit) -> Self {
        let mut of_all = limit.clone();
        let of_some =
            of_all.take_of_some().into_iter().map(|window| (window, LimitQueue::new(window.alone()))).collect();
        Self(Arc::new(Mutex::new(Queues { limit, all: LimitQueue::new(of_all), of_some })))
    }

    /// Changes the limit for all requests that have not been sent yet. Requests in flight and earlier requests still
    /// count, except in an additional window for certain endpoints, which counts only later requests. A pause after a
    /// 429 continues.
    pub fn set_rate_limit(&self, limit: RateLimit) {
        let queues = &mut *lock(&self.0);
        let mut of_all = limit.clone();
        let (mut new, old) = (of_all.take_of_some(), queues.limit.clone().take_of_some());
        // A queue keeps its window, or gets a new window for the same endpoints. If the new limit has neither, all
        // requests in the queue pass. The order of the queues does not change, because a request may already have
        // passed some of them.
        queues.of_some.retain_mut(|(window, queue)| {
            let is_next = |next: &&LimitWindow| next.endpoints == window.endpoints && !old.contains(next);
            let next = new.iter().find(|next| *next == window).or_else(|| new.iter().find(is_next)).copied();
            queue.set_limit(next.map_or(RateLimit::none(), LimitWindow::alone));
            new.retain(|other| Some(*other) != next);
            next.inspect(|next| *window = *next).is_some()
        });
        queues.of_some.extend(new.into_iter().map(|window| (window, LimitQueue::new(window.alone()))));
        queues.limit = limit;
        queues.all.set_limit(of_all);
    }

    /// Returns whether a request could be sent now.
    #[cfg(test)]
    pub(super) fn is_open(&self) -> bool {
        let queues = lock(&self.0);
        let shared = lock(&queues.all.0);
        shared.state.is_open(shared.now(), 1).is_ok()
    }
}

impl Queues {
    /// Returns the queues that an attempt passes, always in the same order, so that no two attempts wait for each
    /// other.
    fn of(&self, attempt: Attempt) -> Vec<LimitQueue> {
        let counts = |window: &LimitWindow| attempt.endpoint().is_some_and(|endpoint| window.counts(endpoint));
        let of_some = self.of_some.iter().filter(|(window, _)| counts(window)).map(|(_, queue)| queue);
        of_some.chain([&self.all]).cloned().collect()
    }
}

impl LimitQueue {
    fn new(limit: RateLimit) -> Self {
        let (state, queue) = (State::new(limit), Queue::default());
        Self(Arc::new(Mutex::new(Shared { state, queue, begun: Instant::now() })))
    }

    fn set_limit(&self, limit: RateLimit) {
        let mut shared = lock(&self.0);
        shared.state.set_limit(limit);
        // The new limit may let the first request in the queue pass.
        shared.queue.wake();
    }

    /// Waits until a request may pass. Dropping the future removes the request from the queue.
    async fn pass(&self, rank: Rank, weight: usize) {
        let woken = lock(&self.0).queue.join(rank);
        let waiting = Waiting { shared: &self.0, woken, weight };
        while let Err(later) = waiting.look() {
            match later {
                // The state is checked again after a notification and after the timeout.
                Some(later) => drop(timeout_at(later, waiting.woken.notified()).await),
                None => waiting.woken.notified().await,
            }
        }
    }
}

impl RateLimiter for ProcessRateLimiter {
    fn acquire(&self, attempt: Attempt) -> AcquireFuture<'_> {
        let (rank, weight) = (Rank::from(attempt), usize::try_from(attempt.weight()).unwrap_or(usize::MAX));
        Box::pin(async move {
            let queues = lock(&self.0).of(attempt);
            let mut admission = Admission { queues, passed: 0, weight, progress: Mutex::default() };
            while let Some(queue) = admission.queues.get(admission.passed) {
                queue.pass(rank, weight).await;
                admission.passed += 1;
            }
            Ok(Permit::with_observer(admission))
        })
    }

    fn on_rate_limited(&self, pause: Duration) {
        let queues = lock(&self.0);
        // A 429 does not show which window was full, so all queues pause.
        for queue in queues.of_some.iter().map(|(_, queue)| queue).chain([&queues.all]) {
            let mut shared = lock(&queue.0);
            let now = shared.now();
            shared.state.rate_limited(now, pause);
        }
    }

    fn rate_limit(&self) -> Option<RateLimit> {
        Some(lock(&self.0).limit.clone())
    }
}

/// An attempt in a queue; dropping it removes the attempt from the queue.
struct Waiting<'g> {
    shared: &'g Mutex<Shared>,
    woken: Arc<Notify>,
    weight: usize,
}

impl Waiting<'_> {
    /// Lets the attempt pass if possible. Otherwise returns the time at which to check again at the latest, or `None`
    /// if the attempt can pass only after a notification.
    fn look(&self) -> Result<(), Option<Instant>> {
        let shared = &mut *lock(self.shared);
        if !shared.queue.leads(&self.woken) {
            return Err(None);
        }
        let now = shared.now();
        shared.state.enter(now, self.weight).map_err(|closed| match closed {
            Closed::Full => None,
            Closed::Until(later) => Some(shared.begun + later.saturating_sub(BEGIN)),
        })
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        lock(self.shared).queue.leave(&self.woken);
    }
}

/// A request and the queues that it passes. An admission that is dropped before its request has ended, for example
/// while the request waits in a queue, releases the slots in the queues that the request has passed.
struct Admission {
    queues: Vec<LimitQueue>,
    /// The number of queues that the request has passed.
    passed: usize,
    weight: usize,
    /// This lock is held only briefly, and is always taken before the lock of a queue, which rules out a deadlock.
    progress: Mutex<Progress>,
}

/// The reports about a request so far.
#[derive(Default)]
struct Progress {
    is_sent: bool,
    /// True once the request received a response, failed or was cancelled.
    has_ended: bool,
}

impl PermitObserver for Admission {
    fn on_sent(&self) {
        let mut progress = lock(&self.progress);
        progress.is_sent = true;
        for LimitQueue(shared) in self.queues.iter().take(self.passed) {
            let mut shared = lock(shared);
            let now = shared.now();
            if progress.has_ended {
                // The request was cancelled, so it no longer counts as pending, but now the transport reports that it
                // was sent.
                shared.state.count(now, self.weight);
            } else {
                shared.state.sent(now, self.weight);
            }
        }
    }

    fn on_end(&self) {
        let mut progress = lock(&self.progress);
        // This method is called again when the admission is dropped.
        if std::mem::replace(&mut progress.has_ended, true) {
            return;
        }
        for LimitQueue(shared) in self.queues.iter().take(self.passed) {
            let mut shared = lock(shared);
            let now = shared.now();
            // If the request was not sent, another request may be sent instead, but not before the end of a pause.
            if !progress.is_sent {
                shared.state.unsent(now, self.weight);
            }
            shared.state.ended();
            shared.queue.wake();
        }
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        self.on_end();
    }
}

impl fmt::Debug for ProcessRateLimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ProcessRateLimiter").field(&lock(&self.0).limit).finish()
    }
}
