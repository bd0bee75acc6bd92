//! Errors that occur before the headers of a response arrive.
//!
//! Converts an error of hyper to an error with the address, the phase and the reason. The reason is found in the chain
//! of sources: by the type of a source, or by its text if its type is private.

use std::error::Error as StdError;
use std::io;

use http::Uri;

use super::tls_failure::{self, TlsFailure};
#[cfg(feature = "proxy")]
use super::tunnel::TunnelError;
#[cfg(feature = "proxy")]
use crate::error::CanRetry;
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

/// Host and port of a URL, with the default port of the scheme if the URL has no port.
pub(super) fn host_and_port(uri: &Uri) -> String {
    let by_scheme = if uri.scheme_str() == Some("https") { 443 } else { 80 };
    format!("{}:{}", uri.host().unwrap_or_default(), uri.port_u16().unwrap_or(by_scheme))
}

/// The hint for a direct connection that failed although the environment sets a proxy; empty if it sets none.
pub(super) fn unused_proxy(target: &Uri) -> &'static str {
    let variables = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
    let is_local = target.host().is_some_and(is_loopback);
    if is_local || !variables.into_iter().any(is_set) {
        return "";
    }
    "; to use the proxy of the environment, enable the feature `proxy` and the setting `env_proxy`"
}

fn is_set(variable: &str) -> bool {
    match std::env::var_os(variable) {
        Some(value) => !value.is_empty(),
        None => false,
    }
}

/// Converts an error that occurred before the headers arrived, and adds its phase.
pub(super) fn before_headers(error: impl Into<BoxError>, is_connect: bool, route: impl FnOnce() -> Route) -> Error {
    let error = error.into();
    // With TLS 1.3, a server rejects the client certificate only after the client regards the connection as made.
    if is_connect || causes(&*error).any(|cause| tls_failure::explain(cause).is_some()) {
        return no_connection(error, &route());
    }
    if causes(&*error).any(is_unsent) {
        return Error::retryable(ErrorKind::Send, "the request could not be sent").with_source(error);
    }
    let reason = causes(&*error).find_map(invalid_response);
    if let Some(reason) = reason {
        let message = format!("the response is not valid HTTP: {reason}");
        let hint = "check scheme and port of the base URL, and any proxy in between";
        return Error::retryable(ErrorKind::Headers, message).with_hint(hint).with_source(error);
    }
    Error::retryable(ErrorKind::Headers, "the connection failed before a status arrived").with_source(error)
}

