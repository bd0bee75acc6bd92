//! Tests of state that belongs to the client and not to one caller: pauses, tokens, slots and connections.
//!
//! Callers are cancelled, time out, panic, or send on a runtime that has stopped. No other caller may be affected.

use std::future::IntoFuture;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use runtime::observer::{Event, Observer};
use runtime::rate_limit::{AcquireFuture, Attempt, Permit, PermitObserver, ProcessRateLimiter, RateLimiter};
use runtime::transport::{HttpRequest, HttpResponse, SendFuture, Transport, from_fn};
use runtime::{ErrorKind, RateLimit, Retry};
use test_service::invented::Client;
use test_service::scripted::{MockResponse, Service, failure, ok, reply};
use tokio::runtime::Runtime;
use tokio::time::Instant;

use crate::socket::{self, DATA, Server, Step};

const SECOND: Duration = Duration::from_secs(1);

/// Creates a runtime that runs only during a call of `block_on`.
fn entered() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn token(request: &HttpRequest) -> Option<MockResponse> {
    let token = r#"{"access_token": "t", "expires_in": 600}"#;
    request.url.ends_with("token").then(|| reply(200, &[], token))
}

#[tokio::test(start_paused = true)]
async fn requests_that_were_not_sent_do_not_end_a_pause() {
    let service = Service::new(|_, before| match before {
        0 => reply(429, &[("retry-after", "10")], ""),
        1..10 => MockResponse { sent_after: SECOND, arrives_after: SECOND, ..failure(ErrorKind::Connect) },
        _ => ok(),
    });
    let client = service.builder().rate_limit(RateLimit::new(10, SECOND, 20)).retry(Retry::none()).build().unwrap();
    let begun = Instant::now();
    let calls: Vec<_> = (0..10).map(|_| tokio::spawn(client.raw("/x").into_future())).collect();
    tokio::time::sleep(Duration::from_millis(100)).await;
    // The requests are dropped while they connect.
    calls.iter().for_each(tokio::task::JoinHandle::abort);
    client.raw("/x").await.unwrap();
    assert!(begun.elapsed() >= 10 * SECOND, "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn callers_with_short_timeouts_are_served_after_the_token_arrives() {
    let service = Service::new(|request, _| match token(request) {
        Some(mock) => MockResponse { arrives_after: SECOND, ..mock },
        None => ok(),
    });
    let client = service.builder().client_credentials("id", "secret").build().unwrap();
    let mut calls = Vec::new();
    for _ in 0..100 {
        calls.push(tokio::spawn(client.raw("/x").timeout(Duration::from_millis(800)).into_future()));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let mut served = 0;
    for call in calls {
        match call.await.unwrap() {
            Ok(_) => served += 1,
            Err(error) => assert_eq!((error.kind(), error.is_timeout()), (ErrorKind::Queue, true), "{error}"),
        }
    }
    assert!(served >= 95, "{served}");
    assert_eq!(service.seen().1, 1);
}

/// An observer that panics at each event.
struct Panicking(AtomicUsize);

impl Observer for Panicking {
    fn observe(&self, _: &Event) {
        self.0.fetch_add(1, Ordering::Relaxed);
        panic!("an observer that panics");
    }
}

/// Panics when a request is sent and when it ends.
impl PermitObserver for Panicking {
    fn on_sent(&self) {
        panic!("a rate limiter that panics");
    }

    fn on_end(&self) {
        panic!("a rate limiter that panics");
    }
}

impl RateLimiter for Panicking {
    fn acquire(&self, _: Attempt) -> AcquireFuture<'_> {
        Box::pin(async { Ok(Permit::with_observer(Self(AtomicUsize::new(0)))) })
    }

    fn on_rate_limited(&self, _: Duration) {}
}

#[tokio::test(start_paused = true)]
async fn panic_in_user_code_affects_only_its_call() {
    let service = Service::new(|_, before| if before == 0 { reply(503, &[], "") } else { ok() });
    let observer = Arc::new(Panicking(AtomicUsize::new(0)));
    let limiter = Panicking(AtomicUsize::new(0));
    let client = service.builder().observer(observer.clone()).rate_limiter(limiter).build().unwrap();
    client.raw("/x").await.unwrap();
    assert_eq!(observer.0.load(Ordering::Relaxed), 5);
    // A request that is dropped during a panic reports its end while the thread unwinds.
    let there = client.clone();
    let panics = tokio::spawn(async move {
        let request = there.raw("/x").into_future();
        let mut request = std::pin::pin!(request);
        let _ = tokio::time::timeout(Duration::ZERO, &mut request).await;
        panic!("a caller that panics");
    });
    assert!(panics.await.unwrap_err().is_panic());
    client.raw("/x").await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_transport_that_panics_fails_the_requests_that_wait_for_its_token() {
    let tokens = Arc::new(AtomicUsize::new(0));
    let seen = tokens.clone();
    let transport = from_fn(move |_| {
        seen.fetch_add(1, Ordering::Relaxed);
        async { panic!("a transport that panics") }
    });
    let builder = Client::builder("https://example.com/v2").api_key("key").client_credentials("id", "secret");
    let client = builder.transport(transport).build().unwrap();
    let error = client.raw("/x").await.unwrap_err();
    assert_eq!((error.kind(), error.is_token(), tokens.load(Ordering::Relaxed)), (ErrorKind::Shutdown, true, 1));
}

#[test]
fn a_request_dropped_on_a_runtime_that_has_stopped_frees_its_slot() {
    let other = Runtime::new().unwrap();
    let data = Step::Write(socket::reply("200 OK", DATA));
    let server = other.block_on(Server::start(vec![Step::NoResponse, data]));
    let client = server.builder().rate_limit(RateLimit::new(100, SECOND, 1)).build().unwrap();
    let stopped = entered();
    let patience = Duration::from_millis(200);
    let outcome = stopped.block_on(async { tokio::time::timeout(patience, client.raw("/x").into_future()).await });
    assert!(outcome.is_err());
    other.block_on(client.raw("/x").into_future()).unwrap();
    drop(stopped);
}

#[test]
fn a_request_for_a_token_on_a_runtime_that_has_stopped_is_replaced() {
    let other = Runtime::new().unwrap();
    let token = socket::reply("200 OK", r#"{"access_token": "t", "expires_in": 600}"#);
    let data = Step::Write(socket::reply("200 OK", DATA));
    let server = other.block_on(Server::start(vec![Step::NoResponse, Step::Write(token), data]));
    let builder = server.builder().client_credentials("id", "secret").rate_limit(RateLimit::new(100, SECOND, 1));
    let client = builder.build().unwrap();
    let stopped = entered();
    let patience = Duration::from_millis(200);
    let outcome = stopped.block_on(async { tokio::time::timeout(patience, client.raw("/x").into_future()).await });
    assert!(outcome.is_err());
    other.block_on(client.raw("/x").into_future()).unwrap();
    // The token request on the stopped runtime, its replacement and the data request have arrived.
    assert_eq!(server.requests.lock().unwrap().len(), 3);
    drop(stopped);
}

#[test]
fn a_request_whose_runtime_shuts_down_fails_as_such() {
    let service = Service::new(|_, _| MockResponse { duration: 100 * SECOND, ..ok() });
    let (client, stopped) = (service.client(), entered());
    let mut request = Box::pin(client.raw("/x").into_future());
    let patience = Duration::from_millis(50);
    assert!(stopped.block_on(async { tokio::time::timeout(patience, &mut request).await }).is_err());
    drop(stopped);
    assert_eq!(service.in_flight(), 0);
    let error = entered().block_on(request).unwrap_err();
    assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Shutdown, true));
}

#[test]
fn servers_with_a_runtime_for_each_thread_keep_their_connections() {
    let runtime = Runtime::new().unwrap();
    let server = runtime.block_on(Server::start(vec![Step::Write(socket::reply("200 OK", DATA))]));
    let client = server.builder().rate_limit(RateLimit::none()).build().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                let own = entered();
                (0..20).for_each(|_| drop(own.block_on(client.raw("/x").into_future()).unwrap()));
            });
        }
    });
    assert_eq!((server.connections(), server.requests.lock().unwrap().len()), (16, 320));
}

