//! Tests of many processes on one machine: no request is rejected, almost the entire limit is used, the work for a request
//! does not grow with the number of processes, and crashes cost little.

use std::collections::BTreeSet;
use std::sync::Mutex;

use fastrand::Rng;

use super::*;
use crate::failure::Failure;
use crate::state_store::{Offer, Response};

/// A store that behaves like a file: no round trip, and the end of a process is seen at once.
struct LocalStore {
    memory: Arc<MemoryStore>,
    alive: Arc<Mutex<BTreeSet<String>>>,
    process: String,
}

impl StateStore for LocalStore {
    const RENEWAL: Duration = Duration::from_secs(4);
    const IS_PRIVATE: bool = true;
    const NAME: &'static str = "the file";

    async fn exchange(&self, offer: Offer) -> Result<Response, Failure> {
        let mut response = self.memory.exchange(offer).await?;
        response.unused_since = Duration::ZERO;
        Ok(response)
    }

    fn has_ended(&self, process: &str) -> bool {
        !self.alive.lock().unwrap().contains(process)
    }
}

impl Drop for LocalStore {
    fn drop(&mut self) {
        self.alive.lock().unwrap().remove(&self.process);
    }
}

/// A machine with processes that send requests at full speed.
struct OneMachine {
    service: Arc<Service>,
    memory: Arc<MemoryStore>,
    alive: Arc<Mutex<BTreeSet<String>>>,
    limit: RateLimit,
    end: Instant,
    processes: Vec<TestProcess>,
}

const TASKS: usize = 5;

impl OneMachine {
    fn start(limit: RateLimit, count: usize, end: Instant) -> Self {
        let random = Mutex::new(Rng::with_seed(7));
        let service = Service::new(move |_, _| {
            let duration = Duration::from_millis(random.lock().unwrap().u64(300..900));
            MockResponse { arrives_after: Duration::ZERO, duration, ..ok() }
        });
        let memory = MemoryStore::new().at(Duration::ZERO);
        let mut machine = Self { service, memory, alive: Arc::default(), limit, end, processes: Vec::new() };
        for _ in 0..count {
            let process = machine.process();
            machine.processes.push(process);
        }
        machine
    }

    /// Starts a process.
    fn process(&self) -> TestProcess {
        let created = Parts::new(settings(self.limit.clone()), |_, process| {
            self.alive.lock().unwrap().insert(process.to_owned());
            let store =
                LocalStore { memory: self.memory.clone(), alive: self.alive.clone(), process: process.to_owned() };
            Ok::<_, Infallible>(store)
        });
        let Ok(parts) = created;
        let mut process = TestProcess::from_parts(&self.service, parts);
        process.run("/x", TASKS, self.end);
        process
    }

    /// Kills a process, and starts another.
    fn crash(&mut self, index: usize) {
        self.processes[index].kill();
        self.processes[index] = self.process();
    }
}

/// The figures of a run.
#[derive(Debug)]
struct Figures {
    /// The share of the limit that was used.
    share: f64,
    /// Exchanges with the store for each request.
    exchanges: f64,
}

/// Runs processes for a window and half a minute. Each second, a number of them crash.
async fn check(limit: RateLimit, window: Duration, count: usize, crashes: u32) -> Figures {
    let begun = Instant::now();
    let end = begun + window + 30 * SECOND;
    let mut machine = OneMachine::start(limit, count, end);
    let mut random = Rng::with_seed(3);
    while crashes > 0 && Instant::now() < end - 3 * SECOND {
        tokio::time::sleep((SECOND / crashes).mul_f64(0.5 + random.f64())).await;
        machine.crash(random.usize(..count));
    }
    tokio::time::sleep_until(end).await;
    let sent = machine.service.arrivals();
    let requests = 10 * usize::try_from(window.as_secs()).unwrap();
    assert!(peak(&sent, window) <= requests, "{} in {window:?}", peak(&sent, window));
    assert_eq!(sent[0] - begun, Duration::ZERO, "the first request waits for nothing");
    let exchanges = f64::from(u32::try_from(machine.memory.server().exchanges).unwrap());
    let from = begun + 5 * SECOND;
    let figures = Figures {
        share: rate(&sent, from, end) / 10.0,
        exchanges: exchanges / f64::from(u32::try_from(sent.len()).unwrap()),
    };
    show(&format!("{count} processes, {window:?}, {crashes} crashes per second: {figures:?}"));
    figures
}

fn set_b() -> RateLimit {
    RateLimit::new(600, 60 * SECOND, 10)
}

#[tokio::test(start_paused = true)]
async fn many_processes_use_the_limit_at_constant_cost() {
    for (limit, window) in [(set_a(), SECOND), (set_b(), 60 * SECOND)] {
        let few = check(limit.clone(), window, 8, 0).await;
        let many = check(limit, window, 32, 0).await;
        assert!(few.share >= 0.96 && many.share >= 0.96, "{few:?} {many:?}");
        assert!(many.exchanges <= 1.2 * few.exchanges, "{few:?} {many:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn crashes_cost_little() {
    for (limit, window) in [(set_a(), SECOND), (set_b(), 60 * SECOND)] {
        let figures = check(limit, window, 8, 2).await;
        assert!(figures.share >= 0.8, "{figures:?}");
    }
}
