//! How many requests the sandbox answers, so that it is never the bottleneck of a benchmark.
//!
//! Figures depend on the machine and its load, so they are shown and not judged; a request without an answer is a
//! failure.

use std::process::{Child, Command};

use super::running::Running;
use super::{Check, Program};
use crate::terminal::say;

pub(super) const CHECK: Check = Check {
    name: "throughput",
    shows: "how many requests of 50 points the sandbox answers in a second",
    needs: &[Program { probe: &["which", "wrk"], install: "apt-get install --yes wrk" }],
    run: |_| run(),
};

/// From the usual query of benchmarks to the slowest one.
const QUERIES: [&str; 5] = [
    "volumeRatio?coin=BTC&timeframe=1h&exchange=binance_perp_stable",
    "openInterest?coin=BTC&timeframe=1h&exchange=binance_perp_stable",
    "klines?coin=BTC&timeframe=1h&exchange=binance_perp_stable",
    "volumeRatio?coin=BTC&timeframe=1h",
    "liqLevelsSize?coin=BTC&timeframe=1h&exchange=binance_perp_stable",
];

fn run() -> Result<(), String> {
    let sandbox = Running::start(&[])?;
    QUERIES.iter().try_for_each(|query| measure(&sandbox.process.0, &format!("{}/{query}", sandbox.base_url)))
}

fn measure(sandbox: &Child, url: &str) -> Result<(), String> {
    let before = cpu_seconds(sandbox);
    let output = Command::new("wrk")
        .args(["-t1", "-c16", "-d5s", "-H", "x-api-key: any", url])
        .output()
        .map_err(|error| format!("`wrk` does not start: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let after = cpu_seconds(sandbox);
    let requests = number_before(&said, " requests in").filter(|requests| *requests > 0.0);
    let (Some(requests), false) = (requests, said.contains("Non-2xx") || said.contains("Socket errors")) else {
        return Err(format!("not every request to {url} was answered:\n{said}"));
    };
    let rate = said.lines().find_map(|line| line.strip_prefix("Requests/sec:")).unwrap_or("?").trim();
    let cpu = before.zip(after).map(|(before, after)| (after - before) / requests * 1e6);
    let cpu = cpu.map_or_else(String::new, |cpu| format!(", {cpu:.0} µs of CPU time each"));
    say(&format!("  {rate} a second{cpu}: {url}\n"));
    Ok(())
}

fn number_before(text: &str, words: &str) -> Option<f64> {
    text.split_once(words)?.0.split_whitespace().last()?.parse().ok()
}

/// The CPU time of a process, if the system has Linux's `/proc`.
fn cpu_seconds(process: &Child) -> Option<f64> {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.id())).ok()?;
    // The name may hold spaces; after it, the 12th and 13th field are time in the program and in the kernel.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |field: usize| fields.get(field)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / TICKS_PER_SECOND)
}
