//! Timers, promises and randomness of JavaScript, in a browser or in Node.

use std::error::Error as StdError;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, SystemTime};

use tokio::sync::oneshot;
use wasm_bindgen_futures::spawn_local;
pub(crate) use wasmtimer::std::Instant;
use wasmtimer::tokio::Sleep as Timer;

/// The maximum duration of one timer: JavaScript timers longer than 24.8 days fire immediately.
const MAX_TIMER: Duration = Duration::from_secs(86_400);

/// Returns the time of the system clock.
pub(crate) fn now() -> SystemTime {
    let since = wasmtimer::std::SystemTime::now().duration_since(wasmtimer::std::UNIX_EPOCH);
    SystemTime::UNIX_EPOCH + since.unwrap_or_default()
}

/// Returns a random number that is at least zero and less than one.
pub(crate) fn random() -> f64 {
    js_sys::Math::random()
}

/// Waits until a time, or forever if no [`Instant`] can represent that time. A long wait uses several timers.
pub(crate) struct Sleep {
    until: Option<Instant>,
    timer: Timer,
}

pub(crate) fn sleep(time: Duration) -> Sleep {
    Sleep::new(Instant::now().checked_add(time))
}

impl Sleep {
    fn new(until: Option<Instant>) -> Self {
        Self { until, timer: timer(until) }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            ready!(Pin::new(&mut self.timer).poll(cx));
            if self.until.is_some_and(|until| until <= Instant::now()) {
                return Poll::Ready(());
            }
            self.timer = timer(self.until);
        }
    }
}

/// Starts a timer for the remaining time, or for the first part of that time.
fn timer(until: Option<Instant>) -> Timer {
    let left = until.map_or(MAX_TIMER, |until| until.saturating_duration_since(Instant::now()));
    wasmtimer::tokio::sleep(left.min(MAX_TIMER))
}

/// The error for a future that did not complete in time.
pub(crate) struct Elapsed;

pub(crate) async fn timeout<F: Future>(time: Duration, future: F) -> Result<F::Output, Elapsed> {
    before(sleep(time), future).await
}

pub(crate) async fn timeout_at<F: Future>(time: Instant, future: F) -> Result<F::Output, Elapsed> {
    before(Sleep::new(Some(time)), future).await
}

async fn before<F: Future>(mut end: Sleep, future: F) -> Result<F::Output, Elapsed> {
    let mut future = pin!(future);
    poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(output) => Poll::Ready(Ok(output)),
        Poll::Pending => Pin::new(&mut end).poll(cx).map(|()| Err(Elapsed)),
    })
    .await
}

/// The event loop that drives tasks and timers.
#[derive(Clone)]
pub(crate) struct Runtime;

impl Runtime {
    /// Returns the event loop, which JavaScript always has.
    #[expect(clippy::unnecessary_wraps, reason = "same signature as in `native.rs`")]
    pub(crate) fn current() -> Option<Self> {
        Some(Self)
    }

    #[expect(clippy::unused_self, reason = "same signature as in `native.rs`")]
    pub(crate) fn spawn<T: 'static>(&self, future: impl Future<Output = T> + 'static) -> Task<T> {
        let (mut sender, receiver) = oneshot::channel();
        spawn_local(async move {
            let mut future = pin!(future);
            // Dropping the handle closes the channel, which ends the task.
            let outcome = poll_fn(|cx| match sender.poll_closed(cx) {
                Poll::Ready(()) => Poll::Ready(None),
                Poll::Pending => future.as_mut().poll(cx).map(Some),
            });
            if let Some(outcome) = outcome.await {
                // Sending fails only if the receiver was dropped, in which case the outcome is not needed.
                let _ = sender.send(outcome);
            }
        });
        Task(receiver)
    }

    /// Returns whether the runtime is running, which is always true in JavaScript.
    #[expect(clippy::unused_async, clippy::unused_self, reason = "same signature as in `native.rs`")]
    pub(crate) async fn is_running(&self) -> bool {
        true
    }
}

/// A future that runs concurrently until this handle is dropped.
pub(crate) struct Task<T>(oneshot::Receiver<T>);

impl<T> Future for Task<T> {
    type Output = Result<T, Arc<dyn StdError + Send + Sync>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(ready!(Pin::new(&mut self.0).poll(cx)).map_err(|error| Arc::new(error) as _))
    }
}
