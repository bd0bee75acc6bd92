//! Delays requests, so that the client stays within the rate limit of the service.
//!
//! Before a request is sent, the client acquires a [`Permit`] from a [`RateLimiter`] and keeps the permit until the
//! response is complete. The built-in rate limiter, [`ProcessRateLimiter`], is for one client and its clones, or for
//! all clients of a process that share it. It admits token requests first, then the requests of followers, retries,
//! other requests, and pages of histories, and spaces queued requests evenly. If several processes share an API key, set
//! a custom rate limiter with `Builder::rate_limiter`. A rate limiter sends nothing and does not read responses.

// The modules, lowest layer first, as in `lib.rs`.
pub(crate) mod limiter_time;

#[cfg(feature = "__shared-rate-limit")]
mod stored_times;

mod learned_margin;

pub(crate) mod window;

pub(crate) mod limit;

#[cfg(feature = "__shared-rate-limit")]
pub(crate) mod account;

mod queue;

mod pace;

mod state;

#[cfg(feature = "__shared-rate-limit")]
mod stored_state;

mod process_rate_limiter;

#[cfg(test)]
mod tests;

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::error::Error;
use crate::platform::{catch_panic, lock};
use crate::registry::EndpointInfo;
use crate::request::RequestKind;
use crate::transport::SentNotifier;

pub(crate) use limit::RateLimit;
pub use process_rate_limiter::ProcessRateLimiter;

/// The rules of the built-in rate limiter, for a rate limiter that stores its state elsewhere.
///
/// These rules may change with any release, so a crate that uses them must depend on an exact version of the runtime.
#[doc(hidden)]
pub mod rules {
    #[cfg(feature = "__shared-rate-limit")]
    pub use super::account::Account;
    pub use super::limiter_time::LimiterTime;
    pub use super::state::{Closed, State};
}

/// Limits the rate of requests.
///
/// Several processes can share a limit. The crate `generated-client-shared-rate-limit` is a rate limiter that stores its
/// state in a file, or in Redis or Valkey for several machines, and has all features of the built-in limiter. The limiter
/// in this example only asks a shared counter for the delay before the next request:
///
/// ```
/// # use generated_client_runtime::rate_limit::{Attempt, RateLimiter, Permit, AcquireFuture};
/// # use generated_client_runtime::{Error, ErrorKind};
/// use std::time::Duration;
///
/// # struct Counter;
/// # impl Counter {
/// #     async fn take(&self) -> Result<Option<Duration>, std::io::Error> { Ok(None) }
/// #     fn block(&self, _: Duration) {}
/// # }
/// struct CountingLimiter {
///     counter: Counter,
/// }
///
/// impl RateLimiter for CountingLimiter {
///     fn acquire(&self, _: Attempt) -> AcquireFuture<'_> {
///         Box::pin(async move {
///             loop {
///                 match self.counter.take().await {
///                     Ok(None) => return Ok(Permit::new(())),
///                     Ok(Some(wait)) => tokio::time::sleep(wait).await,
///                     Err(error) => {
///                         let message = "the shared counter cannot be reached";
///                         return Err(Error::retryable(ErrorKind::Queue, message).with_source(error));
///                     }
///                 }
///             }
///         })
///     }
///
///     fn on_rate_limited(&self, pause: Duration) {
///         self.counter.block(pause);
///     }
/// }
/// # let limiter = CountingLimiter { counter: Counter };
/// # extern crate generated_client_runtime as runtime;
/// # use test_service::invented::Client;
/// # let _ = Client::builder("https://example.com/v2").rate_limiter(limiter);
/// ```
pub trait RateLimiter: Send + Sync + 'static {
    /// Waits until an attempt may be sent. Dropping the future removes the attempt from the queue.
    ///
    /// A rate limiter that cannot decide returns an error with [`ErrorKind::Queue`](crate::ErrorKind::Queue); if the error
    /// is retryable, the request is retried later.
    ///
    /// The client reports to the permit when the request is sent and when it ends; see [`Permit::with_observer`].
    fn acquire(&self, attempt: Attempt) -> AcquireFuture<'_>;

    /// Called after a 429, or after a body that reports a rate limit. The service accepts no requests for the duration `pause`.
    fn on_rate_limited(&self, pause: Duration);

    /// Called after a response that was not rejected, but reports that nothing of the rate limit is left (`rate_limit_headers`
    /// of the catalogue). The service accepts no further requests for the duration `pause`.
    ///
    /// By default, this is a pause like that after a 429. A rate limiter that slows down after a 429 has no reason for that
    /// here.
    fn on_exhausted(&self, pause: Duration) {
        self.on_rate_limited(pause);
    }

    /// Returns the enforced limit, from which a history estimates its duration; `None` if the limit is unknown.
    fn rate_limit(&self) -> Option<RateLimit> {
        None
    }
}

