//! Tests of the rows that are read from a target, also as they were known at an earlier time.

use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dataset::{Backfill, SeriesRequest, StoredTables, Target, TextWriter};
use runtime::Timestamp;
use runtime::registry::EndpointInfo;

use crate::support::dice::Dice;
use crate::support::service::{RATIO, STRIKES, STRIKES_WITHOUT_KEY, TRADES};
use crate::support::{
    DAY, END, HOUR, TARGETS, all_files, client, client_of, coins, data_of, hours, job, read, run, run_cancelled_after,
    scripted, state_of, target_of, with,
};

/// A record of a mock service: its time, its strike and its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record {
    time: i64,
    strike: String,
    value: i64,
}

/// The records of a mock service, which a test can replace.
pub(crate) type Records = Arc<Mutex<Vec<Record>>>;

pub(crate) fn series(endpoint: &'static EndpointInfo, records: &Records) -> SeriesRequest {
    let records = records.clone();
    let client = client_of(move |_, from, to| {
        let mut lines = Vec::new();
        for Record { time, strike, value } in records.lock().unwrap().iter() {
            if (from..=to).contains(time) {
                lines.push(format!(r#"{{"openDate":{time},"strike":"{strike}","volumeRatio":{value}}}"#));
            }
        }
        (200, data_of(&lines))
    });
    hours(&client.build().unwrap(), endpoint, "BTC")
}

pub(crate) fn record(time: i64, strike: &str, value: i64) -> Record {
    Record { time, strike: strike.to_owned(), value }
}

/// Draws what the service has now, in the twelve hours before a time: several records of one time, times that are
/// corrected by seconds, and records that vanish and come back.
pub(crate) fn draw(dice: &mut Dice, end: i64) -> Vec<Record> {
    let mut records = Vec::new();
    for hour in 0..12 {
        let time = end - 12 * HOUR + hour * HOUR + dice.below(3);
        let is_jittered = dice.below(3) == 0;
        for strike in ["a", "b", "c"] {
            if dice.below(4) == 0 {
                continue;
            }
            let jitter = if is_jittered { dice.below(5) } else { 0 };
            records.push(record(time + jitter, strike, dice.below(3)));
            // Two equal records of one time are two.
            if dice.below(5) == 0 {
                records.push(records[records.len() - 1].clone());
            }
        }
    }
    records.sort_by_key(|record| record.time);
    records
}

/// The rows of a target as text in their order, without the times at which they were fetched.
async fn rows_as_of(target: &Target, as_of: Option<Timestamp>) -> Vec<String> {
    rows_of(&StoredTables::open(target).await.unwrap(), as_of).await
}

async fn rows_of(tables: &StoredTables, as_of: Option<Timestamp>) -> Vec<String> {
    let stored = tables.rows(None, as_of).unwrap();
    let mut lines = TextWriter::csv(Vec::new());
    let each = |_: &str, batch: &dataset::RecordBatch| {
        lines.write(batch).unwrap();
        Ok::<(), dataset::Error>(())
    };
    assert_eq!(stored.read(|_| true, each).await.unwrap(), [""; 0]);
    let text = String::from_utf8(lines.into_inner().unwrap()).unwrap();
    let rows: Vec<_> = text.lines().skip(1).map(|line| line.rsplit_once(',').unwrap().0.to_owned()).collect();
    let time = |row: &String| row.split(',').nth(4).map(str::to_owned);
    assert!(rows.iter().map(time).is_sorted(), "{rows:#?}");
    rows
}

/// Counts the rows of all series of a target.
async fn count_as_of(target: &Target, as_of: Option<Timestamp>) -> usize {
    let tables = StoredTables::open(target).await.unwrap();
    let stored = tables.rows(None, as_of).unwrap();
    let mut count = 0;
    let each = |_: &str, batch: &dataset::RecordBatch| {
        count += batch.num_rows();
        Ok::<(), dataset::Error>(())
    };
    assert_eq!(stored.read(|_| true, each).await.unwrap(), [""; 0]);
    count
}

async fn check(endpoint: &'static EndpointInfo, name: &str, seed: u64) {
    let mut dice = Dice(seed);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    let target = target_of(&path);
    let records = Records::default();
    let mut visible = Vec::new();
    for run_number in 0..6 {
        *records.lock().unwrap() = draw(&mut dice, END);
        let fetched = Timestamp::from_unix_seconds(END + run_number * HOUR);
        let mut job = job(vec![series(endpoint, &records)], END - 20 * HOUR, END, &path);
        job.service_time = Some(fetched);
        job.refetch = Duration::from_secs(90 * 86_400);
        if dice.below(3) == 0 {
            // The next run continues from the journal of a run that was stopped.
            run_cancelled_after(&job, 1).await;
            continue;
        }
        run(&job).await;
        let mut rows = rows_as_of(&target, None).await;
        rows.sort();
        visible.push((fetched, rows));
    }
    for (fetched, expected) in visible {
        let mut found = rows_as_of(&target, Some(fetched)).await;
        found.sort();
        let missing: Vec<_> = expected.iter().filter(|row| !found.contains(row)).collect();
        let unexpected: Vec<_> = found.iter().filter(|row| !expected.contains(row)).collect();
        let context = format!("{} {name} seed {seed} as of {fetched}: {missing:?} {unexpected:?}", endpoint.name);
        assert!(found == expected, "{context}, {} and {} rows", found.len(), expected.len());
    }
}

/// The time since which all replaced values are known.
async fn known_since(target: &Target) -> Option<Timestamp> {
    StoredTables::open(target).await.unwrap().rows(None, None).unwrap().revisions_since()
}

/// A target is copied without the folder of its state, or a user deletes that.
#[tokio::test(start_paused = true)]
async fn it_is_known_since_when_replaced_values_are_kept() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let target = Target::parse(path.to_str().unwrap()).unwrap();
        let (client, script) = scripted(|_| Some("0.5".to_owned()));
        let whole = job(coins(&client, &["BTC"]), END - 3 * DAY, END, &path);
        run(&whole).await;
        *script.lock().unwrap() = |_| Some("0.25".to_owned());
        run(&whole).await;
        assert_eq!(known_since(&target).await, None, "{name}");
        let begun = Timestamp::now();
        let revisions = all_files(dir.path()).into_iter().find(|name| name.ends_with("revisions.gz")).unwrap();
        fs::remove_file(dir.path().join(&revisions)).unwrap();
        assert!(known_since(&target).await > Some(begun), "{name}");
        let state = state_of(&path).await;
        assert!(state.damaged.len() == 1 && state.damaged[0].contains("revisions.gz"), "{name}: {state:?}");
        let summary = run(&whole).await;
        assert!(summary.lost_rows.len() == 1 && summary.lost_rows[0].has_earlier_values, "{name}: {summary:?}");
        let since = known_since(&target).await;
        assert!(since > Some(begun), "{name}");
        dataset::acknowledge(&target, None).await.unwrap();
        *script.lock().unwrap() = |_| Some("0.125".to_owned());
        let summary = run(&whole).await;
        assert_eq!((known_since(&target).await, summary.lost_rows.len()), (since, 0), "{name}");
    }
    // An adopted data set has no earlier values.
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let target = Target::parse(path.to_str().unwrap()).unwrap();
    run(&job(coins(&crate::support::client(), &["BTC"]), END - 3 * DAY, END, &path)).await;
    fs::remove_dir_all(path.join(".backfill")).unwrap();
    dataset::adopt(&target).await.unwrap();
    assert!(known_since(&target).await.is_some());
}

