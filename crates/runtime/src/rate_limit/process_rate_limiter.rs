//! The built-in rate limiter: one queue for the clients of one process.
//!
//! Each window that counts only certain endpoints has a separate queue in front of the global queue, so requests for
//! other endpoints do not wait for that window. A request passes its queues in a fixed order, which rules out a
//! deadlock, and counts in the windows of these queues when it is sent. The first request in a queue waits for a slot,
//! for room in every window, for the interval that keeps an even pace, and for the end of a pause. If it does not use its
//! turn, for example because its thread computes, the next request passes it. An idle client sends
//! up to ten requests at once if the limit allows it. Dropping the future of a permit releases its position in the
//! queue and its slots.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Notify;

use super::limit::{LimitWindow, RateLimit};
use super::limiter_time::{LimiterTime, YEAR};
use super::queue::{Queue, Ticket};
use super::state::{Closed, State};
use super::{AcquireFuture, Attempt, Permit, PermitObserver, Rank, RateLimiter};
use crate::platform::{Instant, lock, timeout_at};

/// The built-in rate limiter, which enforces a rate limit for one client and its clones.
///
/// Create one yourself if the API keys of several clients in one process share a limit:
///
/// ```
/// # extern crate generated_client_runtime as runtime;
/// # use test_service::invented::Client;
/// # use runtime::{RateLimit, rate_limit::ProcessRateLimiter};
/// # fn demo() -> Result<(), runtime::Error> {
/// use std::time::Duration;
///
/// let limiter = ProcessRateLimiter::new(RateLimit::new(10, Duration::from_secs(1), 20));
/// let one = Client::builder("https://example.com/v2").api_key("one").rate_limiter(limiter.clone()).build()?;
/// let other = Client::builder("https://example.com/v2").api_key("other").rate_limiter(limiter).build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ProcessRateLimiter(Arc<Queues>);

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
const BEGIN: LimiterTime = YEAR;

impl Shared {
    fn now(&self) -> LimiterTime {
        BEGIN + self.begun.elapsed()
    }

    fn instant(&self, time: LimiterTime) -> Instant {
        self.begun + time.saturating_sub(BEGIN)
    }
}

impl ProcessRateLimiter {
    /// Creates a rate limiter that enforces this limit.
    pub fn new(limit: RateLimit) -> Self {
        let mut of_all = limit.clone();
        let mut of_some = Vec::new();
        for window in of_all.take_of_some() {
            of_some.push((window, LimitQueue::new(window.alone())));
        }
        Self(Arc::new(Queues { limit, all: LimitQueue::new(of_all), of_some }))
    }

    /// Admits a request at once, because another rate limiter has admitted it.
    #[doc(hidden)]
    #[cfg(feature = "__shared-rate-limit")]
    pub fn admit(&self, attempt: Attempt) -> Permit {
        let queues = self.0.of(attempt);
        let weight = usize::try_from(attempt.weight()).unwrap_or(usize::MAX);
        for queue in &queues {
            queue.admit(weight);
        }
        let passed = queues.len();
        Permit::with_observer(Admission { queues, passed, weight, progress: Mutex::default() })
    }

    /// Returns whether a request could be sent now.
    #[cfg(test)]
    pub(super) fn is_open(&self) -> bool {
        let shared = lock(&self.0.all.0);
        shared.state.is_open(shared.now(), 1).is_ok()
    }
}

impl Queues {
    /// Returns the queues that an attempt passes, always in the same order, so that no two attempts wait for each
    /// other.
    fn of(&self, attempt: Attempt) -> Vec<LimitQueue> {
        let mut queues = Vec::new();
        for (window, queue) in &self.of_some {
            if attempt.endpoint().is_some_and(|endpoint| window.counts(endpoint)) {
                queues.push(queue.clone());
            }
        }
        queues.push(self.all.clone());
        queues
    }
}

impl LimitQueue {
    fn new(limit: RateLimit) -> Self {
        let shared = Shared { state: State::new(limit), queue: Queue::default(), begun: Instant::now() };
        Self(Arc::new(Mutex::new(shared)))
    }

