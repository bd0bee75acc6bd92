//! A registry, clients over a transport in memory, and the content of files.

#![allow(dead_code, reason = "each test target uses only some of the items")]

pub(crate) mod dice;
pub(crate) mod service;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use arrow_array::RecordBatch;
use dataset::{Backfill, BackfillEvent, SeriesRequest, Status, Summary, Target, TextWriter};
use flate2::read::GzDecoder;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use runtime::registry::EndpointInfo;
use runtime::transport::{Headers, HttpRequest, HttpResponse, from_fn};
use runtime::{Builder, Error, ErrorKind, RateLimit, Retry, Timestamp};
use service::Client;

pub(crate) const HOUR: i64 = 3_600;
pub(crate) const DAY: i64 = 24 * HOUR;

/// The end of most ranges: 2024-06-15T00:00:00Z.
pub(crate) const END: i64 = 1_718_409_600;

/// Creates a client for which a function computes the status and the body of each response from the URL and the range
/// in seconds. With the status 0, the connection is refused.
pub(crate) fn client_of(respond: impl Fn(&str, i64, i64) -> (u16, String) + Send + Sync + 'static) -> Builder<Client> {
    client_of_responses(move |url, from, to| {
        let (status, body) = respond(url, from, to);
        let refused = || Error::retryable(ErrorKind::Connect, "connection refused");
        (status != 0).then(|| HttpResponse::new(status, Headers::new(), body)).ok_or_else(refused)
    })
}

/// Creates a client for which a function computes each response from the URL and the range in seconds.
pub(crate) fn client_of_responses(
    respond: impl Fn(&str, i64, i64) -> Result<HttpResponse, Error> + Send + Sync + 'static,
) -> Builder<Client> {
    let transport = from_fn(move |request: HttpRequest| {
        let param = |name: &str| request.url.split(name).nth(1).unwrap().split('&').next().unwrap().parse().unwrap();
        let response = respond(&request.url, param("startTime="), param("endTime="));
        async move { response }
    });
    let builder = Client::builder("https://example.invalid/v2").api_key("any").transport(transport);
    builder.retry(Retry::none()).rate_limit(RateLimit::none())
}

