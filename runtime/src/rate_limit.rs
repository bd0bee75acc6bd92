//! Delays requests, so that the client stays within the rate limit of the service.
//!
//! Before a request is sent, the client acquires a [`Permit`] from a [`RateLimiter`] and keeps the permit until the
//! response is complete. The built-in rate limiter, [`ProcessRateLimiter`], is for one client and its clones, or for
//! all clients of a process that share it. It admits token requests first, then the requests of followers, retries,
//! other requests, and pages of histories, and spaces queued requests evenly. If several processes share an API key, set a custom rate limiter with
//! [`Builder::rate_limiter`](crate::Builder::rate_limiter). A rate limiter sends nothing and does not read responses.

mod attempt;
pub(crate) mod limit;
mod permit;
mod queue;
mod rolling;
mod safety_margin;
#[cfg(test)]
mod schedules;
#[cfg(test)]
mod simulation;
mod state;
#[cfg(feature = "__gate-state")]
mod stored_times;
pub(crate) mod window;

use std::error::Error as StdError;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::error::{Again, Error, ErrorKind};

pub use attempt::{Attempt, Rank};
pub(crate) use limit::RateLimit;
pub use permit::{Permit, PermitObserver};
pub use rolling::ProcessRateLimiter;

/// The rules of the built-in rate limiter, for a rate limiter that stores its state elsewhere.
///
/// These rules may change with any release, so a crate that uses them must depend on an exact version of the runtime.
#[doc(hidden)]
pub mod rules {
    pub use super::GateTime;
    pub use super::state::{Closed, State};
}

/// A time on the clock of a rate limiter, as the duration since an origin that the owner of the state chooses.
///
/// Processes cannot read each other's clocks, so the state of a rate limiter contains no `Instant`. The built-in rate
/// limiter counts from one year before its creation. A rate limiter whose state is on a server counts from the epoch of
/// that server.
#[doc(hidden)]
pub type GateTime = Duration;

/// Limits the rate of requests.
///
/// Several machines can share a limit through a server. The crate `generated-client-shared-gate` is a rate limiter that
/// stores its state in Redis or Valkey, and has all features of the built-in limiter. The limiter in this example only
/// asks a shared counter for the delay before the next request:
///
/// ```
/// # use generated_client_runtime::rate_limit::{Attempt, RateLimiter, RateLimiterError, Permit, AcquireFuture};
/// use std::time::Duration;
///
/// # struct Counter;
/// # impl Counter {
/// #     async fn take(&self) -> Result<Option<Duration>, std::io::Error> { Ok(None) }
/// #     fn block(&self, _: Duration) {}
/// # }
/// struct FleetGate {
///     counter: Counter,
/// }
///
/// impl RateLimiter for FleetGate {
///     fn acquire(&self, _: Attempt) -> AcquireFuture<'_> {
///         Box::pin(async move {
///             loop {
///                 match self.counter.take().await {
///                     Ok(None) => return Ok(Permit::new(())),
///                     Ok(Some(wait)) => tokio::time::sleep(wait).await,
///                     Err(error) => {
///                         return Err(RateLimiterError::new("the shared counter cannot be reached").with_source(error));
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
/// # let gate = FleetGate { counter: Counter };
/// # extern crate generated_client_runtime as runtime;
/// # mod invented { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/invented/service.rs")); }
/// # use invented::Client;
/// # let _ = Client::builder("https://example.com/v2").rate_limiter(gate);
/// ```
pub trait RateLimiter: Send + Sync + 'static {
    /// Waits until an attempt may be sent. Dropping the future removes the attempt from the queue.
    ///
    /// The client reports to the permit when the request is sent and when it ends; see [`Permit::with_observer`].
    fn acquire(&self, attempt: Attempt) -> AcquireFuture<'_>;

    /// Called after a 429. The service accepts no requests for the duration `pause`.
    fn on_rate_limited(&self, pause: Duration);

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

    fn rate_limit(&self) -> Option<RateLimit> {
        (**self).rate_limit()
    }
}

/// The future that [`RateLimiter::acquire`] returns.
pub type AcquireFuture<'g> = Pin<Box<dyn Future<Output = Result<Permit, RateLimiterError>> + Send + 'g>>;

/// The error of a rate limiter that cannot decide whether a request may be sent. The request is retried later.
#[derive(Clone, Debug)]
pub struct RateLimiterError {
    message: String,
    cause: Option<Arc<dyn StdError + Send + Sync>>,
}

impl RateLimiterError {
    /// Creates an error. The message must contain neither credentials nor the text of the cause.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), cause: None }
    }

    /// Sets the cause.
    pub fn with_source(mut self, cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.cause = Some(cause.into().into());
        self
    }
}

impl fmt::Display for RateLimiterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for RateLimiterError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

/// Converts a failure of the rate limiter, with its message and its cause.
impl From<RateLimiterError> for Error {
    fn from(error: RateLimiterError) -> Self {
        Self::new(ErrorKind::Queue, error.message).again(Again::Yes).with_source(error.cause)
    }
}
