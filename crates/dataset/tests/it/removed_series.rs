//! Tests of removing series, and of series that are no longer part of a job.

use dataset::{Backfill, Error, Partition};

use crate::support::service::DELTA;
use crate::support::{
    DAY, END, TARGETS, body, client, client_of, coins, files, hours, job, read, run, state_of, target_of, with,
};

fn is_eth(path: &str) -> bool {
    path.starts_with("orderflow.volume_ratio/") && path.contains("/coin=ETH/")
}

#[tokio::test(start_paused = true)]
async fn removed_series_are_no_longer_in_files_and_status() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let target = target_of(&path);
        let names = ["BTC", "ETH", "SOL"];
        run(&job(coins(&client(), &names), END - 300 * DAY, END, &path)).await;
        let before = files(dir.path());
        let removed = dataset::remove(&target, is_eth).await.unwrap();
        assert!(removed.series.len() == 1 && removed.series[0].contains("coin=ETH"), "{name}: {removed:?}");
        assert_eq!((files(dir.path()), read(&path).len()), (before, 2 * 300 * 24), "{name}");
        let state = state_of(&path).await;
        assert!(state.series.len() == 2 && state.damaged.is_empty(), "{name}: {state:?}");
        assert_eq!(dataset::remove(&target, is_eth).await.unwrap().series, [""; 0]);
        // The other series continue, and the removed series can be added again.
        let again = run(&job(coins(&client(), &names), END - 300 * DAY, END, &path)).await;
        assert_eq!((again.series[0].added, again.series[1].added), (0, 300 * 24), "{name}");
        dataset::remove(&target, |_| true).await.unwrap();
        assert!(files(dir.path()).iter().all(|name| name.contains(".parts/")), "{name}: {:?}", files(dir.path()));
        assert!(state_of(&path).await.series.is_empty(), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn series_are_not_removed_while_a_run_writes_them() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let target = target_of(&path);
    let whole = job(coins(&client(), &["BTC", "ETH"]), END - DAY, END, &path);
    run(&whole).await;
    let mut error = None;
    let mut runtime = Some(target);
    let watch = |_: &dataset::BackfillEvent| {
        let Some(target) = runtime.take() else { return };
        let removed = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(dataset::remove(&target, is_eth))
        });
        error = removed.join().unwrap().err();
    };
    assert!(whole.run(watch, std::future::pending()).await.unwrap().is_complete);
    assert!(matches!(error, Some(Error::InUse { .. })), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn a_series_that_is_no_longer_part_of_its_job_is_retired() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let days = |names: &[&str], days: i64| job(coins(&client(), names), END - 9 * DAY, END - days * DAY, &path);
        let named = |job: Backfill| with(job, |job| job.name = Some("daily".to_owned()));
        let retired = async || {
            let all = state_of(&path).await.series.into_iter().filter(|series| series.is_retired);
            all.map(|series| series.path.split("coin=").nth(1).unwrap()[..3].to_owned()).collect::<Vec<_>>()
        };
        run(&named(days(&["BTC", "ETH", "SOL"], 3))).await;
        // Neither a job with another name nor a job without a name retires series of the first job.
        run(&days(&["BTC", "XRP"], 2)).await;
        run(&with(days(&["BTC"], 2), |job| job.name = Some("other".to_owned()))).await;
        assert_eq!(retired().await, [""; 0], "{name}");
        run(&named(days(&["BTC", "ETH"], 1))).await;
        assert_eq!(retired().await, ["SOL"], "{name}");
        run(&named(days(&["BTC", "ETH", "SOL"], 0))).await;
        assert_eq!(retired().await, [""; 0], "{name}");
    }
}

/// The tables of an endpoint that a job no longer has are not opened by its next run.
#[tokio::test(start_paused = true)]
async fn an_endpoint_that_is_no_longer_part_of_its_job_is_retired() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let delta = client_of(|_, from, to| (200, body(from, to, |_| Some("1".to_owned())).replace("Ratio", "Delta")));
    let delta = hours(&delta.build().unwrap(), &DELTA, "BTC");
    let named = |series| with(job(series, END - 9 * DAY, END, &path), |job| job.name = Some("daily".to_owned()));
    let ratio = || coins(&client(), &["BTC"]);
    for (series, retired) in [
        ([ratio(), vec![delta.clone()]].concat(), &[][..]),
        (ratio(), &["volume_delta"]),
        (vec![delta], &["volume_ratio"]),
    ] {
        run(&named(series)).await;
        let all = state_of(&path).await.series.into_iter().filter(|series| series.is_retired);
        let all: Vec<_> = all.map(|series| series.path).collect();
        assert!(
            all.len() == retired.len() && all.iter().zip(retired).all(|(path, name)| path.contains(name)),
            "{all:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_data_set_keeps_its_partition() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let whole = job(coins(&client(), &["BTC"]), END - 3 * DAY, END, &path);
    run(&with(whole.clone(), |job| job.partition = Some(Partition::Month))).await;
    run(&whole).await;
    assert_eq!(files(&path), ["orderflow.volume_ratio/1h-2024-06.parquet"]);
    let error = with(whole, |job| job.partition = Some(Partition::Day)).plan().await.unwrap_err().to_string();
    assert!(error.contains("partitioned by month, not by day"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_retired_series_keeps_its_rows_and_is_not_requested() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let target = target_of(&path);
        let until = |end: i64| job(coins(&client(), &["BTC", "ETH"]), END - 30 * DAY, end, &path);
        run(&until(END)).await;
        let is_eth = |path: &str| path.contains("coin=ETH");
        assert_eq!(dataset::retire(&target, is_eth, true).await.unwrap().series.len(), 1, "{name}");
        let summary = run(&until(END + DAY)).await;
        assert!(summary.is_complete && summary.records == 24 && summary.series[1].is_retired, "{name}: {summary:?}");
        let state = state_of(&path).await;
        let retired: Vec<_> = state.series.iter().map(|one| (one.is_retired, one.rows)).collect();
        assert_eq!(retired, [(false, 31 * 24), (true, 30 * 24)], "{name}");
        dataset::retire(&target, is_eth, false).await.unwrap();
        assert_eq!(run(&until(END + DAY)).await.records, 24, "{name}");
        assert_eq!(read(&path).len(), 2 * 31 * 24, "{name}");
    }
}
