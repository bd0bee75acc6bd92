//! The interpretation of HTTP statuses.
//!
//! A successful response is returned. Any other response becomes an error, which contains the message of the body or
//! the catalogue's description of the status. The module `retry` decides about retries.

use super::readable_body::{readable, without_byte_order_mark};
use super::retry::can_retry_status;
use super::service_pause::{self, ServicePause};
use crate::decode::error_body;
use crate::error::{Error, ErrorKind, quoted};
use crate::html_page;
use crate::registry::{ErrorBodyInfo, ServiceInfo, StatusInfo};
use crate::transport::HttpResponse;

/// A successful response, or the error for its status or for the status in its body. `known` are the statuses of the
/// endpoint.
pub(crate) fn accept(
    response: HttpResponse,
    service: &ServiceInfo,
    known: &[StatusInfo],
) -> Result<HttpResponse, Error> {
    let response = without_byte_order_mark(response);
    let paths = &service.error_body;
    let outcome = match response.status {
        200..=299 => error_body::accept(readable(response)?, paths),
        304 => Err(not_modified(response)),
        300..=399 => Err(redirect(response)),
        _ => Err(refusal(response, service, known)),
    };
    outcome.map_err(|error| {
        let retry_after = error.headers().and_then(|headers| service_pause::requested_time(headers, service));
        error.with_retry_after(retry_after)
    })
}

/// Creates the error for a response without a body to a request that has not asked for this.
fn not_modified(response: HttpResponse) -> Error {
    let message = "status 304, the response to a conditional request, which the client does not send by itself";
    Error::new(ErrorKind::Status, message).with_response(response.status, response.headers)
}

/// Creates the error for a redirect. Redirects are not followed, because that could send the credentials to any host.
fn redirect(response: HttpResponse) -> Error {
    let target = response.headers.get("location").map_or("an unknown target".to_owned(), redirect_target);
    let status = response.status;
    Error::new(ErrorKind::Status, format!("status {status}, a redirect to {target}, is not followed"))
        .with_hint("check the base URL")
        .with_response(status, response.headers)
}

/// Describes the target of a redirect: the name of another host, or another path of the same host.
fn redirect_target(location: &str) -> String {
    let scheme = if location.starts_with("//") { "https:" } else { "" };
    let whole = format!("{scheme}{location}");
    let first = whole.split(['/', '?', '#']).next().unwrap_or_default();
    if !first.ends_with(':') {
        return "another path of the same host".to_owned();
    }
    let host = whole.parse::<http::Uri>().ok().and_then(|uri| uri.host().map(quoted));
    host.map_or("an unknown target".to_owned(), |host| format!("the host `{host}`"))
}

fn refusal(response: HttpResponse, service: &ServiceInfo, known: &[StatusInfo]) -> Error {
    let status = response.status;
    let pause = service_pause::requested(status, &response.headers, service);
    let is_rate_limited = matches!(pause, Some(ServicePause::RateLimited(_))) || status == 403 && pause.is_some();
    let error = match error_of_page(&response) {
        Some(error) => error,
        // The advice about a status 403 is about credentials.
        None if status == 403 && is_rate_limited => {
            error_body::refusal(response, &service.error_body, "", Some("rate-limited".to_owned()))
        }
        None => refusal_of_service(response, &service.error_body, known),
    };
    let is_rate_limited = is_rate_limited || error.is_rate_limited();
    let can_retry = can_retry_status(if is_rate_limited { 429 } else { status });
    error.can_retry(can_retry).rate_limited(is_rate_limited)
}

/// Creates the error for a response of the service itself.
fn refusal_of_service(response: HttpResponse, paths: &ErrorBodyInfo, known: &[StatusInfo]) -> Error {
    let mut meaning = response.headers.get("www-authenticate").and_then(authentication_error);
    let mut advice = String::new();
    if let Some(info) = known.iter().find(|info| info.status == response.status) {
        advice = clause(info.advice);
        let summary = clause(info.summary);
        if meaning.is_none() && !summary.is_empty() {
            meaning = Some(summary);
        }
    }
    error_body::refusal(response, paths, "", meaning).with_hint(advice)
}

/// The error in a `WWW-Authenticate` header (RFC 6750, section 3).
fn authentication_error(header: &str) -> Option<String> {
    match (quoted_value(header, "error"), quoted_value(header, "error_description")) {
        (Some(error), Some(description)) => Some(format!("{error}: {description}")),
        (error, description) => error.or(description),
    }
}

/// The value of `name="value"` in a header; `None` if it is empty.
fn quoted_value(header: &str, name: &str) -> Option<String> {
    let (before, rest) = header.split_once(&format!("{name}=\""))?;
    let is_whole_name = before.ends_with([' ', ',']) || before.is_empty();
    let (value, _) = rest.split_once('"')?;
    let value = quoted(value);
    if is_whole_name && !value.is_empty() { Some(value) } else { None }
}