/// Whatever the service replaces, the rows as of the time of a run are those that readers saw after that run.
#[tokio::test(start_paused = true)]
async fn rows_as_of_a_time_are_those_that_were_visible_then() {
    for endpoint in [&STRIKES, &TRADES] {
        for seed in 0..12 {
            check(endpoint, TARGETS[usize::try_from(seed % 3).unwrap()], seed).await;
        }
    }
}

/// Rows without the order of those of one time.
pub(crate) async fn sorted_rows_of(tables: &StoredTables, as_of: Timestamp) -> Vec<String> {
    let mut rows = rows_of(tables, Some(as_of)).await;
    rows.sort();
    rows
}

/// A run appends the earlier values before it replaces a data file, so a reader finds them whenever it reads.
#[tokio::test(start_paused = true)]
async fn rows_as_of_a_time_are_the_same_while_a_run_merges() {
    for (name, seed) in ["out.parquet", "data/"].into_iter().flat_map(|name| [(name, 1), (name, 2), (name, 3)]) {
        let mut dice = Dice(seed);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let target = target_of(&path);
        let records = Records::default();
        let first = Timestamp::from_unix_seconds(END);
        let whole = job(vec![series(&STRIKES, &records)], END - 20 * HOUR, END, &path);
        *records.lock().unwrap() = draw(&mut dice, END);
        run(&with(whole.clone(), |job| job.service_time = Some(first))).await;
        let before = StoredTables::open(&target).await.unwrap();
        let known = sorted_rows_of(&before, first).await;
        let files: Vec<_> = all_files(dir.path()).into_iter().map(|file| dir.path().join(file)).collect();
        let contents: Vec<_> = files.iter().map(|file| std::fs::read(file).unwrap()).collect();
        for record in records.lock().unwrap().iter_mut() {
            record.value = dice.below(3);
        }
        let later = first + Duration::from_secs(3600);
        run(&with(whole.clone(), |job| job.service_time = Some(later))).await;
        let after = StoredTables::open(&target).await.unwrap();
        assert_ne!(sorted_rows_of(&after, later).await, known, "{name} {seed}");
        // The reader was opened before the merge, and reads after it.
        assert_eq!(sorted_rows_of(&before, first).await, known, "{name} {seed}");
        // The merge has written the earlier values, and no data file yet.
        for (file, content) in files.iter().zip(contents) {
            if !file.ends_with("revisions.gz") {
                std::fs::write(file, content).unwrap();
            }
        }
        let during = StoredTables::open(&target).await.unwrap();
        assert_eq!(sorted_rows_of(&during, first).await, known, "{name} {seed}");
    }
}

