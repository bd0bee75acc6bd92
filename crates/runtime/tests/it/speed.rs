//! Measures how much of the limits is used with several response times, with a transport in memory and a paused clock.

use std::sync::Arc;
use std::time::Duration;

use runtime::RateLimit;
use runtime::registry::LimitInfo;
use test_service::invented::{Client, SERVICE, limits};
use test_service::scripted::{MockResponse, Service, ok};
use tokio::time::Instant;

/// The duration of responses in milliseconds.
const REPLIES: [u64; 5] = [0, 150, 600, 1500, 3000];

fn service(reply: Duration, reports_sent: bool) -> Arc<Service> {
    let script = move |_: &_, _| MockResponse { arrives_after: Duration::ZERO, duration: reply, ..ok() };
    if reports_sent { Service::new(script) } else { Service::without_sent_reports(script) }
}

/// Returns the number of requests per second, measured over three times the longest window.
async fn speed(service: &Arc<Service>, limit: RateLimit, max_window: Duration) -> f64 {
    let client = service.builder().rate_limit(limit).build().unwrap();
    let time = 3 * max_window;
    let begin = Instant::now();
    let task = |client: Client| async move {
        while begin.elapsed() <= time {
            client.raw("/x").await.unwrap();
        }
    };
    let tasks: Vec<_> = (0..50).map(|_| tokio::spawn(task(client.clone()))).collect();
    for task in tasks {
        task.await.unwrap();
    }
    let arrivals = service.arrivals();
    let count = arrivals.iter().filter(|arrival| **arrival - arrivals[0] < time).count();
    f64::from(u32::try_from(count).unwrap()) / time.as_secs_f64()
}

/// Compares the speed with the limits, with a transport that reports when requests are sent and with a transport that
/// does not.
async fn check(limit: RateLimit, sets: &[&LimitInfo]) {
    let lowest = |value: fn(&LimitInfo) -> f64| sets.iter().map(|set| value(set)).fold(f64::INFINITY, f64::min);
    let rate = lowest(|set| f64::from(set.requests) / f64::from(set.seconds));
    let slots = lowest(|set| set.concurrent.map_or(f64::INFINITY, f64::from));
    let max_window = Duration::from_secs(sets.iter().map(|set| set.seconds).max().unwrap().into());
    for (reply, reports_sent) in REPLIES.into_iter().flat_map(|reply| [(reply, true), (reply, false)]) {
        let reply = Duration::from_millis(reply);
        let speed = speed(&service(reply, reports_sent), limit.clone(), max_window).await;
        let allowed = rate.min(slots / reply.as_secs_f64());
        assert!(speed >= 0.98 * allowed, "{speed} of {allowed} a second at {reply:?}, reported: {reports_sent}");
        if std::env::var_os("SHOW").is_some() {
            #[allow(clippy::print_stdout)] // Printed only on request.
            {
                println!("{limit:?}, {reply:?}, reported: {reports_sent}: {speed:.2} of {allowed:.2} a second");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn set_a_is_used_at_every_latency() {
    check(limits::SET_A, &[&SERVICE.limits[0]]).await;
}

#[tokio::test(start_paused = true)]
async fn set_b_is_used_at_every_latency() {
    check(limits::SET_B, &[&SERVICE.limits[1]]).await;
}

#[tokio::test(start_paused = true)]
async fn both_sets_are_used_at_every_latency() {
    check(limits::all(), &[&SERVICE.limits[0], &SERVICE.limits[1]]).await;
}
