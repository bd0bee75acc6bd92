//! Tests of the events that observers receive, with a transport in memory and a paused clock.

use std::future::IntoFuture;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runtime::observer::{Event, Observer};
use runtime::{ErrorKind, Retry};

use crate::scripted::{MockResponse, Service, failure, ok, reply, silence, troubled};

/// An observer that stores events.
#[derive(Default)]
struct Journal(Mutex<Vec<String>>);

impl Observer for Journal {
    fn observe(&self, event: &Event) {
        let line = match event {
            Event::Wait { request, reason, elapsed, .. } => format!("{request} waited for {reason:?} {elapsed:?}"),
            Event::Attempt { request, number, outcome, bytes, elapsed, .. } => {
                format!("{request} sent {number}: {outcome:?}, {bytes} bytes, {elapsed:?}")
            }
            Event::Retry { request, kind, .. } => format!("{request} again after {kind:?}"),
            Event::Token { renewed, .. } => format!("token renewed: {renewed}"),
            Event::End { request, outcome, bytes, attempts, elapsed, waited, .. } => {
                format!("{request} ended: {outcome:?}, {bytes} bytes, {attempts} attempts, {elapsed:?}, {waited:?}")
            }
            _ => String::new(),
        };
        self.0.lock().unwrap().push(line);
    }
}

#[tokio::test(start_paused = true)]
async fn observer_receives_events_in_order() {
    let (_, builder) = troubled();
    let journal = Arc::new(Journal::default());
    let client = builder.observer(journal.clone()).build().unwrap();
    client.market().ratio().symbol("canary-symbol").await.unwrap();
    let expected = [
        "token sent 1: Err(Connect), 0 bytes, 21ms",
        "token again after Connect",
        "token waited for RateLimiter 989ms",
        "token sent 2: Ok(200), 51 bytes, 21ms",
        "token renewed: true",
        "market.ratio waited for Token 1.031s",
        "market.ratio waited for RateLimiter 989ms",
        "market.ratio sent 1: Ok(503), 42 bytes, 21ms",
        "market.ratio again after Status",
        "market.ratio waited for RateLimiter 989ms",
        "market.ratio sent 2: Ok(200), 51 bytes, 21ms",
        "market.ratio ended: Success { status: 200 }, 51 bytes, 2 attempts, 3.051s, 3.009s",
    ];
    assert_eq!(*journal.0.lock().unwrap(), expected);
}

/// Sends a request, and returns the outcome in its last event, which must be reported exactly once.
async fn ending(outcome: impl Fn() -> MockResponse + Send + 'static, patience: Duration) -> String {
    let service = Service::new(move |_, _| outcome());
    let journal = Arc::new(Journal::default());
    let client = service.builder().observer(journal.clone()).retry(Retry::none()).build().unwrap();
    drop(tokio::time::timeout(patience, client.market().ratio().into_future()).await);
    tokio::task::yield_now().await;
    let journal = journal.0.lock().unwrap();
    assert_eq!(journal.iter().filter(|line| line.contains("ended")).count(), 1, "{journal:?}");
    journal.last().unwrap().strip_prefix("market.ratio ended: ").unwrap().to_owned()
}

/// The response of the service, the time for which the caller waits, and the outcome that is reported.
type Row = (fn() -> MockResponse, Duration, &'static str);

#[tokio::test(start_paused = true)]
async fn every_request_ends_once() {
    let minute = Duration::from_secs(60);
    let table: [Row; 5] = [
        (ok, minute, "Success { status: 200 }, 51 bytes, 1 attempts, 21ms, 0ns"),
        (|| reply(404, &[], ""), minute, "Failure { kind: Status, status: Some(404) }, 0 bytes, 1 attempts, 21ms, 0ns"),
        (
            || reply(200, &[], r#"{"data": 7}"#),
            minute,
            "Failure { kind: Decode, status: Some(200) }, 11 bytes, 1 attempts, 21ms, 0ns",
        ),
        (
            || failure(ErrorKind::Connect),
            minute,
            "Failure { kind: Connect, status: None }, 0 bytes, 1 attempts, 21ms, 0ns",
        ),
        (silence, Duration::from_secs(2), "Cancelled, 0 bytes, 1 attempts, 2s, 0ns"),
    ];
    for (outcome, patience, expected) in table {
        assert_eq!(ending(outcome, patience).await, expected);
    }
}
