//! Routes requests to the endpoints of the registry that have a path, and to the token endpoint.

use std::cmp::Reverse;
use std::sync::{Arc, PoisonError, RwLock};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::header::{ALLOW, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use percent_encoding::percent_decode_str;
use runtime::registry::{EndpointInfo, Registry};

use crate::fault::{Faults, Rule, RuleError, Target};
use crate::page;
use crate::query::Query;
use crate::rejection::Rejection;
use crate::response_body::MARK;
use crate::settings::Settings;
use crate::token::Tokens;
use crate::traffic::Traffic;
use crate::{access, host_check, middleware, response_body, token};

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
    /// Returns the rules that are active now.
    pub(crate) fn faults(&self) -> Faults {
        self.faults.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the active rules; an unknown name in a rule is an error.
    pub(crate) fn set_faults(&self, rules: impl IntoIterator<Item = Rule>) -> Result<(), RuleError> {
        let faults = Faults::new(rules, self.settings.seed, self.registry)?;
        *self.faults.write().unwrap_or_else(PoisonError::into_inner) = faults;
        Ok(())
    }

    pub(crate) fn response(&self, error: &Rejection) -> Response {
        error.response(self.registry.service)
    }

    /// Returns the endpoint of a URL on the server, with the values of the params in the path.
    pub(crate) fn endpoint_at(&self, uri: &Uri) -> Option<(&'static EndpointInfo, PathValues)> {
        let path = uri.path().strip_prefix(self.registry.service.base_url_suffix)?;
        let query = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()).collect::<Vec<_>>();
        let is_sent = |name, value: &str| query.iter().any(|(known, sent)| known == name && sent == value);
        let matching = callable(self.registry)
            .filter_map(|(template, endpoint)| Some((template, endpoint, path_values(template, path)?)));
        // The most specific endpoint wins: the endpoint with the fewest params in its path, then the endpoint with the
        // longest text around them. Endpoints with the same path differ in their params with a constant value.
        let specific = matching.max_by_key(|(template, endpoint, values)| {
            let names = values.iter().map(|(name, _)| name.len()).sum::<usize>();
            let mut params = endpoint.params();
            let is_own = params.all(|param| param.const_value.is_none_or(|value| is_sent(param.wire_name, value)));
            (Reverse(values.len()), template.len() - names, is_own)
        });
        specific.map(|(_, endpoint, values)| (endpoint, values))
    }

    /// Returns `true` if a path on the server is the path of the token endpoint.
    pub(crate) fn is_token(&self, path: &str) -> bool {
        let flow = &self.registry.service.client_credentials;
        flow.as_ref().is_some_and(|flow| full(self.registry, flow.path) == path)
    }
}

