//! Middleware for every request to the service.
//!
//! The middleware counts requests, enforces the limits, applies the faults of the rules, and checks the API key. It
//! does not handle requests for the page.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant, SystemTime};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{CONTENT_LENGTH, LOCATION, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use http_body::{Frame, SizeHint};

use crate::access;
use crate::connection::ConnectionState;
use crate::fault::{ActiveFaults, FaultTarget, Replacement, RequestParams};
use crate::rejection::Rejection;
use crate::settings::RetryAfter;
use crate::shared::Shared;
use crate::traffic::{Slot, WeightedRequest};

/// Passes a request to its route, or rejects it.
pub(crate) async fn pass(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(connection): ConnectInfo<ConnectionState>,
    request: Request,
    next: Next,
) -> Response {
    let reused = connection.is_reused();
    let (target, params) = FaultTarget::of(shared.registry, request.uri());
    let endpoint = target.endpoint();
    let weight = match endpoint {
        Some(endpoint) => endpoint.weight_of(|name| value_of(&params, name)),
        None => 1,
    };
    match shared.traffic.admit(Instant::now(), WeightedRequest { endpoint, weight }) {
        Ok(slot) => {
            let faults = shared.faults().draw(target, &params, reused);
            let response = with_faults(faults, target, &connection, &shared, check_key(&shared, request, next)).await;
            response.map(|body| Body::new(InFlight { body, _slot: slot }))
        }
        Err(wait) => rate_limited(&shared, wait),
    }
}

fn value_of<'p>(params: &'p RequestParams, name: &str) -> Option<&'p str> {
    let (_, value) = params.iter().find(|(param, _)| *param == name)?;
    Some(value)
}

/// Waits for the response, and applies the faults of the request to it.
async fn with_faults(
    faults: ActiveFaults,
    target: FaultTarget,
    connection: &ConnectionState,
    shared: &Shared,
    response: impl Future<Output = Response>,
) -> Response {
    if !faults.latency.is_zero() {
        tokio::time::sleep(faults.latency).await;
    }
    let response = match &faults.replacement {
        // The future of the real response is never polled, so the request needs neither a valid key nor valid params.
        Some(replacement) => replaced(replacement, shared),
        None => response.await,
    };
    if faults.edits.is_empty() && faults.delivery.is_none() {
        return response;
    }
    let (mut head, body) = response.into_parts();
    // This cannot fail, because the body of a sandbox response is already in memory.
    let mut body = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
    if head.status == StatusCode::OK {
        for (edit, dice) in faults.edits {
            body = edit.apply(&body, target.endpoint(), shared.registry.service, dice).into();
        }
    }
    // Edits may have changed the length, so the server has to add the header again.
    head.headers.remove(CONTENT_LENGTH);
    match faults.delivery {
        None => Response::from_parts(head, Body::from(body)),
        Some(delivery) => delivery.apply(head, body, connection),
    }
}

fn replaced(replacement: &Replacement, shared: &Shared) -> Response {
    let status = match replacement {
        Replacement::Status(status) => *status,
        Replacement::Redirect(_) => StatusCode::FOUND,
    };
    let mut response = shared.response(&Rejection::new(status, "fault", "a fault rule matches the request"));
    if let Replacement::Redirect(to) = replacement
        && let Ok(to) = HeaderValue::try_from(to)
    {
        response.headers_mut().insert(LOCATION, to);
    }
    response
}

/// Checks the API key, and passes the request to its route.
async fn check_key(shared: &Shared, request: Request, next: Next) -> Response {
    let query = request.uri().query().unwrap_or_default();
    let expected = shared.settings.api_key.as_deref();
    match access::api_key(request.headers(), query, shared.registry.service, expected) {
        Ok(()) => next.run(request).await,
        Err(error) => shared.response(&error),
    }
}

fn rate_limited(shared: &Shared, wait: Duration) -> Response {
    let message = "the rate limit was exceeded";
    let mut response = shared.response(&Rejection::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", message));
    let is_date = match shared.settings.retry_after {
        RetryAfter::Seconds => false,
        RetryAfter::Date => true,
        RetryAfter::Either => {
            let rate_limited = i64::try_from(shared.traffic.rate_limited()).unwrap_or(i64::MAX);
            shared.settings.seed.name("Retry-After").number(rate_limited).unit() < 0.5
        }
    };
    let value = if is_date {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(rounded_up(now + wait)))
    } else {
        rounded_up(wait).to_string()
    };
    if let Ok(value) = HeaderValue::try_from(value) {
        response.headers_mut().insert(RETRY_AFTER, value);
    }
    response
}

/// A time in whole seconds; rounded up, so that the client does not retry too early.
fn rounded_up(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

/// A body that keeps its request in flight until the body is written.
struct InFlight {
    body: Body,
    _slot: Slot,
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
