//! Tests of pauses after a 429, and of tokens that expire while requests are queued.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runtime::registry::{RateLimitHeadersInfo, ResetUnit, ServiceInfo};
use runtime::{AnyClient, RateLimit, Retry};
use test_service::scripted::{Service, ok, reply};
use tokio::time::Instant;

use super::{SECOND, check};

#[tokio::test(start_paused = true)]
async fn response_429_pauses_all_requests() {
    let service = Service::new(|_, before| if before == 0 { reply(429, &[("retry-after", "7")], "") } else { ok() });
    let client = service.builder().rate_limit(RateLimit::new(10, SECOND, 10)).build().unwrap();
    let start = Instant::now();
    client.raw("/first").await.unwrap();
    check(&client, 20).await;
    let arrivals: Vec<_> = service.arrivals().iter().map(|arrival| (*arrival - start).as_secs_f64()).collect();
    assert!(arrivals[1] >= 7.0);
    // After the pause, requests are sent one by one, a little more slowly than the limit allows.
    for pair in arrivals[1..].windows(2) {
        assert!(pair[1] - pair[0] > 0.1 && pair[1] - pair[0] < 0.11, "{arrivals:?}");
    }
    tokio::time::sleep(40 * SECOND).await;
    let start = Instant::now();
    check(&client, 10).await;
    assert!(start.elapsed() < SECOND / 10);
}

/// Returns the seconds at which requests for a path arrived.
fn seconds_at(service: &Service, path: &str, start: Instant) -> Vec<u64> {
    service.arrivals_at(path).iter().map(|arrival| (*arrival - start).as_secs()).collect()
}

/// The service responds with this status and `Retry-After` to the first request for each of these paths.
fn pausing(status: u16, paths: &'static [&'static str]) -> Arc<Service> {
    let mut left = paths.to_vec();
    Service::new(move |request, _| match left.iter().position(|path| request.url.ends_with(path)) {
        Some(found) => {
            left.remove(found);
            reply(status, &[("retry-after", "7")], "")
        }
        None => ok(),
    })
}

#[tokio::test(start_paused = true)]
async fn rate_limits_other_than_429_pause_all_requests() {
    let service = pausing(418, &["/x"]);
    let client = service.builder().rate_limit(RateLimit::new(10, SECOND, 10)).retry(Retry::default().budget(0)).build();
    let client = client.unwrap();
    let start = Instant::now();
    client.raw("/x").await.unwrap();
    assert_eq!(seconds_at(&service, "/x", start), [0, 7]);
    let service = pausing(418, &["/x"]);
    let client = service.client();
    let start = Instant::now();
    let (first, other) = tokio::join!(client.raw("/x").into_future(), async {
        tokio::time::sleep(SECOND).await;
        client.market().ratio().symbol("A").await
    });
    first.unwrap();
    other.unwrap();
    assert_eq!(seconds_at(&service, "/ratio?symbol=A", start), [7]);
}

