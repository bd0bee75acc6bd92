//! Tests of targets that are kept up to date, with a stopped clock.

use std::future::Future;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use dataset::{Backfill, Error, FollowEvent, remove};
use runtime::Timestamp;
use runtime::history::Update;
use runtime::transport::{Headers, HttpResponse};
use tokio::time::{Instant, sleep, timeout};

use crate::support::service::Client;
use crate::support::{
    DAY, END, HOUR, TARGETS, all_files, body, client_of, client_of_responses, coins, job, read, releases, run,
    state_of, with,
};

/// A service that publishes the record of each hour 30 seconds after the end of the hour.
#[derive(Clone)]
struct Service {
    begun: Instant,
    /// The coins and the times of requests.
    requests: Arc<Mutex<Vec<(String, i64)>>>,
}

impl Service {
    /// The time of the service is `END` now.
    fn new() -> Self {
        Self { begun: Instant::now(), requests: Arc::default() }
    }

    fn now(&self) -> i64 {
        END + i64::try_from(self.begun.elapsed().as_secs()).unwrap()
    }

    /// A client for which `value` computes the value at a time from the URL; `None` if the service rejects the request.
    fn client(&self, value: impl Fn(&str, i64) -> Option<String> + Send + Sync + 'static) -> Client {
        let (service, clock) = (self.clone(), self.clone());
        let builder = client_of(move |url, from, to| {
            let now = service.now();
            service.requests.lock().unwrap().push((url.to_owned(), now));
            if value(url, from).is_none() {
                return (422, String::new());
            }
            (200, body(from, to.min(now - HOUR - 30), |time| value(url, time)))
        });
        builder.clock(move || Timestamp::from_unix_seconds(clock.now())).build().unwrap()
    }

    /// A client of a service without the record of an hour.
    fn client_with_gap(&self, hour: i64) -> Client {
        let service = self.clone();
        let clock = self.clone();
        let builder = client_of(move |url, from, to| {
            let now = service.now();
            service.requests.lock().unwrap().push((url.to_owned(), now));
            (200, body(from, to.min(now - HOUR - 30), |time| (time != hour).then(|| "0.5".to_owned())))
        });
        builder.clock(move || Timestamp::from_unix_seconds(clock.now())).build().unwrap()
    }

    fn job(&self, names: &[&str], target: &Path) -> Backfill {
        let client = self.client(|_, _| Some("0.5".to_owned()));
        with(job(coins(&client, names), END - 2 * DAY, END, target), |job| job.range.end = Backfill::OPEN_END)
    }
}

/// Follows for a time, and then ends like a killed process.
async fn follow_for(job: &Backfill, seconds: i64) {
    let following = job.follow(Duration::from_secs(300), |_| {}, std::future::pending());
    let ended = timeout(Duration::from_secs(seconds.unsigned_abs()), following).await;
    assert!(ended.is_err(), "{ended:?}");
}

/// Follows for a time, and then ends as after a signal.
async fn follow_until(job: &Backfill, seconds: i64, watch: impl FnMut(FollowEvent<'_>)) {
    let cancel = sleep(Duration::from_secs(seconds.unsigned_abs()));
    job.follow(Duration::from_secs(300), watch, cancel).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_record_is_in_the_journal_soon_after_it_is_published() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let (service, begun) = (Service::new(), Timestamp::now());
        let whole = with(service.job(&["BTC", "ETH"], &path), |job| job.refetch = Duration::ZERO);
        sleep(Duration::from_secs(600)).await;
        assert_eq!(run(&whole).await.records, 2 * 48, "{name}");
        // Three hours end, and the records of the third hour are published 30 seconds later.
        follow_for(&whole, 3 * HOUR + 100 - 600).await;
        let state = state_of(&path).await;
        assert_eq!((state.pending, read(&path).len()), (2, 2 * 50), "{name}: {state:?}");
        // The time since which they are there is that of this machine, which the test does not stop.
        assert!(
            state.pending_since.is_some_and(|since| begun <= since && since <= Timestamp::now()),
            "{name}: {state:?}"
        );
        assert_eq!(state.series[0].last, Some(Timestamp::from_unix_seconds(END + 2 * HOUR)), "{name}");
        // A new process continues, and adds the records to the files at its end.
        let before = service.requests.lock().unwrap().len();
        let (mut added, mut runs) = (0, 0);
        follow_until(&whole, HOUR - 10, |event| match event {
            FollowEvent::Update { update: Update::Records(page), .. } => added += page.records.len(),
            FollowEvent::Run(summary) => runs += usize::from(summary.is_complete),
            _ => {}
        })
        .await;
        assert_eq!((added, runs, read(&path).len()), (2, 1, 2 * 52), "{name}");
        let state = state_of(&path).await;
        assert_eq!((state.pending, state.pending_since), (0, None), "{name}");
        let requests = service.requests.lock().unwrap().len() - before;
        assert!((6..=12).contains(&requests), "{name}: {requests} requests");
    }
}

