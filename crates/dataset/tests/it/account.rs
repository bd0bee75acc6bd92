//! Backfills from mock services that keep their own books. The behaviour of each service is drawn, and every record that
//! it has sent is in the file, or in a figure that the user sees.
//!
//! `ACCOUNT_CASES` sets the number of cases, and `ACCOUNT_SEED` the first seed. A failure prints its seed.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use dataset::Summary;
use runtime::registry::Step;
use runtime::{Interval, Timestamp};

use crate::support::dice::Dice;
use crate::support::service::RATIO;
use crate::support::{END, HOUR, Row, client_of, data_of, job, read, releases, run, series, state_of};

/// Timeframes of services, each with its step. Hours are drawn more often.
const TIMEFRAMES: [(&str, Step); 10] = [
    ("1h", Step::seconds(3600)),
    ("1h", Step::seconds(3600)),
    ("1h", Step::seconds(3600)),
    ("1h", Step::seconds(3600)),
    ("1d", Step::seconds(86_400)),
    ("weekday", Step::BusinessDays),
    ("1w", Step::seconds(604_800)),
    ("1M", Step::Months(1)),
    ("quarter", Step::Months(3)),
    ("year", Step::Months(12)),
];

/// A record of a service: its time, and the text of its value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Record {
    time: i64,
    value: String,
}

/// How a service responds.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is an independent property of a service")]
struct Behaviour {
    /// `None` if the catalogue declares no step of the records.
    timeframe: Option<&'static str>,
    interval: Interval,
    records: Vec<Record>,
    max_records: usize,
    keeps_newest: bool,
    is_newest_first: bool,
    excludes_start: bool,
    excludes_end: bool,
    rounds_start: bool,
    ignores_start: bool,
    has_null_pages: bool,
    /// The number of the request that gets an empty page; 0 for none.
    empty_once: usize,
    /// Every request whose number is a multiple of this fails; 0 for none.
    fails_every: usize,
    fail_status: u16,
    /// The status of a response without records.
    empty_status: u16,
    /// Every record whose number is a multiple of this has its time in milliseconds; 0 for none.
    wrong_unit_every: usize,
}

impl Behaviour {
    fn draw(dice: &mut Dice) -> Self {
        let (timeframe, step) = TIMEFRAMES[usize::try_from(dice.below(10)).unwrap()];
        let interval = Interval::new(step);
        // No record is before 1971: a time of 1970 in milliseconds is a later time in seconds, which a service can have.
        let since_1971 = END - 365 * 24 * HOUR;
        let most = since_1971 / i64::try_from(interval.longest().as_secs()).unwrap();
        let count = (24 + dice.below(3000)).min(most);
        // A service may have several records in an interval, as if its interval were shorter.
        let parts = if dice.once_in(8) { 2 + dice.below(3) } else { 1 };
        let part = i64::try_from(interval.shortest().as_secs()).unwrap() / parts;
        let keys = if dice.once_in(3) { 2 + dice.below(2) } else { 1 };
        let phase = if dice.once_in(4) { dice.below(HOUR / parts) } else { 0 };
        let has_jitter = dice.once_in(8);
        let hole = dice.below(count)..dice.below(count);
        let is_sparse = dice.once_in(6);
        let invalid = if dice.once_in(3) { 2 + dice.below(40) } else { i64::MAX };
        let first = if dice.once_in(4) { dice.below(count) } else { 0 };
        let mut records = Vec::new();
        for index in first * parts..count * parts {
            if hole.contains(&(index / parts)) || is_sparse && !dice.once_in(5) {
                continue;
            }
            let start = interval.shifted(Timestamp::from_unix_seconds(END), index / parts - count).unix_seconds();
            for key in 0..keys {
                let jitter = if has_jitter { dice.below(5) } else { 0 };
                let time = start + index % parts * part + phase + jitter;
                let number = format!("{}.5", index * 4 + key);
                let is_invalid = invalid < i64::MAX && dice.once_in(invalid);
                records.push(Record { time, value: if is_invalid { format!("\"bad {number}\"") } else { number } });
            }
        }
        records.sort();
        let cap = usize::try_from(20 + dice.below(300)).unwrap();
        Self {
            interval,
            records,
            max_records: if dice.once_in(2) { cap } else { 1000 },
            keeps_newest: dice.once_in(2),
            is_newest_first: dice.once_in(2),
            excludes_start: dice.once_in(3),
            excludes_end: dice.once_in(3),
            rounds_start: dice.once_in(4),
            ignores_start: dice.once_in(12),
            has_null_pages: dice.once_in(4),
            empty_once: if dice.once_in(4) { 1 + usize::try_from(dice.below(3)).unwrap() } else { 0 },
            fails_every: if dice.once_in(5) { 2 + usize::try_from(dice.below(4)).unwrap() } else { 0 },
            fail_status: if dice.once_in(2) { 503 } else { 429 },
            empty_status: if dice.once_in(6) { 204 } else { 200 },
            wrong_unit_every: if dice.once_in(10) { 2 + usize::try_from(dice.below(50)).unwrap() } else { 0 },
            timeframe: if dice.once_in(5) { None } else { Some(timeframe) },
        }
    }

    /// The records of a response.
    fn page(&self, number: usize, from: i64, to: i64) -> Vec<Record> {
        if number == self.empty_once {
            return Vec::new();
        }
        let start = self.interval.start_of(Timestamp::from_unix_seconds(from)).unix_seconds();
        let from = if self.rounds_start { start } else { from };
        let is_in = |record: &&Record| {
            let is_after = self.ignores_start || record.time > from || !self.excludes_start && record.time == from;
            is_after && (record.time < to || !self.excludes_end && record.time == to)
        };
        let mut page: Vec<_> = self.records.iter().filter(is_in).cloned().collect();
        let limit = self.max_records.min(1000);
        if self.keeps_newest {
            page.drain(..page.len().saturating_sub(limit));
        } else {
            page.truncate(limit);
        }
        if self.is_newest_first {
            page.reverse();
        }
        page
    }

