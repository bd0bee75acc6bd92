//! Checks the link to a page.

use http::Uri;
use percent_encoding::percent_decode_str;

use crate::error::{Error, ErrorKind, excerpt};
use crate::request::check;

/// The maximum number of bytes of a link that an error quotes.
const MAX_QUOTED: usize = 80;

/// The path and query of a link, relative to the base URL. The param with the API key is omitted, because each request
/// adds the key itself. A link to another host is an error, so the key is never sent there.
pub(super) fn path_and_query(
    link: &str,
    base_url: &str,
    current_path: &str,
    key_param: Option<&str>,
) -> Result<String, Error> {
    let Ok(base) = base_url.parse::<Uri>() else { return Err(unusable(link, "cannot be compared with the base URL")) };
    if let Some(query) = link.strip_prefix('?') {
        return Ok(join(current_path, &without_key(query, key_param)));
    }
    let absolute = if link.starts_with("//") { format!("https:{link}") } else { link.to_owned() };
    let Ok(uri) = absolute.parse::<Uri>() else { return Err(unusable(link, "is not a URL")) };
    if uri.host().is_some() && !is_same_host(&uri, &base) {
        let host = base.host().unwrap_or_default();
        let error = unusable(link, "is on another host");
        return Err(error.with_hint(format!("requests and the API key are sent only to {host}")));
    }
    if !uri.path().starts_with('/') {
        return Err(unusable(link, "is neither a URL nor a path"));
    }
    let Some(path) = below(uri.path(), base.path()) else { return Err(unusable(link, "is not below the base URL")) };
    if check::path(path).is_err() {
        return Err(unusable(link, "has an invalid path"));
    }
    Ok(join(path, &without_key(uri.query().unwrap_or_default(), key_param)))
}

fn unusable(link: &str, problem: &str) -> Error {
    let shown = excerpt(link.split(['?', '#']).next().unwrap_or_default(), MAX_QUOTED);
    Error::new(ErrorKind::Incomplete, format!("the link to the next page, {shown:?}, {problem}"))
}

/// `true` if two URLs have the same host and port. Their schemes are not compared, because services behind a proxy
/// often return links with `http`; the request is sent with the scheme of the base URL in any case.
fn is_same_host(one: &Uri, other: &Uri) -> bool {
    let is_same_name = match (one.host(), other.host()) {
        (Some(one), Some(other)) => one.eq_ignore_ascii_case(other),
        _ => false,
    };
    let have_no_port = one.port_u16().is_none() && other.port_u16().is_none();
    is_same_name && (have_no_port || port(one) == port(other))
}

/// The port of a URL, or the default port of its scheme.
fn port(uri: &Uri) -> Option<u16> {
    let default = if uri.scheme_str() == Some("http") { 80 } else { 443 };
    uri.port_u16().or(Some(default))
}

/// The part of a path that follows the path of the base URL.
fn below<'p>(path: &'p str, base: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(base.trim_end_matches('/'))?;
    match rest {
        "" => Some("/"),
        rest if rest.starts_with('/') => Some(rest),
        _ => None,
    }
}

/// Removes the param with the API key from a query.
fn without_key(query: &str, key_param: Option<&str>) -> String {
    let mut kept = Vec::new();
    for param in query.split('&').filter(|param| !param.is_empty()) {
        let name = param.split('=').next().unwrap_or_default();
        let name = percent_decode_str(name).decode_utf8_lossy();
        if key_param != Some(&*name) {
            kept.push(param);
        }
    }
    kept.join("&")
}

fn join(path: &str, query: &str) -> String {
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(link: &str, base_url: &str) -> Result<String, String> {
        path_and_query(link, base_url, "/list", Some("apiKey")).map_err(|error| error.to_string())
    }

    #[test]
    fn a_link_is_relative_to_the_base_url() {
        for (link, base_url, expected) in [
            ("https://api.test/v2/list?cursor=a%3D", "https://api.test/v2", "/list?cursor=a%3D"),
            ("http://API.test/v2/list?page=2", "https://api.test/v2", "/list?page=2"),
            ("https://api.test:443/list", "https://api.test", "/list"),
            ("//api.test/list?page=2", "https://api.test", "/list?page=2"),
            ("/v2/list?page=2", "https://api.test/v2", "/list?page=2"),
            ("?page=2", "https://api.test/v2", "/list?page=2"),
            ("/list?apiKey=secret&page=2&api%4Bey=secret", "https://api.test", "/list?page=2"),
            ("http://127.0.0.1:8080/list?page=2", "http://127.0.0.1:8080", "/list?page=2"),
        ] {
            assert_eq!(check(link, base_url).as_deref(), Ok(expected), "{link}");
        }
    }

    #[test]
    fn a_link_elsewhere_is_an_error() {
        for (link, base_url, problem) in [
            ("https://evil.test/v2/list?key=1", "https://api.test/v2", "is on another host"),
            ("https://api.test.evil.test/v2/list", "https://api.test/v2", "is on another host"),
            ("https://api.test@evil.test/v2/list", "https://api.test/v2", "is on another host"),
            ("//evil.test/v2/list", "https://api.test/v2", "is on another host"),
            ("https://api.test:8443/v2/list", "https://api.test/v2", "is on another host"),
            ("http://api.test:8080/v2/list", "https://api.test/v2", "is on another host"),
            ("https://api.test/v20/list", "https://api.test/v2", "is not below the base URL"),
            ("https://api.test/v2/../admin", "https://api.test/v2", "has an invalid path"),
            ("list?page=2", "https://api.test/v2", "is not a URL"),
            ("https://api.test/a b", "https://api.test", "is not a URL"),
        ] {
            let error = check(link, base_url).unwrap_err();
            assert!(error.contains(problem), "{link}: {error}");
            assert!(!error.contains("key=1"), "a query can contain a key: {error}");
        }
    }
}
