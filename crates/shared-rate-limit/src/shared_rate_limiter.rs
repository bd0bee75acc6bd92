//! The rate limiter: the queues of a process, and the rate limiter that serves if a file cannot be used.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use runtime::emitted::LimitWindow;
use runtime::rate_limit::{AcquireFuture, Attempt, Permit, ProcessRateLimiter, RateLimiter};
use runtime::{Error, RateLimit, RequestKind};
use tokio::time::Instant;

use crate::event::Event;
use crate::queue::{Queue, QueuedInAll};
use crate::status::Status;

/// A rate limiter that is shared by all processes that use an API key.
///
/// Cloning is cheap, and all clones act as one process. The rate limiter's worker ends once the last clone is dropped
/// and its requests in flight have ended.
#[derive(Clone)]
pub struct SharedRateLimiter(Arc<Handle>);

/// The queues of a rate limiter. Each has a separate shared state.
struct Handle {
    /// One queue for each window that counts only some endpoints, in the order of the limit. All requests join the
    /// queues in this order, so no two requests wait for each other.
    of_some: Vec<(LimitWindow, Queue)>,
    of_all: Queue,
    limit: RateLimit,
    /// The rate limiter that serves while the store cannot be used.
    fallback: Option<ProcessRateLimiter>,
}

impl SharedRateLimiter {
    pub(crate) fn new(
        of_some: Vec<(LimitWindow, Queue)>,
        of_all: Queue,
        limit: RateLimit,
        fallback: Option<ProcessRateLimiter>,
    ) -> Self {
        Self(Arc::new(Handle { of_some, of_all, limit, fallback }))
    }

    /// Reads the status of all processes from the store; the error gives the reason why the store cannot be used.
    ///
    /// The status does not include windows that count only the requests of some endpoints.
    pub async fn status(&self) -> Result<Status, Error> {
        self.0.of_all.status().await
    }

    /// Waits until the store has recorded which of this process's requests have ended.
    ///
    /// Call this method before a program with a limit in Redis exits: a request whose end is not recorded occupies its
    /// slot until the lease ends. If the store cannot be used, the method returns at once.
    pub async fn shutdown(&self) {
        for queue in self.0.queues() {
            // The store records all events before it returns the status. An error is ignored, because a store that cannot be
            // used cannot record anything.
            drop(queue.status().await);
        }
    }
}

impl Handle {
    fn queues(&self) -> Vec<&Queue> {
        let mut queues = Vec::new();
        for (_, queue) in &self.of_some {
            queues.push(queue);
        }
        queues.push(&self.of_all);
        queues
    }

    /// The queues that an attempt joins, one after the other.
    fn queues_of(&self, attempt: Attempt) -> Vec<&Queue> {
        let mut queues = Vec::new();
        // A window that is limited to certain endpoints never counts token requests.
        if let RequestKind::Data(endpoint) = attempt.request {
            let counting = self.of_some.iter().filter(|(window, _)| window.counts(endpoint));
            queues.extend(counting.map(|(_, queue)| queue));
        }
        queues.push(&self.of_all);
        queues
    }

    async fn acquire(&self, attempt: Attempt) -> Result<Permit, Error> {
        let queues = self.queues_of(attempt);
        let mut admitted = Vec::new();
        let mut earliest = Instant::now();
        for queue in &queues {
            match (queue.turn(attempt).await, &self.fallback) {
                (Ok(turn), _) => {
                    admitted.push(turn.request);
                    earliest = earliest.max(turn.at);
                }
                (Err(error), None) => return Err(error),
                (Err(_), Some(fallback)) => {
                    let permit = fallback.acquire(attempt).await?;
                    // The request counts in the shared states too, once the store can be used again.
                    for queue in &queues[admitted.len()..] {
                        admitted.push(queue.admit(attempt));
                    }
                    return Ok(permit.also_observed_by(QueuedInAll(admitted)));
                }
            }
        }
        let permit = match &self.fallback {
            // The fallback knows all requests of this process, in case that the store fails later.
            Some(fallback) => fallback.admit(attempt),
            None => Permit::new(()),
        };
        let permit = permit.also_observed_by(QueuedInAll(admitted));
        // A timer rounds up to the next millisecond, even for a time that has passed.
        if earliest > Instant::now() {
            // If this future is dropped here, the permit reports that nothing was sent.
            tokio::time::sleep_until(earliest).await;
        }
        Ok(permit)
    }
}

impl RateLimiter for SharedRateLimiter {
    fn acquire(&self, attempt: Attempt) -> AcquireFuture<'_> {
        Box::pin(self.0.acquire(attempt))
    }

    fn on_rate_limited(&self, pause: Duration) {
        // The response does not name the exceeded window, so all queues pause.
        for queue in self.0.queues() {
            queue.report(Event::RateLimited(Instant::now(), pause));
        }
        if let Some(fallback) = &self.0.fallback {
            fallback.on_rate_limited(pause);
        }
    }

    fn on_exhausted(&self, pause: Duration) {
        for queue in self.0.queues() {
            queue.report(Event::Exhausted(Instant::now(), pause));
        }
        if let Some(fallback) = &self.0.fallback {
            fallback.on_exhausted(pause);
        }
    }

    fn rate_limit(&self) -> Option<RateLimit> {
        Some(self.0.limit.clone())
    }
}

impl fmt::Debug for SharedRateLimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedRateLimiter").field("limit", &self.0.limit).finish_non_exhaustive()
    }
}
