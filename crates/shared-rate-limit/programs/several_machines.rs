//! Three processes share a rate limiter on one `redis-server`, and send requests at full speed to a sandbox that enforces the
//! limits: `several_machines SECONDS`.
//!
//! For each of the limit sets A and B, there are two runs: one kills a process in the middle of the run, and the other
//! restarts the server without its data. The program prints the counts of the sandboxes, and fails with a list of the
//! violated conditions. `cargo xtask verify shared-rate-limit` runs the program as an optimised build.

#![allow(clippy::print_stdout)] // The program prints its figures.

use std::error::Error;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use generated_client::{Client, REGISTRY, RateLimit, SERVICE, Timeframe};
use generated_client_shared_rate_limit::SharedRateLimiter;
use sandbox::Sandbox;
use tokio::time::sleep;

type ProgramResult<T> = Result<T, Box<dyn Error + Send + Sync>>;

const MACHINES: usize = 3;
const TASKS: usize = 20;
const SECOND: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(10);

/// Maximum time until the slots of a dead machine are released.
const BACK: Duration = Duration::from_secs(10);

/// Downtime of the server when it restarts.
const AWAY: Duration = Duration::from_secs(2);

/// Minimum share of the limit that must be used.
const LEAST: f64 = 0.95;

/// A process that is killed when it is dropped.
struct Process(Child);

impl Process {
    fn start(command: &mut Command) -> ProgramResult<Self> {
        Ok(Self(command.stdin(Stdio::null()).spawn()?))
    }

