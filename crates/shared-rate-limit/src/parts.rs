//! The parts of a rate limiter before it runs: one queue and one worker for each window with a separate shared state.

use std::time::Duration;

use runtime::RateLimit;
use runtime::rate_limit::ProcessRateLimiter;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::participant::Participant;
use crate::queue::Queue;
use crate::shared_rate_limiter::SharedRateLimiter;
use crate::state_store::StateStore;
use crate::worker::Worker;

pub(crate) struct Parts<S> {
    pub(crate) limiter: SharedRateLimiter,
    pub(crate) workers: Vec<Worker<S>>,
}

/// What the queues of a rate limiter have in common.
pub(crate) struct Settings {
    pub(crate) limit: RateLimit,
    /// The name of the shared state. A window that counts only some endpoints has the name `NAME/NUMBER`.
    pub(crate) name: String,
    pub(crate) fail_after: Duration,
    pub(crate) fallback: Option<ProcessRateLimiter>,
}

impl<S: StateStore> Parts<S> {
    /// Creates the parts; `store` creates the store of each worker from the names of its shared state and of this process.
    pub(crate) fn new<E>(settings: Settings, mut store: impl FnMut(&str, &str) -> Result<S, E>) -> Result<Self, E> {
        // The process id and a random part make the name unique among processes.
        let process = format!("{}-{:08x}", std::process::id(), fastrand::u32(..));
        let mut workers = Vec::new();
        let mut queue = |name: &str, limit: RateLimit| -> Result<Queue, E> {
            let (sender, messages) = mpsc::unbounded_channel();
            let participant = Participant::new(process.clone());
            workers.push(Worker::new(store(name, &process)?, messages, participant, limit, settings.fail_after));
            Ok(Queue(sender))
        };
        let mut limit_of_all = settings.limit.clone();
        let mut of_some = Vec::new();
        for window in limit_of_all.take_of_some() {
            let name = format!("{}/{}", settings.name, of_some.len() + 1);
            of_some.push((window, queue(&name, window.alone())?));
        }
        let of_all = queue(&settings.name, limit_of_all)?;
        Ok(Self { limiter: SharedRateLimiter::new(of_some, of_all, settings.limit, settings.fallback), workers })
    }
}

/// Starts the workers on a separate thread, so that the program's own runtime cannot delay the renewal of a lease.
///
/// After an error, the workers have ended, so their queues return errors at once.
pub(crate) fn start<S: StateStore>(workers: Vec<Worker<S>>) -> std::io::Result<()> {
    let thread = std::thread::Builder::new().name("shared-rate-limit".to_owned()).spawn(move || work(workers));
    // The thread is not joined: it ends with the last clone of the rate limiter.
    thread.map(drop)
}

/// Runs the workers on this thread.
fn work<S: StateStore>(workers: Vec<Worker<S>>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    // Without a runtime the workers are dropped, and waiting requests fail.
    if let Ok(runtime) = runtime {
        runtime.block_on(run(workers));
    }
}

/// Runs the workers until all of them have ended.
pub(crate) async fn run<S: StateStore>(workers: Vec<Worker<S>>) {
    let mut running = JoinSet::new();
    for worker in workers {
        running.spawn(worker.run());
    }
    running.join_all().await;
}
