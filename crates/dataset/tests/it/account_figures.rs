//! The account of a run counts each record and each step once, and its progress counts each request.

use std::sync::{Arc, Mutex};

use dataset::BackfillEvent;
use runtime::Timestamp;

use crate::support::{DAY, END, HOUR, Script, body, client, client_of, coins, job, run, scripted, with};

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
