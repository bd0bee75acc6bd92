//! Simulates clients whose callers are cancelled, time out, fail or lose their runtime at random points, with many
//! seeds.
//!
//! A service in memory checks the state that belongs to the client: a pause lasts for its full time, one token request
//! serves all callers, and at the end of the simulation every slot is free.

use std::future::IntoFuture;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runtime::transport::{Headers, HttpRequest, HttpResponse, SendFuture, Transport};
use runtime::{Error, ErrorKind, RateLimit, Retry};
use test_service::invented::Client;
use tokio::runtime::Runtime;
use tokio::time::{Instant, sleep, timeout};

const TOKEN: &str = r#"{"access_token": "t", "expires_in": 86400}"#;
const SECOND: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_secs(5);

struct Service(Mutex<State>);

struct State {
    random: fastrand::Rng,
    /// No request may be sent before this time.
    pause_end: Option<Instant>,
    tokens: usize,
    violations: usize,
}

impl Service {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    fn milliseconds(&self, range: std::ops::Range<u64>) -> Duration {
        Duration::from_millis(self.state().random.u64(range))
    }
}

impl Transport for Service {
    fn send(&self, request: HttpRequest) -> SendFuture<'_> {
        {
            let mut state = self.state();
            state.violations += usize::from(state.pause_end.is_some_and(|end| Instant::now() < end));
            state.tokens += usize::from(request.form.is_some());
        }
        Box::pin(async move {
            if request.form.is_some() {
                request.on_sent.notify();
                sleep(SECOND).await;
                return Ok(HttpResponse::new(200, Headers::new(), TOKEN));
            }
            sleep(self.milliseconds(0..400)).await;
            let mock = self.state().random.u8(0..10);
            if mock < 4 {
                return Err(Error::retryable(ErrorKind::Connect, "no connection"));
            }
            request.on_sent.notify();
            sleep(self.milliseconds(0..200)).await;
            let status = if mock == 4 { 429 } else { 200 };
            let mut response = HttpResponse::new(status, Headers::new(), "{}");
            if status == 429 {
                response.headers.insert("retry-after", &PAUSE.as_secs().to_string()).unwrap();
                request.on_headers.notify(status, &response.headers);
                let mut state = self.state();
                state.pause_end = state.pause_end.max(Some(Instant::now() + PAUSE));
            }
            sleep(self.milliseconds(0..200)).await;
            Ok(response)
        })
    }

    fn reports_sent(&self) -> bool {
        true
    }
}

fn paused() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

/// Sends requests at random times; some time out or are cancelled.
async fn call_at_random(service: &Service, client: &Client) {
    let mut calls = Vec::new();
    for _ in 0..40 {
        sleep(service.milliseconds(0..150)).await;
        let request = client.raw("/x");
        let limited = if service.state().random.bool() { request.clone().timeout(SECOND * 4 / 5) } else { request };
        let call = tokio::spawn(limited.into_future());
        if service.state().random.bool() {
            sleep(service.milliseconds(0..300)).await;
            call.abort();
        }
        calls.push(call);
    }
    for call in calls {
        // The outcome is ignored, because failures are part of the simulation.
        drop(call.await);
    }
}

fn check(seed: u64) {
    let random = fastrand::Rng::with_seed(seed);
    let service = Arc::new(Service(Mutex::new(State { random, pause_end: None, tokens: 0, violations: 0 })));
    let (first, second) = (paused(), paused());
    let limit = RateLimit::new(10, SECOND, if seed % 2 == 0 { 1 } else { 10 });
    let builder = Client::builder("https://example.com/v2").api_key("key").transport(service.clone());
    let builder = builder.client_credentials("id", "secret").rate_limit(limit).retry(Retry::none());
    let client = first.block_on(async { builder.build().unwrap() });
    let patience = service.milliseconds(0..2500);
    let outcome = first.block_on(async { timeout(patience, client.raw("/x").into_future()).await });
    drop(outcome);
    // The first runtime shuts down, or remains but no longer runs. The end of the pause is a time on the paused clock
    // of the first runtime, so it is invalid in the second runtime.
    let stopped = service.state().random.bool().then_some(first);
    service.state().pause_end = None;
    second.block_on(async {
        call_at_random(&service, &client).await;
        let call = timeout(1000 * SECOND, client.raw("/x").retry(Retry::default().max_attempts(100)).into_future());
        assert!(call.await.is_ok_and(|response| response.is_ok()), "seed {seed}: not served in the end");
    });
    drop(stopped);
    let state = service.state();
    assert_eq!(state.violations, 0, "seed {seed}: sent during a pause");
    assert!(state.tokens <= 2, "seed {seed}: {} requests for a token", state.tokens);
}

#[test]
fn callers_cannot_end_state_of_the_client() {
    (0..60).for_each(check);
}
