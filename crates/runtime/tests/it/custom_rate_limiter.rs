//! Tests of custom rate limiters, with a transport in memory and a paused clock.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runtime::rate_limit::{AcquireFuture, Attempt, Permit, PermitObserver, RateLimiter};
use runtime::{Error, ErrorKind, RateLimit, Retry, Timestamp};
use test_service::invented::{self, Timeframe};
use test_service::scripted::{MockResponse, Service, failure, ok, reply};

const SECOND: Duration = Duration::from_secs(1);

/// A rate limiter that fails at first, and records its calls.
#[derive(Default)]
struct Counting {
    entered: AtomicUsize,
    pauses: Mutex<Vec<Duration>>,
}

impl RateLimiter for Counting {
    fn acquire(&self, _: Attempt) -> AcquireFuture<'_> {
        Box::pin(async {
            match self.entered.fetch_add(1, Ordering::SeqCst) {
                0 => Err(Error::retryable(ErrorKind::Queue, "the counter cannot be reached")
                    .with_source("connection refused")),
                _ => Ok(Permit::new(())),
            }
        })
    }

    fn on_rate_limited(&self, pause: Duration) {
        self.pauses.lock().unwrap().push(pause);
    }

    fn rate_limit(&self) -> Option<RateLimit> {
        Some(RateLimit::new(1, SECOND, 1))
    }
}

#[test]
fn custom_limiter_error_has_its_cause() {
    let error = Error::retryable(ErrorKind::Queue, "the counter cannot be reached").with_source("connection refused");
    assert_eq!(std::error::Error::source(&error).map(ToString::to_string).as_deref(), Some("connection refused"));
}

#[tokio::test(start_paused = true)]
async fn custom_limiter_is_used() {
    let service = Service::new(|_, before| if before == 0 { reply(429, &[], "") } else { ok() });
    let limiter = Arc::new(Counting::default());
    let client = service.builder().rate_limiter(limiter.clone()).build().unwrap();
    client.raw("/x").await.unwrap();
    assert_eq!(limiter.entered.load(Ordering::SeqCst), 3);
    assert_eq!(*limiter.pauses.lock().unwrap(), [SECOND]);
    let client = service.builder().rate_limiter(Counting::default()).retry(Retry::default().budget(0)).build().unwrap();
    client.raw("/x").await.unwrap();
    let limiter = Arc::new(Counting::default());
    let client = service.builder().rate_limiter(limiter).retry(Retry::none()).build().unwrap();
    let error = client.raw("/x").await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Queue, 0));
    assert!(format!("{error:#}").contains("client.raw (GET /x): the counter cannot be reached: connection refused"));
    let both = service.builder().rate_limiter(Counting::default()).rate_limit(RateLimit::none()).build();
    let expected = "`rate_limit` has no effect with a custom `rate_limiter`; set it on that rate limiter";
    assert_eq!(both.map(drop).unwrap_err().to_string(), expected);
}

/// A rate limiter that asks another service.
struct Asking(invented::Client);

impl RateLimiter for Asking {
    fn acquire(&self, _: Attempt) -> AcquireFuture<'_> {
        Box::pin(async { self.0.raw("/permit").await.map(|_| Permit::new(())) })
    }

    fn on_rate_limited(&self, _: Duration) {}
}

