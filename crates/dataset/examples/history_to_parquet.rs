//! Writes the history of a year to `history.parquet`, for the endpoint that the catalogue marks as its example. A
//! second run requests only new records.

#![allow(clippy::print_stdout)] // This is a program.

use std::error::Error;
use std::time::Duration;

use generated_client::{Client, GROUPS, Timestamp};
use generated_client_dataset::{Backfill, BackfillEvent, SeriesRequest, Target};

const DAY: Duration = Duration::from_secs(86_400);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::from_env()?;
    // The methods of the client create the same requests, if `into_dynamic()` follows them.
    let example = GROUPS.iter().flat_map(|group| group.endpoints).find(|endpoint| endpoint.is_example);
    let example = example.ok_or("the catalogue has no example")?;
    let mut request = client.endpoint(example);
    for param in example.params().filter(|param| param.required.is_some() || param.in_examples) {
        if let Some(value) = param.example {
            request = request.query(param.wire_name, value);
        }
    }

    let today = Timestamp::now().floor(DAY);
    let series = vec![SeriesRequest::new(request)?];
    let job = Backfill::new(series, today - 365 * DAY..today, Target::parse("history.parquet")?);
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
