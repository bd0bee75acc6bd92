//! Tests of backfills with invalid records, outages, damaged files, and runs that end early or run at the same time.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runtime::registry::EndpointInfo;
use runtime::transport::TransportError;
use runtime::{Error as RequestError, ErrorKind, Retry};
use tables::{BackfillEvent, Error, ResponseMonitor, SeriesRequest, Target, status};
use tokio::time::Instant;

use crate::support::service::{self, Client, RATIO};
use crate::support::{DAY, END, TARGETS, body, client, client_of, coins, files, hours, job, read, run, scripted};

#[tokio::test(start_paused = true)]
async fn invalid_value_is_null_and_fails_its_page_only_if_strict() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let (client, _) = scripted(|time| Some(if time == END - DAY { "\"n/a\"" } else { "0.5" }.to_owned()));
        let whole = job(coins(&client, &["BTC"]), END - 3 * DAY, END, &path);
        let strict = run(&whole.clone().strict()).await;
        assert!(!strict.is_complete && strict.failed_pages == 1, "{strict:?}");
        let summary = run(&whole).await;
        assert!(summary.is_complete && summary.records == 72 && summary.series[0].invalid == 1, "{summary:?}");
        let rows = read(&path);
        let invalid: Vec<_> = rows.iter().filter(|row| !row.contains_key("volumeRatio")).collect();
        assert_eq!((rows.len(), invalid.len()), (72, 1));
        assert_eq!(invalid[0]["unknown_fields"], r#"{"volumeRatio":"n/a"}"#);
        assert_eq!(run(&whole).await.series[0].invalid, 0, "it is reported once");
        let status = status(&Target::parse(path.to_str().unwrap()).unwrap()).await.unwrap();
        assert_eq!((status.series[0].invalid, status.series[0].rows), (1, 72));
    }
}

