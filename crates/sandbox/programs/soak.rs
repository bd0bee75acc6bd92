//! Puts a client under load for some seconds, against a sandbox with faults: `soak SECONDS`.
//!
//! Two hundred tasks send requests continuously, under limit set A, which the sandbox enforces. Each call must succeed
//! and reach the observer exactly once, memory must not grow, and after three minutes there must be no 429. The program
//! prints figures every minute, and fails with the list of unmet requirements. `cargo xtask verify soak` runs an
//! optimised build of the program.

#![allow(clippy::print_stdout)] // The program prints its figures.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use generated_client::observer::{Event, Observer, Outcome};
use generated_client::{Client, REGISTRY, RequestKind, Timeframe, limits};
use generated_client_sandbox::Sandbox;

const FAULTS: [&str; 3] = ["all 2% status=503", "all 1% reset=body", "all latency=20ms..1500ms"];
const TASKS: usize = 200;
const TOKEN_LIFETIME: Duration = Duration::from_secs(60);
const MINUTE: Duration = Duration::from_secs(60);

/// The time in which the client learns the required interval between requests.
const LEARNED: Duration = Duration::from_secs(180);

/// Figures that are counted from the events of the client.
#[derive(Default)]
struct Account {
    state: Mutex<State>,
    begun: AtomicU64,
}

#[derive(Default)]
struct State {
    /// The number of attempts by result: the status of the response, or the phase in which the attempt failed.
    attempts: BTreeMap<String, u64>,
    /// The times of 429 responses.
    rate_limited_at: Vec<Instant>,
    successes: u64,
    failures: u64,
    renewals: u64,
    failed_renewals: u64,
    max_wait: Duration,
}

impl Account {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Account {
    fn observe(&self, event: &Event) {
        let mut state = self.state();
        match event {
            Event::Attempt { outcome, .. } => {
                if *outcome == Ok(429) {
                    state.rate_limited_at.push(Instant::now());
                }
                let outcome = match outcome {
                    Ok(status) => status.to_string(),
                    Err(phase) => format!("{phase:?}"),
                };
                *state.attempts.entry(outcome).or_default() += 1;
            }
            Event::End { request: RequestKind::Data(_), outcome, waited, .. } => {
                match outcome {
                    Outcome::Success { .. } => state.successes += 1,
                    _ => state.failures += 1,
                }
                state.max_wait = state.max_wait.max(*waited);
            }
            Event::Token { renewed: true, .. } => state.renewals += 1,
            Event::Token { renewed: false, .. } => state.failed_renewals += 1,
            _ => {}
        }
    }
}

/// Sends requests until `end`, and returns the number of calls, or the first error.
async fn ask(client: Client, account: Arc<Account>, end: Instant) -> Result<u64, generated_client::Error> {
    let mut calls = 0;
    while Instant::now() < end {
        account.begun.fetch_add(1, Ordering::Relaxed);
        let ratio = client.orderflow().volume_ratio().coin("BTC").timeframe(Timeframe::H1).limit(50).await?;
        assert_eq!(ratio.records.len(), 50, "a response has the requested number of records");
        calls += 1;
    }
    Ok(calls)
}

/// The memory in use by this process, in KiB; `None` if the system has no `/proc`.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let size = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    size.split_whitespace().next()?.parse().ok()
}

/// Prints a line every minute, and returns the memory in use at each of these times.
async fn watch(account: &Account, begun: Instant, end: Instant) -> Vec<u64> {
    let mut seen = Vec::new();
    loop {
        tokio::time::sleep_until((Instant::now() + MINUTE).min(end).into()).await;
        let elapsed = begun.elapsed();
        let memory = memory();
        let state = account.state();
        let rate = f64::from(u32::try_from(state.successes).unwrap_or(u32::MAX)) / elapsed.as_secs_f64();
        println!(
            "{:>5} s: {} calls succeeded, {rate:.2} a second, {} failed; 429: {}; token: {} renewed, {} failed; {} KiB",
            elapsed.as_secs(),
            state.successes,
            state.failures,
            state.rate_limited_at.len(),
            state.renewals,
            state.failed_renewals,
            memory.unwrap_or_default(),
        );
        seen.extend(memory);
        if Instant::now() >= end {
            return seen;
        }
    }
}

/// The requirements that are not met.
fn unmet_requirements(account: &Account, calls: u64, errors: &[String], begun: Instant, memory: &[u64]) -> Vec<String> {
    let state = account.state();
    let late = state.rate_limited_at.iter().filter(|at| at.duration_since(begun) > LEARNED).count();
    // Pools, windows and the allocator fill in the first minutes, so growth counts from the third figure.
    let growth = match memory {
        [_, _, before, .., after] => after.saturating_sub(before + before / 10 + 2048),
        _ => 0,
    };
    let begun = account.begun.load(Ordering::Relaxed);
    let requirements = [
        (!errors.is_empty(), format!("calls failed: {}", errors.join(" | "))),
        (
            state.successes != calls || begun != calls,
            format!("calls: {begun} started, {calls} returned, {} successes observed", state.successes),
        ),
        (state.failures > 0, format!("{} failures observed", state.failures)),
        (late > 0, format!("{late} responses had the status 429 after the third minute")),
        (growth > 0, format!("memory grew by {growth} KiB more than the allowed 10 % plus 2 MiB: {memory:?}")),
    ];
    let mut unmet = Vec::new();
    for (is_unmet, finding) in requirements {
        if is_unmet {
            unmet.push(finding);
        }
    }
    unmet
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let seconds = std::env::args().nth(1).ok_or("pass the number of seconds")?.parse()?;
    let mut sandbox = Sandbox::of(&REGISTRY).limit_set("A").bearer_required(true).token_lifetime(TOKEN_LIFETIME);
    for fault in FAULTS {
        sandbox = sandbox.fault(fault.parse()?);
    }
    let sandbox = sandbox.start()?;
    let account = Arc::new(Account::default());
    let builder = Client::builder(sandbox.base_url()).api_key("any").client_credentials("id", "secret");
    let client = builder.rate_limit(limits::SET_A).observer(account.clone()).build()?;
    let begun = Instant::now();
    let end = begun + Duration::from_secs(seconds);
    let mut tasks = Vec::new();
    for _ in 0..TASKS {
        tasks.push(tokio::spawn(ask(client.clone(), account.clone(), end)));
    }
    let memory = watch(&account, begun, end).await;
    let mut calls = 0;
    let mut errors = Vec::new();
    for task in tasks {
        match task.await? {
            Ok(completed) => calls += completed,
            Err(error) => errors.push(error.to_string()),
        }
    }
    let unmet = unmet_requirements(&account, calls, &errors, begun, &memory);
    let counts = sandbox.counts();
    let state = account.state();
    println!("attempts: {:?}; longest wait of a call: {:?}", state.attempts, state.max_wait);
    println!(
        "sandbox: {} requests, {} rate-limited; {} tokens",
        counts.requests, counts.rate_limited, counts.tokens_issued
    );
    if unmet.is_empty() { Ok(()) } else { Err(unmet.join("\n").into()) }
}