#[tokio::test(start_paused = true)]
async fn retry_after_of_one_endpoint_pauses_only_that_endpoint() {
    for status in [503, 403] {
        let service = pausing(status, &["/x"]);
        let client = service.builder().retry(Retry::default().budget(0)).build().unwrap();
        let start = Instant::now();
        let later = || async {
            tokio::time::sleep(SECOND).await;
            client.raw("/x").await.unwrap();
        };
        let (first, (), other) = tokio::join!(client.raw("/x").into_future(), later(), async {
            tokio::time::sleep(SECOND).await;
            client.market().ratio().symbol("A").await
        });
        first.unwrap();
        other.unwrap();
        assert_eq!(seconds_at(&service, "/x", start), [0, 7, 7], "{status}");
        assert_eq!(seconds_at(&service, "/ratio?symbol=A", start), [1], "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn retry_after_of_a_second_endpoint_pauses_all_requests() {
    let service = pausing(503, &["/x", "/ratio?symbol=A"]);
    let client = service.client();
    let start = Instant::now();
    let third = async {
        tokio::time::sleep(3 * SECOND).await;
        client.system().health().await.map(drop)
    };
    let second = async {
        tokio::time::sleep(SECOND).await;
        client.market().ratio().symbol("A").await.map(drop)
    };
    // The body of the third response is not that of its endpoint.
    let (first, second, _) = tokio::join!(client.raw("/x").into_future(), second, third);
    first.unwrap();
    second.unwrap();
    assert_eq!(seconds_at(&service, "/ratio?symbol=A", start), [1, 8]);
    let others: Vec<_> = service.arrivals().iter().map(|arrival| (*arrival - start).as_secs()).collect();
    assert!(others.iter().all(|second| *second < 3 || *second >= 8), "{others:?}");
}

#[tokio::test(start_paused = true)]
async fn too_long_retry_after_fails_at_once() {
    let service = Service::new(|_, before| {
        let date = ("date", "Tue, 15 Nov 1994 08:00:00 GMT");
        let tomorrow = ("retry-after", "Wed, 16 Nov 1994 08:00:00 GMT");
        if before == 0 { reply(429, &[date, tomorrow], "") } else { ok() }
    });
    let client = service.client();
    let start = Instant::now();
    let error = client.raw("/x").await.unwrap_err();
    assert!(start.elapsed() < SECOND);
    assert!(error.is_rate_limited());
    assert_eq!(error.retry_after(), Some(Duration::from_secs(86_400)));
    let text = error.to_string();
    assert!(text.contains("; retry after 86400s; that is longer than the `max_retry_after` of 60s; "), "{text}");
    // Other requests wait for `max_retry_after` at most, not for a day.
    client.raw("/x").await.unwrap();
    assert!(start.elapsed() > 59 * SECOND && start.elapsed() < 62 * SECOND);
}

/// A service that reports the rest of its limit in every response.
static COUNTING: ServiceInfo = ServiceInfo {
    rate_limit_headers: Some(RateLimitHeadersInfo {
        remaining: "x-left",
        reset: "x-next",
        reset_is: ResetUnit::Seconds,
    }),
    ..ServiceInfo::new("Counting")
};

/// Every tenth response reports that nothing of the limit is left, although no request was rejected.
#[tokio::test(start_paused = true)]
async fn exhausted_limit_pauses_without_a_margin() {
    for status in [200, 404] {
        let service = Service::new(move |_, before| {
            let is_last = before % 10 == 9;
            let left = if is_last { "0" } else { "1" };
            reply(if is_last { status } else { 200 }, &[("x-left", left), ("x-next", "3")], "{}")
        });
        let builder = AnyClient::builder(&COUNTING, "https://example.com/v2").transport(service.clone());
        let client = builder.rate_limit(RateLimit::new(100, SECOND, 1)).build().unwrap();
        for index in 0..30 {
            let outcome = client.raw("/x").await;
            assert!(outcome.is_ok() || status == 404 && index % 10 == 9, "{outcome:?}");
        }
        let arrivals = service.arrivals();
        assert_eq!(arrivals.len(), 30, "no request is sent again");
        for (index, pair) in arrivals.windows(2).enumerate() {
            let gap = pair[1] - pair[0];
            let is_paused = gap >= 3 * SECOND && gap < 3 * SECOND + SECOND / 10;
            let is_at_full_speed = gap < SECOND / 40;
            assert!(if index % 10 == 9 { is_paused } else { is_at_full_speed }, "{status}, {index}: {gap:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn retries_and_tokens_count() {
    let service = Service::new(|request, before| match before {
        _ if request.url.ends_with("token") => reply(200, &[], r#"{"access_token": "t"}"#),
        1 => reply(503, &[], ""),
        _ => ok(),
    });
    let retry = Retry::default().backoff(Duration::ZERO, Duration::ZERO);
    let builder = service.builder().rate_limit(RateLimit::new(1, SECOND, 1)).retry(retry);
    let client = builder.client_credentials("id", "secret").build().unwrap();
    let start = Instant::now();
    client.raw("/x").await.unwrap();
    assert_eq!(service.seen(), (2, 1));
    let seconds: Vec<_> = service.arrivals().iter().map(|arrival| (*arrival - start).as_secs()).collect();
    assert_eq!(seconds, [0, 1, 2]);
}

#[tokio::test(start_paused = true)]
async fn token_that_expires_in_the_queue_is_replaced() {
    let tokens = Arc::new(AtomicUsize::new(0));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let bearers = seen.clone();
    let service = Service::new(move |request, _| {
        if request.url.ends_with("token") {
            let number = tokens.fetch_add(1, Ordering::SeqCst);
            return reply(200, &[], &format!(r#"{{"access_token": "t{number}", "expires_in": 60}}"#));
        }
        bearers.lock().unwrap().push(request.headers.get("authorization").unwrap_or_default().to_owned());
        if seen_first(&bearers) { reply(429, &[("retry-after", "60")], "") } else { ok() }
    });
    let client = service.builder().client_credentials("id", "secret").build().unwrap();
    check(&client, 10).await;
    let bearers = seen.lock().unwrap();
    assert_eq!(bearers.iter().filter(|bearer| *bearer == "Bearer t0").count(), bearers.len() - 10);
    // After the pause, no request used the old token, and one token request replaced it for all requests.
    assert_eq!(service.seen().1, 2);
}

#[tokio::test(start_paused = true)]
async fn unused_permit_is_returned() {
    let body = r#"{"access_token": "t", "expires_in": 5}"#;
    let service = Service::new(|request, _| if request.url.ends_with("token") { reply(200, &[], body) } else { ok() });
    let limit = RateLimit::new(1, 10 * SECOND, 1);
    let client = service.builder().client_credentials("id", "secret").rate_limit(limit).build().unwrap();
    let start = Instant::now();
    client.raw("/x").await.unwrap();
    // The first token expires before the data request can be sent, so the next token is used.
    assert_eq!(service.paths(), ["token", "token", "x"]);
    let seconds: Vec<_> = service.arrivals().iter().map(|arrival| (*arrival - start).as_secs()).collect();
    assert_eq!(seconds, [0, 10, 20]);
}

#[tokio::test(start_paused = true)]
async fn token_rejected_meanwhile_is_not_sent_by_waiters() {
    let tokens = Arc::new(AtomicUsize::new(0));
    let service = Service::new(move |request, before| {
        if request.url.ends_with("token") {
            let number = tokens.fetch_add(1, Ordering::SeqCst);
            return reply(200, &[], &format!(r#"{{"access_token": "t{number}", "expires_in": 600}}"#));
        }
        let old = request.headers.get("authorization") == Some("Bearer t0");
        if old && before > 1 { reply(401, &[], "") } else { ok() }
    });
    let client = service.builder().client_credentials("id", "secret").build().unwrap();
    check(&client, 1).await;
    check(&client, 100).await;
    let (data, tokens) = service.seen();
    assert_eq!(tokens, 2);
    // The ten requests in flight are rejected, and the other ninety then wait for the new token.
    assert!(data <= 1 + 100 + 10, "{data}");
}

fn seen_first(bearers: &Mutex<Vec<String>>) -> bool {
    bearers.lock().unwrap().len() <= 9
}
