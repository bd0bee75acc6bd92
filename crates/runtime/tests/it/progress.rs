//! Tests that a request makes progress after its first poll, even if it is not polled again.
//!
//! Otherwise a request that is not polled would block others, because it occupies a slot, the front of the queue or the
//! token request. The tests use a transport in memory and a paused clock.

use std::future::{Future, IntoFuture};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use runtime::{Error, RateLimit, Value};
use test_service::invented::Client;
use test_service::scripted::{MockResponse, Service, ok, reply};
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

type Unpolled = Pin<Box<dyn Future<Output = Result<Value, Error>> + Send>>;

/// Creates a request that is polled once and then never again.
fn left_alone(client: &Client) -> Unpolled {
    let mut request: Unpolled = Box::pin(client.raw("/left").into_future());
    let polled = request.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(polled.is_pending());
    request
}

/// Creates a service that responds after a second, and a client with at most two requests in flight.
fn slow() -> (Arc<Service>, Client) {
    let service = Service::new(|_, _| MockResponse { duration: SECOND, ..ok() });
    let client = service.builder().rate_limit(RateLimit::new(1000, SECOND, 2)).build().unwrap();
    (service, client)
}

/// Checks that another request gets its response within the time `within`, although there are requests that are not
/// polled.
async fn check(client: &Client, within: Duration) {
    let begun = Instant::now();
    client.raw("/x").await.unwrap();
    assert!(begun.elapsed() <= within, "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn buffered_requests_do_not_block_another() {
    let (_, client) = slow();
    // The requests of a stream with `buffered(15)` are not polled while the body of the loop over the stream awaits
    // something else. These requests have the same state.
    let mut buffered: Vec<_> = (0..15).map(|_| left_alone(&client)).collect();
    for request in buffered.drain(..) {
        request.await.unwrap();
        check(&client, 9 * SECOND).await;
    }
}

#[tokio::test(start_paused = true)]
async fn busy_consumer_does_not_block_other_tasks() {
    let (_, client) = slow();
    let buffered: Vec<_> = (0..4).map(|_| left_alone(&client)).collect();
    let other = tokio::spawn(client.raw("/other").into_future());
    tokio::time::sleep(5 * SECOND).await;
    assert!(other.is_finished());
    for request in buffered {
        let begun = Instant::now();
        request.await.unwrap();
        assert_eq!(begun.elapsed(), Duration::ZERO, "the response had arrived before this poll");
    }
}

#[tokio::test(start_paused = true)]
async fn heartbeat_is_served_during_a_slow_request() {
    let service =
        Service::new(
            |request, _| {
                if request.url.ends_with("slow") { MockResponse { duration: 20 * SECOND, ..ok() } } else { ok() }
            },
        );
    let client = service.builder().rate_limit(RateLimit::new(1, SECOND, 1)).build().unwrap();
    client.raw("/x").await.unwrap();
    let mut slow = pin!(client.raw("/slow").into_future());
    let mut beats = 0;
    loop {
        tokio::select! {
            outcome = &mut slow => { outcome.unwrap(); break }
            () = tokio::time::sleep(SECOND / 2) => check(&client, 30 * SECOND).await,
        }
        beats += 1;
    }
    assert_eq!(beats, 1, "the only slot is occupied until the slow request has its response");
}

#[tokio::test(start_paused = true)]
async fn unpolled_token_caller_does_not_block_others() {
    let token = r#"{"access_token": "t", "expires_in": 600}"#;
    let service = Service::new(move |request, _| {
        if request.url.ends_with("token") { MockResponse { duration: SECOND, ..reply(200, &[], token) } } else { ok() }
    });
    let client = service.builder().client_credentials("id", "secret").build().unwrap();
    let leader = left_alone(&client);
    let followers: Vec<_> = (0..5).map(|_| tokio::spawn(client.raw("/x").into_future())).collect();
    let begun = Instant::now();
    for follower in followers {
        follower.await.unwrap().unwrap();
    }
    assert!(begun.elapsed() < 3 * SECOND, "{:?}", begun.elapsed());
    assert_eq!(service.seen(), (6, 1));
    leader.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_before_the_first_poll() {
    let (service, client) = slow();
    let request = client.raw("/x").into_future();
    tokio::time::sleep(SECOND).await;
    assert_eq!(service.seen(), (0, 0));
    drop(request);
    tokio::time::sleep(SECOND).await;
    assert_eq!(service.seen(), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn dropping_cancels_at_the_next_poll() {
    let (service, client) = slow();
    let requests: Vec<_> = (0..5).map(|_| left_alone(&client)).collect();
    tokio::time::sleep(SECOND / 2).await;
    assert_eq!(service.in_flight(), 2);
    drop(requests);
    tokio::task::yield_now().await;
    assert_eq!(service.in_flight(), 0);
    tokio::time::sleep(9 * SECOND).await;
    assert_eq!(service.seen(), (2, 0), "dropped requests have left the queue");
    assert_eq!(tokio::runtime::Handle::current().metrics().num_alive_tasks(), 0);
}

#[test]
fn request_on_an_ended_runtime_is_an_error() {
    let (_, client) = slow();
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let (ended, other) = (runtime(), runtime());
    // The test needs the future itself after one poll, not its result.
    #[allow(clippy::async_yields_async)]
    let request = ended.block_on(async { left_alone(&client) });
    drop(ended);
    let expected = "the runtime that sent the request has shut down";
    assert_eq!(other.block_on(request).unwrap_err().to_string(), expected);
    other.block_on(client.raw("/x").into_future()).unwrap();
}
