//! The router: one route for each endpoint of the registry that has a path, and the token endpoint.
//!
//! Requests come in, replies go out; what is in them is decided elsewhere. There is no second list of
//! endpoints: what is catalogued is served.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{RawQuery, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use generated_client::SERVICE;
use generated_client::registry::EndpointInfo;

use crate::answer::{World, answer};
use crate::asked::Asked;
use crate::invented;
use crate::known;
use crate::page;
use crate::refusal::Refusal;
use crate::settings::Settings;
use crate::token::Tokens;
use crate::{access, token};

/// What all requests share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) tokens: Tokens,
}

/// Routes every endpoint of the registry.
pub(crate) fn router(shared: Shared) -> Router {
    let shared = Arc::new(shared);
    let page = page::router(&shared.settings);
    // Without the checks a path may have segments that begin with `:` or `*`, which mean nothing here.
    let mut router = Router::new().without_v07_checks();
    for (path, endpoint) in known::endpoints() {
        let reply = move |State(shared): State<Arc<Shared>>, headers: HeaderMap, RawQuery(query): RawQuery| async move {
            reply(endpoint, &shared, &headers, query.as_deref().unwrap_or_default())
        };
        router = router.route(&full(path), get(reply));
    }
    if let Some(flow) = &SERVICE.client_credentials {
        router = router.route(&full(flow.path), post(issue_token));
    }
    router
        .fallback(async || Refusal::new(StatusCode::NOT_FOUND, "unknown_path", "there is no such path"))
        .method_not_allowed_fallback(async || {
            Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "unknown_method", "the path does not take this method")
        })
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), ask_for_key))
        .with_state(shared)
        .merge(page)
}

pub(crate) fn full(path: &str) -> String {
    [SERVICE.base_url_suffix, path].concat()
}

async fn ask_for_key(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    match access::api_key(request.headers(), shared.settings.api_key.as_deref()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}

async fn issue_token(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response {
    let client = shared.settings.client_credentials.as_ref();
    let token = token::issue(&headers, &body, client, &shared.tokens);
    token.map(|token| json(token.to_string())).into_response()
}

fn reply(
    endpoint: &'static EndpointInfo,
    shared: &Shared,
    headers: &HeaderMap,
    query: &str,
) -> Result<Response, Refusal> {
    if shared.settings.bearer_required {
        access::bearer(headers, &shared.tokens)?;
    }
    let asked = Asked::read(endpoint, query)?;
    let world = World { seed: shared.settings.seed, now: shared.settings.clock.now() };
    let answer = answer(endpoint, &asked, world)?;
    let mut response = json(answer.body);
    if let Some(what) = answer.invented {
        response.headers_mut().insert(invented::HEADER, HeaderValue::from_static(what));
    }
    Ok(response)
}

fn json(body: impl Into<Body>) -> Response {
    ([(CONTENT_TYPE, "application/json")], body.into()).into_response()
}
