//! The program behind `cargo xtask verify tables`: `files WHAT FOLDER`.
//!
//! `write` fills a folder with every kind of file, which other programs then read. `year` writes the files whose sizes
//! `size.py` compares. `killed` kills jobs in every phase, restarts them, and compares the result with that of an
//! uninterrupted job. `bucket` does the same with object storage, and with two jobs at once. `million` writes ten
//! million records to Parquet, and `pages` writes the responses with the candles to a file. `job` is the job that is
//! killed.

#![allow(clippy::print_stdout)] // The output is the result.

mod killed;
mod million;
mod phase;
mod stored_rows;
mod write;

use std::error::Error;
use std::path::Path;

use generated_client::registry::EndpointInfo;
use generated_client::{Client, GROUPS, REGISTRY, RateLimit, Timestamp};
use generated_client_dataset::{Backfill, SeriesRequest, Target};
use sandbox::Sandbox;

type ProgramResult<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// The end of all ranges: 2024-06-15T00:00:00Z.
const END: i64 = 1_718_409_600;

fn sandbox() -> ProgramResult<Sandbox> {
    Ok(Sandbox::of(&REGISTRY).stop_clock_at(END + 12 * HOUR).start()?)
}

fn client(base_url: &str) -> ProgramResult<Client> {
    Ok(Client::builder(base_url).api_key("any").rate_limit(RateLimit::none()).build()?)
}

fn endpoint(name: &str) -> ProgramResult<&'static EndpointInfo> {
    let mut all = GROUPS.iter().flat_map(|group| group.endpoints);
    Ok(all.find(|endpoint| endpoint.to_string() == name).ok_or_else(|| format!("unknown endpoint `{name}`"))?)
}

/// Two metrics of two coins.
fn series(client: &Client, timeframe: &str) -> ProgramResult<Vec<SeriesRequest>> {
    series_of(client, timeframe, &["orderflow.volume_ratio", "orderflow.volume_delta"], &["BTC", "ETH"])
}

fn series_of(client: &Client, timeframe: &str, names: &[&str], coins: &[&str]) -> ProgramResult<Vec<SeriesRequest>> {
    let mut all = Vec::new();
    for name in names {
        for coin in coins {
            let request = client.endpoint(endpoint(name)?).query("exchange", "binance_perp_stable");
            all.push(SeriesRequest::new(request.query("coin", *coin).query("timeframe", timeframe))?);
        }
    }
    Ok(all)
}

fn job(series: Vec<SeriesRequest>, days: i64, target: &str) -> ProgramResult<Backfill> {
    Ok(Backfill::new(
        series,
        Timestamp::from_unix_seconds(END - days * DAY)..Timestamp::from_unix_seconds(END),
        Target::parse(target)?,
    ))
}

async fn run(job: &Backfill) -> ProgramResult<generated_client_dataset::Summary> {
    let summary = job.run(|_| {}, std::future::pending()).await?;
    if !summary.is_complete {
        return Err(format!("the job is not complete: {summary:?}").into());
    }
    Ok(summary)
}

#[tokio::main]
async fn main() -> ProgramResult {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["write", folder] => write::all(Path::new(folder)).await,
        ["year", folder] => write::year(Path::new(folder)).await,
        ["killed", folder, rounds] => killed::on_disk(Path::new(folder), rounds.parse()?).await,
        ["bucket", bucket, rounds] => {
            killed::in_bucket(bucket, rounds.parse()?).await?;
            killed::two_writers(bucket, rounds.parse()?).await
        }
        ["million", folder] => million::run(Path::new(folder)).await,
        ["pages", file] => million::pages(Path::new(file)),
        ["job", base_url, target, days] => {
            run(&job(series(&client(base_url)?, "1m")?, days.parse()?, target)?).await.map(drop)
        }
        ["job", base_url, target, days, coin] => {
            let series = series_of(&client(base_url)?, "1m", &["orderflow.volume_ratio"], &[coin])?;
            run(&job(series, days.parse()?, target)?).await.map(drop)
        }
        _ => Err(
            "expected `write FOLDER`, `year FOLDER`, `killed FOLDER ROUNDS`, `bucket NAME ROUNDS`, `million FOLDER` or \
             `pages FILE`"
                .into(),
        ),
    }
}
