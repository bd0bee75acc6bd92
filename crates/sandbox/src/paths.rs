//! The paths of a registry on the server, and the endpoint to which a path belongs.

use std::cmp::Reverse;

use axum::http::Uri;
use percent_encoding::percent_decode_str;
use runtime::registry::{BaseUrlInfo, EndpointInfo, Registry};

/// Names and values of the params in a path.
pub(crate) type PathValues = Vec<(&'static str, String)>;

/// The endpoint of a URL on the server, with the values of the params in the path.
///
/// The most specific endpoint wins: the endpoint with the fewest params in its path, then the endpoint with the longest
/// text around them. Endpoints with the same path differ in their params with a constant value.
pub(crate) fn endpoint_at(registry: Registry, uri: &Uri) -> Option<(&'static EndpointInfo, PathValues)> {
    let mut best = None;
    let mut best_rank = None;
    for (template, endpoint) in endpoints_with_path(registry) {
        let Some(path) = below_base_url(registry, endpoint, uri.path()) else { continue };
        let Some(values) = path_values(template, path) else { continue };
        let mut text_length = template.len();
        for (name, _) in &values {
            text_length -= name.len();
        }
        let rank = Some((Reverse(values.len()), text_length, sends_constants(uri, endpoint)));
        if rank >= best_rank {
            best_rank = rank;
            best = Some((endpoint, values));
        }
    }
    best
}

/// `true` if a request has the constant values of an endpoint's params.
fn sends_constants(uri: &Uri, endpoint: &EndpointInfo) -> bool {
    let query = uri.query().unwrap_or_default();
    for param in endpoint.params() {
        let Some(constant) = param.const_value else { continue };
        let mut sent = form_urlencoded::parse(query.as_bytes());
        if !sent.any(|(name, value)| name == param.wire_name && value == constant) {
            return false;
        }
    }
    true
}

/// `true` if a path on the server is the path of the token endpoint.
pub(crate) fn is_token(registry: Registry, path: &str) -> bool {
    match &registry.service.client_credentials {
        Some(flow) => full(registry, flow.path) == path,
        None => false,
    }
}

/// The values of a template's params in a path; `None` if the path does not match the template. A value is at most one
/// segment, and as short as possible.
fn path_values(template: &'static str, path: &str) -> Option<PathValues> {
    let Some((literal, rest)) = template.split_once('{') else {
        return if template == path { Some(PathValues::new()) } else { None };
    };
    let (name, rest) = rest.split_once('}')?;
    let path = path.strip_prefix(literal)?;
    let segment = path.split('/').next()?;
    for (start, character) in segment.char_indices() {
        let (value, remaining) = path.split_at(start + character.len_utf8());
        if let Some(mut values) = path_values(rest, remaining) {
            values.push((name, percent_decode_str(value).decode_utf8_lossy().into_owned()));
            return Some(values);
        }
    }
    None
}

/// The path of an endpoint without its fragment, which is not sent.
pub(crate) fn sent_path(endpoint: &EndpointInfo) -> Option<&'static str> {
    endpoint.path?.split('#').next()
}

/// The endpoints that have a path.
pub(crate) fn endpoints_with_path(registry: Registry) -> impl Iterator<Item = (&'static str, &'static EndpointInfo)> {
    registry.endpoints().filter_map(|endpoint| Some((sent_path(endpoint)?, endpoint)))
}

/// `true` if a path on the server is not the path of an endpoint.
pub(crate) fn is_free(registry: Registry, path: &str) -> bool {
    endpoints_with_path(registry).all(|(known, endpoint)| full_of(registry, endpoint, known) != path)
}

/// The path on the server for a path in the registry, below the base URL of the service.
pub(crate) fn full(registry: Registry, path: &str) -> String {
    [registry.service.base_url_suffix, path].concat()
}

/// The path on the server for the path of an endpoint.
pub(crate) fn full_of(registry: Registry, endpoint: &EndpointInfo, path: &str) -> String {
    match registry.service.base_url_of(endpoint) {
        Some(info) => base_of_host(info) + path,
        None => full(registry, path),
    }
}

/// The path of the base URL of groups that are on another host. The server has one address, so each host is a folder.
pub(crate) fn base_of_host(info: &BaseUrlInfo) -> String {
    format!("{HOSTS}{}{}", info.name, info.suffix)
}

const HOSTS: &str = "/hosts/";

/// A path on the server without a base URL, with which every path would be similar.
pub(crate) fn below_any_base_url(registry: Registry, path: &str) -> &str {
    for info in registry.service.base_urls {
        if let Some(rest) = path.strip_prefix(base_of_host(info).as_str()) {
            return rest;
        }
    }
    path.strip_prefix(registry.service.base_url_suffix).unwrap_or(path)
}

/// The part of a path on the server that follows the base URL of an endpoint; `None` if the path is not below it.
fn below_base_url<'p>(registry: Registry, endpoint: &EndpointInfo, path: &'p str) -> Option<&'p str> {
    match registry.service.base_url_of(endpoint) {
        Some(info) => path.strip_prefix(HOSTS)?.strip_prefix(info.name)?.strip_prefix(info.suffix),
        None => path.strip_prefix(registry.service.base_url_suffix),
    }
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
