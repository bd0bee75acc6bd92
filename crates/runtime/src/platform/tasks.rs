//! Tasks of Tokio that end when their handle is dropped.

use std::panic::resume_unwind;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::{JoinError, JoinHandle};
use tokio::time::timeout;

use super::lock;

/// The Tokio runtime that drives tasks and timers.
#[derive(Clone)]
pub(crate) struct Runtime(Handle);

/// A runtime that starts no task within this time is considered stalled: either no thread runs it any more, or it has
/// shut down.
const STALLED: Duration = Duration::from_secs(1);

impl Runtime {
    /// Returns the runtime in which this code runs, if any.
    pub(crate) fn current() -> Option<Self> {
        Handle::try_current().ok().map(Self)
    }

    pub(crate) fn spawn<T: Send + 'static>(&self, future: impl Future<Output = T> + Send + 'static) -> Task<T> {
        let own = Driven(Arc::new(Mutex::new(Some(Box::pin(future)))));
        let driven = self.0.spawn(Driven(own.0.clone()));
        Task { driven, _own: own }
    }

    /// Returns whether tasks of this runtime make progress. A current-thread runtime, for example, runs only during a
    /// call of `block_on`.
    pub(crate) async fn is_running(&self) -> bool {
        let is_this = Handle::try_current().is_ok_and(|current| current.id() == self.0.id());
        is_this || matches!(timeout(STALLED, self.0.spawn(async {})).await, Ok(Ok(())))
    }
}

/// The handle of a future that runs concurrently until the handle is dropped.
///
/// If the future panics, polling the handle panics too. If the runtime ends before the future, the handle returns an
/// error. Dropping the handle drops the future immediately, even if the runtime is not running, so that the future
/// releases its resources. A future that is being polled at that time is dropped by Tokio after the poll.
pub(crate) struct Task<T> {
    driven: JoinHandle<T>,
    /// The handle's ownership of the future. Dropping the handle drops this field, which drops the future.
    _own: Driven<T>,
}

impl<T> Future for Task<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let outcome = ready!(Pin::new(&mut self.driven).poll(cx));
        Poll::Ready(outcome.map_err(|error| match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(error) => error,
        }))
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        self.driven.abort();
    }
}

/// One of the two owners of a future: the Tokio task that polls it, or the [`Task`] that waits for its outcome. The
/// future is dropped when either owner is dropped. The lock is held only to move the future, never while the future is
/// polled or dropped.
struct Driven<T>(Arc<Mutex<Slot<T>>>);

/// `None` while the future is polled, and after it has completed or was dropped.
type Slot<T> = Option<Pin<Box<dyn Future<Output = T> + Send>>>;

impl<T> Future for Driven<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let Some(mut future) = lock(&self.0).take() else { return Poll::Pending };
        let outcome = future.as_mut().poll(cx);
        // Dropping the `Task` aborts the Tokio task. If that happened during this poll, Tokio now drops this owner with the
        // future, so the future can be stored again in any case.
        if outcome.is_pending() {
            *lock(&self.0) = Some(future);
        }
        outcome
    }
}

impl<T> Drop for Driven<T> {
    fn drop(&mut self) {
        let future = lock(&self.0).take();
        // Dropped after the lock is released, because dropping the future runs other code.
        drop(future);
    }
}