/// A transport that reports the headers of a 429 at once, but delays the body for five seconds.
struct SlowBody(Arc<AtomicUsize>);

impl Transport for SlowBody {
    fn send(&self, request: HttpRequest) -> SendFuture<'_> {
        Box::pin(async move {
            let status = if self.0.fetch_add(1, Ordering::Relaxed) == 0 { 429 } else { 200 };
            let response = HttpResponse::new(status, runtime::transport::Headers::new(), DATA);
            tokio::time::sleep(Duration::from_millis(10)).await;
            request.on_headers.notify(status, &response.headers);
            tokio::time::sleep(if status == 429 { 5 * SECOND } else { Duration::ZERO }).await;
            Ok(response)
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_pause_begins_with_the_headers_of_a_429() {
    let sent = Arc::new(AtomicUsize::new(0));
    let builder = Client::builder("https://example.com/v2").api_key("key").transport(SlowBody(sent.clone()));
    let client = builder.rate_limit(RateLimit::new(20, SECOND, 100)).build().unwrap();
    let calls: Vec<_> = (0..100).map(|_| tokio::spawn(client.raw("/x").into_future())).collect();
    tokio::time::sleep(Duration::from_millis(900)).await;
    assert_eq!(sent.load(Ordering::Relaxed), 10);
    tokio::time::sleep(SECOND).await;
    assert!(sent.load(Ordering::Relaxed) > 10);
    for call in calls {
        call.await.unwrap().unwrap();
    }
}

/// A real server delays the body of a 429, and the pause begins before the request is over.
#[tokio::test]
async fn the_built_in_transport_reports_headers_before_the_body() {
    let busy = b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 1\r\ncontent-length: 10\r\n\r\n".to_vec();
    let data = Step::Write(socket::reply("200 OK", DATA));
    let server = Server::start(vec![Step::Write(busy), data]).await;
    let paused = Arc::new(tokio::sync::Notify::new());
    let client = server.builder().rate_limiter(Notified(paused.clone())).build().unwrap();
    let request = tokio::spawn(client.raw("/x").into_future());
    paused.notified().await;
    assert!(!request.is_finished());
    request.await.unwrap().unwrap();
}

/// A rate limiter that only reports the beginning of a pause.
struct Notified(Arc<tokio::sync::Notify>);

impl RateLimiter for Notified {
    fn acquire(&self, _: Attempt) -> AcquireFuture<'_> {
        Box::pin(async { Ok(Permit::new(())) })
    }

    fn on_rate_limited(&self, _: Duration) {
        self.0.notify_one();
    }
}

#[tokio::test]
async fn truncated_json_is_requested_again() {
    let cut = |body: &str| Step::Close(format!("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{body}").into_bytes());
    let retry = Retry::default().backoff(Duration::ZERO, Duration::ZERO);
    for length in [1, DATA.len() / 2, DATA.len() - 1] {
        let server = Server::start(vec![cut(&DATA[..length]), cut(DATA)]).await;
        let client = server.builder().retry(retry.clone()).build().unwrap();
        client.market().ratio().symbol("BTC").await.unwrap();
        assert_eq!(server.requests.lock().unwrap().len(), 2, "{length}");
    }
    // A service may send JSON as plain text.
    let text = |body: &str| {
        let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/plain\r\n\r\n";
        Step::Close(format!("{head}{body}").into_bytes())
    };
    let server = Server::start(vec![text(&DATA[..9]), text(DATA)]).await;
    let client = server.builder().retry(retry.clone()).build().unwrap();
    assert!(client.raw("/x").await.unwrap().is_object());
    // A complete body is never retried, even if its contents are invalid.
    let complete = |body: &str| Step::Write(socket::reply("200 OK", body));
    for (step, kind) in [
        (complete(&DATA[..DATA.len() - 1]), ErrorKind::Decode),
        (cut(r#"{"data": [{"openDate": 1}]}"#), ErrorKind::Decode),
        (cut(r#"{"data": [}"#), ErrorKind::Decode),
    ] {
        let server = Server::start(vec![step]).await;
        let client = server.builder().retry(retry.clone()).build().unwrap();
        assert_eq!(client.market().ratio().symbol("BTC").await.unwrap_err().kind(), kind);
        assert_eq!(server.requests.lock().unwrap().len(), 1);
    }
    let server = Server::start(vec![cut(&DATA[..9])]).await;
    let client = server.builder().retry(retry).build().unwrap();
    let error = client.market().ratio().symbol("BTC").await.unwrap_err();
    assert_eq!((error.kind(), error.attempts(), error.is_retryable()), (ErrorKind::Body, 4, true));
    assert!(error.to_string().contains("the connection closed before the end of the JSON, after 9 bytes"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn clients_share_a_limit() {
    let service = Service::new(|request, _| token(request).unwrap_or_else(ok));
    let limiter = ProcessRateLimiter::new(RateLimit::new(1, SECOND, 20));
    let client = || service.builder().client_credentials("id", "secret").rate_limiter(limiter.clone()).build().unwrap();
    let clients = [client(), client()];
    for call in [0, 1, 0, 1].map(|index: usize| tokio::spawn(clients[index].raw("/x").into_future())) {
        call.await.unwrap().unwrap();
    }
    let arrivals = service.arrivals();
    assert_eq!(service.seen(), (4, 2));
    assert!(arrivals.windows(2).all(|pair| pair[1] - pair[0] >= SECOND), "{arrivals:?}");
    assert_eq!(limiter.rate_limit(), Some(RateLimit::new(1, SECOND, 20)));
}
