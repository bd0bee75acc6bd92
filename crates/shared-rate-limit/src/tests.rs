//! Tests of processes that share a rate limiter, with a paused clock. Store and service are in memory; everything else is
//! production code.
//!
//! The store responds after a round trip; tests can erase the store, disconnect it, or restore its earlier data. Tests
//! assert the numbers of sent requests and of requests in flight, as counted by the service.

mod endpoint_limits;
mod faults;
#[cfg(target_os = "linux")]
mod file;
mod hostile_store;
mod memory_store;
mod one_machine;
mod throughput;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use runtime::{Error, RateLimit};
use test_service::invented::Client;
use test_service::scripted::{MockResponse, Service, ok};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::parts::{self, Parts, Settings};
use crate::shared_rate_limiter::SharedRateLimiter;
use crate::state_store::StateStore;
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

fn settings(limit: RateLimit) -> Settings {
    Settings { limit, name: "key".to_owned(), fail_after: 30 * SECOND, fallback: None }
}

/// A process: a client whose rate limiter uses a shared store, and the task of the rate limiter's worker.
struct TestProcess {
    client: Client,
    limiter: SharedRateLimiter,
    worker: JoinHandle<()>,
    tasks: Vec<JoinHandle<Result<u64, Error>>>,
}

impl TestProcess {
    fn new(service: &Arc<Service>, store: Arc<MemoryStore>, limit: RateLimit) -> Self {
        Self::of(service, settings(limit), move |_| store.clone())
    }

    fn failing_after(time: Duration, service: &Arc<Service>, store: Arc<MemoryStore>, limit: RateLimit) -> Self {
        Self::of(service, Settings { fail_after: time, ..settings(limit) }, move |_| store.clone())
    }

    /// Creates a process with a separate store for each name.
    fn of<S: StateStore>(service: &Arc<Service>, settings: Settings, mut store: impl FnMut(&str) -> S) -> Self {
        let Ok(parts) = Parts::new(settings, |name, _| Ok::<_, Infallible>(store(name)));
        Self::from_parts(service, parts)
    }

    fn from_parts<S: StateStore>(service: &Arc<Service>, Parts { limiter, workers }: Parts<S>) -> Self {
        let client = service.builder().rate_limiter(limiter.clone()).build().unwrap();
        Self { client, limiter, worker: tokio::spawn(parts::run(workers)), tasks: Vec::new() }
    }

    /// Sends requests at full speed with this many tasks until `end`. The path shows the service which process sends
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

    /// Ends the process at once, as `kill -9` does.
    fn kill(&mut self) {
        self.worker.abort();
        self.tasks.drain(..).for_each(|task| task.abort());
    }

    /// Waits until the tasks of the process have ended, and returns the number of successful calls.
    async fn finish(&mut self) -> u64 {
        let mut calls = 0;
        for task in self.tasks.drain(..) {
            calls += task.await.unwrap().unwrap();
        }
        calls
    }
}

#[allow(clippy::print_stdout)] // Prints only if the variable `SHOW` is set.
fn show(line: &str) {
    if std::env::var_os("SHOW").is_some() {
        println!("{line}");
    }
}

/// The maximum number of requests sent within any window of this length.
fn peak(sent: &[Instant], length: Duration) -> usize {
    let count =
        |(index, first): (usize, &Instant)| sent[index..].iter().take_while(|time| **time - *first < length).count();
    sent.iter().enumerate().map(count).max().unwrap_or(0)
}

/// The number of requests per second that were sent in a time range.
fn rate(sent: &[Instant], from: Instant, to: Instant) -> f64 {
    let count = sent.iter().filter(|time| (from..to).contains(*time)).count();
    f64::from(u32::try_from(count).unwrap()) / (to - from).as_secs_f64()
}