    fn kill(&mut self) {
        // An error is ignored, because it means that the process has already ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Starts a `redis-server` without persistence.
fn redis(port: u16) -> ProgramResult<Process> {
    let port = port.to_string();
    let arguments = ["--port", &port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
    Process::start(Command::new("redis-server").args(arguments).stdout(Stdio::null()))
}

fn limit(set: &str) -> ProgramResult<RateLimit> {
    let info =
        SERVICE.limits.iter().find(|info| info.name == set).ok_or_else(|| format!("unknown limit set `{set}`"))?;
    Ok(info.into())
}

fn limiter(server: &str, set: &str) -> ProgramResult<SharedRateLimiter> {
    Ok(SharedRateLimiter::builder(server, limit(set)?).name("several-machines").build()?)
}

/// Runs one machine: sends requests at full speed until the process is killed.
async fn machine(base_url: &str, server: &str, set: &str) -> ProgramResult<()> {
    let client =
        Client::builder(base_url).api_key("any").allow_http(true).rate_limiter(limiter(server, set)?).build()?;
    let mut tasks = Vec::new();
    for _ in 0..TASKS {
        tasks.push(tokio::spawn(request_forever(client.clone())));
    }
    for task in tasks {
        let outcome: Result<(), generated_client::Error> = task.await?;
        outcome?;
    }
    Ok(())
}

/// Sends one request after the other until one fails.
async fn request_forever(client: Client) -> Result<(), generated_client::Error> {
    loop {
        client.orderflow().volume_ratio().coin("BTC").timeframe(Timeframe::H1).limit(50).await?;
    }
}

/// The fault in the middle of the run.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Trouble {
    Kill,
    Restart,
}

/// Several machines under one limit set.
struct Machines {
    name: String,
    set: &'static str,
    /// The length of the set's window, in which at most `requests` may be sent.
    window: Duration,
    requests: u32,
    sandbox: Sandbox,
    port: u16,
    server: Process,
    machines: Vec<Process>,
    /// A rate limiter that only reads the status.
    limiter: SharedRateLimiter,
}

impl Machines {
    fn start(set: &'static str, trouble: Trouble) -> ProgramResult<Self> {
        let info =
            SERVICE.limits.iter().find(|info| info.name == set).ok_or_else(|| format!("unknown limit set `{set}`"))?;
        let sandbox = Sandbox::of(&REGISTRY).limit_set(set).fault("all latency=300ms..900ms".parse()?).start()?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let server = redis(port)?;
        let url = format!("redis://127.0.0.1:{port}");
        let program = std::env::current_exe()?;
        let mut machines = Vec::new();
        for _ in 0..MACHINES {
            let arguments = ["machine", sandbox.base_url(), &url, set];
            machines.push(Process::start(Command::new(&program).args(arguments))?);
        }
        let window = SECOND * info.seconds;
        let requests = info.requests;
        let name = format!("set {set}, {trouble:?}");
        Ok(Self { name, set, window, requests, port, server, machines, limiter: limiter(&url, set)?, sandbox })
    }

    fn report(&self, what: &str) {
        println!("{}: {what}", self.name);
    }

    fn served(&self) -> u64 {
        let counts = self.sandbox.counts();
        counts.requests - counts.rate_limited
    }

    /// Waits until a request arrives, and returns its time.
    async fn next_arrival(&self) -> ProgramResult<Instant> {
        let begun = Instant::now();
        let before = self.served();
        while self.served() == before {
            if begun.elapsed() > 2 * self.window + 30 * SECOND {
                return Err(format!("{}: no request arrives", self.name).into());
            }
            sleep(TICK).await;
        }
        Ok(Instant::now())
    }

    /// Counts the requests that are served during `time`, and returns the number as a share of the limit.
    async fn used(&self, time: Duration) -> f64 {
        let begun = Instant::now();
        let before = self.served();
        sleep(time).await;
        let served = u32::try_from(self.served() - before).unwrap_or(u32::MAX);
        let allowed = f64::from(self.requests) * begun.elapsed().as_secs_f64() / self.window.as_secs_f64();
        f64::from(served) / allowed
    }

    /// Kills a machine with slots in use, and measures the time until they are released.
    async fn kill(&mut self) -> ProgramResult<Duration> {
        let victim = format!("{}-", self.machines[0].0.id());
        let held = async |limiter: &SharedRateLimiter| -> ProgramResult<Option<usize>> {
            let status = limiter.status().await?;
            Ok(status
                .processes
                .iter()
                .find(|(name, _)| name.starts_with(&victim))
                .map(|(_, process)| process.in_flight))
        };
        let begun = Instant::now();
        let places = loop {
            match held(&self.limiter).await? {
                Some(places) if places > 0 => break places,
                _ if begun.elapsed() > 30 * SECOND => return Err(format!("{victim} had no slot for 30 s").into()),
                _ => sleep(TICK).await,
            }
        };
        self.machines[0].kill();
        let killed = Instant::now();
        while held(&self.limiter).await?.is_some() && killed.elapsed() < 3 * BACK {
            sleep(TICK).await;
        }
        self.report(&format!(
            "killed a machine with {places} slots; they were released after {:.1?}",
            killed.elapsed()
        ));
        Ok(killed.elapsed())
    }

    /// Restarts the server without its data, and measures the time until the next request.
    async fn restart(&mut self) -> ProgramResult<Duration> {
        self.server.kill();
        let stopped = Instant::now();
        sleep(AWAY).await;
        self.server = redis(self.port)?;
        // Requests that were admitted before the restart still arrive.
        let still = self.next_arrival().await?.duration_since(stopped);
        self.report(&format!(
            "the server was down for {AWAY:?} and lost its data; the next request arrived after {still:.1?}"
        ));
        Ok(still)
    }

    /// Runs the machines for `time`, and returns the violated conditions.
    async fn run(mut self, trouble: Trouble, time: Duration) -> ProgramResult<Vec<String>> {
        let begun = Instant::now();
        let first = self.next_arrival().await?;
        self.report(&format!("the first request arrived after {:.1?}", first.duration_since(begun)));
        sleep(self.window).await;
        let before = self.used(time / 2).await;
        let (took, most) = match trouble {
            Trouble::Kill => (self.kill().await?, BACK),
            // The downtime, the window with its safety margin, and a second in which the machines reconnect.
            Trouble::Restart => (self.restart().await?, AWAY + self.window.mul_f64(1.01) + SECOND),
        };
        let after = self.used(time / 2).await;
        let counts = self.sandbox.counts();
        let peak = counts.peak(self.set).map_or(u32::MAX, |peak| u32::try_from(peak).unwrap_or(u32::MAX));
        self.report(&format!(
            "{} requests, {} rejected; at most {peak} of {} in any {:?}, at most {} in flight; {:.1} % used before, {:.1} % after",
            counts.requests,
            counts.rate_limited,
            self.requests,
            self.window,
            counts.peak_in_flight,
            100.0 * before,
            100.0 * after,
        ));
        let findings = [
            (counts.rate_limited > 0 || peak > self.requests, "the limit was exceeded"),
            (before < LEAST || after < LEAST, "too little of the limit was used"),
            (took > most, "the recovery took too long"),
        ];
        let findings = findings.into_iter().filter(|(is_found, _)| *is_found);
        Ok(findings.map(|(_, finding)| format!("{}: {finding}", self.name)).collect())
    }
}

async fn run(set: &'static str, trouble: Trouble, time: Duration) -> ProgramResult<Vec<String>> {
    Machines::start(set, trouble)?.run(trouble, time).await
}

#[tokio::main]
async fn main() -> ProgramResult<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["machine", base_url, server, set] => machine(base_url, server, set).await,
        [seconds] => {
            let time = SECOND * seconds.parse()?;
            let mut runs = Vec::new();
            for trouble in [Trouble::Kill, Trouble::Restart] {
                for set in ["A", "B"] {
                    runs.push(tokio::spawn(run(set, trouble, time)));
                }
            }
            let mut findings = Vec::new();
            for run in runs {
                findings.extend(run.await??);
            }
            if findings.is_empty() { Ok(()) } else { Err(findings.join("; ").into()) }
        }
        _ => Err("usage: several_machines SECONDS".into()),
    }
}
