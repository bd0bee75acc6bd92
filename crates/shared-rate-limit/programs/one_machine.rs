//! Processes on one machine share a rate limiter through a file, and send requests at full speed to a sandbox that
//! enforces the limits.
//!
//! - `one_machine run SECONDS PROCESSES CRASHES`: for each of the limit sets A and B, the processes run for this time. Each
//!   second, this number of processes are killed and started again. Prints the counts of the sandbox and the CPU time, and
//!   fails with a list of the violated conditions.
//! - `one_machine idle`: prints the time that an idle rate limiter takes to admit a request.
//!
//! `cargo xtask verify shared-rate-limit` runs the program as an optimised build.

#![allow(clippy::print_stdout)] // The program prints its figures.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use generated_client::{Builder, Client, REGISTRY, RateLimit, SERVICE, Timeframe};
use generated_client_shared_rate_limit::{SharedRateLimiter, shared_on_this_machine};
use runtime::RequestKind;
use runtime::rate_limit::{Attempt, RateLimiter};
use sandbox::Sandbox;
use tokio::time::sleep;

type ProgramResult<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Number of concurrent requests of all processes; each process has at least five.
const TASKS: usize = 40;
const SECOND: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(5);

/// Minimum share of the limit that must be used, without and with crashes.
const MIN_SHARE: f64 = 0.96;
const MIN_SHARE_WITH_CRASHES: f64 = 0.8;

/// Maximum time from the start of the first process to its first request.
const MAX_FIRST: Duration = Duration::from_secs(1);

/// The processes of one run.
struct Run {
    set: &'static str,
    /// The length of the set's window, in which at most `requests` may be sent.
    window: Duration,
    requests: u32,
    sandbox: Sandbox,
    /// The folder with the file of the shared rate limit.
    folder: PathBuf,
    processes: Vec<Child>,
    /// Number of concurrent requests of a process.
    tasks: usize,
    begun: Instant,
}

impl Run {
    fn start(set: &'static str, count: usize) -> ProgramResult<Self> {
        let info = SERVICE.limits.iter().find(|info| info.name == set).ok_or("unknown limit set")?;
        let sandbox = Sandbox::of(&REGISTRY).limit_set(set).fault("all latency=300ms..900ms".parse()?).start()?;
        let folder = std::env::temp_dir().join(format!("one-machine-{}-{set}", std::process::id()));
        let window = SECOND * info.seconds;
        let begun = Instant::now();
        let tasks = (TASKS / count.max(1)).max(5);
        let mut run =
            Self { set, window, requests: info.requests, sandbox, folder, processes: Vec::new(), tasks, begun };
        for _ in 0..count {
            let process = run.spawn()?;
            run.processes.push(process);
        }
        Ok(run)
    }

    fn spawn(&self) -> ProgramResult<Child> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["process", self.sandbox.base_url(), self.set, &self.tasks.to_string()]).stdin(Stdio::null());
        Ok(command.env("XDG_STATE_HOME", &self.folder).spawn()?)
    }

    fn served(&self) -> u32 {
        let counts = self.sandbox.counts();
        u32::try_from(counts.requests - counts.rate_limited).unwrap_or(u32::MAX)
    }

    async fn first_request(&self) -> ProgramResult<Duration> {
        while self.served() == 0 {
            if self.begun.elapsed() > 30 * SECOND {
                return Err("no request arrives".into());
            }
            sleep(TICK).await;
        }
        Ok(self.begun.elapsed())
    }

    /// The CPU time of all running processes.
    fn cpu(&self) -> Duration {
        self.processes.iter().map(|process| cpu(process.id())).sum()
    }

    /// Kills a random process and starts another.
    fn crash(&mut self) -> ProgramResult<()> {
        let index = fastrand::usize(..self.processes.len());
        end(&mut self.processes[index]);
        self.processes[index] = self.spawn()?;
        Ok(())
    }

    /// Runs the processes for `time`, and returns the violated conditions.
    async fn measure(mut self, time: Duration, crashes: u32) -> ProgramResult<Vec<String>> {
        let first = self.first_request().await?;
        // An idle limiter admits ten requests at once, so the share is measured after them.
        sleep(2 * SECOND).await;
        let begun = Instant::now();
        let before = self.served();
        let cpu_before = self.cpu();
        let mut killed = 0;
        while begun.elapsed() < time {
            if crashes > 0 {
                self.crash()?;
                killed += 1;
                sleep((SECOND / crashes).mul_f64(0.5 + fastrand::f64())).await;
            } else {
                sleep(10 * TICK).await;
            }
        }
        let served = self.served() - before;
        let allowed = f64::from(self.requests) * begun.elapsed().as_secs_f64() / self.window.as_secs_f64();
        let share = f64::from(served) / allowed;
        let count = self.processes.len();
        let cpu = self.cpu().saturating_sub(cpu_before);
        for process in &mut self.processes {
            end(process);
        }
        let counts = self.sandbox.counts();
        println!(
            "set {}, {count} processes, {killed} crashes: {} requests, {} rejected, at most {} in flight; {:.1} % of \
             the limit; the first request after {first:.0?}; {:.1} ms CPU per request in all processes",
            self.set,
            counts.requests,
            counts.rate_limited,
            counts.peak_in_flight,
            100.0 * share,
            1000.0 * cpu.as_secs_f64() / f64::from(served),
        );
        let min_share = if crashes > 0 { MIN_SHARE_WITH_CRASHES } else { MIN_SHARE };
        let mut findings = Vec::new();
        if counts.rate_limited > 0 && crashes == 0 {
            findings.push(format!("set {}: the limit was exceeded", self.set));
        }
        if share < min_share {
            findings.push(format!("set {}: too little of the limit was used", self.set));
        }
        if first > MAX_FIRST {
            findings.push(format!("set {}: the first request was late", self.set));
        }
        if left_files(&self.folder) > count + 4 {
            findings.push(format!("set {}: files of dead processes are left", self.set));
        }
        fs::remove_dir_all(&self.folder)?;
        Ok(findings)
    }
}

