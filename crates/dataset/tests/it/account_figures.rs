//! The account of a run counts each record and each step once, and its progress counts each request.

use std::sync::{Arc, Mutex};

use dataset::BackfillEvent;
use runtime::registry::Step;
use runtime::{Interval, Timestamp};

use crate::support::service::{RATIO, STRIKES};
use crate::support::{
    DAY, END, HOUR, Script, TARGETS, body, client, client_of, client_with, coins, data_of, files, hours, job, read,
    releases, run, scripted, series, state_of, with,
};

#[tokio::test(start_paused = true)]
async fn steps_of_a_page_that_is_requested_again_count_once() {
    let requests = Mutex::new(0);
    let client = client_of(move |_, from, to| {
        let mut requests = requests.lock().unwrap();
        *requests += 1;
        // The page is requested several times before the run requests it again.
        let status = if *requests <= 5 { 0 } else { 200 };
        (status, body(from, to, |_| Some("0.5".to_owned())))
    });
    let dir = tempfile::tempdir().unwrap();
    let whole = job(coins(&client.build().unwrap(), &["BTC"]), END - 3 * DAY, END, &dir.path().join("out.parquet"));
    let summary = run(&whole).await;
    let account = summary.series[0].account;
    assert_eq!((account.steps(), account.covered, account.failed), (72, 72, 0), "{summary:?}");
    assert!(summary.is_complete && summary.requests > 1, "{summary:?}");
}

#[tokio::test(start_paused = true)]
async fn steps_of_a_page_that_is_never_fetched_have_failed() {
    let client = client_of(|_, _, _| (0, String::new()));
    let dir = tempfile::tempdir().unwrap();
    let whole = job(coins(&client.build().unwrap(), &["BTC"]), END - 3 * DAY, END, &dir.path().join("out.parquet"));
    let summary = run(&whole).await;
    let account = summary.series[0].account;
    assert!(!summary.is_complete && summary.is_unreachable, "{summary:?}");
    assert!(account.failed == 72 && account.steps() == 72, "{account:?}");
}

#[tokio::test(start_paused = true)]
async fn a_step_that_is_partly_in_the_range_is_not_empty() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.parquet");
    let half = HOUR / 2;
    let summary = run(&job(coins(&client(), &["BTC"]), END - DAY + half, END - half, &path)).await;
    let account = summary.series[0].account;
    assert_eq!((account.covered, account.empty, account.delivered), (23, 0, 23), "{account:?}");
}

/// A service may round the ends of a request, in either direction.
#[tokio::test(start_paused = true)]
async fn records_that_are_adjacent_to_the_range_are_not_distant() {
    for (before, after, distant) in [(0, 0, 0), (1, 1, 0), (HOUR, HOUR, 0), (5 * HOUR, 0, 3), (0, 10 * DAY, 239)] {
        let client = client_of(move |_, from, to| (200, body(from - before, to + after, |_| Some("0.5".to_owned()))));
        let client = client.build().unwrap();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.parquet");
        let start = END - 30 * DAY;
        let summary = run(&job(coins(&client, &["BTC"]), start, start + 3 * DAY, &path)).await;
        let account = summary.series[0].account;
        let outside = u64::try_from((before + after) / HOUR).unwrap();
        assert!(account.outside >= outside && account.delivered == 72, "{before} {after}: {account:?}");
        assert_eq!(account.distant, distant, "{before} {after}: {account:?}");
    }
}

