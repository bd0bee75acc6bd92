//! Gates of the user's own, over a transport in memory and a paused clock.

#![allow(clippy::unwrap_used)] // Clippy knows a test by its attribute, which helpers do not have.

mod invented;
mod scripted;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use runtime::gate::{Attempt, Gate, GateError, Permit, PermitFuture};
use runtime::{ErrorKind, RateLimit, Retry};

use scripted::{Service, ok, reply};

const SECOND: Duration = Duration::from_secs(1);

/// A gate that cannot be reached at first, and remembers what it is told.
#[derive(Default)]
struct Counting {
    entered: AtomicUsize,
    refusals: Mutex<Vec<Duration>>,
}

impl Gate for Counting {
    fn enter(&self, _: Attempt) -> PermitFuture<'_> {
        Box::pin(async {
            match self.entered.fetch_add(1, Ordering::SeqCst) {
                0 => Err(GateError::new("the counter cannot be reached").because("connection refused")),
                _ => Ok(Permit::new(())),
            }
        })
    }

    fn refused(&self, pause: Duration) {
        self.refusals.lock().unwrap().push(pause);
    }
}

#[tokio::test(start_paused = true)]
async fn a_gate_can_be_brought_along() {
    let service = Service::new(|_, before| if before == 0 { reply(429, &[], "") } else { ok() });
    let gate = Arc::new(Counting::default());
    let client = service.builder().gate(gate.clone()).build().unwrap();
    client.raw("/x").await.unwrap();
    assert_eq!(gate.entered.load(Ordering::SeqCst), 3);
    assert_eq!(*gate.refusals.lock().unwrap(), [SECOND]);
    let client = service.builder().gate(Counting::default()).retry(Retry::default().budget(0)).build().unwrap();
    client.raw("/x").await.unwrap();
    let gate = Arc::new(Counting::default());
    let client = service.builder().gate(gate).retry(Retry::none()).build().unwrap();
    let error = client.raw("/x").await.unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Wait, 0));
    assert!(format!("{error:#}").contains("client.raw (GET /x): the counter cannot be reached: connection refused"));
    let both = service.builder().gate(Counting::default()).rate_limit(RateLimit::none()).build();
    let expected = "`rate_limit` has no effect on a gate of your own; set it there";
    assert_eq!(both.map(drop).unwrap_err().to_string(), expected);
}

/// A gate where the first has to wait for long.
#[derive(Default)]
struct Crowded(AtomicUsize);

impl Gate for Crowded {
    fn enter(&self, _: Attempt) -> PermitFuture<'_> {
        Box::pin(async {
            if self.0.fetch_add(1, Ordering::SeqCst) == 0 {
                tokio::time::sleep(100 * SECOND).await;
            }
            Ok(Permit::new(()))
        })
    }

    fn refused(&self, _: Duration) {}
}

#[tokio::test(start_paused = true)]
async fn a_token_lives_from_when_it_was_asked_for() {
    let body = r#"{"access_token": "t", "expires_in": 60}"#;
    let service = Service::new(|request, _| if request.url.ends_with("token") { reply(200, &[], body) } else { ok() });
    let builder = service.builder().client_credentials("id", "secret").gate(Crowded::default());
    builder.build().unwrap().raw("/x").await.unwrap();
    assert_eq!(service.seen(), (1, 1));
}