    /// The number of records before a time.
    fn number(&self, time: i64) -> usize {
        self.records.partition_point(|record| record.time < time)
    }

    fn body(&self, page: &[Record]) -> String {
        if page.is_empty() && self.empty_status == 204 {
            return String::new();
        }
        if page.is_empty() && self.has_null_pages {
            return r#"{"data":[null],"metadata":{}}"#.to_owned();
        }
        let mut records = Vec::new();
        for Record { time, value } in page {
            let is_wrong = self.wrong_unit_every > 0 && self.number(*time).is_multiple_of(self.wrong_unit_every);
            let time = if is_wrong { time * 1000 } else { *time };
            records.push(format!(r#"{{"openDate":{time},"volumeRatio":{value}}}"#));
        }
        data_of(&records)
    }
}

/// The records that a service has sent.
#[derive(Debug, Default)]
struct Books {
    requests: usize,
    sent: BTreeSet<Record>,
}

/// The rows of a file as records; an invalid value is among the unknown fields.
fn stored(rows: &[Row]) -> BTreeSet<Record> {
    let mut all = BTreeSet::new();
    for row in rows {
        let time: runtime::Timestamp = row["openDate"].parse().unwrap();
        let invalid = row.get("unknown_fields").map(|unknown| {
            let value: serde_json::Value = serde_json::from_str(unknown).unwrap();
            value["volumeRatio"].to_string()
        });
        let value = invalid.or_else(|| row.get("volumeRatio").cloned()).unwrap_or_default();
        all.insert(Record { time: time.unix_seconds(), value });
    }
    all
}

/// `true` if the user sees in the summary that something is missing.
fn is_visible(summary: &Summary) -> bool {
    let series = &summary.series[0];
    let account = &series.account;
    let figures = account.empty
        + account.failed
        + account.never_requested
        + account.outside
        + account.distant
        + account.without_time;
    !summary.is_complete || series.missing + series.unfetched + figures > 0
}

async fn check(seed: u64) {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    dice.below(1);
    let behaviour = Behaviour::draw(&mut dice);
    let books = Arc::new(Mutex::new(Books::default()));
    let (shared, service) = (books.clone(), behaviour.clone());
    let client = client_of(move |_, from, to| {
        let mut books = shared.lock().unwrap();
        books.requests += 1;
        if service.fails_every > 0 && books.requests.is_multiple_of(service.fails_every) {
            return (service.fail_status, "{}".to_owned());
        }
        let page = service.page(books.requests, from, to);
        let body = service.body(&page);
        let status = if page.is_empty() { service.empty_status } else { 200 };
        books.sent.extend(page);
        (status, body)
    });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    let length = i64::try_from(behaviour.interval.shortest().as_secs()).unwrap();
    let from = (END - (1 + dice.below(130)) * 24 * length).max(0);
    let to = if dice.once_in(2) { END } else { from + (END - from) / 2 };
    let client = client.build().unwrap();
    let series = match behaviour.timeframe {
        Some(timeframe) => series(&client, &RATIO, "BTC", timeframe),
        None => releases(&client),
    };
    let job = job(vec![series], from, to, &path);
    let mut summary = run(&job).await;
    for _ in 0..dice.below(3) {
        summary = run(&job).await;
    }
    // An empty range is in the status until a later run confirms it.
    let has_empty = state_of(&path).await.series.first().is_some_and(|series| !series.empty.is_empty());
    let rows = read(&path);
    let stored = stored(&rows);
    let books = books.lock().unwrap();
    let is_asked = |record: &&Record| from <= record.time && record.time < to;
    let lost: Vec<_> = books.sent.iter().filter(is_asked).filter(|record| !stored.contains(*record)).collect();
    let account = summary.series[0].account;
    assert!(
        lost.is_empty() || has_empty || is_visible(&summary),
        "seed {seed}: {} records were sent and are lost: {:?}\n{account:?}\n{summary:?}\n{}",
        lost.len(),
        &lost[..lost.len().min(5)],
        describe(&behaviour)
    );
    let missing: Vec<_> =
        behaviour.records.iter().filter(is_asked).filter(|record| !stored.contains(*record)).collect();
    assert!(
        missing.is_empty() || has_empty || is_visible(&summary),
        "seed {seed}: {} records are missing in silence: {:?}\n{summary:?}\n{}",
        missing.len(),
        &missing[..missing.len().min(5)],
        describe(&behaviour)
    );
    let unknown: Vec<_> = stored.iter().filter(|row| !behaviour.records.contains(row)).collect();
    assert!(unknown.is_empty(), "seed {seed}: rows that the service does not have: {unknown:?}");
    assert_eq!(rows.len(), stored.len(), "seed {seed}: rows are stored twice\n{}", describe(&behaviour));
}

fn describe(behaviour: &Behaviour) -> String {
    format!("{:?}", Behaviour { records: behaviour.records.iter().take(4).cloned().collect(), ..behaviour.clone() })
}

#[tokio::test(start_paused = true)]
async fn every_record_of_a_drawn_service_is_accounted_for() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok());
    let first: u64 = number("ACCOUNT_SEED").unwrap_or(0);
    for seed in first..first + number("ACCOUNT_CASES").unwrap_or(80) {
        check(seed).await;
    }
}
