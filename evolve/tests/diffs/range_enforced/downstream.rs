use std::future::{Future, IntoFuture};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use generated_client::Client;

/// What the client refuses, it refuses before it does anything else, so that no service is asked.
fn main() {
    let client = Client::builder("https://example.com").build().unwrap();
    let mut request = pin!(client.market().basis().limit(1000).into_future());
    let context = &mut Context::from_waker(Waker::noop());
    let first = catch_unwind(AssertUnwindSafe(|| request.as_mut().poll(context)));
    assert!(!matches!(first, Ok(Poll::Ready(Err(_)))));
}
