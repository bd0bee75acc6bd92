//! Fetches a year of one-minute records from a sandbox that enforces limit set A, with the history of the client and in
//! other ways: `year WHAT…`.
//!
//! `fast` and `slow` fetch the year with response times of 100 ms and 1.5 s, `faults` with many faults. Each of the
//! three must return exactly the records of the sandbox; `fast` and `slow` must also finish within a time limit and
//! receive no status 429. `memory` streams ten million records from a mock transport. `cargo xtask verify history` runs
//! all four.
//!
//! `others` compares three ways to fetch the year with a response time of 300 ms: a history, a plain loop, and ten
//! tasks that wait after a 429. An argument with a slash is the path of another program that fetches the year: the
//! program gets the base URL as its argument and prints the number of records. `cargo xtask bench history` runs these
//! comparisons.

#![allow(clippy::print_stdout)] // The program prints its figures.

use std::error::Error;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use generated_client::orderflow::{VolumeRatio, VolumeRatioRecord};
use generated_client::transport::{Headers, HttpRequest, HttpResponse, from_fn};
use generated_client::{Client, Exchange, REGISTRY, RateLimit, Request, Retry, Timeframe, Timestamp, limits};
use generated_client_sandbox::Sandbox;

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

const MINUTE: i64 = 60;
const YEAR: i64 = 365 * 24 * 60 * MINUTE;

/// 2024-06-15T12:00:00Z.
const END: i64 = 1_718_452_800;

const FAULTS: [&str; 7] = [
    "all 2% status=503",
    "all 2% cut",
    "all 2% reset",
    "all 2% stale",
    "all 2% trickle=1us",
    "all 2% malformed",
    "all 2% latency=100ms..3s",
];

fn sandbox(faults: &[&str], limited: bool) -> Outcome<Sandbox> {
    let mut builder = Sandbox::of(&REGISTRY).stop_clock_at(END);
    if limited {
        builder = builder.limit_set("A");
    }
    for fault in faults {
        builder = builder.fault(fault.parse()?);
    }
    Ok(builder.start()?)
}

fn ratio(client: &Client) -> Request<VolumeRatio> {
    client.orderflow().volume_ratio().exchange(Exchange::BINANCE_PERP_STABLE).coin("BTC").timeframe(Timeframe::M1)
}

/// The records of the sandbox, fetched in pages of a thousand.
async fn truth() -> Outcome<Vec<VolumeRatioRecord>> {
    let sandbox = sandbox(&[], false)?;
    let client = Client::builder(sandbox.base_url()).api_key("any").rate_limit(RateLimit::none()).build()?;
    let mut all = Vec::new();
    for start in (END - YEAR..END).step_by(60_000) {
        let end = END.min(start + 60_000) - 1;
        let page = ratio(&client)
            .start_time(Timestamp::from_unix_seconds(start))
            .end_time(Timestamp::from_unix_seconds(end))
            .limit(1000);
        all.extend(page.await?);
    }
    Ok(all)
}

/// Fetches the year as a history. `response` is the response time if the faults cause no retries. In this case, the
/// duration and the number of requests are checked too.
async fn history(name: &str, faults: &[&str], response: Option<Duration>) -> Outcome {
    let truth = truth().await?;
    let sandbox = sandbox(faults, true)?;
    let client = Client::builder(sandbox.base_url()).api_key("any").rate_limit(limits::SET_A).build()?;
    let history = ratio(&client).history(Timestamp::from_unix_seconds(END - YEAR)..Timestamp::from_unix_seconds(END));
    let plan = history.plan()?;
    let begun = Instant::now();
    let all = history.skip_failed_pages().collect().await?;
    let elapsed = begun.elapsed();
    let counts = sandbox.counts();
    println!(
        "{name}: {} records in {:.1} s (planned: at least {:.1} s); {} requests for {} pages, {} rate-limited",
        all.records.len(),
        elapsed.as_secs_f64(),
        plan.min_duration.unwrap_or_default().as_secs_f64(),
        counts.requests,
        plan.requests,
        counts.rate_limited
    );
    if all.records != truth {
        return Err(format!("{} records, expected {}; {:?}", all.records.len(), truth.len(), all.report).into());
    }
    if let Some(response) = response {
        #[allow(clippy::cast_precision_loss)] // The number of requests is some hundreds.
        let max_seconds = plan.requests as f64 / 10.0 / 0.98 + response.as_secs_f64();
        if elapsed.as_secs_f64() > max_seconds || counts.rate_limited > 0 || counts.requests != plan.requests {
            return Err(format!("expected at most {max_seconds:.1} s, one request for each page and no 429").into());
        }
    }
    Ok(())
}

/// The latency of responses in the comparison.
const LATENCY: &str = "all latency=300ms";

/// Fetches the year with one history, for the comparison.
async fn one_call() -> Outcome {
    let sandbox = sandbox(&[LATENCY], true)?;
    let client = Client::builder(sandbox.base_url()).api_key("any").rate_limit(limits::SET_A).build()?;
    let begun = Instant::now();
    let points = ratio(&client)
        .history(Timestamp::from_unix_seconds(END - YEAR)..Timestamp::from_unix_seconds(END))
        .collect()
        .await?
        .records;
    report("history", points.len(), begun, &sandbox);
    Ok(())
}

/// Fetches the year with one request after another.
async fn plain_loop() -> Outcome {
    let sandbox = sandbox(&[LATENCY], true)?;
    let client = Client::builder(sandbox.base_url()).api_key("any").rate_limit(limits::SET_A).build()?;
    let begun = Instant::now();
    let mut points = Vec::new();
    let mut start = END - YEAR;
    while start < END {
        let end = END.min(start + 1000 * MINUTE);
        let page = ratio(&client)
            .limit(1000)
            .start_time(Timestamp::from_unix_seconds(start))
            .end_time(Timestamp::from_unix_seconds(end - 1));
        points.extend(page.await?);
        start = end;
    }
    report("loop", points.len(), begun, &sandbox);
    Ok(())
}

