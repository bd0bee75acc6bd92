//! What observers are told, over a transport in memory and a paused clock.

#![allow(clippy::unwrap_used)] // Clippy knows a test by its attribute, which helpers do not have.

mod invented;
mod scripted;

use std::sync::{Arc, Mutex};

use runtime::{Event, Observer};

use scripted::troubled;

/// Writes down what happens.
#[derive(Default)]
struct Journal(Mutex<Vec<String>>);

impl Observer for Journal {
    fn observe(&self, event: &Event) {
        let line = match event {
            Event::Wait { request, what, elapsed, .. } => format!("{request} waited for {what:?} {elapsed:?}"),
            Event::Attempt { request, number, outcome, bytes, elapsed, .. } => {
                format!("{request} sent {number}: {outcome:?}, {bytes} bytes, {elapsed:?}")
            }
            Event::Retry { request, kind, .. } => format!("{request} again after {kind:?}"),
            Event::Token { renewed, .. } => format!("token renewed: {renewed}"),
            _ => String::new(),
        };
        self.0.lock().unwrap().push(line);
    }
}

#[tokio::test(start_paused = true)]
async fn everything_is_told_in_order() {
    let (_, builder) = troubled();
    let journal = Arc::new(Journal::default());
    let client = builder.observer(journal.clone()).build().unwrap();
    client.market().ratio().coin("canary-coin").await.unwrap();
    let expected = [
        "token sent 1: Err(Connect), 0 bytes, 21ms",
        "token again after Connect",
        "token waited for Gate 989ms",
        "token sent 2: Ok(200), 51 bytes, 21ms",
        "token renewed: true",
        "market.ratio waited for Token 1.031s",
        "market.ratio waited for Gate 989ms",
        "market.ratio sent 1: Ok(503), 42 bytes, 21ms",
        "market.ratio again after Status",
        "market.ratio waited for Gate 989ms",
        "market.ratio sent 2: Ok(200), 51 bytes, 21ms",
    ];
    assert_eq!(*journal.0.lock().unwrap(), expected);
}