/// Names and values of the params in a path.
pub(crate) type PathValues = Vec<(&'static str, String)>;

/// Returns the values of a template's params in a path; `None` if the path does not match the template. A value is at
/// most one segment, and as short as possible.
fn path_values(template: &'static str, path: &str) -> Option<PathValues> {
    let Some((literal, rest)) = template.split_once('{') else {
        return (template == path).then(PathValues::new);
    };
    let (name, rest) = rest.split_once('}')?;
    let path = path.strip_prefix(literal)?;
    let segment = path.split('/').next()?;
    let ends = segment.char_indices().map(|(start, character)| start + character.len_utf8());
    ends.into_iter().find_map(|end| {
        let mut values = path_values(rest, &path[end..])?;
        values.push((name, percent_decode_str(&path[..end]).decode_utf8_lossy().into_owned()));
        Some(values)
    })
}

/// Returns the endpoints that have a path. The fragment of each path is removed, because it is not sent.
pub(crate) fn callable(registry: Registry) -> impl Iterator<Item = (&'static str, &'static EndpointInfo)> {
    registry.endpoints().filter_map(|endpoint| Some((endpoint.path?.split('#').next()?, endpoint)))
}

/// Returns `true` if a path on the server is not the path of an endpoint.
pub(crate) fn is_free(registry: Registry, path: &str) -> bool {
    callable(registry).all(|(known, _)| full(registry, known) != path)
}

/// Returns the path on the server for a path in the registry.
pub(crate) fn full(registry: Registry, path: &str) -> String {
    [registry.service.base_url_suffix, path].concat()
}

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
    let response = match shared.endpoint_at(&uri) {
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
    let rules = body.lines().filter(|line| !line.trim().is_empty()).map(str::parse).collect::<Result<Vec<Rule>, _>>();
    let set = rules.and_then(|rules| shared.set_faults(rules));
    set.map(|()| StatusCode::NO_CONTENT).map_err(|error| (StatusCode::UNPROCESSABLE_ENTITY, format!("{error}\n")))
}

fn unknown_method() -> Rejection {
    Rejection::new(StatusCode::METHOD_NOT_ALLOWED, "unknown_method", "the path does not support this method")
}

/// Returns the error for an unknown path, with the nearest known path.
fn unknown_path(registry: Registry, path: &str) -> Rejection {
    let prefix = registry.service.base_url_suffix;
    // The common prefix is removed, because with it every path would be similar.
    let own = path.strip_prefix(prefix).unwrap_or(path);
    let shown = path.chars().take(100).collect::<String>();
    let message = match wording::most_similar(own, callable(registry).map(|(path, _)| path)) {
        Some(near) => format!("unknown path `{shown}`; did you mean `{}`?", full(registry, near)),
        None => format!("unknown path `{shown}`; no known path is similar"),
    };
    Rejection::new(StatusCode::NOT_FOUND, "unknown_path", message)
}

async fn issue_token(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let unread = |rejection: BytesRejection| Rejection::new(rejection.status(), "unread_body", rejection.body_text());
    let client = shared.settings.client_credentials.as_ref();
    let token = body.map_err(unread).and_then(|body| token::issue(&headers, &body, client, &shared.tokens));
    token.map_or_else(|error| shared.response(&error), |token| json(token.to_string()))
}

fn data(
    endpoint: &'static EndpointInfo,
    shared: &Shared,
    headers: &HeaderMap,
    path: &[(&'static str, String)],
    uri: &Uri,
) -> Result<Response, Rejection> {
    let Settings { bearer_required, strictness, .. } = shared.settings;
    if bearer_required {
        access::bearer(headers, &shared.tokens)?;
    }
    let path = path.iter().map(|(name, value)| (*name, value.as_str()));
    let query = uri.query().unwrap_or_default();
    let query = Query::read(shared.registry.service, endpoint, path, query, strictness)?;
    let body = response_body::generate(shared, endpoint, &query, &Target::of(shared, uri).1);
    let mut response = json(body.json.to_string());
    if let Some(part) = body.invented {
        response.headers_mut().insert(MARK, HeaderValue::from_static(part));
    }
    Ok(response)
}

fn json(body: impl Into<Body>) -> Response {
    ([(CONTENT_TYPE, "application/json")], body.into()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn params_are_parts_of_a_segment() {
        let values = |template, path| {
            let values = path_values(template, path)?;
            Some(values.into_iter().rev().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" "))
        };
        let table = [
            ("/", "/", Some("")),
            ("/a/", "/a/", Some("")),
            ("/a/", "/a", None),
            ("/v1/{symbol}.json", "/v1/BTC.USD.json", Some("symbol=BTC.USD")),
            ("/v1/{symbol}.json", "/v1/.json", None),
            ("/{from}..{to}/x", "/1..2/x", Some("from=1 to=2")),
            ("/{a}/{b}", "/x%2Fy/%C3%BC", Some("a=x/y b=ü")),
            ("/{a}", "/x/y", None),
        ];
        for (template, path, expected) in table {
            assert_eq!(values(template, path).as_deref(), expected, "{template} {path}");
        }
    }
}
