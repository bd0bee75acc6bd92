//! Tokio's clock and tasks, and the randomness of the standard library.

use std::error::Error as StdError;
use std::future::Future;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::panic::resume_unwind;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::SystemTime;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;
pub(crate) use tokio::time::{Instant, Sleep, sleep, sleep_until, timeout, timeout_at};

/// The time of the system's clock.
pub(crate) fn now() -> SystemTime {
    SystemTime::now()
}

/// A random number from zero up to one: the keys of a new hash map are random enough to spread retries.
pub(crate) fn random() -> f64 {
    let bits = RandomState::new().build_hasher().finish() >> 32;
    f64::from(u32::try_from(bits).unwrap_or_default()) / (f64::from(u32::MAX) + 1.0)
}

/// The runtime that drives tasks and timers.
pub(crate) struct Runtime(Handle);

impl Runtime {
    /// The one that this code runs in, if there is one.
    pub(crate) fn current() -> Option<Self> {
        Handle::try_current().ok().map(Self)
    }

    pub(crate) fn spawn<T: Send + 'static>(&self, future: impl Future<Output = T> + Send + 'static) -> Task<T> {
        Task(self.0.spawn(future))
    }
}

/// A future that is driven beside others, until this is dropped.
///
/// It panics as the future did; it fails when the runtime ends first.
pub(crate) struct Task<T>(JoinHandle<T>);

impl<T> Future for Task<T> {
    type Output = Result<T, Arc<dyn StdError + Send + Sync>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let outcome = ready!(Pin::new(&mut self.0).poll(cx));
        Poll::Ready(outcome.map_err(|error| match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(error) => Arc::new(error) as _,
        }))
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
