//! Tests of runs that end early, and of the runs that continue them.

use std::fs;

use dataset::{BackfillEvent, SeriesRequest};

use crate::support::service::RATIO;
use crate::support::{
    DAY, END, TARGETS, client, client_of, coins, data_of, job, read, run, run_cancelled, state_of, target_of,
};

#[tokio::test(start_paused = true)]
async fn run_after_a_cancelled_run_completes_the_target() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let whole = job(coins(&client(), &["BTC", "ETH"]), END - 400 * DAY, END, &path);
        run_cancelled(&whole).await;
        let state = state_of(&path).await;
        assert!(state.pending > 0 || state.series.iter().all(|series| !series.unfetched.is_empty()), "{state:?}");
        assert!(run(&whole).await.is_complete);
        assert!(state_of(&path).await.series.iter().all(|series| series.unfetched.is_empty()), "{name}");
        assert_eq!(read(&path).len(), 2 * 400 * 24, "{name}");
    }
}

/// A user who no longer wants the range of a cancelled run says so; until then, the range stays unfetched.
#[tokio::test(start_paused = true)]
async fn a_range_that_nobody_needs_any_more_is_acknowledged() {
    for (name, has_first_run) in TARGETS.iter().flat_map(|name| [(*name, true), (*name, false)]) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let client = client();
        let until = |to| job(coins(&client, &["BTC"]), END - 400 * DAY, to, &path);
        if has_first_run {
            assert!(run(&until(END - 390 * DAY)).await.is_complete);
        }
        run_cancelled(&until(END)).await;
        let short = until(END - 390 * DAY);
        // The rows of the cancelled run are in the journal.
        let planned = state_of(&path).await.series[0].unfetched.clone();
        let ended = dataset::acknowledge_unfetched(&target_of(&path)).await.unwrap();
        assert_eq!((ended.unfetched[0].1.as_slice(), ended.failed.len()), (&*planned, 0), "{name}: {ended:?}");
        assert!(run(&short).await.series[0].unfetched_ranges.is_empty(), "{name}");
        assert!(state_of(&path).await.series[0].unfetched.is_empty(), "{name}");
        let again = dataset::acknowledge_unfetched(&target_of(&path)).await.unwrap();
        assert!(again.unfetched.is_empty(), "{name}: {again:?}");
        let whole = run(&until(END)).await;
        assert!(whole.is_complete && whole.series[0].missing == 0, "{name}: {whole:?}");
        assert_eq!(read(&path).len(), 400 * 24, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_first_run_that_is_cancelled_keeps_its_pages() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        // A day of one-minute records has two pages. After the first page, no record is older than the newest record by
        // the refetch time of 24 hours, so no range counts as fetched yet.
        let request = client_of(|_, from, to| {
            let times = ((from + 60) / 60 * 60..=to).step_by(60).take(1000);
            let records: Vec<_> = times.map(|time| format!(r#"{{"openDate":{time},"volumeRatio":1}}"#)).collect();
            (200, data_of(&records))
        });
        let request = request.build().unwrap().endpoint(&RATIO).query("coin", "BTC").query("timeframe", "1m");
        let whole = job(vec![SeriesRequest::new(request).unwrap()], END - DAY, END, &path);
        let first = run_cancelled(&whole).await;
        assert!(first.series[0].last.is_some(), "{name}: {first:?}");
        assert!(state_of(&path).await.pending > 0, "{name}");
        assert!(run(&whole).await.is_complete);
        assert_eq!(read(&path).len(), 1440, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn ranges_of_series_that_a_run_did_not_reach_are_unfetched() {
    let names: Vec<_> = (0..20).map(|index| format!("C{index:02}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let days = |names: &[&str], to| job(coins(&client(), names), END - 9 * DAY, to, &path);
        assert!(run(&days(&names, END - 5 * DAY)).await.is_complete);
        let whole = days(&names, END);
        run_cancelled(&whole).await;
        assert!(run(&days(&["C00"], END)).await.is_complete);
        let state = state_of(&path).await;
        let missing: Vec<_> = state.series.iter().map(|series| series.missing).collect();
        let last = state.series[19].unfetched.iter().map(|range| (range.end - range.start).as_secs()).sum::<u64>();
        assert_eq!((missing.len(), missing[0], last), (20, 0, 5 * 86_400), "{name}: {missing:?}");
        assert!(run(&whole).await.is_complete);
        assert!(state_of(&path).await.series.iter().all(|series| series.missing == 0 && series.rows == 9 * 24));
    }
}

#[tokio::test(start_paused = true)]
async fn status_of_an_unfinished_run_counts_only_rows_in_the_file() {
    for name in ["out.csv", "out.parquet"] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let whole = |from: i64| job(coins(&client(), &["BTC"]), from, END, &path);
        for (from, rows) in [(END - 100 * DAY, 0), (END - 400 * DAY, 100 * 24)] {
            let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
            let mut pages = 0;
            let mut stop = Some(stop);
            let watch = |event: &BackfillEvent| {
                pages += u32::from(matches!(event, BackfillEvent::Progress { .. }));
                if pages > 2 {
                    drop(stop.take());
                }
            };
            let summary = whole(from).run(watch, async { drop(stopped.await) }).await.unwrap();
            assert!(summary.is_cancelled);
            let state = state_of(&path).await;
            assert!(state.series.len() == 1 && state.series[0].rows == rows && state.pending > 0, "{name}: {state:?}");
            assert!(run(&whole(from)).await.is_complete);
            let (state, rows) = (state_of(&path).await, u64::try_from((END - from) / 3600).unwrap());
            assert_eq!((state.pending, state.series[0].rows), (0, rows), "{name}: {state:?}");
        }
    }
}

/// A folder at the path of the file makes writing fail, as a full disk does. The journal keeps the rows.
#[tokio::test(start_paused = true)]
async fn rows_that_could_not_be_written_are_new_in_the_next_run() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let whole = job(coins(&client(), &["BTC"]), END - 3 * DAY, END, &path);
    let file = path.join("orderflow.volume_ratio/1h-2024.parquet/folder");
    fs::create_dir_all(&file).unwrap();
    let error = whole.run(|_| {}, std::future::pending()).await.unwrap_err();
    assert!(error.to_string().contains("1h-2024.parquet"), "{error}");
    assert_eq!(state_of(&path).await.pending, 72);
    fs::remove_dir_all(file.parent().unwrap()).unwrap();
    let summary = run(&whole).await;
    assert_eq!((summary.series[0].added, summary.series[0].filled), (72, 0), "{summary:?}");
}
