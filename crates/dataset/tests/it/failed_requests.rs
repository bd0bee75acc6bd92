//! Tests of backfills with failed requests, and of series without any record.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dataset::{Error, Target};
use runtime::Timestamp;

use crate::support::{
    DAY, END, HOUR, TARGETS, body, client_of, client_with, coins, job, run, scripted, state_of, with,
};

#[tokio::test(start_paused = true)]
async fn rejected_credentials_end_the_job_and_keep_fetched_records() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let (client, _) = client_with(0, |requests, _, from, to| {
            *requests += 1;
            if *requests > 3 { (403, String::new()) } else { (200, body(from, to, |_| Some("0.5".to_owned()))) }
        });
        let whole = job(coins(&client, &["BTC"]), END - 400 * DAY, END, &dir.path().join(name));
        let planned = whole.plan().await.unwrap().requests();
        let error = whole.run(|_| {}, std::future::pending()).await.unwrap_err();
        assert!(matches!(&error, Error::Request(error) if error.is_auth()), "{error}");
        assert_eq!(whole.plan().await.unwrap().requests(), planned - 3, "{name}");
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
        let state = state_of(&path).await;
        let found: Vec<_> = state.series.iter().map(|series| (series.rows, series.rejected.is_some())).collect();
        assert_eq!(found, [(72, false), (0, true)], "{name}: {state:?}");
        assert!(state.series.iter().all(|series| series.unfetched.is_empty()), "{name}");
    }
}

/// A service that has rejected a series, for example before it is listed, says nothing about its records later.
#[tokio::test(start_paused = true)]
async fn a_series_that_was_rejected_before_its_requests_failed_is_unfetched() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let (client, status) = client_with(422, |status, _, from, to| match *status {
            200 => (200, body(from, to, |_| Some("0.5".to_owned()))),
            status => (status, String::new()),
        });
        let days = |days: i64| job(coins(&client, &["BTC"]), END - days * DAY, END, &path);
        run(&days(3)).await;
        *status.lock().unwrap() = 501;
        run(&days(3)).await;
        let state = state_of(&path).await;
        let all = Timestamp::from_unix_seconds(END - 3 * DAY)..Timestamp::from_unix_seconds(END);
        assert_eq!(state.series[0].unfetched, [all], "{name}: {state:?}");
        *status.lock().unwrap() = 422;
        run(&days(9)).await;
        *status.lock().unwrap() = 200;
        run(&days(3)).await;
        let asked = state_of(&path).await.series[0].asked.clone().unwrap();
        assert_eq!(asked.start, Timestamp::from_unix_seconds(END - 3 * DAY), "{name}: only what was not rejected");
    }
}

#[tokio::test(start_paused = true)]
async fn status_lists_series_and_first_pages_that_failed() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let begin = END - 200 * DAY;
        let (client, is_failing) = client_with(true, move |is_failing, url, from, to| {
            let fails = *is_failing && (url.contains("ETH") || from < begin + DAY);
            if fails { (501, String::new()) } else { (200, body(from, to, |_| Some("0.5".to_owned()))) }
        });
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
        assert_eq!(
            (btc.missing, btc.unfetched[0].start),
            (unfetched[0], Timestamp::from_unix_seconds(begin)),
            "{name}"
        );
        assert_eq!((eth.rows, eth.last, eth.missing), (0, None, 200 * 24), "{name}");
        *is_failing.lock().unwrap() = false;
        assert!(run(&whole).await.is_complete);
        let state = state_of(&path).await;
        assert!(state.series.iter().all(|series| series.missing == 0 && series.rows == 200 * 24), "{name}: {state:?}");
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
        assert!(
            unfetched.contains(&Timestamp::from_unix_seconds(middle)) && series.gaps == [unfetched.clone()],
            "{state:?}"
        );
        assert_eq!(series.missing + series.rows, 200 * 24, "{name}");
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
        assert!(run(&with(whole.clone(), |job| job.allow_empty = true)).await.is_complete);
        *script.lock().unwrap() = |_| Some("0.5".to_owned());
        assert!(run(&whole).await.is_complete);
    }
}

