//! Tests of machines that share a rate limiter, with a paused clock. Store and service are in memory; everything else is
//! production code.
//!
//! The store responds after a round trip; tests can erase the store, disconnect it, or restore its earlier data. Tests
//! assert the numbers of sent requests and of requests in flight, as counted by the service.

mod endpoint_limits;
mod faults;
mod memory_store;
mod throughput;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use runtime::{Error, RateLimit};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;

use crate::invented::Client;
use crate::scripted::{MockResponse, Service, ok};
use crate::worker::Worker;
use crate::{SharedRateLimiter, SharedRateLimiterBuilder};
use memory_store::MemoryStore;

const SECOND: Duration = Duration::from_secs(1);
const MILLISECOND: Duration = Duration::from_millis(1);

/// Returns rate limit A of the mock service.
fn set_a() -> RateLimit {
    RateLimit::new(10, SECOND, 20)
}

/// Creates a service with this response time.
fn service(reply: Duration) -> Arc<Service> {
    Service::new(move |_, _| MockResponse { arrives_after: Duration::ZERO, duration: reply, ..ok() })
}

/// A machine: a client whose rate limiter uses a shared store, and the task of the rate limiter's worker.
struct Machine {
    client: Client,
    limiter: SharedRateLimiter,
    worker: JoinHandle<()>,
    tasks: Vec<JoinHandle<Result<u64, Error>>>,
}

impl Machine {
    fn new(service: &Arc<Service>, store: Arc<MemoryStore>, limit: RateLimit) -> Self {
        Self::of(service, SharedRateLimiter::builder("", limit), move |_| store.clone())
    }

    fn failing_after(time: Duration, service: &Arc<Service>, store: Arc<MemoryStore>, limit: RateLimit) -> Self {
        Self::of(service, SharedRateLimiter::builder("", limit).fail_after(time), move |_| store.clone())
    }

    /// Creates a machine with a separate store for each name.
    fn of(
        service: &Arc<Service>,
        settings: SharedRateLimiterBuilder,
        mut store: impl FnMut(&str) -> Arc<MemoryStore>,
    ) -> Self {
        let Ok((limiter, workers)) = settings.parts(|name| Ok::<_, Infallible>(store(name)));
        let client = service.builder().rate_limiter(limiter.clone()).build().unwrap();
        let worker = tokio::spawn(async {
            workers.into_iter().map(Worker::run).collect::<JoinSet<()>>().join_all().await;
        });
        Self { client, limiter, worker, tasks: Vec::new() }
    }

    /// Sends requests at full speed with this many tasks until `end`. The path shows the service which machine sends
    /// them.
    fn run(&mut self, path: &'static str, tasks: usize, end: Instant) {
        let task = |client: Client| async move {
            let mut calls = 0;
            while Instant::now() < end {
                client.raw(path).await?;
                calls += 1;
            }
            Ok(calls)
        };
        self.tasks.extend((0..tasks).map(|_| tokio::spawn(task(self.client.clone()))));
    }

    /// Ends the machine at once, as `kill -9` does.
    fn kill(&mut self) {
        self.worker.abort();
        self.tasks.drain(..).for_each(|task| task.abort());
    }

    /// Waits until the tasks of the machine have ended, and returns the number of successful calls.
    async fn finish(&mut self) -> u64 {
        let mut calls = 0;
        for task in self.tasks.drain(..) {
            calls += task.await.unwrap().unwrap();
        }
        calls
    }
}

/// Returns the maximum number of requests sent within any window of this length.
fn peak(sent: &[Instant], length: Duration) -> usize {
    let count =
        |(index, first): (usize, &Instant)| sent[index..].iter().take_while(|time| **time - *first < length).count();
    sent.iter().enumerate().map(count).max().unwrap_or(0)
}

/// Returns the number of requests per second that were sent in a time range.
fn rate(sent: &[Instant], from: Instant, to: Instant) -> f64 {
    let count = sent.iter().filter(|time| (from..to).contains(*time)).count();
    f64::from(u32::try_from(count).unwrap()) / (to - from).as_secs_f64()
}
