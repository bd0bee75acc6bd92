//! Errors that occur before the headers of a response arrive.
//!
//! Converts an error of hyper to an error with the address, the phase and the reason. The reason is found in the chain
//! of sources: by the type of a source, or by its text if its type is private.

use std::error::Error as StdError;
use std::io;

use http::Uri;
use rustls::CertificateError;

use crate::error::{BoxError, Error, ErrorKind};
use crate::transport::address::is_loopback;

/// The route of a connection that failed.
pub(super) struct Route {
    /// Host and port of the server.
    pub(super) target: String,
    /// Host and port of the proxy, if there is one.
    pub(super) proxy: Option<String>,
    /// A hint about another possible cause; may be empty.
    pub(super) hint: &'static str,
}

/// Returns host and port of a URL, with the default port of the scheme if the URL has no port.
pub(super) fn host_and_port(uri: &Uri) -> String {
    let by_scheme = if uri.scheme_str() == Some("https") { 443 } else { 80 };
    format!("{}:{}", uri.host().unwrap_or_default(), uri.port_u16().unwrap_or(by_scheme))
}

/// Returns the hint for a direct connection that failed although the environment sets a proxy; empty if it sets none.
pub(super) fn unused_proxy(target: &Uri) -> &'static str {
    let variables = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if target.host().is_some_and(is_loopback) || !variables.iter().any(is_set) {
        return "";
    }
    "; to use the proxy of the environment, enable the feature `proxy` and the setting `env_proxy`"
}

/// Converts an error that occurred before the headers arrived, and adds its phase.
pub(super) fn before_headers(error: impl Into<BoxError>, is_connect: bool, route: impl FnOnce() -> Route) -> Error {
    let error = error.into();
    if is_connect {
        return no_connection(error, &route());
    }
    let unsent = |cause: &hyper::Error| cause.is_canceled() || cause.is_user();
    if causes(&*error).any(|cause| cause.downcast_ref().is_some_and(unsent)) {
        Error::retryable(ErrorKind::Send, "the request could not be sent").with_source(error)
    } else {
        Error::retryable(ErrorKind::Headers, "the connection failed before a status arrived").with_source(error)
    }
}

/// Creates the error for a failed connection, and adds the reason.
fn no_connection(error: BoxError, route: &Route) -> Error {
    let causes = || causes(&*error);
    let Route { target, proxy, hint } = route;
    // With a proxy, the base URL is a less likely cause than the proxy.
    let hint = if proxy.is_none() && hint.is_empty() { "; check the base URL" } else { hint };
    let through = proxy.as_ref().map(|proxy| format!(" through the proxy `{proxy}`")).unwrap_or_default();
    let has_text = |words: &str| causes().any(|cause| cause.to_string() == words);
    let is_refusal = |cause: &io::Error| cause.kind() == io::ErrorKind::ConnectionRefused;
    let failed = |message| Error::retryable(ErrorKind::Connect, message);
    let this = if let Some(fault) = causes().find_map(|cause| fault(cause)) {
        Error::new(ErrorKind::Connect, format!("the certificate of `{target}`{through} {fault}"))
    } else if has_text(PROXY_WANTS_CREDENTIALS) {
        let remedy = "the proxy requires credentials; add them to its URL";
        Error::new(ErrorKind::Connect, format!("connection to `{target}`{through} failed: {remedy}"))
    } else if let Some(late) =
        causes().find_map(|cause| cause.downcast_ref().filter(|error: &&Error| error.is_timeout()))
    {
        failed(format!("connection to `{target}`{through} {late}{hint}")).timed_out()
    } else if has_text(UNKNOWN_NAME) {
        failed(format!("connection to `{target}`{through} failed: DNS lookup failed{hint}"))
    } else if causes().any(|cause| cause.downcast_ref().is_some_and(is_refusal)) {
        failed(format!("connection to `{target}`{through} refused{hint}"))
    } else {
        failed(format!("connection to `{target}`{through} failed{hint}"))
    };
    this.with_source(error)
}

/// The text of hyper-util's error for a host name that does not resolve. The type of the error is private.
const UNKNOWN_NAME: &str = "dns error";

/// The text of hyper-util's error when the proxy responds with 407.
const PROXY_WANTS_CREDENTIALS: &str = "tunnel error: proxy authorization required";

/// Returns why a certificate is invalid, if `cause` is an error about a certificate.
fn fault(cause: &(dyn StdError + 'static)) -> Option<&'static str> {
    let Some(rustls::Error::InvalidCertificate(fault)) = cause.downcast_ref() else { return None };
    Some(match fault {
        CertificateError::UnknownIssuer => "is not signed by a trusted root; add its root certificate",
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => "is for another host",
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "has expired",
        _ => "is not trusted",
    })
}

/// Returns an error, followed by its causes. The cause of an I/O error is the error inside it; `source` would skip that
/// error.
fn causes<'e>(error: &'e (dyn StdError + 'static)) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&error| match error.downcast_ref::<io::Error>() {
        Some(io) => io.get_ref().map(|inner| inner as _),
        None => error.source(),
    })
}