/// Fetches the year with ten tasks that have no rate limit and wait a second after a 429.
async fn ten_tasks() -> Outcome {
    let sandbox = sandbox(&[LATENCY], true)?;
    let builder = Client::builder(sandbox.base_url()).api_key("any");
    let client = builder.rate_limit(RateLimit::none()).retry(Retry::none()).build()?;
    let begun = Instant::now();
    let next = Arc::new(AtomicI64::new(END - YEAR));
    let mut tasks = Vec::new();
    for _ in 0..10 {
        tasks.push(tokio::spawn(one_task(client.clone(), next.clone())));
    }
    let mut points = Vec::new();
    for task in tasks {
        points.extend(task.await??);
    }
    points.sort_by_key(|point: &VolumeRatioRecord| point.open_date);
    report("tasks", points.len(), begun, &sandbox);
    Ok(())
}

async fn one_task(client: Client, next: Arc<AtomicI64>) -> Outcome<Vec<VolumeRatioRecord>> {
    let mut points = Vec::new();
    loop {
        let start = next.fetch_add(1000 * MINUTE, Ordering::Relaxed);
        if start >= END {
            return Ok(points);
        }
        let end = END.min(start + 1000 * MINUTE) - 1;
        let page = ratio(&client)
            .limit(1000)
            .start_time(Timestamp::from_unix_seconds(start))
            .end_time(Timestamp::from_unix_seconds(end));
        loop {
            match page.clone().await {
                Ok(page) => break points.extend(page),
                Err(error) if error.is_rate_limited() => tokio::time::sleep(Duration::from_secs(1)).await,
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Fetches the year with another program.
async fn program(path: &str) -> Outcome {
    let sandbox = sandbox(&[LATENCY], true)?;
    let begun = Instant::now();
    let mut command = Command::new(path);
    command.arg(sandbox.base_url());
    let output = tokio::task::spawn_blocking(move || command.output()).await??;
    let printed = String::from_utf8_lossy(&output.stdout);
    let Ok(records) = printed.trim().parse() else {
        let warnings = String::from_utf8_lossy(&output.stderr);
        return Err(format!("expected a number of records, found {printed:?} and {warnings:?}").into());
    };
    report("program", records, begun, &sandbox);
    Ok(())
}

fn report(name: &str, records: usize, begun: Instant, sandbox: &Sandbox) {
    let elapsed = begun.elapsed().as_secs_f64();
    let counts = sandbox.counts();
    println!(
        "{name}: {records} records in {elapsed:.1} s; {} requests, {} rate-limited",
        counts.requests, counts.rate_limited
    );
}

/// Streams ten million records, which a mock transport generates on request.
async fn memory() -> Outcome {
    const RECORDS: i64 = 10_000_000;
    let transport =
        from_fn(async |request: HttpRequest| Ok(HttpResponse::new(200, Headers::new(), made_up(&request.url))));
    let builder = Client::builder("https://example.invalid/v2").api_key("any").transport(transport);
    let client = builder.rate_limit(RateLimit::none()).build()?;
    let begun = Instant::now();
    let mut records = ratio(&client)
        .history(Timestamp::from_unix_seconds(END - RECORDS * MINUTE)..Timestamp::from_unix_seconds(END))
        .records();
    let mut count = 0_i64;
    let mut sum = 0.0;
    while let Some(record) = records.next().await {
        sum += record?.volume_ratio;
        count += 1;
    }
    let peak = peak_memory().unwrap_or_default();
    println!("memory: {count} records ({sum}) in {:.1} s, {peak} KiB at most", begun.elapsed().as_secs_f64());
    if count != RECORDS || peak > 60 << 10 {
        return Err(format!("expected {RECORDS} records and at most 60 MiB").into());
    }
    Ok(())
}

/// Generates a response with one record for each minute.
fn made_up(url: &str) -> String {
    let start = time_param(url, "startTime=").unwrap_or_default();
    let end = time_param(url, "endTime=").unwrap_or_default();
    let first = (start + MINUTE - 1) / MINUTE * MINUTE;
    let mut records = Vec::new();
    for time in (first..=end).step_by(60) {
        records.push(format!(r#"{{"openDate":{time},"volumeRatio":0.25}}"#));
    }
    format!(r#"{{"data":[{}],"metadata":{{"exchanges":[]}}}}"#, records.join(","))
}

fn time_param(url: &str, name: &str) -> Option<i64> {
    let (_, value_and_rest) = url.split_once(name)?;
    value_and_rest.split('&').next()?.parse().ok()
}

/// The peak memory of this process, in KiB; `None` if the system has no `/proc`.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let size = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    size.split_whitespace().next()?.parse().ok()
}

#[tokio::main]
async fn main() -> Outcome {
    for what in std::env::args().skip(1) {
        match what.as_str() {
            "fast" => history("100 ms", &["all latency=100ms"], Some(Duration::from_millis(100))).await?,
            "slow" => history("1.5 s", &["all latency=1500ms"], Some(Duration::from_millis(1500))).await?,
            "faults" => history("with faults", &FAULTS, None).await?,
            "others" => {
                one_call().await?;
                plain_loop().await?;
                ten_tasks().await?;
            }
            "memory" => memory().await?,
            path if path.contains('/') => program(path).await?,
            other => return Err(format!("unknown argument `{other}`").into()),
        }
    }
    Ok(())
}
