//! The way of every request to the service, before it reaches its route and after the reply has left it.
//!
//! It is counted and held to the limits, and then asked for its API key. What is served at other places than
//! the service's paths does not come by here.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant, SystemTime};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body::{Frame, SizeHint};

use crate::access;
use crate::refusal::Refusal;
use crate::routes::Shared;
use crate::settings::RetryAfter;
use crate::traffic::Place;

/// Lets a request pass to its route, or refuses it.
pub(crate) async fn pass(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    match shared.traffic.enter(Instant::now()) {
        Ok(place) => {
            let response = ask_for_key(&shared, request, next).await;
            response.map(|body| Body::new(InFlight { body, _place: place }))
        }
        Err(wait) => beyond_the_limits(&shared, wait),
    }
}

async fn ask_for_key(shared: &Shared, request: Request, next: Next) -> Response {
    match access::api_key(request.headers(), shared.settings.api_key.as_deref()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}

fn beyond_the_limits(shared: &Shared, wait: Duration) -> Response {
    let message = "more requests came than the limits allow";
    let mut response = Refusal::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", message).into_response();
    let date = match shared.settings.retry_after {
        RetryAfter::Seconds => false,
        RetryAfter::Date => true,
        RetryAfter::Either => {
            let refused = i64::try_from(shared.traffic.refused()).unwrap_or(i64::MAX);
            shared.settings.seed.name("Retry-After").number(refused).unit() < 0.5
        }
    };
    // Half a second of waiting is written as one, so that whoever waits has waited long enough.
    let whole = |time: Duration| time.as_secs() + u64::from(time.subsec_nanos() > 0);
    let value = if date {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(whole(now + wait)))
    } else {
        whole(wait).to_string()
    };
    if let Ok(value) = HeaderValue::try_from(value) {
        response.headers_mut().insert(RETRY_AFTER, value);
    }
    response
}

/// A body that is in flight until all of it is written.
struct InFlight {
    body: Body,
    _place: Place,
}

impl HttpBody for InFlight {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
