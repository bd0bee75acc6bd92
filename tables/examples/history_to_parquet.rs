//! Writes histories to a Parquet file: hourly funding rates of two coins for a year, in `funding.parquet`. A second run
//! requests only new records.

#![allow(clippy::print_stdout)] // This is a program.

use std::error::Error;
use std::time::Duration;

use generated_client::{Client, Exchange, Timeframe, Timestamp};
use generated_client_tables::{Backfill, BackfillEvent, SeriesRequest, Target};

const DAY: Duration = Duration::from_secs(86_400);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::from_env()?;
    let mut series = Vec::new();
    for coin in ["BTC", "ETH"] {
        let rate = client.funding_rate().funding_rate().exchange(Exchange::BINANCE_PERP_STABLE).coin(coin);
        series.push(SeriesRequest::new(rate.timeframe(Timeframe::H1).into_dynamic())?);
    }

    let today = Timestamp::now().floor(DAY);
    let job = Backfill::new(series, today - 365 * DAY..today, Target::parse("funding.parquet")?);
    println!("{} requests", job.plan().await?.requests());
    let watch = |event: &BackfillEvent| {
        if let BackfillEvent::Progress { progress, .. } = event {
            println!("{} records, {} requests left", progress.records, progress.pages_left);
        }
    };
    let summary = job.run(watch, std::future::pending()).await?;
    let missing: u64 = summary.series.iter().map(|series| series.missing).sum();
    println!("{missing} records missing, {} requests failed", summary.failed_pages);
    Ok(())
}
