use std::future::{Future, IntoFuture};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use generated_client::Client;

/// What the client refuses, it refuses before it sends anything.
fn main() {
    let client = Client::builder("https://example.com").build().unwrap();
    let mut request = pin!(client.market().basis().limit(1000).into_future());
    let context = &mut Context::from_waker(Waker::noop());
    if let Poll::Ready(Err(error)) = request.as_mut().poll(context) {
        assert!(!error.to_string().contains("`limit` is 1000"), "{error}");
    }
}