/// The start of a job such as "the last 29 days" moves, so what is before it is no longer needed.
#[tokio::test(start_paused = true)]
async fn a_named_job_without_an_end_owes_nothing_before_its_start() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let begin = END - 80 * DAY;
        let client = client_of(move |_, from, to| {
            let fails = from < begin + DAY;
            if fails { (501, String::new()) } else { (200, body(from, to.min(END), |_| Some("0.5".to_owned()))) }
        });
        let client = client.clock(|| Timestamp::from_unix_seconds(END + 60)).build().unwrap();
        let from = |days: i64| {
            let rolling = job(coins(&client, &["BTC"]), begin + days * DAY, END, &path);
            with(rolling, |job| (job.range.end, job.name) = (dataset::Backfill::OPEN_END, Some("rolling".to_owned())))
        };
        assert!(run(&from(0)).await.series[0].unfetched > 900, "{name}");
        let first = state_of(&path).await.series[0].first.unwrap();
        let rest = (first - Timestamp::from_unix_seconds(begin)).as_secs() / 86_400;
        let moved = run(&from(i64::try_from(rest).unwrap() + 1)).await;
        assert!(moved.is_complete && moved.series[0].unfetched == 0, "{name}: {moved:?}");
        assert!(state_of(&path).await.series[0].unfetched.is_empty(), "{name}");
    }
}

/// Nobody has requested what is before the start of the second job, which is not a later run of the first one.
#[tokio::test(start_paused = true)]
async fn a_job_keeps_what_another_job_owes_before_its_start() {
    for (first, second) in [(None, None), (Some("long"), None), (Some("long"), Some("short")), (None, Some("short"))] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data/");
        let named = |from, name: Option<&str>, status| {
            let records = |from, to: i64| body(from, to.min(END - HOUR), |_| Some("0.5".to_owned()));
            let client = client_of(move |_, from, to| (status, records(from, to)));
            let client = client.clock(|| Timestamp::from_unix_seconds(END + 60)).build().unwrap();
            with(job(coins(&client, &["BTC"]), from, END, &path), |job| {
                (job.range.end, job.name) = (dataset::Backfill::OPEN_END, name.map(str::to_owned));
            })
        };
        assert!(!run(&named(END - 200 * DAY, first, 501)).await.is_complete);
        assert!(run(&named(END - DAY, second, 200)).await.is_complete);
        let state = state_of(&path).await;
        let start = state.series[0].unfetched.first().map(|range| range.start);
        assert_eq!(start, Some(Timestamp::from_unix_seconds(END - 200 * DAY)), "{first:?}, {second:?}: {state:?}");
    }
}

/// A run that fails later does not change what was known about the time before the first record.
#[tokio::test(start_paused = true)]
async fn time_before_the_data_begins_stays_known_when_a_later_run_fails() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let is_expired = Arc::new(AtomicBool::new(false));
        let shared = is_expired.clone();
        let client = client_of(move |_, from, to| {
            if shared.load(Ordering::Relaxed) {
                return (403, String::new());
            }
            (200, body(from, to, |time| (time >= END - 2 * DAY).then(|| "0.5".to_owned())))
        });
        let client = client.build().unwrap();
        let until = |end: i64| job(coins(&client, &["BTC"]), END - 60 * DAY, end, &path);
        assert!(run(&until(END)).await.is_complete, "{name}");
        is_expired.store(true, Ordering::Relaxed);
        assert!(until(END + DAY).run(|_| {}, std::future::pending()).await.is_err(), "{name}");
        let state = state_of(&path).await;
        let unfetched = &state.series[0].unfetched;
        assert!(
            unfetched.iter().all(|range| range.start >= Timestamp::from_unix_seconds(END)),
            "{name}: {unfetched:?}"
        );
    }
}

