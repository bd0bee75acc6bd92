//! JavaScript's timers, promises and randomness, in a browser or in Node.

use std::error::Error as StdError;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::SystemTime;

use tokio::sync::oneshot;
use wasm_bindgen_futures::spawn_local;
pub(crate) use wasmtimer::std::Instant;
pub(crate) use wasmtimer::tokio::{Sleep, sleep, sleep_until, timeout, timeout_at};

/// The time of the system's clock.
pub(crate) fn now() -> SystemTime {
    let since = wasmtimer::std::SystemTime::now().duration_since(wasmtimer::std::UNIX_EPOCH);
    SystemTime::UNIX_EPOCH + since.unwrap_or_default()
}

/// A random number from zero up to one.
pub(crate) fn random() -> f64 {
    js_sys::Math::random()
}

/// The event loop that drives tasks and timers.
pub(crate) struct Runtime;

impl Runtime {
    /// There always is one.
    #[expect(clippy::unnecessary_wraps, reason = "it has the shape of `native.rs`")]
    pub(crate) fn current() -> Option<Self> {
        Some(Self)
    }

    #[expect(clippy::unused_self, reason = "it has the shape of `native.rs`")]
    pub(crate) fn spawn<T: 'static>(&self, future: impl Future<Output = T> + 'static) -> Task<T> {
        let (mut sender, receiver) = oneshot::channel();
        spawn_local(async move {
            let mut future = pin!(future);
            let outcome = poll_fn(|cx| match sender.poll_closed(cx) {
                Poll::Ready(()) => Poll::Ready(None),
                Poll::Pending => future.as_mut().poll(cx).map(Some),
            });
            if let Some(outcome) = outcome.await {
                // It may have been dropped since; then nobody misses the outcome.
                let _ = sender.send(outcome);
            }
        });
        Task(receiver)
    }
}

/// A future that is driven beside others, until this is dropped.
pub(crate) struct Task<T>(oneshot::Receiver<T>);

impl<T> Future for Task<T> {
    type Output = Result<T, Arc<dyn StdError + Send + Sync>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(ready!(Pin::new(&mut self.0).poll(cx)).map_err(|error| Arc::new(error) as _))
    }
}