async fn state_of(path: &Path) -> tables::Status {
    status(&Target::parse(path.to_str().unwrap()).unwrap()).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn an_invalid_value_does_not_replace_a_valid_one() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let (client, script) = scripted(|_| Some("0.5".to_owned()));
        let whole = job(coins(&client, &["BTC"]), END - 3 * DAY, END, &path);
        run(&whole).await;
        *script.lock().unwrap() = |time| Some(if time == END - DAY { "\"n/a\"" } else { "0.5" }.to_owned());
        let summary = run(&whole).await;
        assert_eq!((summary.series[0].invalid, summary.series[0].revised), (1, 0), "{name}: {summary:?}");
        let rows = read(&path);
        let unknown: Vec<_> = rows.iter().filter_map(|row| row.get("unknown_fields")).collect();
        assert_eq!(unknown, [r#"{"volumeRatio":"n/a"}"#], "{name}");
        assert!(rows.len() == 72 && rows.iter().all(|row| row["volumeRatio"] == "0.5"), "{name}");
        assert_eq!(state_of(&path).await.series[0].invalid, 1, "{name}");
        assert_eq!(run(&whole).await.series[0].invalid, 0, "{name}: it is reported once");
        *script.lock().unwrap() = |_| Some("0.5".to_owned());
        assert_eq!(run(&whole).await.series[0].revised, 0, "{name}: the value is the same again");
        *script.lock().unwrap() = |time| Some(if time == END - DAY { "0.7" } else { "0.5" }.to_owned());
        assert_eq!(run(&whole).await.series[0].revised, 1, "{name}");
        assert!(read(&path).iter().all(|row| !row.contains_key("unknown_fields")), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_null_or_missing_value_does_not_replace_a_valid_one() {
    let record = |rest: &str| format!(r#"{{"openDate":{}{rest}}}"#, END - DAY);
    for (name, rest) in TARGETS.iter().flat_map(|name| [(name, r#","volumeRatio":null"#), (name, "")]) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let records = Arc::new(Mutex::new([record(r#","volumeRatio":0.5"#), record(r#","volumeRatio":0.5"#)]));
        let shared = records.clone();
        let client = client_of(move |_, from, to| {
            let [valid, sent] = &*shared.lock().unwrap();
            (200, body(from, to, |_| Some("0.5".to_owned())).replace(valid, sent))
        });
        let whole = job(coins(&client.build().unwrap(), &["BTC"]), END - 3 * DAY, END, &path);
        run(&whole).await;
        records.lock().unwrap()[1] = record(rest);
        let summary = run(&whole).await;
        assert_eq!((summary.series[0].invalid, state_of(&path).await.series[0].invalid), (1, 1), "{name}: {summary:?}");
        let rows = read(&path);
        assert!(rows.len() == 72 && rows.iter().all(|row| row["volumeRatio"] == "0.5"), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_rejected_series_is_not_unfetched() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let client = client_of(|url, from, to| {
            if url.contains("ETH") { (422, String::new()) } else { (200, body(from, to, |_| Some("0.5".to_owned()))) }
        });
        let client = client.build().unwrap();
        for coin in ["ETH", "BTC"] {
            let summary = run(&job(coins(&client, &[coin]), END - 3 * DAY, END, &path)).await;
            assert_eq!(summary.is_complete, coin == "BTC", "{name}");
        }
        assert!(state_of(&path).await.series.iter().all(|series| series.unfetched.is_empty()), "{name}");
    }
}

/// If one interval has more records than fit on a page, the page fails, but the service has responded.
#[tokio::test(start_paused = true)]
async fn a_response_with_too_many_records_is_a_response() {
    let client = client_of(|_, from, _| {
        let records: Vec<_> = (1..=1000).map(|n| format!(r#"{{"openDate":{},"volumeRatio":0.5}}"#, from + n)).collect();
        (200, format!(r#"{{"data":[{}]}}"#, records.join(",")))
    });
    let client = client.build().unwrap();
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let whole = job(coins(&client, &["BTC"]), END - 3600, END, &dir.path().join(name));
        let summary = run(&whole).await;
        assert_eq!((summary.failed_pages, summary.is_unreachable), (1, false), "{name}: {summary:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_deleted_file_of_a_data_set_is_damage() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let whole = job(coins(&client(), &["BTC"]), END - 300 * DAY, END, &path);
    run(&whole).await;
    let name = "orderflow.volume_ratio/exchange=binance_perp_stable/coin=BTC/timeframe=1h/year=2023/data.parquet";
    fs::remove_file(path.join(name)).unwrap();
    let damaged = state_of(&path).await.damaged;
    assert!(damaged.len() == 1 && damaged[0].contains("year=2023/data.parquet: missing"), "{damaged:?}");
    run(&whole).await;
    assert_eq!(state_of(&path).await.damaged, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_folder_inside_a_data_set_has_no_status() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    run(&job(coins(&client(), &["BTC"]), END - DAY, END, &path)).await;
    let inner = Target::parse(path.join("orderflow.volume_ratio").to_str().unwrap()).unwrap();
    let error = status(&inner).await.unwrap_err().to_string();
    assert!(error.contains("name the folder of the whole data set"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_text_file_without_its_rows_is_not_replaced_by_a_shorter_range() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.csv");
    let days = |days: i64| job(coins(&client(), &["BTC"]), END - days * DAY, END, &path);
    run(&days(30)).await;
    fs::remove_file(dir.path().join("out.csv.parts/rows.parquet")).unwrap();
    let error = days(7).plan().await.unwrap_err().to_string();
    assert!(error.contains("move the file away and run the backfill again for its whole range"), "{error}");
    assert_eq!(read(&path).len(), 30 * 24);
    fs::rename(&path, dir.path().join("away.csv")).unwrap();
    assert_eq!(run(&days(30)).await.records, 30 * 24);
}

#[tokio::test(start_paused = true)]
async fn the_error_for_damaged_rows_of_a_text_file_names_both_files() {
    let dir = tempfile::tempdir().unwrap();
    let (path, rows) = (dir.path().join("out.csv"), dir.path().join("out.csv.parts/rows.parquet"));
    let whole = job(coins(&client(), &["BTC"]), END - 30 * DAY, END, &path);
    run(&whole).await;
    let intact = fs::read(&rows).unwrap();
    for (length, changed) in [(intact.len(), 1000), (1000, 0)] {
        let mut damaged = intact[..length].to_vec();
        damaged[changed] ^= 1;
        fs::write(&rows, &damaged).unwrap();
        let error = whole.run(|_| {}, std::future::pending()).await.unwrap_err().to_string();
        let advice = format!("; delete it and {} and run the backfill again for its range", path.display());
        assert!(error.ends_with(&advice), "{error}");
        fs::remove_file(&path).unwrap();
        fs::remove_file(&rows).unwrap();
        assert_eq!(run(&whole).await.records, 30 * 24);
    }
}

#[tokio::test(start_paused = true)]
async fn a_text_file_changed_by_hand_is_damage_and_is_written_again() {
    for name in ["out.csv", "out.jsonl.gz"] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let whole = job(coins(&client(), &["BTC"]), END - 30 * DAY, END - 10 * DAY, &path);
        assert!(!run(&whole).await.is_restored);
        let written = fs::read(&path).unwrap();
        let mut edited = written.clone();
        edited[100] ^= 1;
        for changed in [&written[..1000], &edited] {
            fs::write(&path, changed).unwrap();
            let damaged = state_of(&path).await.damaged;
            assert!(damaged.len() == 1 && damaged[0].contains("changed since a backfill wrote it"), "{damaged:?}");
            assert!(run(&whole).await.is_restored && fs::read(&path).unwrap() == written, "{name}");
            assert_eq!(state_of(&path).await.damaged, [""; 0]);
        }
        // Even a run whose requests all fail writes the original text again, and later changes are still detected.
        let failing = client_of(|_, _, _| (501, String::new())).build().unwrap();
        fs::write(&path, &edited).unwrap();
        assert!(!run(&job(coins(&failing, &["ETH"]), END - 30 * DAY, END, &path)).await.is_complete);
        assert!(fs::read(&path).unwrap() == written, "{name}");
        fs::write(&path, &edited).unwrap();
        assert_eq!(state_of(&path).await.damaged.len(), 1, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn copies_in_a_data_set_are_damage_and_are_not_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let whole = job(coins(&client(), &["BTC"]), END - 3 * DAY, END, &path);
    run(&whole).await;
    let series = path.join("orderflow.volume_ratio/exchange=binance_perp_stable/coin=BTC/timeframe=1h");
    let year = series.join("year=2024");
    for copy in [year.join("data (copy).parquet"), series.join("year=2024 (copy)/data.parquet")] {
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(year.join("data.parquet"), &copy).unwrap();
        let error = whole.plan().await.unwrap_err().to_string();
        assert!(error.contains("(copy)") && error.contains("move it"), "{error}");
        let damaged = state_of(&path).await.damaged;
        assert!(damaged.len() == 1 && damaged[0] == error, "{damaged:?}");
        fs::remove_file(&copy).unwrap();
    }
    let copy = series.with_file_name("timeframe=1h (copy)");
    fs::create_dir_all(copy.join("year=2024")).unwrap();
    for file in [".backfill.json", "year=2024/data.parquet"] {
        fs::copy(series.join(file), copy.join(file)).unwrap();
    }
    let state = state_of(&path).await;
    assert!(state.series.len() == 1 && state.damaged[0].contains("a copy of orderflow.volume_ratio/"), "{state:?}");
}

#[tokio::test(start_paused = true)]
async fn status_lists_series_and_first_pages_that_failed() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let (is_failing, begin) = (Arc::new(Mutex::new(true)), END - 200 * DAY);
        let shared = is_failing.clone();
        let client = client_of(move |url, from, to| {
            let fails = *shared.lock().unwrap() && (url.contains("ETH") || from < begin + DAY);
            if fails { (501, String::new()) } else { (200, body(from, to, |_| Some("0.5".to_owned()))) }
        });
        let client = client.build().unwrap();
        let whole = job(coins(&client, &["BTC", "ETH"]), begin, END, &path);
        let summary = run(&whole).await;
        assert!(!summary.is_complete && summary.pages > 0, "{name}: {summary:?}");
        let unfetched: Vec<_> = summary.series.iter().map(|series| series.unfetched).collect();
        assert!(unfetched[0] > 900 && unfetched[1] == 200 * 24, "{name}: {unfetched:?}");
        // A run of a shorter range reports the older failure too.
        let last = run(&job(coins(&client, &["BTC"]), END - 2 * DAY, END, &path)).await;
        assert_eq!(last.series[0].unfetched, unfetched[0], "{name}");
        let state = state_of(&path).await;
        let [btc, eth] = &state.series[..] else { panic!("{name}: {state:?}") };
        assert_eq!((btc.missing, btc.unfetched[0].start), (unfetched[0], begin.into()), "{name}");
        assert_eq!((eth.rows, eth.last, eth.missing), (0, None, 200 * 24), "{name}");
        *is_failing.lock().unwrap() = false;
        assert!(run(&whole).await.is_complete);
        let state = state_of(&path).await;
        assert!(state.series.iter().all(|series| series.missing == 0 && series.rows == 200 * 24), "{name}: {state:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_data_set_keeps_the_source_of_its_first_run() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let failing = client_of(|_, _, _| (501, String::new())).build().unwrap();
        assert!(!run(&job(coins(&failing, &["BTC"]), END - DAY, END, &path)).await.is_complete);
        let other = job(coins(&client(), &["ETH"]), END - DAY, END, &path).source_label("other");
        // Another run may be writing the same data set, but not the same file.
        match other.run(|_| {}, std::future::pending()).await {
            Ok(summary) => assert!(name != "data/" && summary.is_complete, "{name}"),
            Err(error) => assert!(name == "data/" && error.to_string().contains("`service`"), "{error}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_page_between_others_that_failed_is_unfetched() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let middle = END - 100 * DAY;
        let client = client_of(move |_, from, to| {
            let fails = from < middle && to > middle;
            if fails { (501, String::new()) } else { (200, body(from, to, |_| Some("0.5".to_owned()))) }
        });
        let whole = job(coins(&client.build().unwrap(), &["BTC"]), END - 200 * DAY, END, &path);
        assert_eq!(run(&whole).await.failed_pages, 1);
        let state = state_of(&path).await;
        let [series] = &state.series[..] else { panic!("{state:?}") };
        let [unfetched] = &series.unfetched[..] else { panic!("{state:?}") };
        assert!(unfetched.contains(&middle.into()) && series.gaps == [unfetched.clone()], "{state:?}");
        assert_eq!(series.missing + series.rows, 200 * 24, "{name}");
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
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let mut stop = Some(stop);
        let whole = days(&names, END);
        assert!(whole.run(|_| drop(stop.take()), async { drop(stopped.await) }).await.unwrap().is_cancelled);
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
async fn a_run_that_was_killed_before_the_checksum_of_the_text_is_not_damage() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.csv");
    let whole = job(coins(&client(), &["BTC"]), END - 30 * DAY, END, &path);
    run(&whole).await;
    let written = fs::read(&path).unwrap();
    let (rows, next) = (dir.path().join("out.csv.parts/rows.parquet"), dir.path().join("out.csv.parts/rows.next"));
    fs::copy(&rows, &next).unwrap();
    fs::write(&path, "the new text\n").unwrap();
    assert_eq!(state_of(&path).await.damaged, [""; 0]);
    assert!(!run(&whole).await.is_restored && fs::read(&path).unwrap() == written && !next.exists());
    fs::write(&path, "another text\n").unwrap();
    assert_eq!(state_of(&path).await.damaged.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn status_lists_series_beside_a_damaged_part() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.parquet");
    let whole = |from: i64| job(coins(&client(), &["BTC"]), from, END, &path);
    run(&whole(END - 100 * DAY)).await;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let mut stop = Some(stop);
    whole(END - 400 * DAY).run(|_| drop(stop.take()), async { drop(stopped.await) }).await.unwrap();
    let part = files(dir.path()).into_iter().find(|name| name.ends_with("/data.parquet")).unwrap();
    fs::write(dir.path().join(part), "damage").unwrap();
    let state = state_of(&path).await;
    assert!(state.damaged.len() == 1 && state.series[0].rows == 100 * 24, "{state:?}");
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

#[tokio::test(start_paused = true)]
async fn a_service_that_responds_with_errors_only_is_trouble() {
    let dir = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    let monitor = ResponseMonitor::default();
    let client = client_of(move |_, from, to| {
        let is_busy = begun.elapsed() < Duration::from_secs(20);
        if is_busy { (429, String::new()) } else { (200, body(from, to, |_| Some("0.5".to_owned()))) }
    });
    let client = client.retry(Retry::default()).observer(monitor.clone()).build().unwrap();
    let whole = job(coins(&client, &["BTC"]), END - 2 * DAY, END, &dir.path().join("data/")).response_monitor(monitor);
    let mut lines = Vec::new();
    let watch = |event: &BackfillEvent| match event {
        BackfillEvent::Trouble { status, .. } => lines.push(*status),
        BackfillEvent::Recovered { .. } => lines.push(Some(200)),
        _ => {}
    };
    let summary = whole.run(watch, std::future::pending()).await.unwrap();
    assert!(summary.is_complete, "{summary:?}");
    assert_eq!(lines, [Some(429), Some(200)]);
}

#[tokio::test(start_paused = true)]
async fn a_record_without_a_valid_time_is_dropped_and_reported_once() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let fixed = Arc::new(Mutex::new(false));
        let shared = fixed.clone();
        let client = client_of(move |_, from, to| {
            let body = body(from, to, |_| Some("0.5".to_owned()));
            let (time, is_fixed) = ((END - DAY).to_string(), *shared.lock().unwrap());
            (200, if is_fixed { body } else { body.replace(&time, r#""yesterday""#) })
        });
        let whole = job(coins(&client.build().unwrap(), &["BTC"]), END - 3 * DAY, END, &dir.path().join(name));
        let first = run(&whole).await;
        assert!(first.is_complete && (first.series[0].dropped, first.series[0].missing) == (1, 1), "{first:?}");
        for _ in 0..2 {
            let again = run(&whole).await;
            assert_eq!((again.series[0].dropped, again.series[0].missing), (0, 1), "{name}");
        }
        *fixed.lock().unwrap() = true;
        let last = run(&whole).await;
        assert_eq!((last.series[0].filled, last.series[0].missing), (1, 0), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_first_run_that_is_cancelled_keeps_its_pages() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        // A day of minutes has two pages. After the first page, no record is 24 hours older than the newest.
        let request = client_of(|_, from, to| {
            let times = ((from + 60) / 60 * 60..=to).step_by(60).take(1000);
            let records: Vec<_> = times.map(|time| format!(r#"{{"openDate":{time},"volumeRatio":1}}"#)).collect();
            (200, format!(r#"{{"data":[{}],"metadata":{{}}}}"#, records.join(",")))
        });
        let request = request.build().unwrap().endpoint(&RATIO).query("coin", "BTC").query("timeframe", "1m");
        let whole = job(vec![SeriesRequest::new(request).unwrap()], END - DAY, END, &path);
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let mut stop = Some(stop);
        let first = whole.run(|_| drop(stop.take()), async { drop(stopped.await) }).await.unwrap();
        assert!(first.is_cancelled && first.series[0].last.is_some(), "{name}: {first:?}");
        let kept = files(dir.path()).iter().filter(|name| name.ends_with("/data.parquet")).count();
        assert_eq!(kept, 1, "{name}");
        assert!(run(&whole).await.is_complete);
        assert_eq!(read(&path).len(), 1440, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn series_without_a_record_is_incomplete_unless_allowed() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let (client, script) = scripted(|_| None);
        let whole = job(coins(&client, &["BTC"]), END - DAY, END, &dir.path().join(name));
        let summary = run(&whole).await;
        assert!(!summary.is_complete && summary.series[0].is_empty() && summary.failed.is_empty(), "{summary:?}");
        assert!(run(&whole.clone().allow_empty()).await.is_complete);
        *script.lock().unwrap() = |_| Some("0.5".to_owned());
        assert!(run(&whole).await.is_complete);
    }
}

#[tokio::test(start_paused = true)]
async fn a_service_that_does_not_respond_ends_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let client = runtime::transport::from_fn(|_| std::future::pending());
    let response_monitor = ResponseMonitor::default();
    let builder = Client::builder("https://example.invalid/v2").api_key("any").transport(client);
    let client = builder.observer(response_monitor.clone()).build().unwrap();
    let whole = job(coins(&client, &["BTC", "ETH"]), END - DAY, END, &dir.path().join("data/"))
        .response_monitor(response_monitor);
    let (begun, mut trouble) = (tokio::time::Instant::now(), 0);
    let watch = |event: &BackfillEvent| trouble += u32::from(matches!(event, BackfillEvent::Trouble { .. }));
    let summary = whole.run(watch, std::future::pending()).await.unwrap();
    assert!(summary.is_unreachable && !summary.is_complete, "{summary:?}");
    assert_eq!(trouble, 1);
    assert!(begun.elapsed() < Duration::from_secs(200), "{:?}", begun.elapsed());
}

/// The client splits every page until it covers one hour, which takes longer than a run waits for a response.
#[tokio::test(start_paused = true)]
async fn a_body_that_is_too_large_is_a_response() {
    let dir = tempfile::tempdir().unwrap();
    let transport = runtime::transport::from_fn(|_| async {
        tokio::time::sleep(Duration::from_secs(10)).await;
        Err(TransportError::body_too_large(100))
    });
    let monitor = ResponseMonitor::default();
    let builder = Client::builder("https://example.invalid/v2").api_key("any").transport(transport);
    let client = builder.observer(monitor.clone()).build().unwrap();
    let whole = job(coins(&client, &["BTC"]), END - DAY, END, &dir.path().join("out.csv")).response_monitor(monitor);
    let (mut has_trouble, mut causes) = (false, Vec::new());
    let watch = |event: &BackfillEvent| match event {
        BackfillEvent::Trouble { .. } => has_trouble = true,
        BackfillEvent::Report { report, .. } => {
            causes.extend(report.failed_pages.iter().map(|page| page.error.clone()));
        }
        _ => {}
    };
    let summary = whole.run(watch, std::future::pending()).await.unwrap();
    assert!(!has_trouble && !summary.is_unreachable && summary.failed_pages == 24, "{summary:?}");
    assert!(causes.len() == 24 && causes.iter().all(RequestError::is_body_too_large), "{causes:?}");
}

/// After three responses, connections are refused for `seconds`.
#[tokio::test(start_paused = true)]
async fn a_run_waits_two_minutes_for_the_end_of_an_outage() {
    for (name, seconds) in TARGETS.iter().flat_map(|name| [5, 45, 110, 130].map(|seconds| (*name, seconds))) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let requests = Mutex::new((0, Instant::now()));
        let client = client_of(move |_, from, to| {
            let (count, last) = &mut *requests.lock().unwrap();
            *count += 1;
            if *count <= 3 {
                *last = Instant::now();
            }
            let is_out = *count > 3 && last.elapsed() < Duration::from_secs(seconds);
            if is_out { (0, String::new()) } else { (200, body(from, to, |_| Some("0.5".to_owned()))) }
        });
        let monitor = ResponseMonitor::default();
        let client = client.observer(monitor.clone()).build().unwrap();
        let whole = job(coins(&client, &["BTC"]), END - 200 * DAY, END, &path).response_monitor(monitor);
        let (planned, begun, mut lines) = (whole.plan().await.unwrap().requests(), Instant::now(), Vec::new());
        let watch = |event: &BackfillEvent| match event {
            BackfillEvent::Trouble { kind: Some(ErrorKind::Connect), .. } => lines.push("trouble"),
            BackfillEvent::Recovered { .. } => lines.push("recovered"),
            BackfillEvent::Report { report, .. } if !report.failed_pages.is_empty() => lines.push("cause"),
            _ => {}
        };
        let summary = whole.run(watch, std::future::pending()).await.unwrap();
        let elapsed = begun.elapsed().as_secs();
        if seconds < 120 {
            assert!(summary.is_complete && summary.failed_pages == 0, "{name} {seconds}: {summary:?}");
            assert!((seconds..=seconds + 16).contains(&elapsed), "{name} {seconds}: {elapsed}");
            let both = ["trouble", "recovered"];
            assert_eq!(lines, if seconds > 10 { &both[..] } else { &[] }, "{name} {seconds}");
        } else {
            assert!(summary.is_unreachable && !summary.is_complete, "{name} {seconds}: {summary:?}");
            assert!((120..=122).contains(&elapsed) && lines == ["trouble", "cause"], "{name}: {lines:?}, {elapsed}");
            assert_eq!(whole.plan().await.unwrap().requests(), planned - 3, "{name}");
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            assert!(run(&whole).await.is_complete);
        }
        assert_eq!(read(&path).len(), 200 * 24, "{name} {seconds}");
    }
}

#[tokio::test(start_paused = true)]
async fn rejected_credentials_end_the_job_and_keep_fetched_records() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let requests = Arc::new(Mutex::new(0));
        let client = client_of(move |_, from, to| {
            let mut requests = requests.lock().unwrap();
            *requests += 1;
            if *requests > 3 { (403, String::new()) } else { (200, body(from, to, |_| Some("0.5".to_owned()))) }
        });
        let whole = job(coins(&client.build().unwrap(), &["BTC"]), END - 400 * DAY, END, &dir.path().join(name));
        let planned = whole.plan().await.unwrap().requests();
        let error = whole.run(|_| {}, std::future::pending()).await.unwrap_err();
        assert!(matches!(&error, Error::Request(error) if error.is_auth()), "{error}");
        assert_eq!(whole.plan().await.unwrap().requests(), planned - 3, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn damaged_file_is_an_error_and_is_not_merged() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let whole = job(coins(&client(), &["BTC"]), END - 60 * DAY, END, &path);
        run(&whole).await;
        let target = Target::parse(path.to_str().unwrap()).unwrap();
        assert_eq!(status(&target).await.unwrap().damaged, [""; 0]);
        let name_in_target = files(dir.path()).into_iter().find(|name| name.ends_with(".parquet")).unwrap();
        let file = dir.path().join(&name_in_target);
        let mut bytes = fs::read(&file).unwrap();
        bytes[300..306].iter_mut().for_each(|byte| *byte ^= 0x55);
        fs::write(&file, &bytes).unwrap();
        let error = whole.run(|_| {}, std::future::pending()).await.unwrap_err().to_string();
        let has_path = error.replace('\\', "/").contains(&name_in_target);
        assert!(has_path && error.contains("checksum"), "{name}: {error}");
        let damaged = status(&target).await.unwrap().damaged;
        assert!(damaged.len() == 1 && damaged[0].contains("delete it"), "{damaged:?}");
        fs::write(&file, &bytes[..bytes.len() - 20]).unwrap();
        let error = whole.run(|_| {}, std::future::pending()).await.unwrap_err().to_string();
        assert!(error.contains("truncated"), "{error}");
        fs::remove_file(&file).unwrap();
        if name == "out.csv" {
            fs::remove_file(&path).unwrap();
        }
        assert!(run(&whole).await.is_complete);
        assert_eq!(read(&path).len(), 60 * 24, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn run_after_a_cancelled_run_completes_the_target() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let whole = job(coins(&client(), &["BTC", "ETH"]), END - 400 * DAY, END, &path);
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let mut stop = Some(stop);
        let summary = whole.run(|_| drop(stop.take()), async { drop(stopped.await) }).await.unwrap();
        assert!(summary.is_cancelled && !summary.is_complete);
        let state = state_of(&path).await;
        assert!(state.pending > 0 || state.series.iter().all(|series| !series.unfetched.is_empty()), "{state:?}");
        assert!(run(&whole).await.is_complete);
        assert!(state_of(&path).await.series.iter().all(|series| series.unfetched.is_empty()), "{name}");
        assert_eq!(read(&path).len(), 2 * 400 * 24, "{name}");
    }
}

#[tokio::test]
async fn concurrent_run_is_rejected_if_it_writes_the_same_files() {
    let dir = tempfile::tempdir().unwrap();
    let slow = runtime::transport::from_fn(|_| std::future::pending());
    let slow = Client::builder("https://example.invalid/v2").api_key("any").transport(slow).build().unwrap();
    for name in TARGETS {
        let path = dir.path().join(name);
        let first = job(coins(&slow, &["BTC"]), END - DAY, END, &path);
        let (begun, begins) = tokio::sync::oneshot::channel();
        let (enough, ends) = tokio::sync::oneshot::channel::<()>();
        let cancel = async {
            begun.send(()).unwrap();
            drop(ends.await);
        };
        let (first, ()) = tokio::join!(first.run(|_| {}, cancel), async {
            begins.await.unwrap();
            let same = job(coins(&client(), &["BTC"]), END - DAY, END, &path);
            let error = same.run(|_| {}, std::future::pending()).await.unwrap_err();
            assert!(matches!(error, Error::InUse { .. }), "{error}");
            let other = job(coins(&client(), &["ETH"]), END - DAY, END, &path);
            let other = other.run(|_| {}, std::future::pending()).await;
            assert_eq!(other.is_ok_and(|summary| summary.is_complete), name == "data/");
            drop(enough);
        });
        assert!(first.unwrap().is_cancelled);
    }
    let hidden = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(hidden.filter(|name| name.starts_with('.')).collect::<Vec<_>>(), [""; 0]);
}

/// A data set has one hidden file for all series, and the first run of each endpoint changes that file.
#[test]
fn concurrent_runs_of_different_endpoints_share_a_data_set() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let endpoints: Vec<&'static EndpointInfo> = (0..12)
        .map(|index| -> &'static EndpointInfo {
            let name: &'static str = Box::leak(format!("ratio_{index}").into_boxed_str());
            Box::leak(Box::new(EndpointInfo { ident: name, ..service::RATIO }))
        })
        .collect();
    for _ in 0..3 {
        std::thread::scope(|scope| {
            for endpoint in &endpoints {
                scope.spawn(|| {
                    let whole = job(vec![hours(&client(), endpoint, "BTC")], END - DAY, END, &path);
                    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                    assert!(runtime.block_on(run(&whole)).is_complete);
                });
            }
        });
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let state = runtime.block_on(state_of(&path));
    assert_eq!((state.series.len(), state.damaged), (12, Vec::new()));
}
