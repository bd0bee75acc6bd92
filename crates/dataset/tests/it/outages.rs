//! Tests of backfills whose service does not respond, or responds with errors only.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dataset::{BackfillEvent, ResponseMonitor};
use runtime::transport::{Headers, HttpResponse};
use runtime::{Error, ErrorKind, Retry, Secret};
use tokio::time::Instant;

use crate::support::service::{self, Client};
use crate::support::{DAY, END, TARGETS, body, client_of, client_of_responses, coins, hours, job, read, run, with};

#[tokio::test(start_paused = true)]
async fn a_service_that_does_not_respond_ends_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let client = runtime::transport::from_fn(|_| std::future::pending());
    let response_monitor = ResponseMonitor::default();
    let builder = Client::builder("https://example.invalid/v2").api_key("any").transport(client);
    let client = builder.observer(response_monitor.clone()).build().unwrap();
    let whole = with(job(coins(&client, &["BTC", "ETH"]), END - DAY, END, &dir.path().join("data/")), |job| {
        job.response_monitor = response_monitor;
    });
    let (begun, mut trouble, mut reported) = (Instant::now(), 0, Duration::ZERO);
    let watch = |event: &BackfillEvent| match event {
        BackfillEvent::Trouble { .. } => trouble += 1,
        BackfillEvent::Progress { progress, .. } => reported = progress.elapsed,
        _ => {}
    };
    let summary = whole.run(watch, std::future::pending()).await.unwrap();
    assert!(summary.is_unreachable && !summary.is_complete, "{summary:?}");
    assert_eq!((trouble, reported.as_secs()), (1, summary.elapsed.as_secs()), "the reported time does not stop");
    assert!(begun.elapsed() < Duration::from_secs(200), "{:?}", begun.elapsed());
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
        let whole =
            with(job(coins(&client, &["BTC"]), END - 200 * DAY, END, &path), |job| job.response_monitor = monitor);
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
async fn a_run_without_a_key_ends_with_the_reason() {
    let dir = tempfile::tempdir().unwrap();
    let is_removed = Arc::new(AtomicBool::new(false));
    let of_source = is_removed.clone();
    let source = move || {
        if of_source.load(Ordering::Relaxed) { Err("no such file") } else { Ok(Secret::from("any")) }
    };
    let client = client_of(|_, _, _| (500, String::new())).api_key_source(source).build().unwrap();
    is_removed.store(true, Ordering::Relaxed);
    let summary = run(&job(coins(&client, &["BTC"]), END - DAY, END, &dir.path().join("data/"))).await;
    let error = summary.page_error.unwrap();
    assert!(summary.is_unreachable && error.is_missing_setting(), "{error}");
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
    let whole = with(job(coins(&client, &["BTC"]), END - 2 * DAY, END, &dir.path().join("data/")), |job| {
        job.response_monitor = monitor;
    });
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

/// The client splits every page until each part covers one hour. This takes longer than the two minutes for which a run
/// waits for a response.
#[tokio::test(start_paused = true)]
async fn a_body_that_is_too_large_is_a_response() {
    let dir = tempfile::tempdir().unwrap();
    let transport = runtime::transport::from_fn(|_| async {
        tokio::time::sleep(Duration::from_secs(10)).await;
        Err(Error::body_too_large(100))
    });
    let monitor = ResponseMonitor::default();
    let builder = Client::builder("https://example.invalid/v2").api_key("any").transport(transport);
    let client = builder.observer(monitor.clone()).build().unwrap();
    let whole = with(job(coins(&client, &["BTC"]), END - DAY, END, &dir.path().join("out.csv")), |job| {
        job.response_monitor = monitor;
    });
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
    assert!(causes.len() == 24 && causes.iter().all(Error::is_body_too_large), "{causes:?}");
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

/// A client of a service that has accepted some requests, and then requests a pause of an hour.
fn pausing(status: u16, accepted: usize) -> (Client, Arc<Mutex<Vec<Instant>>>) {
    let times: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let of_test = times.clone();
    let client = client_of_responses(move |url, from, to| {
        let mut times = times.lock().unwrap();
        times.push(Instant::now());
        let is_over = times.get(accepted).is_some_and(|first| first.elapsed() >= Duration::from_secs(3600));
        if times.len() <= accepted || is_over || url.contains("volumeDelta") {
            return Ok(HttpResponse::new(200, Headers::new(), body(from, to, |_| Some("0.5".to_owned()))));
        }
        let mut headers = Headers::new();
        headers.insert("retry-after", "3600").unwrap();
        Ok(HttpResponse::new(status, headers, String::new()))
    });
    (client.retry(Retry::default()).build().unwrap(), of_test)
}

#[tokio::test(start_paused = true)]
async fn a_long_pause_ends_the_run_and_keeps_what_was_fetched() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let (client, times) = pausing(429, 3);
        let whole = job(coins(&client, &["BTC", "ETH"]), END - 400 * DAY, END, &path);
        let (planned, begun) = (whole.plan().await.unwrap().requests(), Instant::now());
        let summary = run(&whole).await;
        assert!(begun.elapsed() < Duration::from_secs(2), "{name}: {:?}", begun.elapsed());
        assert!(summary.is_paused && !summary.is_complete && !summary.is_unreachable, "{name}: {summary:?}");
        let error = summary.page_error.unwrap();
        assert_eq!(error.long_pause(), Some(Duration::from_secs(3600)), "{name}");
        let sent = times.lock().unwrap().len() as u64;
        assert!(sent < planned && !read(&path).is_empty(), "{name}: {sent} of {planned}");
        tokio::time::sleep(Duration::from_secs(3600)).await;
        assert!(run(&whole).await.is_complete, "{name}");
        assert_eq!(read(&path).len(), 2 * 400 * 24, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_pause_of_an_endpoint_ends_only_its_series() {
    for status in [403, 503] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data/");
        let (client, _) = pausing(status, 0);
        let mut names = Vec::new();
        for number in 0..30 {
            names.push(format!("C{number}"));
        }
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let mut series = coins(&client, &names);
        series.push(hours(&client, &service::DELTA, "BTC"));
        let begun = Instant::now();
        let summary = run(&job(series, END - 3 * DAY, END, &path)).await;
        assert!(begun.elapsed() < Duration::from_secs(2), "{status}: {:?}", begun.elapsed());
        let mut failed: Vec<_> = summary.failed.iter().map(|(series, _)| *series).collect();
        failed.sort_unstable();
        assert_eq!(failed, (0..30).collect::<Vec<_>>(), "{status}");
        assert!(!summary.is_paused && summary.series[30].added == 3 * 24, "{status}: {summary:?}");
    }
}