/// Creates the error for an HTML page, which a CDN or a proxy in front of the service has sent; `None` for any other
/// response. A page with status 401 may be from the service.
fn error_of_page(response: &HttpResponse) -> Option<Error> {
    let text = String::from_utf8_lossy(&response.body);
    if response.status == 401 || !html_page::is_page(&text) {
        return None;
    }
    let status = response.status;
    let mut title = String::new();
    if let Some(text) = html_page::title(&text) {
        title = format!(" {:?}", quoted(&text));
    }
    let mut server = String::new();
    if let Some(name) = response.headers.get("server") {
        server = format!(" (server: {})", quoted(name));
    }
    let error = Error::new(ErrorKind::Status, format!("status {status} with the page{title}{server}"))
        .with_hint("a CDN or a proxy in front of the service has sent it, or the base URL is wrong")
        .with_response(status, response.headers.clone())
        .with_body(&response.body);
    Some(error.of_page())
}

/// Converts a sentence of the catalogue to a clause: `Check the key.` becomes `check the key`. A first word such as
/// `API` keeps its capitals.
fn clause(sentence: &str) -> String {
    let sentence = sentence.trim_end_matches('.');
    let mut letters = sentence.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(second)) if !second.is_uppercase() => {
            first.to_lowercase().chain(sentence.chars().skip(1)).collect()
        }
        _ => sentence.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headers::Headers;
    use crate::registry::Evidence;

    #[test]
    fn undocumented_status_has_no_description() {
        let known = [
            StatusInfo { label: Some("Teapot"), ..StatusInfo::new(418, Evidence::Documented) },
            StatusInfo { summary: "Too many requests.", ..StatusInfo::new(429, Evidence::Documented) },
        ];
        let service = ServiceInfo::new("Service");
        for (status, expected) in [(418, "status 418"), (429, "status 429: too many requests"), (499, "status 499")] {
            let response = HttpResponse::new(status, Headers::new(), "");
            let error = accept(response, &service, &known).expect_err("a failure");
            assert_eq!(error.to_string(), expected);
        }
    }

    fn refused(status: u16, headers: &[(&str, &str)], body: &str) -> Error {
        const KNOWN: [StatusInfo; 2] = [
            StatusInfo {
                summary: "The key is wrong.",
                advice: "Check it.",
                ..StatusInfo::new(403, Evidence::Documented)
            },
            StatusInfo { rate_limited: true, ..StatusInfo::new(420, Evidence::Documented) },
        ];
        let service = ServiceInfo { errors: &KNOWN, ..ServiceInfo::new("Service") };
        let mut all = Headers::new();
        for (name, value) in headers {
            all.insert(name, value).expect("a header");
        }
        accept(HttpResponse::new(status, all, body), &service, &KNOWN).expect_err("a failure")
    }

    #[test]
    fn page_of_a_proxy_is_named_and_its_body_is_not_shown() {
        let body = "<!DOCTYPE html><html><style>*{margin:0}</style><title>Just a moment...</title></html>";
        let error = refused(403, &[("server", "cloudflare")], body);
        let expected = "status 403 with the page \"Just a moment...\" (server: cloudflare); \
            a CDN or a proxy in front of the service has sent it, or the base URL is wrong";
        assert_eq!(error.to_string(), expected);
        assert!(error.is_page() && !error.is_auth() && !error.is_retryable());
        assert!(refused(502, &[], "<html></html>").is_retryable());
        let error = refused(401, &[], body);
        assert!(error.is_auth() && !error.is_page());
    }

    #[test]
    fn rate_limit_is_recognized_by_status_and_header() {
        let after = &[("retry-after", "3")][..];
        for (status, headers, is_rate_limited, is_retryable) in [
            (429, &[][..], true, true),
            (418, after, true, true),
            (418, &[], false, false),
            (420, &[], true, true),
            (403, after, true, true),
            (403, &[], false, false),
            (503, after, false, true),
            (404, after, false, false),
        ] {
            let error = refused(status, headers, "{}");
            assert_eq!((error.is_rate_limited(), error.is_retryable()), (is_rate_limited, is_retryable), "{error}");
        }
        let error = refused(403, after, "{}");
        assert_eq!(
            (error.to_string().as_str(), error.is_auth()),
            ("status 403: rate-limited; retry after 3s; body: {}", false)
        );
    }

    #[test]
    fn error_of_authentication_is_shown() {
        let header = r#"Bearer realm="x", error="invalid_token", error_description="The token expired""#;
        let error = refused(401, &[("www-authenticate", header)], "");
        assert_eq!(error.to_string(), "status 401: invalid_token: The token expired");
        assert_eq!(refused(401, &[("www-authenticate", "Basic")], "").to_string(), "status 401");
        let body = r#"{"error": "invalid_client", "error_description": "The client secret has expired."}"#;
        let error = refused(400, &[], body);
        assert_eq!(error.to_string(), "status 400: The client secret has expired. (code invalid_client)");
    }
}