/// Its responses are those of a service that has no later records, so the user has to know that it may have some.
#[tokio::test(start_paused = true)]
async fn the_oldest_records_of_a_service_that_ignores_the_start_are_distant() {
    for (ignores_start, count) in [(true, 31), (true, 100), (false, 100)] {
        let client = client_of(move |_, from, to| {
            let from = if ignores_start { 0 } else { from };
            let times =
                (1..=count).map(|hour| END - 100 * HOUR + hour * 3000).filter(|time| from <= *time && *time <= to);
            let records: Vec<_> =
                times.take(31).map(|time| format!(r#"{{"openDate":{time},"volumeRatio":1}}"#)).collect();
            (200, data_of(&records))
        });
        let client = client.build().unwrap();
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.parquet");
        let summary = run(&job(vec![releases(&client)], END - 120 * HOUR, END, &path)).await;
        let account = summary.series[0].account;
        assert_eq!(account.distant > 0, ignores_start, "{account:?}");
        assert_eq!(read(&path).len(), if ignores_start { 31 } else { 100 });
    }
}

/// A service that has only records of four hours sends them although hours were requested.
#[tokio::test(start_paused = true)]
async fn the_usual_spacing_of_the_records_is_known() {
    for (step, spacing) in [(1, 1), (4, 4), (24, 24)] {
        let client = client_of(move |_, from, to| {
            (200, body(from, to, |time| (time / HOUR % step == 0).then(|| "0.5".to_owned())))
        });
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data/");
        let summary = run(&job(coins(&client.build().unwrap(), &["BTC"]), END - 30 * DAY, END, &path)).await;
        assert_eq!(summary.series[0].spacing, Some(spacing));
        assert_eq!(state_of(&path).await.series[0].spacing, Some(spacing));
    }
}

/// A body in which the time of some records is not readable.
fn body_without_times(from: i64, to: i64, is_readable: impl Fn(i64) -> bool) -> String {
    let mut records = Vec::new();
    for time in ((from + HOUR) / HOUR * HOUR..=to).step_by(3600) {
        let time = if is_readable(time) { time.to_string() } else { format!("\"no {time}\"") };
        records.push(format!(r#"{{"openDate":{time},"volumeRatio":0.5}}"#));
    }
    data_of(&records)
}

/// Nothing after these records shows that there were some.
#[tokio::test(start_paused = true)]
async fn records_without_a_readable_time_at_an_end_are_missing() {
    // The hours before the end without a readable time.
    for (name, hours, missing) in [("end", 0..50, 50), ("start", 80..200, 16), ("middle", 50..80, 30)] {
        let client = client_of(move |_, from, to| {
            let is_readable = |time: i64| !(END - hours.end * HOUR..END - hours.start * HOUR).contains(&time);
            (200, body_without_times(from, to.min(END - HOUR), is_readable))
        });
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out.parquet");
        let whole = job(coins(&client.build().unwrap(), &["BTC"]), END - 4 * DAY, END, &path);
        let summary = run(&whole).await;
        let report = &summary.series[0];
        let steps: u64 = report.gaps.iter().map(|gap| (gap.end - gap.start).as_secs() / 3600).sum();
        assert_eq!((report.missing, steps), (missing, missing), "{name}: {report:?}");
        let state = state_of(&path).await;
        assert_eq!(state.series[0].missing, missing, "{name}");
        assert_eq!(state.series[0].empty, [], "{name}");
    }
}

/// The age is that of the first record at the time of its request, whatever the start that the user has chosen.
#[tokio::test(start_paused = true)]
async fn a_first_record_that_moves_with_the_clock_is_seen_by_two_runs() {
    let (client, now) = client_with(END, |now, _, from, to| {
        (200, body(from.max(*now - 720 * HOUR - HOUR), to.min(*now - HOUR), |_| Some("0.5".to_owned())))
    });
    let dir = tempfile::tempdir().unwrap();
    let chosen = run(&job(coins(&client, &["BTC"]), END - 10 * DAY, END, &dir.path().join("chosen.parquet"))).await;
    assert_eq!((chosen.series[0].first_age, chosen.series[0].first_moves), (None, false));
    let whole = |end: i64| {
        let job = job(coins(&client, &["BTC"]), END - 60 * DAY, end, &dir.path().join("out.parquet"));
        with(job, |job| job.refetch_gaps = true)
    };
    let first = run(&whole(END)).await;
    assert_eq!((first.series[0].first_age, first.series[0].first_moves), (Some(720), false));
    *now.lock().unwrap() = END + 2 * DAY;
    let second = with(whole(END + 2 * DAY), |job| job.refetch = std::time::Duration::from_secs(100 * 86_400));
    let second = run(&second).await;
    assert_eq!((second.series[0].first_age, second.series[0].first_moves), (Some(720), true), "{second:?}");
}

/// A run does not request the start of the range again, but one page around the time to which the first record would have
/// moved.
#[tokio::test(start_paused = true)]
async fn a_first_record_that_moves_is_seen_by_the_requests_of_each_day() {
    for is_capped in [true, false] {
        let (client, now) = client_with(END, move |now, _, from, to| {
            let first = if is_capped { *now - 4000 * HOUR } else { END - 4000 * HOUR };
            (200, body(from.max(first - HOUR), to.min(*now - HOUR), |_| Some("0.5".to_owned())))
        });
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data/");
        let series = coins(&client, &["BTC"]);
        let mut requests = Vec::new();
        for day in 0..4 {
            let end = END + day * DAY;
            *now.lock().unwrap() = end;
            let summary = run(&job(series.clone(), END - 300 * DAY, end, &path)).await;
            let report = &summary.series[0];
            assert_eq!(report.first_moves, is_capped && day > 0, "{is_capped} {day}: {summary:?}");
            assert_eq!((report.missing, summary.is_complete), (0, true), "{is_capped} {day}: {summary:?}");
            requests.push(summary.requests);
        }
        // The second run also confirms that the range before the first record is empty.
        assert!(requests[1] <= 4 && requests[2..] == [1, 1], "{is_capped}: {requests:?}");
    }
}

/// A contract that has expired is no gap of the series.
#[tokio::test(start_paused = true)]
async fn a_label_that_stopped_was_last_seen_at_its_last_record() {
    let client = client_of(|_, from, to| {
        let mut records = Vec::new();
        for time in ((from + HOUR) / HOUR * HOUR..=to.min(END - HOUR)).step_by(3600) {
            let strikes: &[u64] = if time < END - 20 * HOUR { &[100, 200] } else { &[100] };
            for strike in strikes {
                records.push(format!(r#"{{"openDate":{time},"strike":"{strike}","volumeRatio":0.5}}"#));
            }
        }
        (200, data_of(&records))
    });
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let series = vec![hours(&client.build().unwrap(), &STRIKES, "BTC")];
    let summary = run(&job(series, END - 3 * DAY, END, &path)).await;
    assert_eq!(summary.series[0].missing, 0, "{summary:?}");
    let state = state_of(&path).await;
    let last = Timestamp::from_unix_seconds(END - 21 * HOUR);
    assert_eq!(state.series[0].last_seen, [("200".to_owned(), last)].into(), "{state:?}");
    assert_eq!((state.damaged, state.series[0].missing), (Vec::new(), 0));
}

/// Records that move to the next page between two requests are sent twice. Two records of one key with different values
/// are kept, because only the service knows which one is right.
#[tokio::test(start_paused = true)]
async fn a_record_that_was_sent_twice_is_written_once() {
    let client = client_of(|_, from, to| {
        let mut records = Vec::new();
        for time in ((from + HOUR) / HOUR * HOUR..=to.min(END - HOUR)).step_by(3600) {
            for (strike, ratio) in [(100, 0.5), (200, 0.25), (100, 0.5), (200, 0.75)] {
                records.push(format!(r#"{{"openDate":{time},"strike":"{strike}","volumeRatio":{ratio}}}"#));
            }
        }
        (200, data_of(&records))
    });
    let client = client.build().unwrap();
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let summary = run(&job(vec![hours(&client, &STRIKES, "BTC")], END - 5 * HOUR, END, &path)).await;
        assert_eq!(read(&path).len(), 5 * 3, "{name}: {summary:?}");
        let account = summary.series[0].account;
        assert_eq!((account.delivered, account.repeated), (5 * 3, 5), "{name}: {summary:?}");
    }
}

/// A response that lacks seven of eight hourly payments of an interval of eight hours has a gap.
#[tokio::test(start_paused = true)]
async fn records_that_are_missing_within_an_interval_are_a_gap() {
    let client = client_of(|_, from, to| {
        let mut records = Vec::new();
        for time in ((from + 899) / 900 * 900..=to.min(END - 900)).step_by(900) {
            // One hour has only its first quarter.
            if !(END - 30 * HOUR + 900..END - 29 * HOUR).contains(&time) {
                records.push(format!(r#"{{"openDate":{time},"volumeRatio":0.5}}"#));
            }
        }
        (200, data_of(&records))
    });
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.parquet");
    let summary = run(&job(coins(&client.build().unwrap(), &["BTC"]), END - 3 * DAY, END, &path)).await;
    let start = Timestamp::from_unix_seconds(END - 30 * HOUR + 900);
    let end = Timestamp::from_unix_seconds(END - 29 * HOUR);
    assert_eq!((summary.series[0].missing, summary.series[0].gaps.clone()), (1, vec![start..end]), "{summary:?}");
    let state = state_of(&path).await;
    assert_eq!((state.damaged, state.series[0].missing), (Vec::new(), 1));
}

/// The rows of a series are written in batches, which end anywhere in an interval.
#[tokio::test(start_paused = true)]
async fn rows_of_an_interval_are_no_gap_where_a_batch_ends() {
    let hole = END - 5 * DAY + 600..END - 5 * DAY + 2400;
    for name in ["out.parquet", "data/"] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let gap = hole.clone();
        let client = client_of(move |_, from, to| {
            let mut records = Vec::new();
            for time in ((from + 60).div_euclid(60) * 60..=to).step_by(60).filter(|time| !gap.contains(time)) {
                records.push(format!(r#"{{"openDate":{time},"volumeRatio":0.5}}"#));
            }
            records.truncate(1000);
            (200, format!(r#"{{"data":[{}],"metadata":{{}}}}"#, records.join(",")))
        });
        let client = client.build().unwrap();
        let days = |days: i64| job(coins(&client, &["BTC"]), END - 9 * DAY, END - 9 * DAY + days * DAY, &path);
        for end in [7, 9] {
            let summary = run(&days(end)).await;
            let seconds = Timestamp::from_unix_seconds;
            assert_eq!(summary.series[0].gaps, [seconds(hole.start)..seconds(hole.end)], "{name} {summary:?}");
            assert_eq!(state_of(&path).await.series[0].gaps, summary.series[0].gaps, "{name}");
        }
        assert_eq!(read(&path).len(), 9 * 1440 - 30, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn progress_counts_the_requests_of_a_range_that_is_no_longer_empty() {
    let (client, script) = scripted(|time| (time >= END - 10 * DAY).then(|| "0.5".to_owned()));
    let dir = tempfile::tempdir().unwrap();
    let whole = job(coins(&client, &["BTC"]), END - 400 * DAY, END, &dir.path().join("out.parquet"));
    run(&whole).await;
    let all: Script = |_| Some("0.5".to_owned());
    *script.lock().unwrap() = all;
    let later = with(whole, |job| job.service_time = Some(Timestamp::from_unix_seconds(END + 2 * HOUR)));
    let events = Arc::new(Mutex::new(Vec::new()));
    let seen = events.clone();
    let watch = move |event: &BackfillEvent| {
        if let BackfillEvent::Progress { progress, .. } = event {
            seen.lock().unwrap().push((progress.pages, progress.pages + progress.pages_left));
        }
    };
    let summary = later.run(watch, std::future::pending()).await.unwrap();
    assert_eq!(summary.records, 390 * 24, "{summary:?}");
    let events = events.lock().unwrap();
    let (pages, _) = *events.last().unwrap();
    // The pages of the tail and the page that shows that the range is not empty come first. One page of the rest may be
    // requested in parts.
    let (_, planned) = *events.iter().find(|(pages, _)| *pages >= 3).unwrap();
    assert!(pages - planned <= 1 && pages >= 11, "{events:?}");
}

#[tokio::test(start_paused = true)]
async fn months_are_steps_of_the_calendar() {
    let months = Interval::new(Step::Months(1));
    let respond = move |_: &str, from: i64, to: i64| {
        let mut records = Vec::new();
        let mut start = months.end_of(Timestamp::from_unix_seconds(from - 1));
        while start.unix_seconds() <= to {
            // A month is missing.
            if start.to_string() != "2023-02-01T00:00:00Z" {
                records.push(format!(r#"{{"openDate":{},"volumeRatio":0.5}}"#, start.unix_seconds()));
            }
            start = months.end_of(start);
        }
        (200, data_of(&records))
    };
    let client = client_of(respond).build().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let from: Timestamp = "2020-01-01".parse().unwrap();
    let months_of = || vec![series(&client, &RATIO, "BTC", "1M")];
    let june = "2024-06-01".parse::<Timestamp>().unwrap().unix_seconds();
    let whole = job(months_of(), from.unix_seconds(), june, dir.path());
    let plan = whole.plan().await.unwrap();
    assert_eq!((plan.requests(), plan.records()), (1, Some(53)));
    let summary = run(&whole).await;
    let account = summary.series[0].account;
    assert_eq!((summary.records, account.covered, account.empty), (52, 52, 1), "{account:?}");
    let time = |text: &str| text.parse::<Timestamp>().unwrap();
    let gap = time("2023-02-01")..time("2023-03-01");
    assert_eq!((summary.series[0].missing, &summary.series[0].gaps), (1, &vec![gap]), "{summary:?}");
    assert_eq!(summary.series[0].end, Some(time("2024-06-01")));
    let names = files(dir.path());
    assert!(names.iter().all(|name| name.starts_with("orderflow.volume_ratio/1mo-")), "{names:?}");
    assert_eq!(read(dir.path()).len(), 52);
    let status = state_of(dir.path()).await;
    assert_eq!(status.series[0].behind(time("2024-06-30")), Some(0));
    assert_eq!(status.series[0].behind(time("2024-08-01")), Some(2));
    // A run in the next month fetches the month that has ended.
    let july = time("2024-07-01").unix_seconds();
    let summary = run(&job(months_of(), from.unix_seconds(), july, dir.path())).await;
    assert_eq!((summary.records, summary.series[0].revised), (1, 0), "{summary:?}");
}
