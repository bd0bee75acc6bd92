//! Simulates a month of daily runs, during which the service and the machine have ordinary troubles.
//!
//! After each run, the report must match the files. After the last run, every target must contain the records that the
//! service has at that time.

mod service;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, TimestampMicrosecondType};
use arrow_array::{Array, RecordBatch};
use dataset::{Backfill, SeriesRequest, StoredTables, Summary};
use runtime::Timestamp;

use crate::support::service::{Client, RATIO};
use crate::support::{DAY, HOUR, target_of};
use service::{Service, Shared, Troubles, client};

const COINS: [&str; 2] = ["BTC", "ETH"];

/// 2024-02-20T06:30:00Z. The 30 days after it include a leap day and the end of a month.
const BEGIN: i64 = 1_708_410_600;
const MONTH: i64 = 30;

/// Rows of a target by coin and time: the value, unless it is null, and the unknown fields.
type Rows = BTreeMap<(&'static str, i64), (Option<f64>, String)>;

fn insert(rows: &mut Rows, coin: &str, time: i64, value: Option<f64>, unknown: &str) {
    let coin = COINS.into_iter().find(|known| *known == coin).unwrap();
    let other = rows.insert((coin, time), (value, unknown.to_owned()));
    assert_eq!(other, None, "{coin} at {time} has two rows");
}

/// Reads rows without converting them to text, because a month of minutes has many rows.
fn read_parquet(path: &Path, rows: &mut Rows) {
    for batch in crate::support::batches(path) {
        add_batch(&batch, rows);
    }
}

fn add_batch(batch: &RecordBatch, rows: &mut Rows) {
    let text = |name: &str| batch.column_by_name(name).map(AsArray::as_string::<i32>);
    let coins = text("coin").unwrap();
    let unknown = text("unknown_fields").unwrap();
    let times = batch.column_by_name("openDate").unwrap().as_primitive::<TimestampMicrosecondType>();
    let values = batch.column_by_name("volumeRatio").unwrap().as_primitive::<Float64Type>();
    for (row, value) in values.iter().enumerate() {
        let unknown = if unknown.is_null(row) { "" } else { unknown.value(row) };
        insert(rows, coins.value(row), times.value(row) / 1_000_000, value, unknown);
    }
}

fn read(target: &Path) -> Rows {
    let mut rows = Rows::new();
    match target.extension().and_then(|ending| ending.to_str()) {
        Some("parquet") if target.exists() => read_parquet(target, &mut rows),
        Some("parquet") => {}
        Some(_) => {
            for row in crate::support::read(target) {
                let time = row["openDate"].parse::<Timestamp>().unwrap().unix_seconds();
                let value = row.get("volumeRatio").map(|value| value.parse().unwrap());
                insert(&mut rows, &row["coin"], time, value, row.get("unknown_fields").map_or("", String::as_str));
            }
        }
        None => {
            for file in crate::support::files(target).iter().filter(|file| file.ends_with(".parquet")) {
                read_parquet(&target.join(file), &mut rows);
            }
        }
    }
    rows
}

/// The rows that a target should have now.
fn expected(service: &Service, coins: &[&'static str], from: i64) -> Rows {
    let mut rows = Rows::new();
    for coin in coins {
        for (time, value, field) in service.records(coin, from, service.now / service.step * service.step) {
            let text = value.is_none().then(|| r#""volumeRatio":"n/a""#.to_owned());
            let field = field.map(|field| format!(r#""added":{field}"#));
            let unknown: Vec<_> = text.into_iter().chain(field).collect();
            let unknown = if unknown.is_empty() { String::new() } else { format!("{{{}}}", unknown.join(",")) };
            insert(&mut rows, coin, time, value, &unknown);
        }
    }
    rows
}

/// The numbers of added, filled and revised rows between two readings of a target. Added rows are outside the
/// earlier range, filled rows are new rows within it, and revised rows have changed content.
fn changes(before: &Rows, after: &Rows, coin: &str) -> (u64, u64, u64) {
    let known: Vec<_> = before.keys().filter(|(of, _)| *of == coin).map(|(_, time)| *time).collect();
    let (mut added, mut filled, mut revised) = (0, 0, 0);
    for (key, row) in after.iter().filter(|((of, _), _)| *of == coin) {
        match before.get(key) {
            // An unknown field that was added is not a revision.
            Some(old) => revised += u64::from(old.0 != row.0),
            None if known.first().is_some_and(|first| *first < key.1)
                && known.last().is_some_and(|last| *last > key.1) =>
            {
                filled += 1;
            }
            None => added += 1,
        }
    }
    (added, filled, revised)
}

struct Month {
    service: Shared,
    target: PathBuf,
    from: i64,
    timeframe: &'static str,
    coins: &'static [&'static str],
    /// The rows after the last run.
    rows: Rows,
    /// The rows after each complete run, and the time of the run.
    seen: Vec<Seen>,
}

/// What readers could see after a run.
struct Seen {
    time: i64,
    rows: Rows,
}

impl Month {
    fn job(&self, client: &Client, now: i64) -> Backfill {
        let series = self.coins.iter().map(|coin| {
            let request = client.endpoint(&RATIO).query("coin", *coin).query("timeframe", self.timeframe);
            SeriesRequest::new(request).unwrap()
        });
        let target = target_of(&self.target);
        let range = Timestamp::from_unix_seconds(self.from)..Timestamp::from_unix_seconds(now);
        let mut job = Backfill::new(series.collect(), range, target);
        // The clock of the machine may be wrong; that of the service is not.
        let service_time = Timestamp::from_unix_seconds(self.service.lock().unwrap().now);
        job.service_time = Some(service_time);
        job
    }

    /// Compares what was known at the time of each run with what readers could see after it.
    async fn check_history(&self) {
        let target = target_of(&self.target);
        for seen in &self.seen {
            let as_of = Some(Timestamp::from_unix_seconds(seen.time));
            let tables = StoredTables::open(&target).await.unwrap();
            let stored = tables.rows(None, as_of).unwrap();
            let mut rows = Rows::new();
            let read = stored.read(
                |_| true,
                |_, batch| {
                    add_batch(batch, &mut rows);
                    Ok::<(), dataset::Error>(())
                },
            );
            read.await.unwrap();
            assert!(rows == seen.rows, "{}: as of {}", self.target.display(), seen.time);
        }
    }

    async fn run(&mut self, day: i64, troubles: &Troubles) {
        let now = BEGIN + day * DAY;
        self.service.lock().unwrap().now = now;
        self.service.lock().unwrap().responses = 0;
        let local = if day == troubles.fast_clock { now + 5 * DAY } else { now };
        let client = client(&self.service);
        let job = self.job(&client, local);
        let run = job.run(|_| {}, std::future::pending());
        // A run that hangs is dropped, like a killed process.
        let outcome =
            tokio::time::timeout(Duration::from_secs(if day == troubles.killed { 60 } else { 3600 }), run).await;
        let Ok(summary) = outcome else {
            assert_eq!(day, troubles.killed);
            self.rows = read(&self.target);
            return;
        };
        let before = std::mem::replace(&mut self.rows, read(&self.target));
        self.check(day, troubles, &before, &summary.unwrap());
        self.seen.push(Seen { time: now, rows: self.rows.clone() });
    }

    /// Compares the report of a run with the files before and after that run, and with the service.
    fn check(&self, day: i64, troubles: &Troubles, before: &Rows, summary: &Summary) {
        let (after, service) = (&self.rows, self.service.lock().unwrap());
        let context = format!("day {day} of {troubles:?}, {}: {summary:#?}", self.target.display());
        assert_eq!(summary.is_unreachable, day == troubles.outage, "{context}");
        if day == troubles.outage {
            assert!(!summary.is_complete, "{context}");
            if day == troubles.killed + 1 {
                // Without a response, the run adds what the killed run has fetched on the day before.
                let killed = Service { now: service.now - DAY, ..service.clone() };
                let fetched = expected(&killed, self.coins, self.from);
                assert!(before.keys().all(|key| after.contains_key(key)), "{context}");
                let mut new = after.iter().filter(|(key, row)| before.get(*key) != Some(*row));
                assert!(new.all(|(key, row)| fetched.get(key) == Some(row)), "{context}");
            } else {
                assert!(after == before, "{context}");
            }
            return;
        }
        let expected = expected(&service, self.coins, self.from);
        for (report, coin) in summary.series.iter().zip(self.coins.iter().copied()) {
            let (added, filled, revised) = changes(before, after, coin);
            if day != troubles.killed + 1 {
                assert_eq!((report.added, report.filled, report.revised), (added, filled, revised), "{context}");
            }
            let times: Vec<_> = after.keys().filter(|(of, _)| *of == coin).map(|(_, time)| *time).collect();
            assert_eq!(report.first.map(Timestamp::unix_seconds).as_ref(), times.first(), "{context}");
            assert_eq!(report.last.map(Timestamp::unix_seconds).as_ref(), times.last(), "{context}");
            let steps = (report.last.unwrap() - report.first.unwrap()).as_secs() / service.step.unsigned_abs() + 1;
            assert_eq!(report.missing, steps - u64::try_from(times.len()).unwrap(), "{context}");
            let is_new = |(key, row): &(&_, &(Option<f64>, String))| row.0.is_none() && before.get(*key) != Some(*row);
            let invalid = after.iter().filter(|((of, _), _)| *of == coin).filter(is_new).count();
            assert_eq!(report.invalid, u64::try_from(invalid).unwrap(), "{context}");
        }
        if summary.is_complete {
            // Every record within the refetch time is up to date, and the target has no more records than the service.
            assert!(after.len() <= expected.len(), "{context}");
            let newest = after.keys().map(|(_, time)| *time).max().unwrap();
            for (key, row) in expected.iter().filter(|((_, time), _)| time + DAY >= newest) {
                assert_eq!(after.get(key), Some(row), "{key:?} {context}");
            }
        } else {
            assert!(day == troubles.rejected, "{context}");
        }
    }
}

async fn month(
    name: &str,
    (timeframe, coins): (&'static str, &'static [&'static str]),
    runs: i64,
    troubles: &Troubles,
) {
    let dir = tempfile::tempdir().unwrap();
    let step = if timeframe == "1m" { 60 } else { HOUR };
    let service = Service { troubles: troubles.clone(), step, now: BEGIN, requests: 0, responses: 0 };
    let (from, target) = (BEGIN - 2 * DAY, dir.path().join(name));
    let service = Arc::new(Mutex::new(service));
    let mut month = Month { service, target, from, timeframe, coins, rows: Rows::new(), seen: Vec::new() };
    for day in 0..runs {
        month.run(day, troubles).await;
    }
    month.check_history().await;
    let (found, service) = (read(&month.target), month.service.lock().unwrap());
    let expected = expected(&service, coins, from);
    let missing = expected.keys().filter(|key| !found.contains_key(*key)).count();
    let outdated = expected.iter().filter(|(key, row)| found.get(*key).is_some_and(|found| found.0 != row.0)).count();
    assert_eq!((missing, outdated, found.len()), (0, 0, expected.len()), "{troubles:?}");
    let (requests, budget) = (service.requests, if timeframe == "1m" { 1200 } else { 300 });
    assert!(requests < budget, "{requests} requests");
}

/// Every kind of trouble, each on a different day.
const EACH: Troubles =
    Troubles { late: 4, gap: 10, outage: 12, fast_clock: 15, text: 17, killed: 19, rejected: 22, field: 25 };

async fn hours(name: &str) {
    month(name, ("1h", &COINS), MONTH, &EACH).await;
}

/// Simulates the same troubles within twelve days, with a record per minute, so that a day needs more than one page.
async fn minutes(name: &str) {
    let troubles = Troubles { late: 1, gap: 6, outage: 3, fast_clock: 4, text: 7, killed: 8, rejected: 9, field: 10 };
    month(name, ("1m", &COINS[..1]), 12, &troubles).await;
}

/// Simulates a month with random troubles.
async fn drawn(name: &str, seed: u64) {
    month(name, ("1h", &COINS), MONTH, &Troubles::drawn(seed)).await;
}

#[tokio::test(start_paused = true)]
async fn a_month_of_hours_in_one_parquet_file() {
    hours("out.parquet").await;
}

#[tokio::test(start_paused = true)]
async fn a_month_of_hours_in_csv() {
    hours("out.csv").await;
}

#[tokio::test(start_paused = true)]
async fn a_month_of_hours_in_a_data_set() {
    hours("data/").await;
}

#[tokio::test(start_paused = true)]
async fn twelve_days_of_minutes_in_one_parquet_file() {
    minutes("out.parquet").await;
}

#[tokio::test(start_paused = true)]
async fn twelve_days_of_minutes_in_csv() {
    minutes("out.csv").await;
}

#[tokio::test(start_paused = true)]
async fn twelve_days_of_minutes_in_a_data_set() {
    minutes("data/").await;
}

#[tokio::test(start_paused = true)]
async fn a_month_with_random_troubles_in_one_parquet_file() {
    drawn("out.parquet", 3).await;
}

#[tokio::test(start_paused = true)]
async fn a_month_with_random_troubles_in_csv() {
    drawn("out.csv", 1).await;
}

#[tokio::test(start_paused = true)]
async fn a_month_with_random_troubles_in_a_data_set() {
    drawn("data/", 2).await;
}

#[tokio::test(start_paused = true)]
#[ignore = "slow: thirty months; `.ci/checks/tables` runs it in a release build"]
async fn thirty_months_with_random_troubles() {
    let targets = ["out.parquet", "out.csv", "data/"];
    for (seed, target) in (4..34).zip(targets.into_iter().cycle()) {
        drawn(target, seed).await;
    }
}

#[tokio::test(start_paused = true)]
#[ignore = "slow: three months of records per minute; `.ci/checks/tables` runs it in a release build"]
async fn a_month_of_minutes() {
    for name in ["out.parquet", "out.csv", "data/"] {
        month(name, ("1m", &COINS), MONTH, &EACH).await;
    }
}
