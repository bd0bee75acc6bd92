//! Writes a folder of files for other programs to read, and a file with the expected content.

use std::fs;
use std::path::Path;

use runtime::Timestamp;
use runtime::record::FieldValue;
use serde_json::json;

use super::{END, ProgramResult, client, endpoint, job, run, sandbox, series};
use generated_client_dataset::{Backfill, SeriesRequest, Target};

const DAYS: i64 = 30;

/// Writes every kind of file.
pub(super) async fn all(folder: &Path) -> ProgramResult {
    let sandbox = sandbox()?;
    let client = client(sandbox.base_url())?;
    for name in ["out.parquet", "out.csv", "out.jsonl"] {
        run(&job(series(&client, "1h")?, DAYS, &path(folder, name))?).await?;
    }
    // The records of these endpoints have other fields than the records of the series above. One of the endpoints has
    // unknown fields.
    let mut shapes = Vec::new();
    for (name, query) in [
        ("global_metrics.global_bid_ask", &[("timeframe", "1h")] as &[_]),
        ("orderflow.anchored_cvd", &[("coin", "BTC"), ("timeframe", "1h")]),
    ] {
        let mut request = client.endpoint(endpoint(name)?);
        for (name, value) in query {
            request = request.query(*name, value);
        }
        shapes.push(SeriesRequest::new(request)?);
    }
    let target = Target::parse(&path(folder, "shapes/"))?;
    run(&Backfill::new(
        shapes,
        Timestamp::from_unix_seconds(END - DAYS * super::DAY)..Timestamp::from_unix_seconds(END),
        target,
    ))
    .await?;
    let truth = truth(&client).await?;
    fs::write(folder.join("truth.json"), truth.to_string())?;
    engines(folder, &client).await
}

/// Writes a data set of twenty coins, two endpoints and two timeframes, and a file with the rows and sums that every
/// reader must find, computed from the responses.
async fn engines(folder: &Path, client: &generated_client::Client) -> ProgramResult {
    let mut expected = serde_json::Map::new();
    for (name, field) in [("orderflow.volume_ratio", "volumeRatio"), ("orderflow.volume_delta", "volumeDelta")] {
        let mut of_endpoint = serde_json::Map::new();
        for (timeframe, days) in [("1h", 400), ("1m", 3)] {
            let series = twenty_coins(client, name, timeframe)?;
            let mut rows = 0_u64;
            let mut sum = 0.0;
            for series in &series {
                let range = Timestamp::from_unix_seconds(END - days * super::DAY)..Timestamp::from_unix_seconds(END);
                let mut pages = runtime::history::History::new(series.request().clone(), range).pages();
                while let Some(page) = pages.next().await {
                    for record in &page?.records {
                        rows += 1;
                        sum += record.value(field).and_then(FieldValue::number).ok_or("no value")?;
                    }
                }
            }
            of_endpoint.insert(timeframe.to_owned(), json!([rows, series.len(), sum]));
            run(&job(series, days, &path(folder, "engines/"))?).await?;
        }
        expected.insert(name.to_owned(), of_endpoint.into());
    }
    Ok(fs::write(folder.join("engines.json"), serde_json::Value::from(expected).to_string())?)
}

/// Writes a year of 20 coins as a single file and as a data set.
pub(super) async fn year(folder: &Path) -> ProgramResult {
    let sandbox = sandbox()?;
    let client = client(sandbox.base_url())?;
    let series = twenty_coins(&client, "orderflow.volume_ratio", "1h")?;
    for name in ["year.parquet", "year/"] {
        run(&job(series.clone(), 365, &path(folder, name))?).await?;
    }
    Ok(())
}

/// A series of each of twenty coins.
fn twenty_coins(client: &generated_client::Client, name: &str, timeframe: &str) -> ProgramResult<Vec<SeriesRequest>> {
    let coins: Vec<_> = (0..20).map(|coin| format!("C{coin}")).collect();
    let coins: Vec<_> = coins.iter().map(String::as_str).collect();
    super::series_of(client, timeframe, &[name], &coins)
}

fn path(folder: &Path, name: &str) -> String {
    format!("{}/{name}", folder.display())
}

/// The sandbox's own records, fetched with a single request for each series.
async fn truth(client: &generated_client::Client) -> ProgramResult<serde_json::Value> {
    let mut all = Vec::new();
    for series in series(client, "1h")? {
        let field = if series.path().contains("ratio") { "volumeRatio" } else { "volumeDelta" };
        let coin = if series.path().contains("BTC") { "BTC" } else { "ETH" };
        let request = series.request().clone().query("startTime", END - DAYS * super::DAY).query("endTime", END - 1);
        let generated_client::AnyBody::Series(reply) = request.query("limit", 1000).await? else {
            return Err("no series".into());
        };
        for record in &reply.records {
            let time = record.value("openDate").and_then(FieldValue::timestamp).ok_or("no time")?;
            let value = record.value(field).and_then(FieldValue::number).ok_or("no value")?;
            all.push(json!([series.endpoint().to_string(), coin, time.unix_seconds(), value]));
        }
    }
    Ok(all.into())
}