    fn rate_limited(&self, pause: Duration) {
        let mut shared = lock(&self.0);
        let now = shared.now();
        shared.state.rate_limited(now, pause);
    }

    fn close_for(&self, pause: Duration) {
        let mut shared = lock(&self.0);
        let now = shared.now();
        shared.state.close(now.saturating_add(pause.min(YEAR)));
    }

    #[cfg(feature = "__shared-rate-limit")]
    fn admit(&self, weight: usize) {
        let mut shared = lock(&self.0);
        let now = shared.now();
        shared.state.admit(now, weight);
    }

    /// Waits until a request may pass. Dropping the future removes the request from the queue.
    async fn pass(&self, rank: Rank, weight: usize) {
        let (ticket, woken) = lock(&self.0).queue.join(rank, weight);
        let mut waiting = Waiting { shared: &self.0, ticket, woken, weight, overtakes_at: None };
        while let Err(later) = waiting.look() {
            // The state is checked again after a notification and after the timeout.
            drop(timeout_at(later, waiting.woken.notified()).await);
        }
    }
}

impl RateLimiter for ProcessRateLimiter {
    fn acquire(&self, attempt: Attempt) -> AcquireFuture<'_> {
        let weight = usize::try_from(attempt.weight()).unwrap_or(usize::MAX);
        Box::pin(async move {
            let queues = self.0.of(attempt);
            let mut admission = Admission { queues, passed: 0, weight, progress: Mutex::default() };
            while let Some(queue) = admission.queues.get(admission.passed) {
                queue.pass(attempt.rank, weight).await;
                admission.passed += 1;
            }
            Ok(Permit::with_observer(admission))
        })
    }

    fn on_rate_limited(&self, pause: Duration) {
        // A 429 does not show which window was full, so all queues pause.
        for (_, queue) in &self.0.of_some {
            queue.rate_limited(pause);
        }
        self.0.all.rate_limited(pause);
    }

    fn on_exhausted(&self, pause: Duration) {
        // The headers do not show which window is full either.
        for (_, queue) in &self.0.of_some {
            queue.close_for(pause);
        }
        self.0.all.close_for(pause);
    }

    fn rate_limit(&self) -> Option<RateLimit> {
        Some(self.0.limit.clone())
    }
}

/// An attempt in a queue; dropping it removes the attempt from the queue.
struct Waiting<'g> {
    shared: &'g Mutex<Shared>,
    ticket: Ticket,
    woken: Arc<Notify>,
    weight: usize,
    /// The time from which the attempt may pass those before it; `None` if it could not have passed when it last looked.
    overtakes_at: Option<LimiterTime>,
}

/// The time for which each attempt lets those before it use their turn.
const TURN: Duration = Duration::from_millis(50);

