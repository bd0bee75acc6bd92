//! What every request to the service passes through, before its route and after it.
//!
//! Requests are counted and held to the limits, meet the faults of the rules, and need the API key. Requests to other
//! paths, such as the page's, do not pass here.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant, SystemTime};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::header::{CONTENT_LENGTH, LOCATION, RETRY_AFTER};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use generated_client::SERVICE;
use generated_client::registry::EndpointInfo;
use http_body::{Frame, SizeHint};

use crate::access;
use crate::connection::{Connection, OwnConnection};
use crate::fault::{Instead, Struck};
use crate::known;
use crate::recording::{Recording, Written};
use crate::refusal::Refusal;
use crate::routes::Shared;
use crate::settings::{RetryAfter, Settings};
use crate::traffic::Place;

/// Lets a request pass to its route, or refuses it.
pub(crate) async fn pass(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(OwnConnection(connection)): ConnectInfo<OwnConnection>,
    request: Request,
    next: Next,
) -> Response {
    let reused = connection.is_reused();
    let path = request.extensions().get::<MatchedPath>().cloned();
    match shared.traffic.enter(Instant::now(), path.as_ref().and_then(endpoint_at)) {
        Ok(place) => {
            let struck = shared.faults().strike(path.as_ref().map(MatchedPath::as_str), reused);
            let response = meet(struck, path.as_ref(), &connection, ask_for_key(&shared, request, next)).await;
            response.map(|body| Body::new(InFlight { body, _place: place }))
        }
        Err(wait) => beyond_the_limits(&shared, wait),
    }
}

/// The endpoint of a route.
fn endpoint_at(path: &MatchedPath) -> Option<&'static EndpointInfo> {
    known::endpoint(path.as_str().strip_prefix(SERVICE.base_url_suffix)?)
}

/// Gets the reply, and applies the faults of the request to it.
async fn meet(
    struck: Struck,
    path: Option<&MatchedPath>,
    connection: &Arc<Connection>,
    reply: impl Future<Output = Response>,
) -> Response {
    if !struck.latency.is_zero() {
        tokio::time::sleep(struck.latency).await;
    }
    let response = match &struck.instead {
        Some(instead) => replaced(instead),
        None => reply.await,
    };
    if struck.edits.is_empty() && struck.delivery.is_none() {
        return response;
    }
    let (mut head, body) = response.into_parts();
    // The body of a reply of the sandbox is in memory already.
    let mut body = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
    if head.status == StatusCode::OK {
        let endpoint = path.and_then(endpoint_at);
        for (edit, dice) in struck.edits {
            body = edit.apply(&body, endpoint, dice).into();
        }
    }
    head.headers.remove(CONTENT_LENGTH);
    match struck.delivery {
        None => Response::from_parts(head, Body::from(body)),
        Some(delivery) => delivery.apply(head, body, connection),
    }
}

fn replaced(instead: &Instead) -> Response {
    let refused = |status| Refusal::new(status, "fault", "a rule asked for this").into_response();
    match instead {
        Instead::Status(status) => refused(*status),
        Instead::Redirect(to) => {
            let mut response = refused(StatusCode::FOUND);
            if let Ok(to) = HeaderValue::try_from(to) {
                response.headers_mut().insert(LOCATION, to);
            }
            response
        }
    }
}

async fn ask_for_key(shared: &Shared, request: Request, next: Next) -> Response {
    match access::api_key(request.headers(), shared.settings.api_key.as_deref()) {
        Ok(()) => answer(shared, request, next).await,
        Err(refusal) => refusal.into_response(),
    }
}

/// Answers from the recording or from the route, and records the exchange. Tokens only come from the route.
async fn answer(shared: &Shared, request: Request, next: Next) -> Response {
    let Settings { recorder, recording, .. } = &shared.settings;
    if recorder.is_none() && recording.is_none() || request.method() == Method::POST {
        return next.run(request).await;
    }
    let (method, asked) = (request.method().clone(), request.headers().clone());
    let target = request.uri().path_and_query().map_or("/", PathAndQuery::as_str).to_owned();
    let response = match recording {
        Some(recording) => play(shared, recording, &request, &target).into_response(),
        None => next.run(request).await,
    };
    let Some(recorder) = recorder else {
        return response;
    };
    let (head, body) = response.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
    let (method, status) = (method.as_str(), head.status.as_u16());
    let exchange = Written { method, target: &target, asked: &asked, status, headers: &head.headers, body: &body };
    match recorder.write(&exchange) {
        Ok(()) => Response::from_parts(head, Body::from(body)),
        Err(error) => {
            let message = format!("the recording cannot be written: {error}");
            Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "not_recorded", message).into_response()
        }
    }
}

fn play(shared: &Shared, recording: &Recording, request: &Request, target: &str) -> Result<Response, Refusal> {
    if shared.settings.bearer_required {
        access::bearer(request.headers(), &shared.tokens)?;
    }
    recording.play(request.method().as_str(), target)
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
    // Rounded up to whole seconds, so that a client which waits for them has waited long enough.
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