/// The reason why the status line or the headers of a response cannot be read.
fn invalid_response(cause: &(dyn StdError + 'static)) -> Option<String> {
    let error: &hyper::Error = cause.downcast_ref()?;
    if error.is_parse() { Some(error.to_string()) } else { None }
}

fn is_unsent(cause: &(dyn StdError + 'static)) -> bool {
    match cause.downcast_ref::<hyper::Error>() {
        Some(error) => error.is_canceled() || error.is_user(),
        None => false,
    }
}

/// Creates the error for a failed connection, and adds the reason.
fn no_connection(error: BoxError, route: &Route) -> Error {
    let server = match &route.proxy {
        Some(proxy) => format!("`{}` through the proxy `{proxy}`", route.target),
        None => format!("`{}`", route.target),
    };
    let reason = causes(&*error).find_map(|cause| reason(cause, &server));
    reason.unwrap_or_else(|| unexplained(&*error, &server, route)).with_source(error)
}

/// The error for a failure with a known reason, which is more specific than the address.
fn reason(cause: &(dyn StdError + 'static), server: &str) -> Option<Error> {
    if let Some(TlsFailure { text, is_about_certificate }) = tls_failure::explain(cause) {
        let of = if is_about_certificate { "the certificate of " } else { "the server " };
        return Some(Error::new(ErrorKind::Connect, format!("{of}{server} {text}")));
    }
    #[cfg(feature = "proxy")]
    if let Some(refusal) = cause.downcast_ref::<TunnelError>() {
        let message = format!("connection to {server} failed: {refusal}");
        let can_retry = if refusal.is_retryable() { CanRetry::Yes } else { CanRetry::No };
        return Some(Error::new(ErrorKind::Connect, message).can_retry(can_retry));
    }
    let code = cause.downcast_ref::<io::Error>()?.raw_os_error()?;
    if !NO_DESCRIPTOR.contains(&code) {
        return None;
    }
    let message = format!("connection to {server} failed: this machine has no free file descriptor");
    let error = Error::retryable(ErrorKind::Connect, message)
        .with_hint("close other connections or files, or raise the limit (`ulimit -n`)");
    Some(error.of_this_machine())
}

/// The codes with which the system reports that the process or the machine has too many open files.
#[cfg(unix)]
const NO_DESCRIPTOR: [i32; 2] = [24, 23];
#[cfg(not(unix))]
const NO_DESCRIPTOR: [i32; 1] = [10_024];

/// The error for a failure that the address may explain.
fn unexplained(error: &(dyn StdError + 'static), server: &str, route: &Route) -> Error {
    let Route { proxy, hint, .. } = route;
    // With a proxy, the base URL is a less likely cause than the proxy.
    let hint = if proxy.is_none() && hint.is_empty() { "; check the base URL" } else { hint };
    if let Some(late) = causes(error).find_map(own_timeout) {
        return failed_connection(server, &late.to_string(), hint).timed_out();
    }
    if causes(error).any(|cause| cause.to_string() == UNKNOWN_NAME) {
        return failed_connection(server, "failed: DNS lookup failed", hint);
    }
    if is_caused_by(error, io::ErrorKind::ConnectionRefused) {
        return failed_connection(server, "refused", hint);
    }
    if is_caused_by(error, io::ErrorKind::TimedOut) {
        return failed_connection(server, "timed out", hint).timed_out();
    }
    match causes(error).find_map(unreachable) {
        Some(kind) => failed_connection(server, &format!("failed: {kind}"), hint),
        None => failed_connection(server, "failed", hint),
    }
}

/// The kind of a system error that is the reason why no packet reaches the server.
fn unreachable(cause: &(dyn StdError + 'static)) -> Option<io::ErrorKind> {
    use io::ErrorKind::{AddrNotAvailable, HostUnreachable, NetworkDown, NetworkUnreachable, PermissionDenied};
    let kind = cause.downcast_ref::<io::Error>()?.kind();
    let known = [NetworkUnreachable, HostUnreachable, NetworkDown, PermissionDenied, AddrNotAvailable];
    known.contains(&kind).then_some(kind)
}

fn failed_connection(server: &str, how: &str, hint: &str) -> Error {
    Error::retryable(ErrorKind::Connect, format!("connection to {server} {how}{hint}"))
}

/// The error of a timeout of this crate.
fn own_timeout<'e>(cause: &'e (dyn StdError + 'static)) -> Option<&'e Error> {
    let error: &Error = cause.downcast_ref()?;
    if error.is_timeout() { Some(error) } else { None }
}

fn is_caused_by(error: &(dyn StdError + 'static), kind: io::ErrorKind) -> bool {
    for cause in causes(error) {
        match cause.downcast_ref::<io::Error>() {
            Some(error) if error.kind() == kind => return true,
            _ => {}
        }
    }
    false
}

/// The text of hyper-util's error for a host name that does not resolve. The type of the error is private.
const UNKNOWN_NAME: &str = "dns error";

/// `true` if an HTTP/2 server reports that it has not processed the request, which can therefore be sent again at
/// once: the connection was closing, or the server refused the stream.
#[cfg(feature = "http2")]
pub(super) fn is_unprocessed(error: &Error) -> bool {
    let Some(source) = error.source() else { return false };
    for cause in causes(source) {
        let Some(error) = cause.downcast_ref::<h2::Error>() else { continue };
        // A server that asks for calm is not asked again at once.
        let is_closing = error.is_go_away() && error.reason() != Some(h2::Reason::ENHANCE_YOUR_CALM);
        let is_refused = error.is_reset() && error.reason() == Some(h2::Reason::REFUSED_STREAM);
        if error.is_remote() && (is_closing || is_refused) {
            return true;
        }
    }
    false
}

/// Without HTTP/2, no server reports that.
#[cfg(not(feature = "http2"))]
pub(super) fn is_unprocessed(_: &Error) -> bool {
    false
}

/// An error, followed by its causes. The cause of an I/O error is the error inside it; `source` would skip that
/// error.
pub(super) fn causes<'e>(error: &'e (dyn StdError + 'static)) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&error| match error.downcast_ref::<io::Error>() {
        Some(io) => io.get_ref().map(|inner| inner as _),
        None => error.source(),
    })
}
