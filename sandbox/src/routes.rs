//! The router: one route for each endpoint of the registry that has a path, and the token endpoint.
//!
//! Requests come in, replies go out; other files compute them. There is no second list of endpoints: every endpoint of
//! the catalogue is served.

use std::sync::{Arc, PoisonError, RwLock};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::rejection::BytesRejection;
use axum::extract::{RawQuery, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use generated_client::SERVICE;
use generated_client::registry::EndpointInfo;

use crate::answer::{World, answer};
use crate::asked::Asked;
use crate::fault::Faults;
use crate::invented;
use crate::known;
use crate::page;
use crate::refusal::Refusal;
use crate::settings::Settings;
use crate::token::Tokens;
use crate::traffic::Traffic;
use crate::{access, passage, suggest, token};

/// What all requests share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) tokens: Tokens,
    pub(crate) traffic: Arc<Traffic>,
    pub(crate) faults: RwLock<Faults>,
}

impl Shared {
    /// The rules in force.
    pub(crate) fn faults(&self) -> Faults {
        self.faults.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Routes every endpoint of the registry.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
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
        .fallback(async |uri: Uri| unknown_path(uri.path()))
        .method_not_allowed_fallback(async || {
            Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "unknown_method", "the path does not take this method")
        })
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), passage::pass))
        .with_state(shared)
        .merge(page)
}

/// A refusal for an unknown path, which names the nearest one.
fn unknown_path(path: &str) -> Refusal {
    // The common prefix would make every path seem near.
    let own = path.strip_prefix(SERVICE.base_url_suffix).unwrap_or(path);
    let shown = path.chars().take(100).collect::<String>();
    let message = match suggest::nearest(own, known::endpoints().map(|(path, _)| path)) {
        Some(near) => format!("there is no path `{shown}`; did you mean `{}`?", full(near)),
        None => format!("there is no path `{shown}`; all paths begin with `{}`", SERVICE.base_url_suffix),
    };
    Refusal::new(StatusCode::NOT_FOUND, "unknown_path", message)
}

pub(crate) fn full(path: &str) -> String {
    [SERVICE.base_url_suffix, path].concat()
}

async fn issue_token(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Refusal> {
    let unread = |rejection: BytesRejection| Refusal::new(rejection.status(), "unread_body", rejection.body_text());
    let client = shared.settings.client_credentials.as_ref();
    let token = token::issue(&headers, &body.map_err(unread)?, client, &shared.tokens)?;
    Ok(json(token.to_string()))
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
    let Settings { seed, strictness, .. } = shared.settings;
    let asked = Asked::read(endpoint, query, strictness)?;
    let world = World { seed, strictness, now: shared.settings.clock.now() };
    let answer = answer(endpoint, &asked, world)?;
    let mut response = json(answer.body);
    if let Some(what) = answer.invented {
        response.headers_mut().insert(invented::MARK, HeaderValue::from_static(what));
    }
    Ok(response)
}

fn json(body: impl Into<Body>) -> Response {
    ([(CONTENT_TYPE, "application/json")], body.into()).into_response()
}
