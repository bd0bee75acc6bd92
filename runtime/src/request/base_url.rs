//! The base URL, to which all paths are appended.
//!
//! The URL is checked before anything is sent. It must use HTTPS unless the host is this machine or `allow_http` is
//! set. It must have the suffix that the catalogue requires. It must not contain a password, because errors may contain
//! the URL.

use crate::transport::address::{is_loopback, is_port_usable};
use http::Uri;
use percent_encoding::percent_decode_str;

use super::check;
use crate::error::Error;

/// Checks a base URL, which must end in `suffix`, and returns it without a slash at its end.
pub(crate) fn base_url(text: &str, suffix: &str, allow_http: bool) -> Result<String, Error> {
    let url = text.strip_suffix('/').unwrap_or(text);
    match problem(url, suffix, allow_http) {
        None => Ok(url.to_owned()),
        // A URL that does not parse may contain a password anywhere, so the error does not repeat the URL.
        Some(problem) => {
            Err(Error::build(format!("the base URL {problem}")).with_hint(format!("expected `https://host{suffix}`")))
        }
    }
}

fn problem(url: &str, suffix: &str, allow_http: bool) -> Option<String> {
    let Ok(uri) = url.parse::<Uri>() else { return Some("is not a URL".to_owned()) };
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return Some("is not absolute".to_owned());
    };
    let path = uri.path();
    let is_unencrypted = scheme == "http" && !is_loopback(authority.host());
    let problems = [
        ("must not contain credentials", authority.as_str().contains('@')),
        ("has no host", authority.host().is_empty()),
        ("has a port that is not from 1 to 65535", !is_port_usable(authority)),
        ("must not have a query or a fragment", url.contains(['?', '#'])),
        ("has a segment `.` or `..`", check::has_dot_segment(path)),
        ("has a control character", percent_decode_str(path).any(|byte| byte.is_ascii_control())),
        ("must be percent-encoded", !path.is_ascii()),
        ("ends in more than one slash", url.ends_with('/')),
        (&format!("must end in `{suffix}`"), !path.ends_with(suffix)),
        ("is not encrypted; set `allow_http` to permit it", is_unencrypted && !allow_http),
        ("has neither the scheme `https` nor `http`", scheme != "http" && scheme != "https"),
    ];
    problems.into_iter().find(|(_, is_present)| *is_present).map(|(problem, _)| problem.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_base_urls_are_accepted() {
        let table = [
            ("https://example.com/v2", "https://example.com/v2"),
            ("https://example.com/v2/", "https://example.com/v2"),
            ("https://example.com:8443/api/v2", "https://example.com:8443/api/v2"),
            ("http://localhost:8700/v2", "http://localhost:8700/v2"),
            ("http://127.0.0.1:8700/v2", "http://127.0.0.1:8700/v2"),
            ("http://127.9.9.9/v2", "http://127.9.9.9/v2"),
            ("http://[::1]:8700/v2", "http://[::1]:8700/v2"),
        ];
        for (text, expected) in table {
            assert_eq!(base_url(text, "/v2", false).ok().as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn invalid_base_urls_are_rejected() {
        let table = [
            ("", "is not a URL"),
            ("example.com/v2", "is not a URL"),
            ("/v2", "is not absolute"),
            ("https:///v2", "is not a URL"),
            ("https://example.com", "must end in `/v2`"),
            ("https://example.com/v1", "must end in `/v2`"),
            ("https://example.com/v2//", "ends in more than one slash"),
            ("https://example.com/ü/v2", "must be percent-encoded"),
            ("https://example.com/v2/volumeRatio", "must end in `/v2`"),
            ("https://example.com/v2?key=1", "must not have a query or a fragment"),
            ("https://example.com/v2#top", "must not have a query or a fragment"),
            ("https://example.com:99999/v2", "has a port that is not from 1 to 65535"),
            ("https://example.com:0/v2", "has a port that is not from 1 to 65535"),
            ("https://example.com:/v2", "has a port that is not from 1 to 65535"),
            ("https://[::1]:70000/v2", "has a port that is not from 1 to 65535"),
            ("https://example.com/a/../v2", "has a segment `.` or `..`"),
            ("https://example.com/a/%2E%2e/v2", "has a segment `.` or `..`"),
            ("https://example.com/./v2", "has a segment `.` or `..`"),
            ("https://example.com/v2%0a/v2", "has a control character"),
            ("https://example.com/%7f/v2", "has a control character"),
            ("https://me:hunter2@example.com/v2", "must not contain credentials"),
            ("http://example.com/v2", "is not encrypted; set `allow_http` to permit it"),
            ("http://localhost.example.com/v2", "is not encrypted; set `allow_http` to permit it"),
            ("http://127.0.0.1.example.com/v2", "is not encrypted; set `allow_http` to permit it"),
            ("ftp://example.com/v2", "has neither the scheme `https` nor `http`"),
        ];
        for (text, expected) in table {
            let error = base_url(text, "/v2", false).map_err(|error| error.to_string());
            let expected = format!("the base URL {expected}; expected `https://host/v2`");
            assert_eq!(error, Err(expected), "{text}");
        }
    }

    #[test]
    fn any_suffix_and_http_are_accepted_if_allowed() {
        for text in ["http://example.com", "http://example.com/", "http://example.com/api"] {
            assert!(base_url(text, "", true).is_ok(), "{text}");
        }
        for text in ["http://example.com//", "http://example.com/api//"] {
            assert!(base_url(text, "", true).is_err(), "{text}");
        }
    }
}
