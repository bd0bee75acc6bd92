//! Tests of runs that leave rows in the journal, and of merging the journal.

use std::fs;
use std::time::Duration;

use dataset::{BackfillEvent, Partition};
use runtime::{RateLimit, Timestamp};

use crate::support::service::Client;
use crate::support::{
    DAY, END, HOUR, TARGETS, all_files, body, client, client_of, coins, files, job, read, run, run_cancelled,
    run_cancelled_after, scripted, state_of, with,
};

/// The rows of the journal can overlap, because a later run requests some records again.
#[tokio::test(start_paused = true)]
async fn later_rows_of_the_journal_replace_earlier_rows() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let (client, script) = scripted(|_| Some("1".to_owned()));
        let whole = job(coins(&client, &["BTC"]), END - 300 * DAY, END, &path);
        run_cancelled(&whole).await;
        let pending = state_of(&path).await.pending;
        *script.lock().unwrap() = |_| Some("2".to_owned());
        let newest = job(coins(&client, &["BTC"]), END - 2 * DAY, END, &path);
        run_cancelled(&newest).await;
        *script.lock().unwrap() = |_| Some("3".to_owned());
        let other = job(coins(&client, &["BTC"]), END - 290 * DAY, END, &path);
        run_cancelled(&other).await;
        assert!(pending > 0 && run(&whole).await.is_complete, "{name}");
        let rows = read(&path);
        let last = rows.iter().rev().take(24).all(|row| row["volumeRatio"] == "3.0");
        assert!(rows.len() == 300 * 24 && last, "{name}: {}", rows.len());
        let times: Vec<_> = rows.iter().map(|row| row["openDate"].clone()).collect();
        assert!(times.is_sorted(), "{name}");
    }
}

/// A process that is killed after the data file and before the state, or before the journal is deleted, leaves the
/// journal of rows that are already in the files.
#[tokio::test(start_paused = true)]
async fn a_journal_that_was_merged_before_a_kill_is_merged_again() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let until = |end: i64| job(coins(&client(), &["BTC", "ETH"]), END - 30 * DAY, end, &path);
        run(&until(END - DAY)).await;
        let home = if name == "data/" { path.join(".backfill") } else { dir.path().join(format!("{name}.parts")) };
        let copy = |from: &std::path::Path, to: &std::path::Path| {
            let _ = fs::create_dir_all(to);
            let names = if from.exists() { all_files(from) } else { Vec::new() };
            for file in names.into_iter().filter(|name| name != "rows.parquet") {
                fs::create_dir_all(to.join(&file).parent().unwrap()).unwrap();
                fs::copy(from.join(&file), to.join(&file)).unwrap();
            }
        };
        run_cancelled_after(&until(END), 2).await;
        copy(&home, &dir.path().join("before"));
        let text = (name == "out.csv").then(|| fs::read(&path).unwrap());
        until(END).compact().await.unwrap();
        let rows = read(&path);
        copy(&dir.path().join("before"), &home);
        if let Some(text) = text {
            fs::write(&path, text).unwrap();
        }
        let state = state_of(&path).await;
        assert!(state.damaged.is_empty() && state.pending > 0, "{name}: {state:?}");
        let again = run(&until(END)).await;
        assert!(again.is_complete && again.records == 0, "{name}: {again:?}");
        assert_eq!(read(&path), rows, "{name}");
        assert_eq!(state_of(&path).await.pending, 0, "{name}");
        assert!(files(&path).iter().all(|file| file.ends_with(".parquet")), "{name}");
    }
}

/// The state of a table can be missing, because a user may have moved it away.
#[tokio::test(start_paused = true)]
async fn a_journal_without_a_state_keeps_its_periods() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let days = |days: i64| job(coins(&client(), &["BTC", "ETH"]), END - 400 * DAY, END - days * DAY, &path);
    run_cancelled(&with(days(3), |job| job.partition = Some(Partition::Month))).await;
    fs::remove_file(path.join(".backfill/orderflow.volume_ratio-1h/state.json")).unwrap();
    for _ in 0..2 {
        assert!(run(&days(0)).await.is_complete);
        assert_eq!((files(&path).len(), read(&path).len()), (14, 2 * 400 * 24), "{:?}", files(&path));
        assert!(files(&path).contains(&"orderflow.volume_ratio/1h-2024-06.parquet".to_owned()));
    }
}

