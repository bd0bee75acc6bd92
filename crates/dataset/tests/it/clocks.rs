//! Tests of runs on a machine whose clock is wrong.

use dataset::Backfill;
use runtime::Timestamp;
use runtime::transport::{Headers, HttpRequest, HttpResponse, from_fn};

use crate::support::service::Client;
use crate::support::{DAY, END, HOUR, TARGETS, body, client_of, coins, job, read, run, state_of, with};

/// Creates a client on a machine with this time. The time of the service is a minute after `END`.
fn client_at(time: i64) -> Client {
    client_of_clocks(time, END + 60, "0.5")
}

/// Creates a client on a machine with this time, of a service with another time, whose records have this value.
fn client_of_clocks(time: i64, of_service: i64, value: &'static str) -> Client {
    let transport = from_fn(move |request: HttpRequest| {
        let param = |name: &str| request.url.split(name).nth(1).unwrap().split('&').next().unwrap().parse().unwrap();
        let mut headers = Headers::new();
        let date = Timestamp::from_unix_seconds(of_service);
        headers.insert("date", &httpdate::fmt_http_date(date.try_into().unwrap())).unwrap();
        let to: i64 = param("endTime=");
        let newest = of_service / HOUR * HOUR - HOUR;
        let text = body(param("startTime="), to.min(newest), |_| Some(value.to_owned()));
        async move { Ok(HttpResponse::new(200, headers, text)) }
    });
    let builder = Client::builder("https://example.invalid/v2").api_key("any").transport(transport);
    builder.clock(move || Timestamp::from_unix_seconds(time)).build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_run_up_to_now_reaches_the_present_of_the_service() {
    for (name, days) in TARGETS.iter().flat_map(|name| [-400, -2, 0, 2, 400].map(|days| (*name, days))) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let client = client_at(END + days * DAY);
        let open = with(job(coins(&client, &["BTC", "ETH"]), END - 450 * DAY, END, &path), |job| {
            job.range.end = Backfill::OPEN_END;
        });
        let summary = run(&open).await;
        assert!(summary.is_complete, "{name}, {days} days: {summary:?}");
        assert!(
            summary.series.iter().all(|series| (series.missing, series.unfetched) == (0, 0)),
            "{name}: {summary:?}"
        );
        assert_eq!(read(&path).len(), 2 * 450 * 24, "{name}, {days} days");
        assert!(state_of(&path).await.series.iter().all(|series| series.unfetched.is_empty()), "{name}, {days} days");
    }
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_wrong_after_a_run_with_the_right_clock_repeats_no_records() {
    for (name, days) in TARGETS.iter().flat_map(|name| [-400, -2, 2, 400].map(|days| (*name, days))) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let open = |time| {
            with(job(coins(&client_at(time), &["BTC", "ETH"]), END - 450 * DAY, END, &path), |job| {
                job.range.end = Backfill::OPEN_END;
            })
        };
        assert!(run(&open(END)).await.is_complete, "{name}");
        let again = run(&open(END + days * DAY)).await;
        assert!(again.is_complete && again.records == 0 && again.requests < 20, "{name}, {days} days: {again:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_behind_does_not_hide_what_is_new_since_the_last_run() {
    for (name, days) in TARGETS.iter().flat_map(|name| [-60, -2, -400].map(|days| (*name, days))) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let until = |time, end| {
            let whole = job(coins(&client_at(time), &["BTC", "ETH"]), END - 450 * DAY, END, &path);
            with(whole, |job| job.range.end = end)
        };
        let before = until(END, Timestamp::from_unix_seconds(END - 3 * DAY));
        assert!(run(&before).await.is_complete, "{name}");
        let again = run(&until(END + days * DAY, Backfill::OPEN_END)).await;
        assert!(again.is_complete && again.requests < 20, "{name}, {days} days: {again:?}");
        assert_eq!(read(&path).len(), 2 * 450 * 24, "{name}, {days} days");
    }
}

/// The service has invented records while its clock was ahead.
#[tokio::test(start_paused = true)]
async fn records_that_a_wrong_clock_has_invented_are_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.parquet");
    let at = |time: i64, value: &'static str| {
        let client = client_of_clocks(time + 60, time + 60, value);
        with(job(coins(&client, &["BTC"]), END - 3 * DAY, END, &path), |job| job.range.end = Backfill::OPEN_END)
    };
    run(&at(END, "0.5")).await;
    run(&at(END + 90 * DAY, "0.25")).await;
    for day in 0..=92 {
        assert!(run(&at(END + HOUR + day * DAY, "0.5")).await.is_complete);
    }
    let rows = read(&path);
    assert_eq!(rows.iter().filter(|row| row["volumeRatio"] != "0.5").count(), 0);
    assert_eq!(rows.len(), 95 * 24 + 1);
}

/// A service whose clock was ahead for a while may have sent records of that time.
#[tokio::test(start_paused = true)]
async fn stored_records_in_the_future_do_not_end_a_run() {
    for (name, days) in TARGETS.iter().flat_map(|name| [1, 60, 400].map(|days| (*name, days))) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let open = |time: i64, names: &[&str]| {
            let client =
                client_of(move |_, from, to| (200, body(from, to.min(time - HOUR), |_| Some("0.5".to_owned()))));
            let client = client.clock(move || Timestamp::from_unix_seconds(time + 60)).build().unwrap();
            with(job(coins(&client, names), END - 30 * DAY, END, &path), |job| job.range.end = Backfill::OPEN_END)
        };
        assert!(run(&open(END + days * DAY, &["BTC"])).await.is_complete, "{name}");
        let again = run(&open(END + DAY / 2, &["BTC", "ETH"])).await;
        assert!(again.is_complete && again.requests < 5, "{name}, {days} days: {again:?}");
        let later = run(&open(END + (days + 1) * DAY, &["BTC", "ETH"])).await;
        assert!(later.is_complete, "{name}, {days} days: {later:?}");
        let hours = usize::try_from((30 + days + 1) * 24).unwrap();
        assert_eq!(read(&path).len(), 2 * hours, "{name}, {days} days");
    }
}

#[tokio::test(start_paused = true)]
async fn a_range_in_the_future_of_the_service_ends_the_run_and_stays_unfetched() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let open = |now: i64| {
            with(job(coins(&client_at(now), &["BTC"]), now - 2 * DAY, now, &path), |job| {
                job.range.end = Backfill::OPEN_END;
            })
        };
        let error = open(END + 5 * DAY).run(|_| {}, std::future::pending()).await.unwrap_err().to_string();
        assert!(error.contains("; check the clock of this machine: it is at "), "{name}: {error}");
        assert!(!state_of(&path).await.series[0].unfetched.is_empty(), "{name}");
        let mended = run(&open(END)).await;
        assert!(mended.is_complete && mended.series[0].unfetched == 0, "{name}: {mended:?}");
        assert!(state_of(&path).await.series[0].unfetched.is_empty() && read(&path).len() == 48, "{name}");
    }
}
