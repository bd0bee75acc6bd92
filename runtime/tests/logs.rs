//! What logs hold. Alone in its file: a subscriber sees nothing of a span that another thread met first.

#![cfg(feature = "tracing")]
#![allow(clippy::unwrap_used)] // Clippy knows a test by its attribute, which helpers do not have.

mod invented;
mod scripted;

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Metadata, Subscriber};

use scripted::{reply, troubled};

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
        metadata.target().starts_with("runtime")
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
    client.market().ratio().coin("canary-coin").await.unwrap();
    service.becomes(|_, _| reply(404, &[], "canary-body"));
    client.raw("/canary-path").await.unwrap_err();
    let log = log.0.lock().unwrap();
    assert!(!log.contains("canary"), "{log}");
    let expected = [
        "request endpoint=market.ratio",
        " message=attempt request=token number=2 outcome=Ok(200) bytes=51 elapsed_ms=21",
        " message=retry request=market.ratio kind=Status delay_ms=0",
        " attempts=2 waited_ms=3009 status=200 bytes=51",
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
