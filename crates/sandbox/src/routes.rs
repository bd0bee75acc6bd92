//! Routes requests to the endpoints of the registry that have a path, and to the token endpoint.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::header::{ALLOW, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use runtime::registry::{EndpointInfo, Registry};

use crate::body_text::body_text;
use crate::fault::{FaultTarget, Rule, RuleError};
use crate::page;
use crate::paths::{PathValues, below_any_base_url, endpoint_at, endpoints_with_path, full, full_of, is_free};
use crate::query::Query;
use crate::rejection::Rejection;
use crate::response_body::MARK;
use crate::settings::ServerSettings;
use crate::shared::Shared;
use crate::{access, host_check, middleware, response_body, token};

/// Serves every endpoint of the registry. `serve` matches the templates of paths itself, because axum's router does not
/// support a param that is only a part of a segment.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    let registry = shared.registry;
    let mut router = Router::new();
    if let Some(flow) = &registry.service.client_credentials {
        router = router.route(&full(registry, flow.path), post(issue_token));
    }
    let mut own = page::router(&shared);
    if is_free(registry, FAULTS) {
        let list = async |State(shared): State<Arc<Shared>>| shared.faults().text();
        own = own.merge(Router::new().route(FAULTS, get(list).put(set_faults)).with_state(Arc::clone(&shared)));
    }
    router
        .fallback(serve)
        .method_not_allowed_fallback(async |State(shared): State<Arc<Shared>>| shared.response(&unknown_method()))
        .layer(from_fn_with_state(Arc::clone(&shared), middleware::pass))
        .with_state(shared)
        // These routes are merged after the layer, so that their requests are neither counted nor rejected.
        .merge(own)
        .layer(from_fn_with_state(registry.service, host_check::pass))
}

async fn serve(State(shared): State<Arc<Shared>>, method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let response = match endpoint_at(shared.registry, &uri) {
        None => Err(unknown_path(shared.registry, uri.path())),
        Some(_) if method != Method::GET && method != Method::HEAD => {
            return ([(ALLOW, "GET, HEAD")], shared.response(&unknown_method())).into_response();
        }
        Some((endpoint, values)) => data(endpoint, &shared, &headers, &values, &uri),
    };
    response.unwrap_or_else(|error| shared.response(&error))
}

/// The path of the rules of faults.
const FAULTS: &str = "/sandbox/faults";

/// Replaces the rules of faults by those in the body, one on each line.
async fn set_faults(State(shared): State<Arc<Shared>>, body: String) -> Result<StatusCode, (StatusCode, String)> {
    match rules(&body).and_then(|rules| shared.set_faults(rules)) {
        Ok(()) => Ok(StatusCode::NO_CONTENT),
        Err(error) => Err((StatusCode::UNPROCESSABLE_ENTITY, format!("{error}\n"))),
    }
}

/// The rules in a text, one on each line.
fn rules(text: &str) -> Result<Vec<Rule>, RuleError> {
    let mut rules = Vec::new();
    for line in text.lines() {
        if !line.trim().is_empty() {
            rules.push(line.parse()?);
        }
    }
    Ok(rules)
}

fn unknown_method() -> Rejection {
    Rejection::new(StatusCode::METHOD_NOT_ALLOWED, "unknown_method", "the path does not support this method")
}

/// The error for an unknown path, with the nearest known path.
fn unknown_path(registry: Registry, path: &str) -> Rejection {
    let path_of_endpoint = below_any_base_url(registry, path);
    let shown = path.chars().take(100).collect::<String>();
    let known_paths = endpoints_with_path(registry).map(|(path, _)| path);
    let near = wording::most_similar(path_of_endpoint, known_paths);
    let message = match endpoints_with_path(registry).find(|(path, _)| Some(*path) == near) {
        Some((near, endpoint)) => {
            format!("unknown path `{shown}`; did you mean `{}`?", full_of(registry, endpoint, near))
        }
        None => format!("unknown path `{shown}`; no known path is similar"),
    };
    Rejection::new(StatusCode::NOT_FOUND, "unknown_path", message)
}

async fn issue_token(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    match token_for(&shared, &headers, body) {
        Ok(token) => json(token),
        Err(error) => shared.response(&error),
    }
}

fn token_for(shared: &Shared, headers: &HeaderMap, body: Result<Bytes, BytesRejection>) -> Result<String, Rejection> {
    let body = body.map_err(|error| Rejection::new(error.status(), "unread_body", error.body_text()))?;
    let client = shared.settings.client_credentials.as_ref();
    Ok(token::issue(headers, &body, client, &shared.tokens)?.to_string())
}

fn data(
    endpoint: &'static EndpointInfo,
    shared: &Shared,
    headers: &HeaderMap,
    path_values: &PathValues,
    uri: &Uri,
) -> Result<Response, Rejection> {
    let ServerSettings { bearer_required, strictness, .. } = shared.settings;
    if bearer_required {
        access::bearer(headers, &shared.tokens)?;
    }
    let query = uri.query().unwrap_or_default();
    let query = Query::read(shared.registry.service, endpoint, path_values, query, strictness)?;
    let (_, sent) = FaultTarget::of(shared.registry, uri);
    let body = response_body::generate(shared, endpoint, &query, &sent, path_and_query(uri));
    let text = body_text(&body.json, endpoint);
    let mut response = ([(CONTENT_TYPE, endpoint.format.media_type())], text).into_response();
    if let Some(part) = body.invented {
        response.headers_mut().insert(MARK, HeaderValue::from_static(part));
    }
    Ok(response)
}

fn path_and_query(uri: &Uri) -> &str {
    uri.path_and_query().map_or("/", |path_and_query| path_and_query.as_str())
}

fn json(body: impl Into<Body>) -> Response {
    ([(CONTENT_TYPE, "application/json")], body.into()).into_response()
}
