//! Tests of a journal with so many rows of one series that a merge copies them instead of decoding them.

use std::fs;
use std::path::Path;

use dataset::Backfill;
use runtime::registry::EndpointInfo;

use crate::support::service::{RANGED, RATIO, WIDE};
use crate::support::{
    DAY, END, HOUR, all_files, client, hours, job, read, run, run_cancelled_after, state_of, target_of, with,
};

/// Number of rows, on pages of 998.
const ROWS: usize = 70 * 998;
const START: i64 = END - 70 * 998 * HOUR;

fn since(start: i64, endpoint: &'static EndpointInfo, path: &Path) -> Backfill {
    job(vec![hours(&client(), endpoint, "BTC")], start, END, path)
}

/// Leaves most rows in the journal.
async fn interrupt(path: &Path) {
    run_cancelled_after(&since(START, &RATIO, path), 66).await;
    assert!(state_of(path).await.pending > 65_536);
}

/// Every hour of the range has one row, with its value.
async fn check(path: &Path) {
    let rows = read(path);
    assert_eq!(rows.len(), ROWS);
    assert!(rows.windows(2).all(|pair| pair[0]["openDate"] < pair[1]["openDate"]));
    for (hour, row) in (START / HOUR..).zip(&rows) {
        let value: f64 = format!("0.{}", hour.rem_euclid(1000) + 1).parse().unwrap();
        assert_eq!(row["volumeRatio"].parse(), Ok(value), "{row:?}");
    }
    let state = state_of(path).await;
    assert!(state.damaged.is_empty() && state.pending == 0 && state.series[0].missing == 0, "{state:?}");
}

#[tokio::test(start_paused = true)]
async fn a_long_journal_is_merged_by_a_job_with_other_columns_and_encodings() {
    let dir = tempfile::tempdir().unwrap();
    for (name, endpoint, small_times) in
        [("same", &RATIO, false), ("small", &RATIO, true), ("wide", &WIDE, false), ("ranged", &RANGED, false)]
    {
        let path = dir.path().join(name).with_extension("parquet");
        interrupt(&path).await;
        let newest = with(since(END - DAY, endpoint, &path), |job| job.small_times = small_times);
        assert!(run(&newest).await.is_complete, "{name}");
        let state = state_of(&path).await;
        assert!(state.damaged.is_empty() && state.series[0].rows > 65_536, "{name}: {state:?}");
        assert!(run(&since(START, &RATIO, &path)).await.is_complete, "{name}");
        check(&path).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_damaged_file_of_a_long_journal_is_fetched_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.parquet");
    interrupt(&path).await;
    let journal = all_files(dir.path()).into_iter().filter(|name| name.contains(".rows"));
    let largest = journal.map(|name| dir.path().join(name)).max_by_key(|file| file.metadata().unwrap().len()).unwrap();
    let mut bytes = fs::read(&largest).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(&largest, bytes).unwrap();
    let summary = run(&since(START, &RATIO, &path)).await;
    assert!(summary.is_complete && summary.repairs.len() == 1 && summary.lost_rows.is_empty(), "{summary:?}");
    check(&path).await;
}

#[tokio::test(start_paused = true)]
async fn a_series_of_a_long_journal_can_be_removed_and_fetched_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.parquet");
    interrupt(&path).await;
    assert_eq!(dataset::remove(&target_of(&path), |_| true).await.unwrap().series.len(), 1);
    assert!(state_of(&path).await.series.is_empty());
    assert!(run(&since(START, &RATIO, &path)).await.is_complete);
    check(&path).await;
}
