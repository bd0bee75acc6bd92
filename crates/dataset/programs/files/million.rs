//! Measures duration, memory and file size of writing ten million records to Parquet.
//!
//! A transport generates the responses on demand. The same responses can be written to a file, so that other programs
//! can convert them for comparison.

use std::fmt::Write as _;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use generated_client::transport::{Headers, HttpRequest, HttpResponse, from_fn};
use generated_client::{Client, RateLimit, Timestamp};
use generated_client_dataset::{Backfill, SeriesRequest, Target};

use super::{END, ProgramResult, endpoint};

const RECORDS: i64 = 10_000_000;
const MINUTE: i64 = 60;

/// Maximum memory of a job, in KiB.
const MAX_MEMORY: u64 = 48 << 10;

/// Writes candles and ratios, each to one file, and prints the figures.
pub(super) async fn run(folder: &Path) -> ProgramResult {
    for (name, max_bytes) in [("orderflow.kline", 16.0), ("orderflow.volume_ratio", 13.0)] {
        write(folder, name, max_bytes).await?;
    }
    Ok(())
}

async fn write(folder: &Path, name: &str, max_bytes: f64) -> ProgramResult {
    let transport =
        from_fn(async |request: HttpRequest| Ok(HttpResponse::new(200, Headers::new(), made_up(&request.url))));
    let builder = Client::builder("https://example.invalid/v2").api_key("any").transport(transport);
    let client = builder.rate_limit(RateLimit::none()).build()?;
    let request = client.endpoint(endpoint(name)?).query("exchange", "binance_perp_stable");
    let request = request.query("coin", "BTC").query("timeframe", "1m");
    let target = format!("{}/{name}.parquet", folder.display());
    let job = Backfill::new(
        vec![SeriesRequest::new(request)?],
        Timestamp::from_unix_seconds(END - RECORDS * MINUTE)..Timestamp::from_unix_seconds(END),
        Target::parse(&target)?,
    );
    let begun = Instant::now();
    let summary = super::run(&job).await?;
    let elapsed = begun.elapsed().as_secs_f64();
    let bytes = std::fs::metadata(&target)?.len();
    let peak = peak_memory().unwrap_or_default();
    #[allow(clippy::cast_precision_loss)] // The number is below 2^53.
    let rows = summary.records as f64;
    #[allow(clippy::cast_precision_loss)] // The number is below 2^53.
    let length = bytes as f64 / rows;
    let rate = rows / elapsed;
    println!(
        "{name}: {} rows in {elapsed:.1} s, {rate:.0} rows/s, {length:.1} bytes per row, {} MiB peak memory",
        summary.records,
        peak >> 10
    );
    if i64::try_from(summary.records)? != RECORDS || peak > MAX_MEMORY || length > max_bytes {
        return Err(format!("expected {RECORDS} records, {max_bytes} bytes per row, {} MiB", MAX_MEMORY >> 10).into());
    }
    Ok(())
}

/// Writes the responses, one per line.
pub(super) fn pages(file: &Path) -> ProgramResult {
    let mut out = BufWriter::new(std::fs::File::create(file)?);
    let page = 1000;
    for first in (END / MINUTE - RECORDS..END / MINUTE).step_by(page) {
        let last = (first + i64::try_from(page)?).min(END / MINUTE) - 1;
        writeln!(out, "{}", reply(first..=last))?;
    }
    Ok(out.flush()?)
}

/// A response with one record for each minute of the requested range.
fn made_up(url: &str) -> String {
    let start = param(url, "startTime=").unwrap_or_default();
    let end = param(url, "endTime=").unwrap_or_default();
    let minutes = (start + MINUTE - 1) / MINUTE..=end / MINUTE;
    if url.contains("kline") { reply(minutes) } else { ratios(minutes) }
}

/// The number after a name in a URL.
fn param(url: &str, name: &str) -> Option<i64> {
    url.split(name).nth(1)?.split('&').next()?.parse().ok()
}

/// A response with ratios of six decimals, as the service writes them.
fn ratios(minutes: std::ops::RangeInclusive<i64>) -> String {
    let mut records = Vec::new();
    for minute in minutes {
        let ratio = noise(minute, 0, 2_000_000) - 1_000_000;
        let sign = if ratio < 0 { "-" } else { "" };
        let whole = ratio.abs() / 1_000_000;
        let decimals = ratio.abs() % 1_000_000;
        records.push(format!(r#"{{"openDate":{},"volumeRatio":{sign}{whole}.{decimals:06}}}"#, minute * MINUTE));
    }
    format!(r#"{{"data":[{}],"metadata":{{"exchanges":[]}}}}"#, records.join(","))
}

/// A response with candles, whose pseudo-random prices have two decimals and hardly repeat.
fn reply(minutes: std::ops::RangeInclusive<i64>) -> String {
    let mut text = String::from(r#"{"data":["#);
    let mut separator = "";
    for minute in minutes {
        let [open, high, low, close] = [0, 1, 2, 3].map(|part| noise(minute, part, 10_000));
        let _ = write!(
            text,
            r#"{separator}{{"openDate":{},"open":{}.{:02},"high":{}.{:02},"low":{}.{:02},"close":{}.{:02}}}"#,
            minute * MINUTE,
            60_000 + open / 100,
            open % 100,
            60_100 + high / 100,
            high % 100,
            59_900 + low / 100,
            low % 100,
            60_000 + close / 100,
            close % 100
        );
        separator = ",";
    }
    text.push_str(r#"],"metadata":{"exchanges":[]}}"#);
    text
}

/// A pseudo-random number below `below`.
fn noise(minute: i64, part: i64, below: i64) -> i64 {
    let mut number = (minute * 31 + part).wrapping_mul(0x1E37_79B9_7F4A_7C15);
    number ^= number >> 29;
    number = number.wrapping_mul(0x3F58_476D_1CE4_E5B9);
    number ^= number >> 32;
    number.rem_euclid(below)
}

/// The peak memory of this process in KiB; `None` on systems without Linux's `/proc`.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.split_whitespace().next()?.parse().ok()
}
