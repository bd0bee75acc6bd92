//! Tests of the contents of logs. They run in a separate process, because `tracing` decides at the first use of a span,
//! in any thread, whether a subscriber sees that span.

use std::fmt::{Debug, Write};
use std::num::NonZeroU64;
use std::sync::{Arc, Mutex};

use runtime::{ErrorKind, Retry};
use test_service::scripted::{failure, reply, troubled};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Instrument, Metadata, Subscriber};
use tracing_core::span::Current;

use crate::alone::{is_alone, run_alone};

/// A subscriber that writes all spans and events to a text, and keeps track of the active spans.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>, Arc<Mutex<Entered>>);

/// The spans that are entered, and the metadata of the outer span.
#[derive(Default)]
struct Entered(Vec<Id>, Option<&'static Metadata<'static>>);

impl Visit for &Log {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0.lock().unwrap(), " {field}={value:?}").unwrap();
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "generated_client_runtime" || metadata.name() == "outer"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.0.lock().unwrap().push_str(span.metadata().name());
        span.record(&mut &*self);
        let mut entered = self.1.lock().unwrap();
        if span.is_contextual() && entered.0.contains(&OUTER) {
            self.0.lock().unwrap().push_str(" within outer");
        }
        if span.metadata().name() != "outer" {
            return Id::from_u64(1);
        }
        entered.1 = Some(span.metadata());
        OUTER
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut &*self);
    }

    fn event(&self, event: &tracing::Event<'_>) {
        event.record(&mut &*self);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, span: &Id) {
        self.1.lock().unwrap().0.push(span.clone());
    }

    fn exit(&self, span: &Id) {
        let entered = &mut self.1.lock().unwrap().0;
        let at = entered.iter().rposition(|other| other == span).unwrap();
        entered.remove(at);
    }

    fn current_span(&self) -> Current {
        let entered = self.1.lock().unwrap();
        match entered.1.filter(|_| entered.0.contains(&OUTER)) {
            Some(outer) => Current::new(OUTER, outer),
            None => Current::none(),
        }
    }
}

/// The id of the span that the test itself creates.
const OUTER: Id = Id::from_non_zero_u64(NonZeroU64::MAX);

#[tokio::test(start_paused = true)]
async fn logs_contain_only_allowed_values() {
    if !is_alone() {
        return run_alone("logs::logs_contain_only_allowed_values", &[]);
    }
    let log = Log::default();
    let _guard = tracing::subscriber::set_default(log.clone());
    let (service, builder) = troubled();
    let client = builder.build().unwrap();
    let request =
        async { client.market().ratio().symbol("canary-key").query("sort", "asc").query("own", "canary").await };
    request.instrument(tracing::debug_span!("outer")).await.unwrap();
    service.becomes(|_, _| reply(404, &[], "canary-body"));
    client.raw("/canary-path").await.unwrap_err();
    service.becomes(|_, _| failure(ErrorKind::Connect));
    client.raw("/x").retry(Retry::default().max_attempts(2)).await.unwrap_err();
    service.becomes(|_, _| reply(429, &[("retry-after", "7")], ""));
    client.raw("/x").retry(Retry::none()).await.unwrap_err();
    let log = log.0.lock().unwrap();
    assert!(!log.contains("canary"), "{log}");
    let expected = [
        "request endpoint=market.ratio params=symbol=********** sort=asc within outer",
        " message=attempt request=token number=2 outcome=Ok(200) bytes=51 elapsed_ms=21",
        " message=retry request=market.ratio kind=Status delay_ms=0",
        " attempts=2 waited_ms=3009 status=200 bytes=51",
        "request endpoint=client.raw",
        " attempts=1 waited_ms=989 status=404",
        " message=retry request=client.raw kind=Connect cause=\"it failed as it should\" delay_ms=",
        " message=failed request=client.raw outcome=Failure { kind: Connect, status: None } cause=\"it failed as it should\"",
        " request=client.raw number=1 pause_ms=7000",
    ];
    let mut rest = log.as_str();
    for part in expected {
        let at = rest.find(part);
        assert!(at.is_some(), "{part} is not in {log}");
        rest = &rest[at.unwrap() + part.len()..];
    }
}