/// A run, or a removal, merges what a stopped run of other series has fetched. The key of these series is among the
/// facts of their rows.
#[tokio::test(start_paused = true)]
async fn rows_of_a_series_keep_their_key_when_another_job_merges_them() {
    for name in ["out.csv", "out.parquet"] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let hours = (END - 5 * DAY..END).step_by(3600);
        let of_strikes = |strikes: [&str; 2]| {
            let times = hours.clone();
            times.flat_map(move |time| strikes.map(|strike| record(time, strike, 1))).collect::<Vec<_>>()
        };
        let records = Records::new(Mutex::new(of_strikes(["a", "b"])));
        let strikes = |end: i64| -> Backfill {
            let mut job = job(vec![series(&STRIKES, &records)], END - 5 * DAY, end, &path);
            job.refetch = Duration::from_secs(90 * 86_400);
            job
        };
        run(&strikes(END - DAY)).await;
        *records.lock().unwrap() = of_strikes(["b", "c"]);
        run_cancelled_after(&strikes(END), 1).await;
        let other = crate::support::coins(&crate::support::client(), &["ETH"]);
        run(&job(other, END - DAY, END, &path)).await;
        let rows = read(&path);
        let count = |strike: &str| rows.iter().filter(|row| row.get("strike").is_some_and(|is| is == strike)).count();
        assert_eq!(["a", "b", "c"].map(count), [4 * 24, 5 * 24, 5 * 24], "{name}");
    }
}

/// The rows of another series of the target are not needed for a removal.
#[tokio::test(start_paused = true)]
async fn rows_of_a_series_keep_their_key_when_another_series_is_removed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.parquet");
    let records = Records::default();
    for hour in 0..48 {
        for strike in ["a", "b"] {
            records.lock().unwrap().push(record(END - 48 * HOUR + hour * HOUR, strike, hour));
        }
    }
    let both = || {
        let client = crate::support::client();
        vec![series(&STRIKES, &records), hours(&client, &RATIO, "ETH")]
    };
    let mut all = job(both(), END - 2 * DAY, END, &path);
    all.refetch = Duration::from_secs(90 * 86_400);
    run(&all).await;
    records.lock().unwrap().retain(|record| record.strike == "b");
    let mut strikes = job(vec![series(&STRIKES, &records)], END - 2 * DAY, END, &path);
    strikes.refetch = all.refetch;
    run_cancelled_after(&strikes, 1).await;
    let target = target_of(&path);
    assert_eq!(dataset::remove(&target, |path| path.contains("coin=ETH")).await.unwrap().series.len(), 1);
    assert_eq!(read(&path).len(), 2 * 48, "a record that the service no longer sends stays");
}

