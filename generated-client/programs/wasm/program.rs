//! Uses the client on WebAssembly: for a request, many concurrent requests, a history, a timeout and a dropped request.

mod recipe;

use std::future::{Future, IntoFuture, pending};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Waker};
use std::time::Duration;

use generated_client::transport::{Transport, from_fn};
use generated_client::observer::{Event, Observer};
use generated_client::{Builder, Client, Retry, Timeframe, Timestamp};
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

/// Runs every use of the client against the server at this base URL.
#[wasm_bindgen]
pub async fn run(base_url: String) -> Result<(), JsError> {
    nothing_is_built_in(&base_url)?;
    let refused = Arc::new(AtomicUsize::new(0));
    let client = client(&base_url, recipe::transport()).observer(Refusals(refused.clone())).build()?;
    one_request(&client).await?;
    many_at_once(&client).await?;
    expect(refused.load(Ordering::Relaxed) == 0, "a request was rejected by the rate limit")?;
    history(&client).await?;
    an_attempt_has_a_bound(&base_url).await?;
    bounds_may_be_endless(&base_url).await?;
    a_dropped_request_ends(&base_url).await
}

fn client(base_url: &str, transport: impl Transport) -> Builder {
    Client::builder(base_url).api_key("any").transport(transport)
}

fn expect(holds: bool, otherwise: &str) -> Result<(), JsError> {
    if holds { Ok(()) } else { Err(JsError::new(otherwise)) }
}

/// Counts the responses with status 429.
struct Refusals(Arc<AtomicUsize>);

impl Observer for Refusals {
    fn observe(&self, event: &Event) {
        if let Event::Attempt { outcome: Ok(429), .. } = event {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn nothing_is_built_in(base_url: &str) -> Result<(), JsError> {
    let error = Client::builder(base_url).api_key("any").build().err().map(|error| error.to_string());
    expect(error.is_some_and(|error| error.contains("WebAssembly")), "a client was built without a transport")
}

async fn one_request(client: &Client) -> Result<(), JsError> {
    let ratio = client.orderflow().volume_ratio().coin("BTC").timeframe(Timeframe::H1).limit(5).await?;
    expect(ratio.data.len() == 5, "the response does not have five records")
}

/// Sends more requests than the rate limit allows in a second, so that some wait in the queue.
async fn many_at_once(client: &Client) -> Result<(), JsError> {
    let request = client.orderflow().volume_ratio().coin("BTC").timeframe(Timeframe::H1).limit(5);
    let mut on_their_way: Vec<_> = (0..25).map(|_| Box::pin(request.clone().into_future())).collect();
    // After its first poll, a request continues as a separate task.
    for future in &mut on_their_way {
        let _ = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    }
    for future in on_their_way {
        future.await?;
    }
    Ok(())
}

async fn history(client: &Client) -> Result<(), JsError> {
    let ratio = client.orderflow().volume_ratio().coin("BTC").timeframe(Timeframe::H1);
    let now = Timestamp::now().floor(Duration::from_secs(3600));
    let history = ratio.history(now - Duration::from_secs(30 * 86_400)..now).collect().await?;
    expect(history.records.len() == 720, "a history of 30 days does not have 720 hours")?;
    expect(history.report.gaps.is_empty(), "the history has gaps")
}

async fn an_attempt_has_a_bound(base_url: &str) -> Result<(), JsError> {
    let deaf = client(base_url, from_fn(|_| pending())).attempt_timeout(Duration::from_millis(20));
    let deaf = deaf.retry(Retry::none()).build()?;
    let outcome = deaf.orderflow().volume_ratio().coin("BTC").await;
    expect(outcome.is_err_and(|error| error.is_timeout()), "a request without a response did not time out")
}

async fn bounds_may_be_endless(base_url: &str) -> Result<(), JsError> {
    let patient = client(base_url, recipe::transport());
    let patient = patient.attempt_timeout(Duration::MAX).timeout(Duration::MAX).queue_timeout(Duration::MAX);
    let ratio = patient.build()?.orderflow().volume_ratio().coin("BTC").timeframe(Timeframe::H1).limit(5).await?;
    expect(ratio.data.len() == 5, "a request without timeouts did not return five records")
}

async fn a_dropped_request_ends(base_url: &str) -> Result<(), JsError> {
    let held = Arc::new(());
    let hold = held.clone();
    let deaf = from_fn(move |_| {
        let held = hold.clone();
        async move {
            let reply = pending().await;
            drop(held);
            reply
        }
    });
    let deaf = client(base_url, deaf).build()?;
    let mut request = Box::pin(deaf.orderflow().volume_ratio().coin("BTC").into_future());
    let _ = request.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    turn().await;
    expect(Arc::strong_count(&held) == 3, "the request was not sent")?;
    drop(request);
    turn().await;
    expect(Arc::strong_count(&held) == 2, "the dropped request was not cancelled")
}

/// Lets the other tasks run for a few turns of the event loop.
async fn turn() {
    for _ in 0..10 {
        let resolved = js_sys::Promise::resolve(&wasm_bindgen::JsValue::NULL);
        let _ = wasm_bindgen_futures::JsFuture::from(resolved).await;
    }
}