#[tokio::test(start_paused = true)]
async fn an_error_of_the_limiters_own_request_is_only_the_cause() {
    let other = Service::new(|_, _| reply(400, &[], r#"{"message": "no such key"}"#));
    let other = other.builder().retry(Retry::none()).build().unwrap();
    let client = Service::new(|_, _| ok()).builder().rate_limiter(Asking(other)).build().unwrap();
    let error = client.raw("/x").await.unwrap_err();
    assert_eq!((error.kind(), error.status(), error.attempts()), (ErrorKind::Queue, None, 0));
    let text = format!("{error:#}");
    assert!(text.starts_with("client.raw (GET /x): the rate limiter failed"), "{text}");
    assert!(text.contains("GET /permit") && text.contains("no such key"), "{text}");
}

/// The plan of a history uses the limit that the rate limiter reports.
#[tokio::test(start_paused = true)]
async fn plan_uses_the_limit_of_a_custom_limiter() {
    let service = Service::new(|_, _| ok());
    let plan = |client: &invented::Client| {
        let hours = client.market().ratio().symbol("B").timeframe(Timeframe::H1);
        let plan = hours
            .history(
                Timestamp::from_unix_seconds(1_700_000_000)..Timestamp::from_unix_seconds(1_700_000_000 + 2000 * 3600),
            )
            .plan()
            .unwrap();
        (plan.requests, plan.min_duration)
    };
    let shared = service.builder().rate_limiter(Arc::new(Counting::default())).build().unwrap();
    assert_eq!(plan(&shared), (5, Some(4 * SECOND)));
    assert_eq!(plan(&service.builder().rate_limiter(LongQueue::default()).build().unwrap()), (5, None));
}

/// A rate limiter in which the first request waits for a long time.
#[derive(Default)]
struct LongQueue(AtomicUsize);

impl RateLimiter for LongQueue {
    fn acquire(&self, _: Attempt) -> AcquireFuture<'_> {
        Box::pin(async {
            if self.0.fetch_add(1, Ordering::SeqCst) == 0 {
                tokio::time::sleep(100 * SECOND).await;
            }
            Ok(Permit::new(()))
        })
    }

    fn on_rate_limited(&self, _: Duration) {}
}

#[tokio::test(start_paused = true)]
async fn token_lifetime_starts_with_its_request() {
    let body = r#"{"access_token": "t", "expires_in": 60}"#;
    let service = Service::new(|request, _| if request.url.ends_with("token") { reply(200, &[], body) } else { ok() });
    let builder = service.builder().client_credentials("id", "secret").rate_limiter(LongQueue::default());
    builder.build().unwrap().raw("/x").await.unwrap();
    assert_eq!(service.seen(), (1, 1));
}

/// A rate limiter that records its calls, and delays each attempt.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<String>>>);

impl Recorder {
    fn note(&self, note: String) {
        self.0.lock().unwrap().push(note);
    }
}

impl RateLimiter for Recorder {
    fn acquire(&self, attempt: Attempt) -> AcquireFuture<'_> {
        Box::pin(async move {
            tokio::time::sleep(3 * SECOND).await;
            let Attempt { request, number, .. } = attempt;
            self.note(format!("{request} {number} admitted"));
            Ok(Permit::with_observer(RecordedPermit { recorder: self.clone(), request: request.to_string() }))
        })
    }

    fn on_rate_limited(&self, pause: Duration) {
        self.note(format!("rate-limited for {pause:?}"));
    }
}

struct RecordedPermit {
    recorder: Recorder,
    request: String,
}

impl PermitObserver for RecordedPermit {
    fn on_sent(&self) {
        self.recorder.note(format!("{} sent", self.request));
    }

    fn on_end(&self) {
        self.recorder.note(format!("{} ended", self.request));
    }
}

#[tokio::test(start_paused = true)]
async fn custom_limiter_receives_every_outcome() {
    let service = Service::new(|_, before| match before {
        0 => failure(ErrorKind::Headers),
        1 => reply(429, &[], ""),
        _ => MockResponse { sent_after: SECOND, arrives_after: SECOND, ..ok() },
    });
    let limiter = Recorder::default();
    let client = service.builder().rate_limiter(limiter.clone()).build().unwrap();
    client.market().ratio().await.unwrap();
    let given_up = tokio::time::timeout(3 * SECOND + SECOND / 2, client.raw("/x").into_future()).await;
    assert!(given_up.is_err());
    tokio::task::yield_now().await;
    let expected = [
        "market.ratio 1 admitted",
        "market.ratio sent",
        "market.ratio ended",
        "market.ratio 2 admitted",
        "market.ratio sent",
        "rate-limited for 1s",
        "market.ratio ended",
        "market.ratio 3 admitted",
        "market.ratio sent",
        "market.ratio ended",
        // The request was cancelled while it waited for a connection.
        "client.raw 1 admitted",
        "client.raw ended",
    ];
    assert_eq!(*limiter.0.lock().unwrap(), expected);
}

#[tokio::test(start_paused = true)]
async fn custom_limiter_receives_unused_permits() {
    let body = r#"{"access_token": "t", "expires_in": 2}"#;
    let service = Service::new(|request, _| if request.url.ends_with("token") { reply(200, &[], body) } else { ok() });
    let limiter = Recorder::default();
    let client = service.builder().client_credentials("id", "secret").rate_limiter(limiter.clone()).build().unwrap();
    client.raw("/x").await.unwrap();
    let expected = [
        "token 1 admitted",
        "token sent",
        "token ended",
        // The token expired while the request was queued, so its permit is returned.
        "client.raw 1 admitted",
        "client.raw ended",
        "token 1 admitted",
        "token sent",
        "token ended",
        "client.raw 1 admitted",
        "client.raw sent",
        "client.raw ended",
    ];
    assert_eq!(*limiter.0.lock().unwrap(), expected);
}

/// If the transport does not report when it sends a request, the request counts as sent when the transport is called.
#[tokio::test(start_paused = true)]
async fn custom_limiter_receives_unreported_sends() {
    let service = Service::without_sent_reports(|_, _| ok());
    let limiter = Recorder::default();
    service.builder().rate_limiter(limiter.clone()).build().unwrap().raw("/x").await.unwrap();
    assert_eq!(*limiter.0.lock().unwrap(), ["client.raw 1 admitted", "client.raw sent", "client.raw ended"]);
}