impl Waiting<'_> {
    /// Lets the attempt pass if possible. Otherwise returns the time at which to check again at the latest. An attempt
    /// relies on no notification, because another attempt may have received it and not use its turn.
    fn look(&mut self) -> Result<(), Instant> {
        let shared = &mut *lock(self.shared);
        let now = shared.now();
        let (position, heaviest) = shared.queue.position(self.ticket);
        let turn = TURN.saturating_mul(u32::try_from(position).unwrap_or(u32::MAX));
        // Only an attempt that could pass has a turn, so a lighter attempt does not pass a heavier one that waits for room.
        let is_open = shared.state.is_open(now, heaviest).is_ok();
        if position > 0 && is_open {
            let overtakes_at = *self.overtakes_at.get_or_insert(now + turn);
            if now < overtakes_at {
                shared.queue.wake();
                return Err(shared.instant(overtakes_at));
            }
            shared.queue.overtake(self.ticket);
        }
        self.overtakes_at = None;
        let weight = if is_open { self.weight } else { heaviest };
        match shared.state.enter(now, weight) {
            Ok(()) => Ok(()),
            Err(Closed::Full) => Err(shared.instant(now + turn + TURN)),
            Err(Closed::Until(later)) => Err(shared.instant(later + turn)),
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        lock(self.shared).queue.leave(self.ticket);
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
        f.debug_tuple("ProcessRateLimiter").field(&self.0.limit).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use super::*;
    use crate::registry::EndpointInfo;
    use crate::request::RequestKind;

    const SECOND: Duration = Duration::from_secs(1);

    /// Returns the time at which each of five requests passes behind three attempts that were polled once and then no
    /// more, as in a runtime that is not driven, in milliseconds.
    async fn check(limit: RateLimit) -> Vec<u128> {
        let limiter = ProcessRateLimiter::new(limit);
        let acquire = || limiter.acquire(Attempt::new(RequestKind::Token, 1));
        let first = acquire().await.unwrap();
        first.on_sent.notify();
        let mut stalled: Vec<_> = (0..3).map(|_| acquire()).collect();
        for permit in &mut stalled {
            assert!(matches!(permit.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Pending));
        }
        let (begun, mut passed) = (Instant::now(), Vec::new());
        tokio::spawn(async move {
            tokio::time::sleep(SECOND).await;
            drop(first);
        });
        for _ in 0..5 {
            let permit = acquire().await.unwrap();
            permit.on_sent.notify();
            passed.push(begun.elapsed().as_millis());
        }
        for permit in stalled {
            drop(permit.await.unwrap());
        }
        passed
    }

    #[tokio::test(start_paused = true)]
    async fn attempts_that_do_not_use_their_turn_are_overtaken() {
        // The second request waits only for the rate limit, because the attempts before it are known to be stalled.
        let every_second = check(RateLimit::new(1, SECOND, 20)).await;
        let delays: Vec<_> = (1..).zip(&every_second).map(|(second, passed)| *passed - 1010 * second).collect();
        assert!(delays.iter().all(|delay| (0..500).contains(delay)) && delays[4] == delays[0], "{every_second:?}");
        let one_at_once = check(RateLimit::new(1000, SECOND, 1)).await;
        assert!((1000..1500).contains(&one_at_once[0]) && one_at_once[4] - one_at_once[0] < 10, "{one_at_once:?}");
    }

    const LIGHT: RequestKind = RequestKind::Data(&EndpointInfo::new("market", "light", "Light"));
    const HEAVY: RequestKind = RequestKind::Data(&EndpointInfo::new("market", "heavy", "Heavy").weight(10));

    /// A heavy attempt needs the entire window. Lighter attempts do not take the room for which it waits.
    #[tokio::test(start_paused = true)]
    async fn a_heavy_attempt_passes_among_lighter_ones() {
        for (rank, lights) in [(Rank::First, 1), (Rank::First, 3), (Rank::First, 20), (Rank::Live, 10)] {
            let limiter = ProcessRateLimiter::new(RateLimit::new(10, SECOND, 100));
            for _ in 0..lights {
                let limiter = limiter.clone();
                tokio::spawn(async move {
                    loop {
                        let permit = limiter.acquire(Attempt::new(LIGHT, 1)).await.unwrap();
                        permit.on_sent.notify();
                        tokio::time::sleep(SECOND / 20).await;
                    }
                });
            }
            tokio::time::sleep(5 * SECOND).await;
            let heavy = limiter.acquire(Attempt::with_rank(HEAVY, 1, rank, 10));
            assert!(tokio::time::timeout(5 * SECOND, heavy).await.is_ok(), "{lights} lighter attempts");
        }
    }

    /// An attempt waits for a slot. An attempt with a higher rank joins, whose runtime is not driven, and receives the
    /// notification.
    #[tokio::test(start_paused = true)]
    async fn an_attempt_passes_if_another_received_its_notification() {
        let limiter = ProcessRateLimiter::new(RateLimit::new(1000, SECOND, 1));
        let first = limiter.acquire(Attempt::new(LIGHT, 1)).await.unwrap();
        first.on_sent.notify();
        let own = limiter.clone();
        let waiting = tokio::spawn(async move { drop(own.acquire(Attempt::new(LIGHT, 1)).await.unwrap()) });
        tokio::time::sleep(SECOND).await;
        let mut token = limiter.acquire(Attempt::new(RequestKind::Token, 1));
        assert!(matches!(token.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Pending));
        drop(first);
        tokio::time::sleep(SECOND).await;
        assert!(waiting.is_finished());
    }
}