impl<G: RateLimiter + ?Sized> RateLimiter for Arc<G> {
    fn acquire(&self, attempt: Attempt) -> AcquireFuture<'_> {
        (**self).acquire(attempt)
    }

    fn on_rate_limited(&self, pause: Duration) {
        (**self).on_rate_limited(pause);
    }

    fn on_exhausted(&self, pause: Duration) {
        (**self).on_exhausted(pause);
    }

    fn rate_limit(&self) -> Option<RateLimit> {
        (**self).rate_limit()
    }
}

/// The future that [`RateLimiter::acquire`] returns.
pub type AcquireFuture<'g> = Pin<Box<dyn Future<Output = Result<Permit, Error>> + Send + 'g>>;

/// The rank of an attempt in the queue: the lowest is first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Rank {
    /// A token request, for which data requests wait.
    Token,
    /// A request of a follower, whose records are wanted as soon as they are published.
    Live,
    /// A request that has been sent before, and has waited before.
    Retry,
    /// A request that has not been sent before.
    First,
    /// A further page of a history, or of the backlog of a follower. It waits for as long as others use the entire limit.
    Bulk,
}

/// An attempt that is about to be sent.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Attempt {
    /// The kind of the request.
    pub request: RequestKind,
    /// The number of the attempt, counted from one.
    pub number: u32,
    /// The rank in the queue.
    pub rank: Rank,
    /// The number of requests that the service counts for the attempt.
    pub(crate) weight: u32,
}

impl Attempt {
    /// Creates attempt `number` of a request that is not a follower's or a further page of a history.
    pub fn new(request: RequestKind, number: u32) -> Self {
        let weight = match request {
            RequestKind::Data(endpoint) => endpoint.weight.max(1),
            RequestKind::Token => 1,
        };
        Self::with_rank(request, number, Rank::First, weight)
    }

    /// Creates attempt `number` of a request with the rank `first` of its first attempt, if it is a data request.
    pub(crate) fn with_rank(request: RequestKind, number: u32, first: Rank, weight: u32) -> Self {
        let rank = match (request, first, number) {
            (RequestKind::Token, ..) => Rank::Token,
            (_, Rank::First | Rank::Bulk, 2..) => Rank::Retry,
            _ => first,
        };
        Self { request, number, rank, weight }
    }

    /// Returns the weight of the request, which is the number of requests that the service counts for the attempt.
    pub fn weight(self) -> u32 {
        self.weight
    }

    /// Returns the endpoint of a data request; `None` for a token request.
    pub(super) fn endpoint(self) -> Option<&'static EndpointInfo> {
        match self.request {
            RequestKind::Data(endpoint) => Some(endpoint),
            RequestKind::Token => None,
        }
    }
}

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
        let observer = admitted.clone();
        let is_sent = AtomicBool::new(false);
        let on_sent = SentNotifier::new(move || {
            // A transport that resends a request internally may notify more than once.
            if !is_sent.swap(true, Ordering::Relaxed) {
                catch_panic(|| observer.on_sent());
            }
        });
        Self { on_end: Mutex::new(Some(Box::new(move || admitted.on_end()))), on_sent }
    }

    /// Creates a permit that reports to its former observer and to this one.
    ///
    /// A rate limiter that contains another one counts the requests of the other limiter with it.
    pub fn also_observed_by(self, observer: impl PermitObserver) -> Self {
        Self::with_observer(ObservedPermit { permit: self, observer })
    }

    /// Reports the end of the request, once.
    fn end(&self) {
        let on_end = lock(&self.on_end).take();
        if let Some(on_end) = on_end {
            catch_panic(on_end);
        }
    }
}

/// A permit and a further observer of its request.
struct ObservedPermit<O> {
    permit: Permit,
    observer: O,
}

impl<O: PermitObserver> PermitObserver for ObservedPermit<O> {
    fn on_sent(&self) {
        self.permit.on_sent.notify();
        self.observer.on_sent();
    }

    fn on_end(&self) {
        self.permit.end();
        self.observer.on_end();
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.end();
    }
}

crate::debug::opaque_debug!(Permit);

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
