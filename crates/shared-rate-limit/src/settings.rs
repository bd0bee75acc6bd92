//! Settings of a shared rate limit.
//!
//! Building validates URL, limit and name, and starts the worker on a separate thread; an error names the invalid
//! setting. Building opens no connection. `Debug` omits the URL, which may contain a password.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use runtime::{Error, ErrorKind, RateLimit};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::clock::Clock;
use crate::queue::Queue;
use crate::redis_store::RedisStore;
use crate::state_store::StateStore;
use crate::worker::Worker;
use crate::{Handle, SharedRateLimiter};

/// Settings of a [`SharedRateLimiter`], created by [`SharedRateLimiter::builder`].
#[must_use]
pub struct SharedRateLimiterBuilder {
    url: String,
    limit: RateLimit,
    name: String,
    fail_after: Duration,
}

impl SharedRateLimiterBuilder {
    pub(crate) fn new(url: String, limit: RateLimit) -> Self {
        Self { url, limit, name: "default".to_owned(), fail_after: Duration::from_secs(30) }
    }

    /// Sets the name of the rate limiter on the server; default: `default`. Machines that share an API key use the same name,
    /// and each API key needs a name of its own. The name is visible on the server, in the name of a Redis key, so it
    /// must not contain a secret.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the time after which a request fails if the server cannot be reached; default: 30 seconds. A request fails
    /// when both its wait and the outage of the server have lasted this long.
    pub fn fail_after(mut self, time: Duration) -> Self {
        self.fail_after = time;
        self
    }

    /// Builds a rate limiter with these settings. An invalid URL is an error; the error does not contain the URL.
    pub fn build(self) -> Result<SharedRateLimiter, Error> {
        let url = self.url.clone();
        let (limiter, workers) = self.parts(|name| RedisStore::new(&url, name)).map_err(|error| {
            Error::new(ErrorKind::Builder, "the URL of the shared rate limit's server cannot be used")
                .with_source(error)
        })?;
        let thread = std::thread::Builder::new().name("shared-rate-limit".to_owned()).spawn(move || work(workers));
        // The thread is not joined: it ends with the last clone of the rate limiter.
        drop(thread.map_err(|error| {
            Error::new(ErrorKind::Builder, "cannot start the worker thread of the shared rate limit").with_source(error)
        })?);
        Ok(limiter)
    }

    /// Builds the rate limiter and its workers; `store` creates the store of each worker from a name.
    pub(crate) fn parts<S: StateStore, E>(
        self,
        mut store: impl FnMut(&str) -> Result<S, E>,
    ) -> Result<(SharedRateLimiter, Vec<Worker<S>>), E> {
        let Self { limit, name, fail_after, .. } = self;
        // The process id and a random part make the name unique among machines.
        let machine = format!("{}-{:08x}", std::process::id(), fastrand::u32(..));
        let mut workers = Vec::new();
        let mut queue = |name: &str, limit: RateLimit| {
            let (sender, messages) = mpsc::unbounded_channel();
            let clock = Clock::new(Instant::now());
            workers.push(Worker::new(store(name)?, messages, machine.clone(), limit, fail_after, clock));
            Ok(Queue(sender))
        };
        let mut limit_of_all = limit.clone();
        let windows = limit_of_all.take_of_some().into_iter().zip(1..);
        let of_some = windows.map(|(window, number)| Ok((window, queue(&format!("{name}/{number}"), window.alone())?)));
        let of_some = of_some.collect::<Result<_, E>>()?;
        let of_all = queue(&name, limit_of_all)?;
        Ok((SharedRateLimiter(Arc::new(Handle { of_some, of_all, limit })), workers))
    }
}

/// Runs the workers on this thread, so that the program's own runtime cannot delay the renewal of the lease.
fn work(workers: Vec<Worker<RedisStore>>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    // Without a runtime the workers are dropped, and waiting requests fail.
    if let Ok(runtime) = runtime {
        runtime.block_on(async { workers.into_iter().map(Worker::run).collect::<JoinSet<()>>().join_all().await });
    }
}

impl fmt::Debug for SharedRateLimiterBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedRateLimiterBuilder").field("name", &self.name).finish_non_exhaustive()
    }
}
