//! What observers and logs are told, over a transport in memory and a paused clock.

#![allow(clippy::unwrap_used)] // Clippy knows a test by its attribute, which helpers do not have.

mod scripted;

use std::sync::{Arc, Mutex};

use generated_client::transport::Phase;
use generated_client::{Builder, Event, Observer, RateLimit, Retry};

use scripted::{Service, failure, ok, reply};

/// Writes down what happens.
#[derive(Default)]
struct Journal(Mutex<Vec<String>>);

impl Observer for Journal {
    fn observe(&self, event: &Event) {
        let line = match event {
            Event::Wait { purpose, what, elapsed, .. } => format!("{purpose} waited for {what:?} {elapsed:?}"),
            Event::Attempt { purpose, number, outcome, bytes, elapsed, .. } => {
                format!("{purpose} sent {number}: {outcome:?}, {bytes} bytes, {elapsed:?}")
            }
            Event::Retry { purpose, kind, .. } => format!("{purpose} again after {kind:?}"),
            Event::Token { renewed, .. } => format!("token renewed: {renewed}"),
            _ => String::new(),
        };
        self.0.lock().unwrap().push(line);
    }
}

/// A service where much goes wrong, and a client of it.
fn troubled() -> (Arc<Service>, Builder) {
    let service = Service::new(|_, before| match before {
        0 => failure(Phase::Connect),
        1 => reply(200, &[], r#"{"access_token": "canary-token", "expires_in": 600}"#),
        2 => reply(503, &[], r#"{"message": "canary-token and canary-key"}"#),
        _ => ok(),
    });
    let retry = Retry::default().backoff(std::time::Duration::ZERO, std::time::Duration::ZERO);
    let builder = service.builder().client_credentials("canary-id", "canary-secret").retry(retry);
    (service, builder.rate_limit(RateLimit::new(1, std::time::Duration::from_secs(1), 1)))
}

#[tokio::test(start_paused = true)]
async fn everything_is_told_in_order() {
    let (_, builder) = troubled();
    let journal = Arc::new(Journal::default());
    let client = builder.observer(journal.clone()).build().unwrap();
    client.orderflow().volume_ratio().coin("canary-coin").await.unwrap();
    let expected = [
        "token sent 1: Err(Connect), 0 bytes, 21ms",
        "token again after Connect",
        "token waited for Gate 989ms",
        "token sent 2: Ok(200), 51 bytes, 21ms",
        "token renewed: true",
        "orderflow.volume_ratio waited for Token 1.031s",
        "orderflow.volume_ratio waited for Gate 989ms",
        "orderflow.volume_ratio sent 1: Ok(503), 42 bytes, 21ms",
        "orderflow.volume_ratio again after Status",
        "orderflow.volume_ratio waited for Gate 989ms",
        "orderflow.volume_ratio sent 2: Ok(200), 57 bytes, 21ms",
    ];
    assert_eq!(*journal.0.lock().unwrap(), expected);
}

#[cfg(feature = "tracing")]
mod logs {
    use std::fmt::{Debug, Write};

    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Metadata, Subscriber};

    use super::*;

    /// A subscriber that keeps everything it is given.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<String>>);

    impl Visit for &Log {
        fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
            write!(self.0.lock().unwrap(), " {field}={value:?}").unwrap();
        }
    }

    impl Subscriber for Log {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            metadata.target().starts_with("generated_client")
        }

        fn new_span(&self, span: &Attributes<'_>) -> Id {
            self.0.lock().unwrap().push_str(span.metadata().name());
            span.record(&mut &*self);
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, values: &Record<'_>) {
            values.record(&mut &*self);
        }

        fn event(&self, event: &tracing::Event<'_>) {
            event.record(&mut &*self);
        }

        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }

    #[tokio::test(start_paused = true)]
    async fn logs_hold_what_is_allowed_and_no_more() {
        let log = Log::default();
        let _guard = tracing::subscriber::set_default(log.clone());
        let (service, builder) = troubled();
        let client = builder.build().unwrap();
        client.orderflow().volume_ratio().coin("canary-coin").await.unwrap();
        service.becomes(|_, _| reply(404, &[], "canary-body"));
        client.raw("/canary-path").await.unwrap_err();
        let log = log.0.lock().unwrap();
        assert!(!log.contains("canary"), "{log}");
        let expected = [
            "request endpoint=orderflow.volume_ratio",
            " message=attempt purpose=token number=2 outcome=Ok(200) bytes=51 elapsed_ms=21",
            " message=retry purpose=orderflow.volume_ratio kind=Status delay_ms=0",
            " attempts=2 waited_ms=3009 status=200 bytes=57",
            "request endpoint=client.raw",
            " attempts=1 waited_ms=989 status=404",
        ];
        let mut rest = log.as_str();
        for part in expected {
            let at = rest.find(part);
            assert!(at.is_some(), "{part} is not in {log}");
            rest = &rest[at.unwrap() + part.len()..];
        }
    }
}