/// A service that always has the same page has delivered nothing for the rest of the range. A few records around each
/// range are no sign of that, nor is a series that is mostly empty.
/// Creates the body of a response for a range.
type Respond = Box<dyn Fn(i64, i64) -> String + Send + Sync>;

#[tokio::test(start_paused = true)]
async fn a_service_that_ignores_the_range_is_recognized() {
    let dir = tempfile::tempdir().unwrap();
    let begin = END - 400 * DAY;
    let value = |_| Some("0.5".to_owned());
    let fixed = move |_: i64, _: i64| body(begin + 100 * DAY, begin + 120 * DAY, value);
    let around = move |from: i64, to: i64| body(from - 5 * HOUR, to + 5 * HOUR, value);
    let sparse = |from: i64, to: i64| body(from, to, |time| (time % (20 * DAY) == 0).then(|| "0.5".to_owned()));
    let early = move |from: i64, to: i64| body(from, to.min(begin + 40 * DAY), value);
    let cases: [(&str, Respond, bool); 4] = [
        ("fixed", Box::new(fixed), true),
        ("around", Box::new(around), false),
        ("sparse", Box::new(sparse), false),
        ("early", Box::new(early), false),
    ];
    for (name, respond, expected) in cases {
        let client = client_of(move |_, from, to| (200, respond(from, to))).build().unwrap();
        let path = dir.path().join(format!("{name}.parquet"));
        let summary = run(&job(coins(&client, &["BTC"]), begin, END, &path)).await;
        let report = &summary.series[0];
        assert_eq!(report.ignores_range, expected, "{name}: {:?}", report.account);
        assert_eq!(summary.is_complete, !expected, "{name}: {:?}", report.account);
    }
}

/// The second run requests little, so its responses alone do not show what the first run has seen.
#[tokio::test(start_paused = true)]
async fn a_service_that_ignores_the_range_is_remembered_until_a_user_acknowledges_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("set.parquet");
    let target = Target::parse(path.to_str().unwrap()).unwrap();
    let begin = END - 400 * DAY;
    let value = |_| Some("0.5".to_owned());
    let fixed = client_of(move |_, _, _| (200, body(begin + 100 * DAY, begin + 120 * DAY, value))).build().unwrap();
    let broken = || job(coins(&fixed, &["BTC"]), begin, END, &path);
    for _ in 0..2 {
        let summary = run(&broken()).await;
        assert!(summary.series[0].ignores_range && !summary.is_complete, "{:?}", summary.series[0].account);
        assert!(dataset::status(&target).await.unwrap().series[0].ignores_range);
    }
    let ended = dataset::acknowledge(&target, None).await.unwrap();
    assert_eq!(ended.ignored_ranges.len(), 1);
    assert!(!dataset::status(&target).await.unwrap().series[0].ignores_range);
    assert!(run(&broken()).await.is_complete);
}

#[tokio::test(start_paused = true)]
async fn a_service_that_follows_the_range_again_is_recognized() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("set.parquet");
    let begin = END - 400 * DAY;
    let (client, now) = client_with(END, move |now, _, from, to| {
        let [from, to] = if *now == END { [begin + 100 * DAY, begin + 120 * DAY] } else { [from, to] };
        (200, body(from, to, |_| Some("0.5".to_owned())))
    });
    let first = run(&job(coins(&client, &["BTC"]), begin, END, &path)).await;
    assert!(first.series[0].ignores_range && !first.is_complete, "{:?}", first.series[0].account);
    *now.lock().unwrap() = END + 2 * HOUR;
    let second = run(&job(coins(&client, &["BTC"]), begin, END, &path)).await;
    assert!(!second.series[0].ignores_range && second.is_complete, "{:?}", second.series[0].account);
    assert!(!state_of(&path).await.series[0].ignores_range);
}
