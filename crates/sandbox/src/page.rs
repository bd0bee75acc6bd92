//! The page at `/`: every endpoint with a form to send requests, and a plot of the response.
//!
//! The page is plain HTML made from the registry; a script adds the filter, sends the requests and draws the plot.
//! Fields and sources are in the reference of the client. The page needs no API key, contains none, and loads nothing
//! from other servers.

mod code_spans;

mod control;

mod article;

mod document;

use axum::Router;
use axum::http::HeaderName;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::response::IntoResponse;
use axum::routing::get;

use crate::paths::is_free;
use crate::shared::Shared;
use document::Access;

/// The files of the page besides its HTML, each with path, content type and content.
const FILES: [(&str, &str, &str); 4] = [
    ("/page/style.css", "text/css; charset=utf-8", include_str!("page/style.css")),
    ("/page/page.js", "text/javascript; charset=utf-8", include_str!("page/page.js")),
    ("/page/plot.js", "text/javascript; charset=utf-8", include_str!("page/plot.js")),
    ("/page/icon.svg", "image/svg+xml", include_str!("page/icon.svg")),
];

const HEADERS: [(HeaderName, &str); 4] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (CACHE_CONTROL, "no-cache"),
];

/// A router for the page and its files, except those whose path is also the path of an endpoint.
pub(crate) fn router(shared: &Shared) -> Router {
    let registry = shared.registry;
    let settings = &shared.settings;
    let access = Access { any_key: settings.api_key.is_none(), bearer_required: settings.bearer_required };
    let mut router = Router::new();
    if is_free(registry, "/") {
        let page = async move || serve("text/html; charset=utf-8", document::document(registry, access).into_string());
        router = router.route("/", get(page));
    }
    for (path, content_type, content) in FILES {
        if is_free(registry, path) {
            router = router.route(path, get(async move || serve(content_type, content)));
        }
    }
    router
}

fn serve(content_type: &'static str, content: impl IntoResponse) -> impl IntoResponse {
    (HEADERS, [(CONTENT_TYPE, content_type)], content)
}