/// The body of a series of these records.
pub(crate) fn data_of(records: &[String]) -> String {
    format!(r#"{{"data":[{}],"metadata":{{}}}}"#, records.join(","))
}

/// A body with a value for every hour after `from` and up to `to`.
pub(crate) fn body(from: i64, to: i64, value: impl Fn(i64) -> Option<String>) -> String {
    let times = ((from + HOUR).div_euclid(HOUR) * HOUR..=to).step_by(3600);
    let records: Vec<_> =
        times.filter_map(|time| Some(format!(r#"{{"openDate":{time},"volumeRatio":{}}}"#, value(time)?))).collect();
    data_of(&records)
}

/// Creates a client of a service that has a record for every hour.
pub(crate) fn client() -> Client {
    client_of(|_, from, to| (200, body(from, to, |time| Some(format!("0.{}", (time / HOUR).rem_euclid(1000) + 1)))))
        .build()
        .unwrap()
}

/// Creates an hourly series.
pub(crate) fn hours(client: &Client, endpoint: &'static EndpointInfo, coin: &str) -> SeriesRequest {
    series(client, endpoint, coin, "1h")
}

/// Creates a series of this timeframe.
pub(crate) fn series(
    client: &Client,
    endpoint: &'static EndpointInfo,
    coin: &str,
    timeframe: &'static str,
) -> SeriesRequest {
    let request = client.endpoint(endpoint).query("exchange", "binance_perp_stable").query("coin", coin);
    SeriesRequest::new(request.query("timeframe", timeframe)).unwrap()
}

/// Creates a series whose records have no regular step.
pub(crate) fn releases(client: &Client) -> SeriesRequest {
    SeriesRequest::new(client.endpoint(&service::RELEASES).query("coin", "BTC")).unwrap()
}

/// One target of each kind.
pub(crate) const TARGETS: [&str; 3] = ["out.csv", "out.parquet", "data/"];

/// Creates hourly series of these coins.
pub(crate) fn coins(client: &Client, coins: &[&str]) -> Vec<SeriesRequest> {
    coins.iter().map(|coin| hours(client, &service::RATIO, coin)).collect()
}

/// Creates a client of a service whose responses depend on a value that the test can change, and returns that value.
pub(crate) fn client_with<T: Send + 'static>(
    value: T,
    respond: impl Fn(&mut T, &str, i64, i64) -> (u16, String) + Send + Sync + 'static,
) -> (Client, Arc<Mutex<T>>) {
    let shared = Arc::new(Mutex::new(value));
    let of_test = shared.clone();
    let builder = client_of(move |url, from, to| respond(&mut shared.lock().unwrap(), url, from, to));
    (builder.build().unwrap(), of_test)
}

/// A function that returns the value at a time; `None` if there is no record.
pub(crate) type Script = fn(i64) -> Option<String>;

/// Creates a client of a service for which a function computes the values. The test can replace that function.
pub(crate) fn scripted(value: Script) -> (Client, Arc<Mutex<Script>>) {
    client_with(value, |value, _, from, to| (200, body(from, to, *value)))
}

pub(crate) fn target_of(path: &Path) -> Target {
    Target::parse(path.to_str().unwrap()).unwrap()
}

pub(crate) fn job(series: Vec<SeriesRequest>, from: i64, to: i64, target: &Path) -> Backfill {
    let end = Timestamp::from_unix_seconds(to);
    let mut job = Backfill::new(series, Timestamp::from_unix_seconds(from)..end, target_of(target));
    // The service is at the end of the range, so its last records may still change.
    job.service_time = Some(end.min(Timestamp::now()));
    job
}

/// A job with other settings.
pub(crate) fn with(mut job: Backfill, change: impl FnOnce(&mut Backfill)) -> Backfill {
    change(&mut job);
    job
}

pub(crate) async fn run(job: &Backfill) -> Summary {
    job.run(|_: &BackfillEvent| {}, std::future::pending()).await.unwrap()
}

/// Runs a job and cancels it at its first event.
pub(crate) async fn run_cancelled(job: &Backfill) -> Summary {
    run_cancelled_after(job, 0).await
}

/// Runs a job and cancels it after a number of pages.
pub(crate) async fn run_cancelled_after(job: &Backfill, pages: u64) -> Summary {
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let mut stop = Some(stop);
    let watch = |event: &BackfillEvent| match event {
        BackfillEvent::Progress { progress, .. } if progress.pages >= pages => drop(stop.take()),
        _ => {}
    };
    let summary = job.run(watch, async { drop(stopped.await) }).await.unwrap();
    assert!(summary.is_cancelled && !summary.is_complete, "{summary:?}");
    summary
}

/// The status of a target.
pub(crate) async fn state_of(path: &Path) -> Status {
    dataset::verify(&target_of(path)).await.unwrap()
}

/// The paths of all visible files below a folder, relative to the folder and in order.
pub(crate) fn files(folder: &Path) -> Vec<String> {
    let is_hidden = |name: &String| name.split('/').any(|part| part.starts_with('.'));
    all_files(folder).into_iter().filter(|name| !is_hidden(name)).collect()
}

/// The paths of all files below a folder, relative to the folder and in order.
pub(crate) fn all_files(folder: &Path) -> Vec<String> {
    fn visit(folder: &Path, found: &mut Vec<PathBuf>) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() { visit(&path, found) } else { found.push(path) }
        }
    }
    let mut found = Vec::new();
    visit(folder, &mut found);
    let mut names: Vec<_> =
        found.iter().map(|path| path.strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/")).collect();
    names.sort();
    names
}

/// The rows of a Parquet file.
pub(crate) fn batches(path: &Path) -> impl Iterator<Item = RecordBatch> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap().build().unwrap();
    reader.map(Result::unwrap)
}

/// A Parquet file as CSV.
fn csv_of(path: &Path) -> String {
    let mut lines = TextWriter::csv(Vec::new());
    for batch in batches(path) {
        lines.write(&batch).unwrap();
    }
    String::from_utf8(lines.into_inner().unwrap()).unwrap()
}

/// The cells of a row that are not null, by column.
pub(crate) type Row = BTreeMap<String, String>;

/// The rows of any target, in the order of its files.
pub(crate) fn read(target: &Path) -> Vec<Row> {
    let mut rows = Vec::new();
    let ending = target.extension().and_then(|ending| ending.to_str());
    if ending == Some("csv") {
        rows_of(&std::fs::read_to_string(target).unwrap_or_default(), &mut rows);
    } else if matches!(ending, Some("gz" | "GZ")) {
        let mut text = String::new();
        GzDecoder::new(File::open(target).unwrap()).read_to_string(&mut text).unwrap();
        rows_of(&text, &mut rows);
    } else if ending == Some("parquet") {
        if target.exists() {
            rows_of(&csv_of(target), &mut rows);
        }
    } else {
        for file in files(target).iter().filter(|file| file.ends_with(".parquet")) {
            rows_of(&csv_of(&target.join(file)), &mut rows);
        }
    }
    rows
}

fn rows_of(csv: &str, rows: &mut Vec<Row>) {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let names = reader.headers().unwrap().clone();
    for record in reader.records() {
        let record = record.unwrap();
        let cells = names.iter().zip(&record).filter(|(_, value)| !value.is_empty());
        let cells = cells.map(|(name, value)| (name.to_owned(), value.to_owned()));
        rows.push(cells.collect());
    }
}
