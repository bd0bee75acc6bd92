//! Tests the required outcome of each way in which a token request can fail or be rate-limited.
//!
//! Each row describes a request with a transport in memory and a paused clock.

use std::future::IntoFuture;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runtime::observer::WaitReason;
use runtime::observer::{Event, Observer};
use runtime::rate_limit::{AcquireFuture, Attempt, Permit, RateLimiter};
use runtime::{Error, ErrorKind, RateLimit, RequestKind};
use test_service::invented::Client;
use test_service::scripted::{MockResponse, Service, failure, ok, reply, silence};
use tokio::time::Instant;

async fn check(client: &Client) -> Result<(), Error> {
    client.market().ratio().symbol("BTC").await.map(drop)
}

fn token(body: &str) -> MockResponse {
    reply(200, &[], body)
}

/// A row: its name, the response of the token endpoint, the number of token requests, and a part of the error text.
type Row = (&'static str, fn() -> MockResponse, usize, &'static str);

#[tokio::test(start_paused = true)]
async fn failures_of_the_token_endpoint() {
    let rows: [Row; 28] = [
        ("400", || reply(400, &[], r#"{"error": "invalid_client"}"#), 1, "status 400: invalid_client"),
        ("401", || reply(401, &[], ""), 1, "Bearer is for data requests"),
        ("403", || reply(403, &[], ""), 1, "send the API key with the token request too"),
        ("404", || reply(404, &[], ""), 1, "status 404"),
        ("415", || reply(415, &[], ""), 1, "application/x-www-form-urlencoded"),
        ("429", || reply(429, &[], ""), 4, "status 429"),
        ("429 for a day", || reply(429, &[("retry-after", "86400")], ""), 1, "retry after 86400s"),
        ("500", || reply(500, &[], ""), 2, "status 500"),
        ("502", || reply(502, &[], ""), 4, "status 502"),
        ("503", || reply(503, &[], ""), 4, "status 503"),
        ("504", || reply(504, &[], ""), 4, "status 504"),
        ("302", || reply(302, &[("location", "https://login.example.com/")], ""), 1, "the host `login.example.com`"),
        ("204", || reply(204, &[], ""), 1, "it has no `access_token`"),
        ("a page", || token("<html>canary-token</html>"), 1, "is HTML or XML"),
        ("no JSON", || token("access_token=canary-token"), 1, "is not JSON"),
        ("cut JSON", || token(r#"{"access_token": "canary-to"#), 1, "it is not JSON"),
        ("no token", || token(r#"{"expires_in": 60}"#), 1, "it has no `access_token`"),
        ("null", || token(r#"{"access_token": null}"#), 1, "it has no `access_token`"),
        ("empty", || token(r#"{"access_token": ""}"#), 1, "it has no `access_token`"),
        ("a list", || token(r#"["canary-token"]"#), 1, "it has no `access_token`"),
        ("line break", || token(r#"{"access_token": "canary-\ntoken"}"#), 1, "characters that HTTP does not allow"),
        ("mac", || token(r#"{"access_token": "t", "token_type": "mac"}"#), 1, "its `token_type` is not `Bearer`"),
        ("no connection", || failure(ErrorKind::Connect), 4, "it failed as it should"),
        ("not sent", || failure(ErrorKind::Send), 4, "it failed as it should"),
        ("no head", || failure(ErrorKind::Headers), 4, "it failed as it should"),
        ("cut body", || failure(ErrorKind::Body), 4, "it failed as it should"),
        ("silence", silence, 4, "no complete response in time"),
        ("an error with 200", || token(r#"{"error": "slow down"}"#), 1, "an error of the service: slow down"),
    ];
    for (name, mock, requests, words) in rows {
        let service = Service::new(move |request, _| if request.url.ends_with("token") { mock() } else { ok() });
        let client = service.builder().client_credentials("id", "secret").build().unwrap();
        let error = check(&client).await.unwrap_err();
        assert_eq!(service.seen(), (0, requests), "{name}: {error}");
        let text = format!("{error:?}");
        assert!(
            error.is_token() && text.contains("): token request failed: ") && text.contains(words),
            "{name}: {text}"
        );
        assert!(
            !text.contains("timeframe"),
            "the error of a token request mentions a param of the data request: {text}"
        );
        assert!(!text.contains("canary-token"), "{name}: {text}");
        assert_eq!(error.attempts(), u32::try_from(requests).unwrap(), "{name}");
        // After any failure, the next call requests a token again.
        service.becomes(
            |request, _| if request.url.ends_with("token") { token(r#"{"access_token": "t"}"#) } else { ok() },
        );
        check(&client).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn unusual_token_lifetimes_work() {
    for expires in ["", r#","expires_in": 0"#, r#","expires_in": -1"#, r#","expires_in": 0.001"#, r#","expires_in": 1"#]
    {
        let body = format!(r#"{{"access_token": "t"{expires}}}"#);
        let service = Service::new(move |request, _| if request.url.ends_with("token") { token(&body) } else { ok() });
        let client = service.builder().client_credentials("id", "secret").build().unwrap();
        for _ in 0..5 {
            check(&client).await.unwrap();
        }
        assert_eq!(service.seen().0, 5, "{expires}");
    }
}

#[tokio::test(start_paused = true)]
async fn endpoint_that_rejects_every_token_costs_one_token() {
    let body = r#"{"access_token": "t", "expires_in": 600}"#;
    let service = Service::new(|request, _| match request.url.rsplit('/').next().unwrap() {
        "token" => token(body),
        "good" => ok(),
        _ => reply(401, &[], ""),
    });
    let builder = service.builder().client_credentials("id", "secret").rate_limit(RateLimit::none());
    let client = builder.build().unwrap();
    for call in 0..20 {
        let error = check(&client).await.unwrap_err();
        assert!(error.is_auth() && !error.is_token());
        assert_eq!(error.attempts(), if call == 0 { 2 } else { 1 });
        client.raw("/good").await.unwrap();
    }
    assert_eq!(service.seen(), (41, 2));
    // After a minute another token is tried, because the token may have caused the rejections.
    tokio::time::sleep(Duration::from_secs(61)).await;
    check(&client).await.unwrap_err();
    assert_eq!(service.seen(), (43, 3));
    service.becomes(|request, _| if request.url.ends_with("token") { token(body) } else { ok() });
    check(&client).await.unwrap();
    // After a request for the path has succeeded, a rejection leads to a new token again, as for any other path.
    let rejections = AtomicUsize::new(0);
    service.becomes(move |request, _| match request.url.ends_with("token") {
        true => token(body),
        false if rejections.fetch_add(1, Ordering::Relaxed) == 0 => reply(401, &[], ""),
        false => ok(),
    });
    check(&client).await.unwrap();
    assert_eq!(service.seen(), (46, 4));
}

#[tokio::test(start_paused = true)]
async fn another_error_does_not_show_that_a_token_is_accepted() {
    let mut statuses = [401, 401, 422, 401].into_iter();
    let service = Service::new(move |request, _| {
        if request.url.ends_with("token") {
            return token(r#"{"access_token": "t", "expires_in": 600}"#);
        }
        reply(statuses.next().unwrap(), &[], "")
    });
    let client = service.builder().client_credentials("id", "secret").build().unwrap();
    for status in [401, 422, 401] {
        assert_eq!(check(&client).await.unwrap_err().status(), Some(status));
    }
    assert_eq!(service.seen(), (4, 2));
}

#[tokio::test(start_paused = true)]
async fn every_format_of_retry_after_is_honored() {
    let date = ("date", "Tue, 15 Nov 1994 08:12:31 GMT");
    let rows = [
        ("7", 7.0, 0.0),
        ("0", 0.0, 0.0),
        ("1.5", 1.5, 0.0),
        ("60", 60.0, 0.0),
        ("Tue, 15 Nov 1994 08:12:41 GMT", 10.0, 0.0),
        ("Tue, 15 Nov 1994 08:00:00 GMT", 0.0, 0.0),
        // If the header has no usable value, the rate limiter waits for a second.
        ("soon", 1.0, 0.0),
        ("-5", 1.0, 0.0),
        ("", 1.0, 0.0),
        ("61", 0.0, 61.0),
        ("86400", 0.0, 86_400.0),
        ("Wed, 16 Nov 1994 08:12:31 GMT", 0.0, 86_400.0),
    ];
    for (value, min_elapsed, retry_after) in rows {
        let service = Service::new(move |_, before| match before {
            0 => reply(429, &[("retry-after", value), date], ""),
            _ => ok(),
        });
        let start = Instant::now();
        match check(&service.client()).await {
            Ok(()) => {
                let elapsed = start.elapsed().as_secs_f64();
                assert!(elapsed >= min_elapsed && elapsed < min_elapsed + 1.5, "{value}: {elapsed}");
                assert!(retry_after == 0.0, "{value}");
            }
            Err(error) => {
                assert_eq!(error.retry_after(), Some(Duration::from_secs_f64(retry_after)), "{value}");
                assert!(start.elapsed() < Duration::from_secs(1));
            }
        }
    }
}

/// Creates a service that issues tokens with a lifetime of a minute.
fn service_with_short_tokens() -> Arc<Service> {
    let body = r#"{"access_token": "t", "expires_in": 60}"#;
    Service::new(move |request, _| if request.url.ends_with("token") { token(body) } else { ok() })
}

/// An observer that stores the time that each token request spent in the queue.
#[derive(Clone, Default)]
struct QueueTimes(Arc<Mutex<Vec<Duration>>>);

impl Observer for QueueTimes {
    fn observe(&self, event: &Event) {
        if let Event::Wait { request: RequestKind::Token, reason: WaitReason::RateLimiter, elapsed, .. } = event {
            self.0.lock().unwrap().push(*elapsed);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn token_request_precedes_queued_data_requests() {
    let (service, queue_times) = (service_with_short_tokens(), QueueTimes::default());
    let limit = RateLimit::new(10, Duration::from_secs(1), 20);
    let builder = service.builder().client_credentials("id", "secret").rate_limit(limit).observer(queue_times.clone());
    let client = builder.build().unwrap();
    let begun = Instant::now();
    // The queue takes a hundred seconds, and a request that is added later renews the token.
    let mut calls: Vec<_> = (0..1000).map(|_| tokio::spawn(client.raw("/x").into_future())).collect();
    tokio::time::sleep(Duration::from_secs(55)).await;
    calls.push(tokio::spawn(client.raw("/late").into_future()));
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert!(begun.elapsed() < Duration::from_secs(115), "{:?}", begun.elapsed());
    assert_eq!(service.seen(), (1001, 2));
    let queue_times = queue_times.0.lock().unwrap();
    assert!(queue_times.iter().all(|time| *time < Duration::from_secs(1)), "{queue_times:?}");
}

/// A rate limiter that admits each request half a minute after its arrival.
struct Slow;

impl RateLimiter for Slow {
    fn acquire(&self, _: Attempt) -> AcquireFuture<'_> {
        Box::pin(async {
            tokio::time::sleep(Duration::from_secs(30)).await;
            Ok(Permit::new(()))
        })
    }

    fn on_rate_limited(&self, _: Duration) {}
}

/// The outcomes of token requests.
#[derive(Clone, Default)]
struct Renewals(Arc<Mutex<Vec<bool>>>);

impl Observer for Renewals {
    fn observe(&self, event: &Event) {
        if let Event::Token { renewed, .. } = event {
            self.0.lock().unwrap().push(*renewed);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn token_renewal_succeeds_behind_a_long_queue() {
    let body = r#"{"access_token": "t", "expires_in": 600}"#;
    let service = Service::new(move |request, _| if request.url.ends_with("token") { token(body) } else { ok() });
    let renewals = Renewals::default();
    let builder = service.builder().client_credentials("id", "secret").rate_limiter(Slow).observer(renewals.clone());
    let client = builder.timeout(Duration::from_secs(40)).build().unwrap();
    client.raw("/x").await.unwrap();
    tokio::time::sleep(Duration::from_secs(500)).await;
    // Nine tenths of the token's lifetime have passed, so a new token is fetched while the old one is still used.
    client.raw("/x").await.unwrap();
    client.raw("/x").await.unwrap();
    assert_eq!((service.seen(), &*renewals.0.lock().unwrap()), ((3, 2), &vec![true, true]));
}
