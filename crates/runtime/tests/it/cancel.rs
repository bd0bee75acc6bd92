//! Drops requests at every place where they wait, with a transport in memory and a paused clock.

use std::future::{Future, IntoFuture};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Waker};
use std::time::Duration;

use runtime::{RateLimit, Retry};
use test_service::invented::Client;
use test_service::scripted::{Service, ok, reply};
use tokio::time::Instant;

/// Creates a service that makes requests wait for every reason: its token is slow and is soon rejected, and then the
/// service is busy.
fn troubled() -> (Arc<Service>, Client) {
    let tokens = AtomicUsize::new(0);
    let service = Service::new(move |request, before| {
        if request.url.ends_with("token") {
            let number = tokens.fetch_add(1, Ordering::SeqCst);
            let body = format!(r#"{{"access_token": "t{number}", "expires_in": 600}}"#);
            return if number == 0 { reply(503, &[], "") } else { reply(200, &[], &body) };
        }
        let bearer = request.headers.get("authorization");
        match before {
            _ if bearer == Some("Bearer t1") => reply(401, &[], ""),
            0..5 => reply(429, &[("retry-after", "1")], ""),
            _ => ok(),
        }
    });
    let limit = RateLimit::new(1, Duration::from_millis(300), 1);
    let retry = Retry::default().backoff(Duration::from_millis(100), Duration::from_secs(1));
    let client = service.builder().client_credentials("id", "secret").rate_limit(limit).retry(retry).build().unwrap();
    (service, client)
}

/// Checks that after a request was dropped, other requests succeed, and the dropped request does not occupy a slot.
async fn check(service: &Service, client: &Client, case: &str) {
    // A token request may still be in flight: it belongs to the client, and is not dropped with the request that
    // started it.
    assert!(service.in_flight() <= 1, "{case}");
    let start = Instant::now();
    let calls: Vec<_> = (0..5).map(|_| tokio::spawn(client.raw("/x").into_future())).collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert!(start.elapsed() < Duration::from_secs(60), "{case}: {:?}", start.elapsed());
    assert_eq!(service.in_flight(), 0, "{case}");
    let limit = Duration::from_millis(300);
    assert!(service.arrivals().windows(2).all(|pair| pair[1] - pair[0] >= limit), "{case}");
}

/// Sends a request, waits for `after`, yields to the runtime `turns` times, and drops the request. Returns `true` if
/// the request was complete before that.
async fn dropped(client: &Client, after: Duration, turns: usize) -> bool {
    let mut request = pin!(client.raw("/x").into_future());
    let mut poll = || request.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready();
    assert!(!poll());
    // Yielding alone is not enough, because the paused clock advances only while the runtime is idle.
    if !after.is_zero() {
        tokio::time::sleep(after).await;
    }
    for _ in 0..turns {
        tokio::task::yield_now().await;
    }
    poll()
}

#[tokio::test(start_paused = true)]
async fn cancelled_after_any_number_of_polls() {
    for milliseconds in (0..).step_by(10) {
        let after = Duration::from_millis(milliseconds);
        for turns in 0..4 {
            let (service, client) = troubled();
            let is_answered = dropped(&client, after, turns).await;
            check(&service, &client, &format!("{after:?} and {turns} turns")).await;
            if is_answered {
                assert!(milliseconds > 1000, "{milliseconds}");
                return;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn cancelled_after_any_time_among_others() {
    for milliseconds in (0..6000).step_by(7) {
        let (service, client) = troubled();
        let other = tokio::spawn(client.raw("/other").into_future());
        let patience = Duration::from_millis(milliseconds);
        drop(tokio::time::timeout(patience, client.raw("/x").into_future()).await);
        other.await.unwrap().unwrap();
        check(&service, &client, &format!("{patience:?}")).await;
    }
}
