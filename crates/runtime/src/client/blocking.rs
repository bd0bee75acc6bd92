//! Requests for callers who do not use async.
//!
//! The calling thread waits for a future. One background thread drives the futures of all callers, with their
//! connections and timers. The first blocking request of a client starts this thread, which also serves the client's
//! clones. The thread ends when the last clone is dropped; any thread may drop that clone.

use std::convert::Infallible;
use std::io;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};
use std::thread;

use tokio::runtime::{self, Handle};
use tokio::sync::oneshot;
use tokio::task::coop;

use crate::error::Error;
use crate::platform::lock;

/// The background thread for a client's blocking requests, started by the first such request.
pub(crate) struct Background {
    /// Name of the thread: the name of the emitted crate.
    name: &'static str,
    driver: Mutex<Option<Driver>>,
}

/// Handle of the background thread, which ends when the handle is dropped.
struct Driver {
    handle: Handle,
    _end: oneshot::Sender<Infallible>,
}

impl Background {
    /// Prepares the background thread without starting it; `agent` begins with the name of the emitted crate.
    pub(super) fn new(agent: &'static str) -> Self {
        let name = agent.split_once('/').map_or(agent, |(name, _)| name);
        Self { name, driver: Mutex::default() }
    }

    /// Waits for the output of a future, which the background thread drives.
    pub(crate) fn wait<T: Send + 'static>(&self, future: impl Future<Output = T> + Send + 'static) -> Result<T, Error> {
        // Without this check, Tokio would panic, or this thread would block the other tasks of its runtime.
        if Handle::try_current().is_ok() && is_in_task() {
            return Err(Error::build("a blocking request would block the async runtime")
                .with_hint("`.await` the request, or send it inside `spawn_blocking`"));
        }
        #[cfg(feature = "tracing")]
        let future = tracing::Instrument::in_current_span(future);
        let handle = self.handle()?;
        // The future runs on the background thread, like the connections. A connection that a request has used is
        // therefore back in the pool when the next request begins.
        handle.block_on(handle.spawn(future)).map_err(|error| match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(error) => Error::shutdown().with_source(error),
        })
    }

    fn handle(&self) -> Result<Handle, Error> {
        let mut driver = lock(&self.driver);
        if let Some(driver) = &*driver {
            return Ok(driver.handle.clone());
        }
        let new = Driver::start(self.name)
            .map_err(|error| Error::build("the thread for blocking requests cannot be started").with_source(error))?;
        Ok(driver.insert(new).handle.clone())
    }
}

/// A number greater than the budget that Tokio gives to a task at each poll.
const BUDGET: usize = 1000;

/// `true` if this thread polls a task. Tokio does not report that, but only tasks have a limited budget. In
/// `spawn_blocking` or `block_in_place`, and on a thread that has merely entered a runtime, the budget is unlimited.
fn is_in_task() -> bool {
    let mut context = Context::from_waker(Waker::noop());
    let mut spent = Vec::new();
    while let (Poll::Ready(unit), true) = (coop::poll_proceed(&mut context), spent.len() < BUDGET) {
        spent.push(unit);
    }
    let is_limited = spent.len() < BUDGET;
    // Dropping a unit resets the budget to its value before that unit was taken, so the units are dropped in reverse
    // order.
    while spent.pop().is_some() {}
    is_limited
}

impl Driver {
    fn start(name: &str) -> io::Result<Self> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (end, ended) = oneshot::channel();
        thread::Builder::new().name(name.to_owned()).spawn(move || {
            // Nothing is ever sent on this channel: `block_on` returns when the sender is dropped, and then the runtime
            // ends.
            let _ = runtime.block_on(ended);
        })?;
        Ok(Self { handle, _end: end })
    }
}
