//! Tests of backfills into every kind of target: their ranges, partitions, formats, and the state of the files.

use std::fs;
use std::io::Read;

use dataset::{Partition, status};
use flate2::read::GzDecoder;
use runtime::Timestamp;

use crate::support::service::DELTA;
use crate::support::{
    DAY, END, HOUR, TARGETS, body, client, client_of, coins, files, hours, job, read, run, scripted, state_of,
    target_of, with,
};

#[tokio::test(start_paused = true)]
async fn a_data_set_has_one_file_for_each_partition() {
    let (client, dir) = (client(), tempfile::tempdir().unwrap());
    for (partition, expected) in
        [(None, vec!["2023", "2024"]), (Some(Partition::Month), vec!["2023-12", "2024-01", "2024-02"])]
    {
        let folder = dir.path().join(expected[0]);
        let (from, to) = (1_703_980_800, 1_706_745_600 + HOUR);
        let mut whole = job(coins(&client, &["BTC"]), from, to, &folder);
        if let Some(partition) = partition {
            whole.partition = Some(partition);
        }
        assert_eq!(run(&whole).await.records, 32 * 24 + 1);
        let expected: Vec<_> =
            expected.iter().map(|name| format!("orderflow.volume_ratio/1h-{name}.parquet")).collect();
        assert_eq!(files(&folder), expected);
        assert_eq!(read(&folder).len(), 32 * 24 + 1);
        let error = with(whole, |job| job.partition = Some(Partition::Day)).plan().await.unwrap_err().to_string();
        assert!(error.contains("the data set is partitioned by"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn later_and_earlier_ranges_and_other_series_are_added() {
    let (client, dir) = (client(), tempfile::tempdir().unwrap());
    for name in TARGETS {
        let path = dir.path().join(name);
        let grown = |from: i64, to: i64, names: &[&str]| job(coins(&client, names), from, to, &path);
        assert_eq!(run(&grown(END - 20 * DAY, END - 10 * DAY, &["ETH"])).await.records, 240);
        let summary = run(&grown(END - 40 * DAY, END, &["BTC", "ETH"])).await;
        assert!(summary.is_complete && summary.records == 1680, "{name}: {summary:?}");
        // The newest records may have changed since the last run, so one page of each series is requested again.
        let plan = grown(END - 40 * DAY, END, &["BTC", "ETH"]).plan().await.unwrap();
        assert_eq!(plan.requests(), 2, "{name}");
        let again = run(&grown(END - 40 * DAY, END, &["BTC", "ETH"])).await;
        assert!(again.is_complete && again.records == 0 && again.series[1].revised == 0, "{name}: {again:?}");
        let delta = client_of(|_, from, to| (200, body(from, to, |_| Some("1".to_owned())).replace("Ratio", "Delta")));
        let delta = hours(&delta.build().unwrap(), &DELTA, "BTC");
        assert_eq!(run(&job(vec![delta], END - DAY, END, &path)).await.records, 24);
        assert_eq!(read(&path).len(), 2 * 960 + 24, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn second_run_extends_compressed_text() {
    let (client, dir) = (client(), tempfile::tempdir().unwrap());
    let path = dir.path().join("OUT.CSV.GZ");
    let days = |days: i64| job(coins(&client, &["BTC"]), END - 40 * DAY, END - 40 * DAY + days * DAY, &path);
    assert_eq!(run(&days(20)).await.records, 480);
    assert_eq!(run(&days(40)).await.records, 480);
    assert_eq!(read(&path).len(), 960);
    let lines = dir.path().join("out.jsonl.gz");
    assert_eq!(run(&job(coins(&client, &["BTC"]), END - DAY, END, &lines)).await.records, 24);
    let mut text = String::new();
    GzDecoder::new(fs::File::open(&lines).unwrap()).read_to_string(&mut text).unwrap();
    assert!(text.lines().count() == 24 && text.starts_with(r#"{"endpoint":"orderflow.volume_ratio""#), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_deleted_text_file_is_written_again_without_a_request() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.csv");
    run(&job(coins(&client(), &["BTC"]), END - 20 * DAY, END, &path)).await;
    let text = fs::read_to_string(&path).unwrap();
    fs::remove_file(&path).unwrap();
    // All records of this range are older than the newest record by more than the refetch time, so none is requested.
    let settled = run(&job(coins(&client(), &["BTC"]), END - 20 * DAY, END - 10 * DAY, &path)).await;
    assert!(settled.is_complete && settled.requests == 0, "{settled:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[tokio::test(start_paused = true)]
async fn refetch_gaps_fills_old_gaps() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let gap = |time: i64| (time != END - 50 * DAY).then(|| "0.5".to_owned());
        let (client, script) = scripted(gap);
        let whole = job(coins(&client, &["BTC"]), END - 60 * DAY, END, &dir.path().join(name));
        let first = run(&whole).await;
        assert!(first.is_complete && first.series[0].missing == 1, "{first:?}");
        *script.lock().unwrap() = |_| Some("0.5".to_owned());
        assert_eq!(run(&whole).await.series[0].missing, 1);
        let repaired = run(&with(whole.clone(), |job| job.refetch_gaps = true)).await;
        assert_eq!((repaired.series[0].filled, repaired.series[0].missing), (1, 0), "{name}");
        assert_eq!(read(&dir.path().join(name)).len(), 60 * 24);
    }
}

#[tokio::test(start_paused = true)]
async fn status_lists_gaps_and_intervals_behind() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let (client, _) = scripted(|time| (time / HOUR % 24 != 7).then(|| "0.5".to_owned()));
        run(&job(coins(&client, &["BTC"]), END - 3 * DAY, END, &path)).await;
        let status = status(&target_of(&path)).await.unwrap();
        let [series] = &status.series[..] else { panic!("{status:?}") };
        assert_eq!((series.rows, series.gaps.len(), series.missing), (69, 3, 3));
        assert_eq!(series.last, Some(Timestamp::from_unix_seconds(END - HOUR)));
        let behind = [0, 1, 3].map(|hours| series.behind(Timestamp::from_unix_seconds(END + hours * HOUR)));
        assert_eq!(behind, [Some(0), Some(1), Some(3)]);
    }
}

#[tokio::test(start_paused = true)]
async fn job_with_another_source_label_is_rejected() {
    let (client, dir) = (client(), tempfile::tempdir().unwrap());
    for name in TARGETS {
        let days = |days: i64| job(coins(&client, &["BTC"]), END - days * DAY, END, &dir.path().join(name));
        let lab = |count: i64| with(days(count), |job| job.source_label = "lab".to_owned());
        assert!(run(&lab(2)).await.is_complete);
        let error = days(3).plan().await.unwrap_err().to_string();
        let expected = "its rows are from `lab`, but this job fetches from `service`; name another file or folder";
        assert!(error.ends_with(expected), "{error}");
        assert_eq!(run(&lab(3)).await.records, 24);
    }
}

#[tokio::test(start_paused = true)]
async fn a_range_between_two_runs_that_none_has_requested_is_no_gap() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let days = |from: i64, to: i64| job(coins(&client(), &["BTC"]), END - from * DAY, END - to * DAY, &path);
        run(&days(20, 15)).await;
        let last = run(&days(10, 5)).await;
        assert_eq!((last.series[0].missing, last.series[0].unfetched), (0, 0), "{name}");
        let state = status(&target_of(&path)).await.unwrap();
        let [series] = &state.series[..] else { panic!("{state:?}") };
        let time = |days: i64| Timestamp::from_unix_seconds(END - days * DAY);
        assert_eq!((series.missing, &series.unrequested[..]), (0, &[time(15)..time(10)][..]), "{name}: {state:?}");
        run(&days(20, 5)).await;
        assert_eq!(read(&path).len(), 15 * 24, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_series_has_its_own_range() {
    let dir = tempfile::tempdir().unwrap();
    let client = client();
    for name in TARGETS {
        let series = coins(&client, &["BTC", "ETH"]);
        let at = |time: i64| Timestamp::from_unix_seconds(time);
        let [btc, eth] = <[_; 2]>::try_from(series).unwrap();
        let own = btc.within(at(END - 90 * DAY)..at(END - 80 * DAY));
        let whole = job(vec![own, eth], END - 5 * DAY, END, &dir.path().join(name));
        let summary = run(&whole).await;
        let added: Vec<_> = summary.series.iter().map(|series| series.added).collect();
        assert_eq!((added, summary.is_complete), (vec![240, 120], true), "{name}");
        assert_eq!(summary.series[0].first, Some(at(END - 90 * DAY)));
        assert_eq!(summary.series.iter().map(|series| series.unfetched).sum::<u64>(), 0);
    }
    let [btc] = <[_; 1]>::try_from(coins(&client, &["BTC"])).unwrap();
    let reversed = btc.within(Timestamp::from_unix_seconds(END)..Timestamp::from_unix_seconds(END - DAY));
    let error = job(vec![reversed], END - DAY, END, &dir.path().join("reversed.csv")).plan().await.unwrap_err();
    assert!(error.to_string().contains("before its start"), "{error}");
}

/// Statistics of economies begin long before 1970.
#[tokio::test(start_paused = true)]
async fn a_range_before_1970_is_stored_and_continued() {
    let (client, dir) = (client(), tempfile::tempdir().unwrap());
    for name in TARGETS {
        let path = dir.path().join(name);
        let days = |from: i64, to: i64| job(coins(&client, &["BTC"]), from * DAY, to * DAY, &path);
        assert_eq!(run(&days(-400, -397)).await.records, 3 * 24, "{name}");
        let summary = run(&days(-400, 2)).await;
        assert!(summary.is_complete && summary.records == 399 * 24, "{name}: {summary:?}");
        let state = status(&target_of(&path)).await.unwrap();
        let [series] = &state.series[..] else { panic!("{state:?}") };
        assert_eq!((series.missing, series.rows), (0, 402 * 24), "{name}: {state:?}");
        let rows = read(&path);
        assert_eq!(rows.len(), 402 * 24, "{name}");
        assert!(rows.iter().any(|row| row["openDate"].starts_with("1968-11-27T00:00:00")), "{name}: {:?}", rows[0]);
    }
}

/// A coin that was listed, delisted and listed again: a search for the first record can miss the first listing.
#[tokio::test(start_paused = true)]
async fn what_a_search_for_the_first_record_has_skipped_is_not_confirmed() {
    let from = END - 12_000 * DAY;
    let is_listed = move |time: i64| (from + 2000 * DAY..from + 2100 * DAY).contains(&time) || END - 300 * DAY <= time;
    let client = client_of(move |_, from, to| (200, body(from, to, |time| is_listed(time).then(|| "0.5".to_owned()))));
    let client = client.build().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let whole = job(coins(&client, &["BTC"]), from, END, &path);
    for _ in 0..2 {
        let summary = run(&whole).await;
        assert!(summary.is_complete, "{summary:?}");
        assert_eq!(read(&path).len(), 300 * 24, "the search has missed the first listing");
        let state = state_of(&path).await;
        let first_listing = Timestamp::from_unix_seconds(from + 2050 * DAY);
        for skipped in [&summary.series[0].skipped, &state.series[0].skipped] {
            assert!(skipped.iter().any(|range| range.contains(&first_listing)), "{skipped:?}");
            assert!(skipped.iter().all(|range| range.end <= state.series[0].first.unwrap()), "{skipped:?}");
        }
    }
    let repaired = run(&with(whole, |job| job.refetch_gaps = true)).await;
    assert_eq!((repaired.series[0].skipped.len(), read(&path).len()), (0, 400 * 24));
}
