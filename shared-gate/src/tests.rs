//! Machines that share a gate, on a paused clock: the store and the service are in memory, the rest is as in use.
//!
//! The store answers after a round trip, and is lost, cut off or set back as a test wants it. What counts is what
//! leaves and what is under way, as the service sees it.

mod lines;
mod memory;
mod rates;
mod troubles;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use runtime::{Error, RateLimit};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;

use crate::invented::Client;
use crate::scripted::{Fate, Service, ok};
use crate::worker::Worker;
use crate::{OnUnreachable, SharedGate, SharedGateBuilder};
use memory::Memory;

const SECOND: Duration = Duration::from_secs(1);
const MILLISECOND: Duration = Duration::from_millis(1);

/// Set A, as the service has it.
fn set_a() -> RateLimit {
    RateLimit::new(10, SECOND, 20)
}

/// A service whose replies take so long.
fn service(reply: Duration) -> Arc<Service> {
    Service::new(move |_, _| Fate { way: Duration::ZERO, reply, ..ok() })
}

/// A machine: a client with a gate of its own on a store that others use, and the task of its worker.
struct Machine {
    client: Client,
    gate: SharedGate,
    worker: JoinHandle<()>,
    tasks: Vec<JoinHandle<Result<u64, Error>>>,
}

impl Machine {
    fn new(service: &Arc<Service>, store: Arc<Memory>, limit: RateLimit) -> Self {
        Self::with(service, store, limit, OnUnreachable::default())
    }

    fn with(service: &Arc<Service>, store: Arc<Memory>, limit: RateLimit, on_unreachable: OnUnreachable) -> Self {
        Self::of(service, SharedGate::builder("", limit).on_unreachable(on_unreachable), move |_| store.clone())
    }

    /// One with a store for each name.
    fn of(service: &Arc<Service>, settings: SharedGateBuilder, mut store: impl FnMut(&str) -> Arc<Memory>) -> Self {
        let Ok((gate, workers)) = settings.parts(|name| Ok::<_, Infallible>(store(name)));
        let client = service.builder().rate_limiter(gate.clone()).build().unwrap();
        let worker = tokio::spawn(async {
            workers.into_iter().map(Worker::run).collect::<JoinSet<()>>().join_all().await;
        });
        Self { client, gate, worker, tasks: Vec::new() }
    }

    /// Asks at full speed with so many tasks until then, under a path by which the service knows the machine.
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

    /// Ends at once, as with `kill -9`.
    fn kill(&mut self) {
        self.worker.abort();
        self.tasks.drain(..).for_each(|task| task.abort());
    }

    /// Waits until its tasks have ended, and says how many calls ended well.
    async fn finish(&mut self) -> u64 {
        let mut calls = 0;
        for task in self.tasks.drain(..) {
            calls += task.await.unwrap().unwrap();
        }
        calls
    }
}

/// The most requests that left within any window of a length.
fn peak(departures: &[Instant], length: Duration) -> usize {
    let count = |(index, first): (usize, &Instant)| {
        departures[index..].iter().take_while(|departure| **departure - *first < length).count()
    };
    departures.iter().enumerate().map(count).max().unwrap_or(0)
}

/// How many requests a second left in a time.
fn rate(departures: &[Instant], from: Instant, to: Instant) -> f64 {
    let count = departures.iter().filter(|departure| (from..to).contains(*departure)).count();
    f64::from(u32::try_from(count).unwrap()) / (to - from).as_secs_f64()
}