/// The revisions of a removed series stay in their file, and are not read.
#[tokio::test(start_paused = true)]
async fn replaced_rows_of_a_removed_series_are_not_read() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let target = target_of(&path);
        let records = Records::new(Mutex::new(vec![record(END - 3 * HOUR, "a", 1)]));
        for (number, value) in [1, 2].into_iter().enumerate() {
            records.lock().unwrap()[0].value = value;
            let both = vec![series(&RATIO, &records), hours(&crate::support::client(), &RATIO, "ETH")];
            let mut job = job(both, END - 20 * HOUR, END, &path);
            job.service_time = Some(Timestamp::from_unix_seconds(END + i64::try_from(number).unwrap() * HOUR));
            job.refetch = Duration::from_secs(90 * 86_400);
            run(&job).await;
        }
        let first = Some(Timestamp::from_unix_seconds(END));
        assert_eq!(count_as_of(&target, first).await, 1 + 20, "{name}");
        dataset::remove(&target, |path| path.contains("coin=BTC")).await.unwrap();
        assert_eq!(count_as_of(&target, first).await, 20, "{name}");
        let tables = StoredTables::open(&target).await.unwrap();
        let revisions = tables.rows(None, first).unwrap().revisions(|_| true).await.unwrap();
        assert_eq!(revisions, [], "{name}");
    }
}

/// Records that the key distinguishes are apart, as those of several series are. The catalogue may declare the key after
/// the first run.
#[tokio::test(start_paused = true)]
async fn numbers_of_a_series_are_apart_for_each_value_of_its_key() {
    for (name, of_first_run) in TARGETS.iter().flat_map(|name| [(name, &STRIKES), (name, &STRIKES_WITHOUT_KEY)]) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let records = Records::default();
        for hour in 0..3 {
            for (strike, more) in [("a", 0), ("b", 10)] {
                records.lock().unwrap().push(record(END - 3 * HOUR + hour * HOUR, strike, hour + more));
            }
        }
        run(&job(vec![series(of_first_run, &records)], END - 3 * HOUR, END - HOUR, &path)).await;
        run(&job(vec![series(&STRIKES, &records)], END - 3 * HOUR, END, &path)).await;
        let target = target_of(&path);
        let tables = StoredTables::open(&target).await.unwrap();
        let rows = tables.rows(None, None).unwrap();
        let numbers = dataset::numbers(&rows, &["volumeRatio"], |_| true).await.unwrap();
        let found: Vec<_> = numbers.series.iter().map(|one| (one.label.as_str(), one.values.as_slice())).collect();
        assert_eq!(found, [("a", &[0.0, 1.0, 2.0][..]), ("b", &[10.0, 11.0, 12.0][..])], "{name}");
    }
}

/// The number is known without reading a row; a range can cut the rows of a file, which are not counted then.
#[tokio::test(start_paused = true)]
async fn the_footers_show_how_many_rows_there_are_at_least() {
    for target in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(target);
        run(&job(coins(&client(), &["BTC", "ETH"]), END - 30 * DAY, END, &path)).await;
        let tables = StoredTables::open(&target_of(&path)).await.unwrap();
        let rows = || tables.rows(None, None).unwrap();
        assert_eq!(rows().least_count(|_| true).await.unwrap(), 2 * 30 * 24, "{target}");
        assert_eq!(rows().least_count(|series| series.contains("ETH")).await.unwrap(), 30 * 24, "{target}");
        let [start, end] = [END - 20 * DAY, END].map(Timestamp::from_unix_seconds);
        // The rows of a file that is partly in the range are not counted.
        let counted = rows().within(start..end).least_count(|_| true).await.unwrap();
        assert!(counted <= 2 * 20 * 24, "{target}: {counted}");
        let all = Timestamp::from_unix_seconds(END - 30 * DAY)..end;
        assert_eq!(rows().within(all).least_count(|_| true).await.unwrap(), 2 * 30 * 24, "{target}");
        assert_eq!(rows().within(end..Timestamp::from_unix_seconds(END + DAY)).least_count(|_| true).await.unwrap(), 0);
        let earlier = tables.rows(None, Some(start)).unwrap();
        assert_eq!(earlier.least_count(|_| true).await.unwrap(), 0, "{target}");
    }
}