/// The newest record of a later run does not show that an earlier run has fetched the final values of its records.
#[tokio::test(start_paused = true)]
async fn ranges_of_the_journal_are_settled_by_their_own_run() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let until = |client: &Client, days: i64| job(coins(client, &["BTC"]), END - 10 * DAY, END + days * DAY, &path);
        let unsettled = async |days: i64| until(&client(), days).plan().await.unwrap().series[0].unsettled[0].start;
        let latest = Timestamp::from_unix_seconds(END - DAY);
        run_cancelled(&until(&client(), 0)).await;
        let failing = client_of(|_, from, to| {
            if from < END { (501, String::new()) } else { (200, body(from, to, |_| Some("0.5".to_owned()))) }
        });
        let summary = run(&until(&failing.build().unwrap(), 60)).await;
        assert_eq!((summary.pages, summary.failed_pages), (1, 1), "{name}: {summary:?}");
        assert!(unsettled(60).await <= latest, "{name}");
        assert!(run(&until(&client(), 60)).await.is_complete);
        let newest = Timestamp::from_unix_seconds(END + 59 * DAY);
        for days in [80, 100, 120] {
            let newest =
                with(until(&client(), days), |job| job.range.start = job.range.end - Duration::from_secs(3600));
            run_cancelled(&newest).await;
        }
        assert!(unsettled(120).await <= newest, "{name}");
    }
}

/// A run merges a full journal while it still fetches. Its later records settle what it had fetched before.
#[tokio::test(start_paused = true)]
async fn ranges_fetched_before_a_merge_are_settled_by_later_records_of_the_run() {
    for name in ["out.parquet", "data/"] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let client = client_of(|_, from, to| (200, body(from, to, |_| Some("0.5".to_owned()))));
        // The age of each page triggers a write, so the journal is full after a hundred pages.
        let client = client.rate_limit(RateLimit::new(1, Duration::from_secs(61), 1)).build().unwrap();
        let whole = job(coins(&client, &["BTC"]), END - 105 * 998 * HOUR, END, &path);
        let (mut merges, mut before) = (0, false);
        let watch = |_: &BackfillEvent| {
            let has_rows = all_files(dir.path()).iter().any(|file| file.contains(".rows"));
            merges += u32::from(before && !has_rows);
            before = has_rows;
        };
        assert!(whole.run(watch, std::future::pending()).await.unwrap().is_complete, "{name}");
        assert_eq!(merges, 1, "{name}");
        let plan = whole.plan().await.unwrap();
        assert_eq!((plan.requests(), plan.series[0].unsettled.len()), (1, 1), "{name}: {plan:?}");
    }
}

/// After a kill between the two, the next run merges the same journal again. The file has the state too, so that it can be
/// moved without its folder.
#[tokio::test(start_paused = true)]
#[cfg_attr(windows, ignore = "Windows keeps the name of a deleted file until it is closed")]
async fn the_state_of_a_single_file_is_written_before_its_journal_is_deleted() {
    let dir = tempfile::tempdir().unwrap();
    let (path, parts) = (dir.path().join("out.parquet"), dir.path().join("out.parquet.parts"));
    let whole = job(coins(&client(), &["BTC"]), END - 400 * DAY, END, &path);
    run_cancelled(&whole).await;
    let rows = all_files(&parts).into_iter().find(|name| name.contains(".rows")).unwrap();
    assert!(parts.join("state.json").exists());
    // A folder in the place of a file of the journal makes its deletion fail.
    let mut is_blocked = false;
    let watch = |_: &BackfillEvent| {
        if !std::mem::replace(&mut is_blocked, true) {
            fs::remove_file(parts.join(&rows)).unwrap();
            fs::create_dir_all(parts.join(&rows).join("folder")).unwrap();
        }
    };
    let error = whole.run(watch, std::future::pending()).await.unwrap_err().to_string();
    assert!(error.contains(&rows) && path.exists() && parts.join("state.json").exists(), "{error}");
    fs::remove_dir_all(&parts).unwrap();
    assert_eq!(whole.plan().await.unwrap().requests(), 1);
}

/// A process that is killed while it writes a data file leaves an unfinished file.
#[tokio::test(start_paused = true)]
async fn an_unfinished_file_is_deleted_by_the_next_run() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let until = |end: i64| job(coins(&client(), &["BTC"]), END - 30 * DAY, end, &path);
    run(&until(END - DAY)).await;
    let unfinished = path.join(".backfill/orderflow.volume_ratio-1h/2023.parquet.unfinished");
    fs::create_dir_all(unfinished.parent().unwrap()).unwrap();
    fs::write(&unfinished, "a part").unwrap();
    assert!(run(&until(END)).await.is_complete && !unfinished.exists());
}

#[tokio::test(start_paused = true)]
async fn a_run_without_requests_leaves_no_journal() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.parquet");
    run(&job(coins(&client(), &["BTC"]), END - 30 * DAY, END, &path)).await;
    let settled = run(&job(coins(&client(), &["BTC"]), END - 30 * DAY, END - 10 * DAY, &path)).await;
    assert_eq!((settled.is_complete, settled.requests), (true, 0));
    assert_eq!(all_files(dir.path()), ["out.parquet", "out.parquet.parts/state.json"]);
}
