//! What holds requests back, so that the service's limits are kept.
//!
//! Before a request is sent, a [`Gate`] is asked for a [`Permit`], which is kept until the reply is complete. The
//! built-in gate, [`ProcessRateLimiter`], serves one client and its clones, or all clients of a process that are given it;
//! bring your own with [`Builder::gate`](crate::Builder::gate) where more than one process shares an API key. What arrives together need not leave together: the built-in gate lets
//! tokens go first, then retries, and a queue leave evenly. A gate sends nothing, and judges no reply.

mod attempt;
mod margin;
mod moment;
mod pace;
mod permit;
mod queue;
mod rate_limit;
mod rolling;
#[cfg(test)]
mod schedules;
#[cfg(test)]
mod simulation;
mod state;
mod window;
#[cfg(feature = "__gate-state")]
mod written;

use std::error::Error as StdError;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::error::{Again, Error, ErrorKind};
#[doc(inline)]
pub use crate::request::RequestKind;

pub use attempt::Attempt;
pub use permit::{Admitted, Ending, Permit};
pub use rate_limit::RateLimit;
pub use rolling::ProcessRateLimiter;

#[doc(hidden)]
pub use rate_limit::WindowOfSome;
#[doc(hidden)]
pub use window::Window;

/// The rules of the built-in gate, for one that keeps their state elsewhere.
///
/// They change with the runtime: a crate that uses them names its exact version.
#[doc(hidden)]
pub mod rules {
    pub use super::moment::Moment;
    pub use super::queue::Rank;
    pub use super::state::{Closed, State};
}

/// Holds requests back.
///
/// A fleet of machines shares a limit through something that they all reach. The crate `generated-client-shared-gate`
/// is a gate that is kept in Redis or Valkey, with all that the built-in one does. Here it is no more than a counter
/// that says how long to wait:
///
/// ```
/// # use runtime::gate::{Attempt, Gate, GateError, Permit, PermitFuture};
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
/// impl Gate for FleetGate {
///     fn enter(&self, _: Attempt) -> PermitFuture<'_> {
///         Box::pin(async move {
///             loop {
///                 match self.counter.take().await {
///                     Ok(None) => return Ok(Permit::new(())),
///                     Ok(Some(wait)) => tokio::time::sleep(wait).await,
///                     Err(error) => {
///                         return Err(GateError::new("the shared counter cannot be reached").because(error));
///                     }
///                 }
///             }
///         })
///     }
///
///     fn refused(&self, pause: Duration) {
///         self.counter.block(pause);
///     }
/// }
/// # let gate = FleetGate { counter: Counter };
/// # mod invented { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/invented/service.rs")); }
/// # use invented::Client;
/// # let _ = Client::builder("https://example.com/v2").gate(gate);
/// ```
pub trait Gate: Send + Sync + 'static {
    /// Waits for the turn of an attempt. Dropping the future gives up and leaves nothing behind.
    ///
    /// The client reports to the permit when the request leaves and how it ends: see [`Permit::of`].
    fn enter(&self, attempt: Attempt) -> PermitFuture<'_>;

    /// Notes that the service answered 429 and accepts no requests for this duration.
    fn refused(&self, pause: Duration);

    /// The limit that it keeps to, from which a history estimates its duration; `None` unless the gate says so.
    fn rate_limit(&self) -> Option<RateLimit> {
        None
    }
}

impl<G: Gate + ?Sized> Gate for Arc<G> {
    fn enter(&self, attempt: Attempt) -> PermitFuture<'_> {
        (**self).enter(attempt)
    }

    fn refused(&self, pause: Duration) {
        (**self).refused(pause);
    }

    fn rate_limit(&self) -> Option<RateLimit> {
        (**self).rate_limit()
    }
}

/// The future of a [`Permit`].
pub type PermitFuture<'g> = Pin<Box<dyn Future<Output = Result<Permit, GateError>> + Send + 'g>>;

/// Why a gate cannot decide whether a request may be sent. The request is tried again later.
#[derive(Clone, Debug)]
pub struct GateError {
    message: String,
    cause: Option<Arc<dyn StdError + Send + Sync>>,
}

impl GateError {
    /// A failure, in words that do not repeat the cause and hold no credentials.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), cause: None }
    }

    /// Says what caused it.
    pub fn because(mut self, cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.cause = Some(cause.into().into());
        self
    }

    pub(crate) fn into_cause(self) -> Option<Arc<dyn StdError + Send + Sync>> {
        self.cause
    }
}

impl fmt::Display for GateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for GateError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

/// A failure of the gate, taken over with its words and its cause.
impl From<GateError> for Error {
    fn from(error: GateError) -> Self {
        let message = error.to_string();
        Self::new(ErrorKind::Wait, message).again(Again::Yes).because(error.into_cause())
    }
}