/// A follower would add the records of a removed series again.
#[tokio::test(start_paused = true)]
async fn a_series_is_not_removed_while_it_is_followed() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let whole = Service::new().job(&["BTC", "ETH"], &path);
        let target = whole.target.clone();
        let is_eth = |path: &str| path.contains("coin=ETH");
        let remove_later = async {
            sleep(Duration::from_secs(100)).await;
            remove(&target, is_eth).await
        };
        let (removed, ()) = tokio::join!(remove_later, follow_until(&whole, 200, |_| {}));
        assert!(matches!(removed, Err(Error::InUse { .. })), "{removed:?}");
        assert_eq!(remove(&target, is_eth).await.unwrap().series.len(), 1, "{name}");
    }
}

/// A user can retire a series, and end that, while it is followed.
#[tokio::test(start_paused = true)]
async fn a_series_is_followed_by_one_process() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let service = Service::new();
        let [first, same, other] =
            [&["BTC", "ETH"][..], &["ETH", "SOL"], &["SOL"]].map(|coins| service.job(coins, &path));
        let later = async {
            sleep(Duration::from_secs(100)).await;
            let ended = same.follow(Duration::from_secs(300), |_| {}, std::future::pending()).await;
            assert!(matches!(ended, Err(Error::InUse { .. })), "{name}: {ended:?}");
            follow_until(&other, 100, |_| {}).await;
        };
        tokio::join!(follow_until(&first, 300, |_| {}), later);
        assert_eq!(read(&path).len(), 3 * 48, "{name}");
        follow_for(&same, 60).await;
        let left = all_files(dir.path()).into_iter().filter(|file| file.ends_with("following"));
        assert_eq!(left.collect::<Vec<_>>(), [""; 0], "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_series_that_is_retired_is_no_longer_followed() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let service = Service::new();
        let whole = service.job(&["BTC", "ETH"], &path);
        let target = whole.target.clone();
        let is_eth = |path: &str| path.contains("coin=ETH");
        let rows = |coin: &str| read(&path).iter().filter(|row| row["coin"] == coin).count();
        let change = async {
            sleep(Duration::from_secs(600)).await;
            dataset::retire(&target, is_eth, true).await.unwrap();
            sleep(Duration::from_secs(3 * 3600)).await;
            // The next write is that of the record of the hour that was open.
            let is_late = |(url, time): &&(String, i64)| url.contains("ETH") && *time > END + HOUR + 100;
            let requests = service.requests.lock().unwrap().iter().filter(is_late).count();
            dataset::retire(&target, is_eth, false).await.unwrap();
            (rows("ETH"), requests)
        };
        let mut named = Vec::new();
        let follow = follow_until(&whole, 6 * HOUR + 200, |event| {
            if let FollowEvent::Retired { series, .. } = event {
                named.push(series);
            }
        });
        let (retired, ()) = tokio::join!(change, follow);
        assert_eq!((retired, named), ((48, 0), vec![1]), "{name}");
        assert_eq!((rows("BTC"), rows("ETH")), (54, 54), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_text_file_that_is_changed_by_hand_while_it_is_followed_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.csv");
    let whole = Service::new().job(&["BTC"], &path);
    let mut repairs = Vec::new();
    let change = async {
        sleep(Duration::from_secs(100)).await;
        std::fs::write(&path, "an edited text\n").unwrap();
    };
    let follow = follow_until(&whole, HOUR + 1_000, |event| {
        if let FollowEvent::Repaired { repairs: more, .. } = event {
            repairs.extend(more);
        }
    });
    tokio::join!(change, follow);
    assert!(repairs.len() == 1 && repairs[0].contains("out.csv.changed-"), "{repairs:?}");
    assert_eq!(read(&path).len(), 49);
}

/// The new records of a series without a regular step are fetched at each write. The gaps of the others are requested by
/// the run of an hour.
#[tokio::test(start_paused = true)]
async fn gaps_are_requested_once_an_hour_beside_a_series_without_steps() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let service = Service::new();
        let client = service.client_with_gap(END - 30 * HOUR);
        let mut series = coins(&client, &["BTC"]);
        series.push(releases(&client));
        let whole = with(job(series, END - 9 * DAY, END, &path), |job| {
            job.range.end = Backfill::OPEN_END;
            job.service_time = None;
        });
        follow_until(&whole, HOUR - 60, |_| {}).await;
        let requests = service.requests.lock().unwrap().clone();
        let of_releases = requests.iter().filter(|(url, _)| url.contains("releases")).count();
        assert!(of_releases >= 10, "{name}: {of_releases} requests");
        let mut of_gap = 0;
        for (url, _) in &requests {
            let start: i64 = url.split("startTime=").nth(1).unwrap().split('&').next().unwrap().parse().unwrap();
            of_gap += usize::from(url.contains("volumeRatio") && start < END - 29 * HOUR);
        }
        assert_eq!(of_gap, 1, "{name}: {requests:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn kills_lose_no_record() {
    for name in TARGETS {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let service = Service::new();
        for kill in 0..10 {
            follow_for(&service.job(&["BTC", "ETH"], &path), 1 + kill * 1457 % (3 * HOUR)).await;
        }
        follow_until(&service.job(&["BTC", "ETH"], &path), 60, |_| {}).await;
        let rows = read(&path);
        let mut times: Vec<_> = rows.iter().map(|row| (row["coin"].clone(), row["openDate"].clone())).collect();
        times.sort();
        times.dedup();
        let hours = usize::try_from((service.now() - 30 - END) / HOUR).unwrap();
        assert_eq!((times.len(), rows.len()), (2 * (48 + hours), 2 * (48 + hours)), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_rejected_series_does_not_stop_the_others() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let service = Service::new();
    let client = service.client(|url, _| (!url.contains("NONE")).then(|| "0.5".to_owned()));
    let whole = with(job(coins(&client, &["BTC", "NONE"]), END - 2 * DAY, END, &path), |job| {
        job.range.end = Backfill::OPEN_END;
    });
    let mut failed = Vec::new();
    follow_until(&whole, 5 * HOUR + 60, |event| match event {
        FollowEvent::Failed { series, .. } => failed.push(series),
        FollowEvent::Run(summary) => failed.extend(summary.failed.iter().map(|(series, _)| *series)),
        _ => {}
    })
    .await;
    assert_eq!(read(&path).len(), 48 + 5);
    assert!((10..20).contains(&failed.len()) && failed.iter().all(|series| *series == 1), "{failed:?}");
    let rejected = service.requests.lock().unwrap().iter().filter(|(url, _)| url.contains("NONE")).count();
    assert_eq!(rejected, failed.len());
}

/// The stored records are not requested again, although the follower had no page before the error.
#[tokio::test(start_paused = true)]
async fn a_series_continues_after_its_last_record_if_its_first_request_fails() {
    let dir = tempfile::tempdir().unwrap();
    let service = Service::new();
    let (clock, has_failed) = (service.clone(), AtomicBool::new(false));
    let client = service.client(move |_, _| {
        let fails = clock.now() > END + HOUR && !has_failed.swap(true, Ordering::Relaxed);
        (!fails).then(|| "0.5".to_owned())
    });
    let whole = with(job(coins(&client, &["BTC"]), END - 200 * DAY, END, &dir.path().join("data/")), |job| {
        job.range.end = Backfill::OPEN_END;
    });
    sleep(Duration::from_secs(600)).await;
    let (mut failed, mut delivered) = (0, 0);
    follow_until(&whole, 3 * HOUR, |event| match event {
        FollowEvent::Failed { .. } => failed += 1,
        FollowEvent::Update { update, .. } => delivered += update.records().len(),
        _ => {}
    })
    .await;
    assert_eq!((failed, delivered), (1, 3));
}

#[tokio::test(start_paused = true)]
async fn the_shortest_interval_between_writes_is_ten_seconds() {
    let dir = tempfile::tempdir().unwrap();
    let service = Service::new();
    let whole = service.job(&["BTC"], &dir.path().join("data/"));
    let (mut polls, mut end) = (0, Box::pin(sleep(Duration::from_secs(600))));
    let cancel = std::future::poll_fn(|cx| {
        polls += 1;
        if polls > 1000 { Poll::Ready(()) } else { end.as_mut().poll(cx) }
    });
    whole.follow(Duration::ZERO, |_| {}, cancel).await.unwrap();
    assert!(service.now() >= END + 600, "{} seconds", service.now() - END);
}

#[tokio::test(start_paused = true)]
async fn a_range_with_an_end_cannot_be_followed() {
    let dir = tempfile::tempdir().unwrap();
    let service = Service::new();
    let whole = with(service.job(&["BTC"], &dir.path().join("data/")), |job| {
        job.range.end = Timestamp::from_unix_seconds(END + DAY);
    });
    let ended = whole.follow(Duration::from_secs(300), |_| {}, sleep(Duration::from_secs(60))).await;
    assert!(matches!(&ended, Err(Error::InvalidInput(why)) if why.contains("OPEN_END")), "{ended:?}");
    assert!(service.requests.lock().unwrap().is_empty());
}

/// A job whose requests never end, so that its run keeps the target locked.
fn waiting(path: &Path) -> Backfill {
    let slow = runtime::transport::from_fn(|_| std::future::pending());
    let slow = Client::builder("https://example.invalid/v2").api_key("any").transport(slow).build().unwrap();
    job(coins(&slow, &["BTC"]), END - 9 * DAY, END, path)
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_follower_ends_soon_while_another_run_writes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let service = Service::new();
    let whole = service.job(&["BTC"], &path);
    let other = waiting(&path);
    let (whole, other) = (&whole, &other);
    tokio::join!(
        async {
            let begun = Instant::now();
            follow_until(whole, HOUR + 60, |_| {}).await;
            assert!(begun.elapsed().as_secs() < 3600 + 60 + 20, "{:?}", begun.elapsed());
        },
        async {
            sleep(Duration::from_secs(HOUR.unsigned_abs() + 20)).await;
            other.run(|_| {}, sleep(Duration::from_secs(100))).await.unwrap();
        }
    );
    // The next call requests the record that could not be written.
    follow_until(whole, 60, |_| {}).await;
    assert_eq!(read(&path).len(), 49);
}

#[tokio::test(start_paused = true)]
async fn a_record_waits_for_another_run_of_the_target() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let service = Service::new();
    let whole = service.job(&["BTC"], &path);
    let other = waiting(&path);
    let (path, other) = (&path, &other);
    let ((), ()) = tokio::join!(follow_until(&whole, HOUR + 200, |_| {}), async {
        sleep(Duration::from_secs(HOUR.unsigned_abs() + 20)).await;
        other.run(|_| {}, sleep(Duration::from_secs(100))).await.unwrap();
        assert_eq!(read(path).len(), 48);
        sleep(Duration::from_secs(30)).await;
        assert_eq!(state_of(path).await.pending, 1);
    });
    assert_eq!(read(path).len(), 49);
}

#[tokio::test(start_paused = true)]
async fn an_invalid_value_is_null_as_in_a_run() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let service = Service::new();
    let client = service.client(|_, time| Some(if time == END { "\"n/a\"" } else { "0.5" }.to_owned()));
    let whole = with(job(coins(&client, &["BTC"]), END - 2 * DAY, END, &path), |job| {
        job.range.end = Backfill::OPEN_END;
    });
    follow_until(&whole, HOUR + 60, |_| {}).await;
    let rows = read(&path);
    assert_eq!((rows.len(), &*rows[48]["unknown_fields"]), (49, r#"{"volumeRatio":"n/a"}"#));
}

/// The service requests a pause of two hours in the first run, and again when its followers have begun.
#[tokio::test(start_paused = true)]
async fn nothing_is_requested_during_a_long_pause() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("data/");
    let service = Service::new();
    let (requests, clock) = (service.clone(), service.clone());
    let client = client_of_responses(move |url, from, to| {
        let now = requests.now();
        requests.requests.lock().unwrap().push((url.to_owned(), now));
        if (0..2 * HOUR).contains(&(now - END)) || (4 * HOUR..6 * HOUR).contains(&(now - END)) {
            let mut headers = Headers::new();
            headers.insert("retry-after", "7200").unwrap();
            return Ok(HttpResponse::new(429, headers, String::new()));
        }
        Ok(HttpResponse::new(200, Headers::new(), body(from, to.min(now - HOUR - 30), |_| Some("0.5".to_owned()))))
    });
    let client = client.clock(move || Timestamp::from_unix_seconds(clock.now())).build().unwrap();
    let series = coins(&client, &["BTC", "ETH", "SOL"]);
    let whole = with(job(series, END - 2 * DAY, END, &path), |job| job.range.end = Backfill::OPEN_END);
    let mut pauses = Vec::new();
    let seen = service.clone();
    follow_until(&whole, 9 * HOUR, |event| match event {
        FollowEvent::Run(summary) if summary.is_paused => pauses.push(seen.now() - END),
        FollowEvent::Update { update: Update::Outage { error, .. }, .. } if error.is_long_pause() => {
            pauses.push(seen.now() - END);
        }
        _ => {}
    })
    .await;
    assert!(pauses.contains(&0) && pauses.iter().any(|second| *second >= 4 * HOUR), "{pauses:?}");
    let mut during = Vec::new();
    for (_, time) in service.requests.lock().unwrap().iter() {
        let second = *time - END;
        if (5..2 * HOUR).contains(&second) || (4 * HOUR + 60..6 * HOUR).contains(&second) {
            during.push(second);
        }
    }
    assert_eq!(during, Vec::<i64>::new());
    assert_eq!(read(&path).len(), 3 * (2 * 24 + 8));
}

#[tokio::test(start_paused = true)]
async fn stored_records_in_the_future_do_not_stop_a_follower() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.parquet");
    let ahead = client_of(|_, from, to| (200, body(from, to.min(END + 5 * DAY), |_| Some("0.25".to_owned()))));
    let ahead = ahead.clock(|| Timestamp::from_unix_seconds(END + 5 * DAY)).build().unwrap();
    run(&job(coins(&ahead, &["BTC"]), END - 2 * DAY, END + 5 * DAY, &path)).await;
    let service = Service::new();
    let (mut delivered, mut failed) = (0, 0);
    follow_until(&service.job(&["BTC"], &path), 4 * HOUR, |event| match event {
        FollowEvent::Update { update: Update::Records(page), .. } => delivered += page.records.len(),
        FollowEvent::Failed { .. } => failed += 1,
        _ => {}
    })
    .await;
    assert_eq!(failed, 0);
    assert!(delivered >= 2, "{delivered}");
}