fn end(process: &mut Child) {
    // An error means that the process has already ended.
    drop(process.kill());
    drop(process.wait());
}

/// The number of files in a folder.
fn left_files(folder: &Path) -> usize {
    let mut count = 0;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        count += if path.is_dir() { left_files(&path) } else { 1 };
    }
    count
}

/// The CPU time of a process so far; zero if it has ended.
fn cpu(process: u32) -> Duration {
    let Ok(text) = fs::read_to_string(format!("/proc/{process}/stat")) else { return Duration::ZERO };
    // The name of the program may contain spaces. The numbers follow its closing parenthesis.
    let numbers: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let mut ticks = 0;
    for number in numbers.get(11..13).unwrap_or_default() {
        ticks += number.parse::<u64>().unwrap_or_default();
    }
    Duration::from_millis(10 * ticks)
}

/// Runs one process: sends requests at full speed until the process is killed.
async fn process(base_url: &str, set: &str, count: usize) -> ProgramResult<()> {
    let client = shared_on_this_machine(builder(base_url, set)?).build()?;
    let mut tasks = Vec::new();
    for _ in 0..count {
        tasks.push(tokio::spawn(send_all(client.clone())));
    }
    for task in tasks {
        task.await??;
    }
    Ok(())
}

fn builder(base_url: &str, set: &str) -> ProgramResult<Builder> {
    let info = SERVICE.limits.iter().find(|info| info.name == set).ok_or("unknown limit set")?;
    Ok(Client::builder(base_url).api_key("any").allow_http(true).rate_limit(RateLimit::from(info)))
}

async fn send_all(client: Client) -> Result<(), generated_client::Error> {
    loop {
        client.orderflow().volume_ratio().coin("BTC").timeframe(Timeframe::H1).limit(50).await?;
    }
}

/// Measures how long an idle rate limiter takes.
async fn idle() -> ProgramResult<()> {
    let limit = RateLimit::new(1_000_000, SECOND, 1000);
    let limiter = SharedRateLimiter::of_this_machine(&Client::builder("https://example.com/v2").rate_limit(limit));
    let mut times = Vec::new();
    for _ in 0..200 {
        let begun = Instant::now();
        drop(limiter.acquire(Attempt::new(RequestKind::Token, 1)).await?);
        times.push(begun.elapsed());
        sleep(4 * TICK).await;
    }
    times.sort_unstable();
    println!("an idle rate limiter admits a request in {:.0?} (median), {:.0?} (minimum)", times[100], times[0]);
    println!("status: {:?}", limiter.status().await?);
    Ok(())
}

async fn run(seconds: u32, processes: usize, crashes: u32) -> ProgramResult<()> {
    let mut findings = Vec::new();
    for set in ["A", "B"] {
        findings.extend(Run::start(set, processes)?.measure(seconds * SECOND, crashes).await?);
    }
    if findings.is_empty() { Ok(()) } else { Err(findings.join("; ").into()) }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ProgramResult<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["process", base_url, set, tasks] => process(base_url, set, tasks.parse()?).await,
        ["run", seconds, processes, crashes] => run(seconds.parse()?, processes.parse()?, crashes.parse()?).await,
        ["idle"] => idle().await,
        _ => Err("usage: one_machine run SECONDS PROCESSES CRASHES | one_machine idle".into()),
    }
}
