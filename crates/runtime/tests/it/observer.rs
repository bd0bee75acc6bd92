//! Tests of the events that observers receive, with a transport in memory and a paused clock.

use std::future::IntoFuture;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runtime::observer::{Event, Observer};
use runtime::registry::{BodyInfo, EndpointInfo, Evidence, FieldInfo, ParamInfo, RecordInfo, ServiceInfo, ValueType};
use runtime::{AnyClient, ErrorKind, Retry};
use test_service::scripted::{MockResponse, Service, failure, ok, reply, silence, troubled};

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

static SERVICE: ServiceInfo = ServiceInfo::new("Fields");

static RATE: RecordInfo = RecordInfo::new(
    "Rate",
    &[
        FieldInfo::new("time", "t", ValueType::Integer, Evidence::Documented),
        FieldInfo { optional: true, ..FieldInfo::new("rate", "rate", ValueType::Number, Evidence::Reported) },
        FieldInfo { optional: true, ..FieldInfo::new("volume", "volume", ValueType::Number, Evidence::Reported) },
    ],
);

static RATES: EndpointInfo = EndpointInfo {
    path: Some("/rates"),
    body: BodyInfo::Series { record: Some(&RATE), time: None, evidence: Evidence::Reported },
    param_lists: Some(&[&[ParamInfo::new("symbol", "symbol", ValueType::String, Evidence::Reported)]]),
    ..EndpointInfo::new("market", "rates", "Rates")
};

/// An observer that stores the fields that are missing.
#[derive(Default)]
struct Missing(Mutex<Vec<String>>);

impl Observer for Missing {
    fn observe(&self, event: &Event) {
        if let Event::FieldMissing { request, params, field, new, .. } = event {
            self.0.lock().unwrap().push(format!("{request} {params}: {field}, new {new:?}"));
        }
    }
}

/// Receives these bodies one after the other, and returns the missing fields.
async fn missing(bodies: &[&'static str]) -> Vec<String> {
    let count = bodies.len();
    let bodies = bodies.to_vec();
    let service = Service::new(move |_, before| reply(200, &[], bodies[before]));
    let observer = Arc::new(Missing::default());
    let builder = AnyClient::builder(&SERVICE, "https://example.com").transport(service.clone());
    let client = builder.observer(observer.clone()).build().unwrap();
    for _ in 0..count {
        // Clones know the same fields.
        client.clone().endpoint(&RATES).query("symbol", "A\nB").query("mine", "unknown").await.unwrap();
    }
    let lines = observer.0.lock().unwrap();
    lines.clone()
}

#[tokio::test(start_paused = true)]
async fn field_without_values_is_reported_once() {
    const FULL: &str = r#"[{"t": 1, "rate": 1, "volume": 2, "old": 1}, {"t": 2, "rate": 1, "volume": 2}]"#;
    let renamed = r#"[{"t": 3, "rate": 1, "vol": 2, "old": 1}]"#;
    let line = |field: &str, new: &str| vec![format!("market.rates symbol=A B: {field}, new [{new}]")];
    assert_eq!(missing(&[FULL, renamed, renamed]).await, line("volume", "\"vol\""));
    let null = r#"[{"t": 3, "rate": null, "volume": 2}, {"t": 4, "volume": 2}]"#;
    assert_eq!(missing(&[FULL, null, FULL, null]).await, line("rate", ""));
    // A field that some records have, that no response had, or that has a value of another type, is not missing.
    let partly = r#"[{"t": 3, "volume": 2}, {"t": 4, "rate": 1, "volume": 2}, {"t": 5, "volume": 2}]"#;
    let never = r#"[{"t": 3, "volume": 2}]"#;
    let text = r#"[{"t": 3, "rate": "high", "volume": 2}]"#;
    for bodies in [&[FULL, partly][..], &[never, never], &[FULL, text], &[FULL, "[]"], &[never, FULL]] {
        assert_eq!(missing(bodies).await, Vec::<String>::new(), "{bodies:?}");
    }
}

/// Events have the params of their request, so that "this line" can be related to a series.
#[tokio::test(start_paused = true)]
async fn events_have_the_params_of_their_request() {
    #[derive(Default)]
    struct Params(Mutex<Vec<String>>);

    impl Observer for Params {
        fn observe(&self, event: &Event) {
            let (Event::Wait { params, .. }
            | Event::Attempt { params, .. }
            | Event::Retry { params, .. }
            | Event::End { params, .. }) = event
            else {
                return;
            };
            assert_eq!(params.get("other"), None);
            self.0.lock().unwrap().push(format!("{params} {:?}", params.get("symbol")));
        }
    }

    let (_, builder) = troubled();
    let params = Arc::new(Params::default());
    let client = builder.observer(params.clone()).build().unwrap();
    client.market().ratio().symbol("A canary-secret").query("other", "private").await.unwrap();
    let mut seen = params.0.lock().unwrap().clone();
    seen.dedup();
    assert_eq!(seen, [" None", "symbol=A ************* Some(\"A *************\")"]);
}
