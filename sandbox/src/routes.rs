//! The router: one route for each endpoint of the registry that has a path, and the token endpoint.

use std::sync::{Arc, PoisonError, RwLock};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::rejection::BytesRejection;
use axum::extract::{RawPathParams, RawQuery, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use runtime::registry::{EndpointInfo, Registry};

use crate::fault::Faults;
use crate::page;
use crate::query::Query;
use crate::refusal::Refusal;
use crate::reply::{MARK, reply};
use crate::settings::Settings;
use crate::token::Tokens;
use crate::traffic::Traffic;
use crate::{access, passage, suggest, token};

/// State shared by all requests.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) registry: Registry,
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

    pub(crate) fn response(&self, refusal: &Refusal) -> Response {
        refusal.response(self.registry.service)
    }

    /// The endpoint of a route.
    pub(crate) fn endpoint_at(&self, route: &str) -> Option<&'static EndpointInfo> {
        let path = route.strip_prefix(self.registry.service.base_url_suffix)?;
        callable(self.registry).find(|(known, _)| *known == path).map(|(_, endpoint)| endpoint)
    }
}

/// The endpoints with a path.
pub(crate) fn callable(registry: Registry) -> impl Iterator<Item = (&'static str, &'static EndpointInfo)> {
    registry.endpoints().filter_map(|endpoint| Some((endpoint.path?, endpoint)))
}

/// The path on the server of a path in the registry.
pub(crate) fn full(registry: Registry, path: &str) -> String {
    [registry.service.base_url_suffix, path].concat()
}

/// Routes every endpoint of the registry.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    let registry = shared.registry;
    // Segments that begin with `:` or `*` are literal; the checks of the router would reject them.
    let mut router = Router::new().without_v07_checks();
    for (path, endpoint) in callable(registry) {
        let respond = move |State(shared): State<Arc<Shared>>,
                            headers: HeaderMap,
                            path: RawPathParams,
                            RawQuery(query): RawQuery| async move {
            data(endpoint, &shared, &headers, &path, query.as_deref().unwrap_or_default())
                .unwrap_or_else(|refusal| shared.response(&refusal))
        };
        router = router.route(&full(registry, path), get(respond));
    }
    if let Some(flow) = &registry.service.client_credentials {
        router = router.route(&full(registry, flow.path), post(issue_token));
    }
    let page = page::router(&shared);
    router
        .fallback(async |State(shared): State<Arc<Shared>>, uri: Uri| {
            shared.response(&unknown_path(shared.registry, uri.path()))
        })
        .method_not_allowed_fallback(async |State(shared): State<Arc<Shared>>| {
            let message = "the path does not support this method";
            shared.response(&Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "unknown_method", message))
        })
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), passage::pass))
        .with_state(shared)
        .merge(page)
}

/// The error for an unknown path, with the nearest known one.
fn unknown_path(registry: Registry, path: &str) -> Refusal {
    let prefix = registry.service.base_url_suffix;
    // With the common prefix, every path would be near.
    let own = path.strip_prefix(prefix).unwrap_or(path);
    let shown = path.chars().take(100).collect::<String>();
    let message = match suggest::nearest(own, callable(registry).map(|(path, _)| path)) {
        Some(near) => format!("unknown path `{shown}`; did you mean `{}`?", full(registry, near)),
        None => format!("unknown path `{shown}`; all paths begin with `{prefix}`"),
    };
    Refusal::new(StatusCode::NOT_FOUND, "unknown_path", message)
}

async fn issue_token(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let unread = |rejection: BytesRejection| Refusal::new(rejection.status(), "unread_body", rejection.body_text());
    let client = shared.settings.client_credentials.as_ref();
    let token = body.map_err(unread).and_then(|body| token::issue(&headers, &body, client, &shared.tokens));
    token.map_or_else(|refusal| shared.response(&refusal), |token| json(token.to_string()))
}

fn data(
    endpoint: &'static EndpointInfo,
    shared: &Shared,
    headers: &HeaderMap,
    path: &RawPathParams,
    query: &str,
) -> Result<Response, Refusal> {
    let Settings { bearer_required, seed, strictness, clock, .. } = shared.settings;
    if bearer_required {
        access::bearer(headers, &shared.tokens)?;
    }
    let query = Query::read(shared.registry.service, endpoint, path, query, strictness)?;
    let reply = reply(shared.registry, endpoint, &query, seed, clock.now());
    let mut response = json(reply.body.to_string());
    if let Some(what) = reply.invented {
        response.headers_mut().insert(MARK, HeaderValue::from_static(what));
    }
    Ok(response)
}

fn json(body: impl Into<Body>) -> Response {
    ([(CONTENT_TYPE, "application/json")], body.into()).into_response()
}
