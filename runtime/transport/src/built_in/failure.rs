//! Errors before the headers of a response arrived.
//!
//! An error of hyper becomes one with the address, the phase and the reason. The chain of sources is searched by type,
//! and by text where the types are private.

use std::error::Error as StdError;
use std::io;

use http::Uri;
use rustls::CertificateError;

use super::connect::TooLate;
use crate::address::is_loopback;
use crate::{Phase, TransportError};

type BoxError = Box<dyn StdError + Send + Sync>;

/// Where a connection was to lead.
pub(super) struct Way {
    /// Host and port of the server.
    pub(super) target: String,
    /// Host and port of the proxy before it, if there is one.
    pub(super) proxy: Option<String>,
    /// What else may have caused it.
    pub(super) hint: &'static str,
}

/// Host and port, also where the port is left to the scheme.
pub(super) fn place(uri: &Uri) -> String {
    let by_scheme = if uri.scheme_str() == Some("https") { 443 } else { 80 };
    format!("{}:{}", uri.host().unwrap_or_default(), uri.port_u16().unwrap_or(by_scheme))
}

/// A hint for a direct connection that fails although the environment sets a proxy.
pub(super) fn unused_proxy(target: &Uri) -> &'static str {
    let variables = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if target.host().is_some_and(is_loopback) || !variables.iter().any(is_set) {
        return "";
    }
    "; the environment sets a proxy, which requires the feature `proxy` and the setting `env_proxy`"
}

/// Names the phase of a failure before the head arrived.
pub(super) fn before_head(error: impl Into<BoxError>, is_connect: bool, way: impl FnOnce() -> Way) -> TransportError {
    let error = error.into();
    if is_connect {
        return no_connection(error, &way());
    }
    let unsent = |cause: &hyper::Error| cause.is_canceled() || cause.is_user();
    if causes(&*error).any(|cause| cause.downcast_ref().is_some_and(unsent)) {
        TransportError::new(Phase::Send, "the request could not be sent").with_source(error)
    } else {
        TransportError::new(Phase::Headers, "the connection failed before a status arrived").with_source(error)
    }
}

/// Reason of a failed connection.
fn no_connection(error: BoxError, way: &Way) -> TransportError {
    let causes = || causes(&*error);
    let Way { target, proxy, hint } = way;
    let through = proxy.as_ref().map(|proxy| format!(" through the proxy `{proxy}`")).unwrap_or_default();
    let says = |words: &str| causes().any(|cause| cause.to_string() == words);
    let failed = |message| TransportError::new(Phase::Connect, message);
    let this = if let Some(fault) = causes().find_map(|cause| fault(cause)) {
        failed(format!("the certificate of `{target}`{through} {fault}")).permanent()
    } else if says(PROXY_WANTS_CREDENTIALS) {
        let advice = "the proxy requires credentials; add them to its URL";
        failed(format!("connection to `{target}`{through} failed: {advice}")).permanent()
    } else if let Some(TooLate(timeout)) = causes().find_map(|cause| cause.downcast_ref()) {
        failed(format!("connection to `{target}`{through} timed out after {timeout:?}{hint}")).timed_out()
    } else if says(UNKNOWN_NAME) {
        failed(format!("connection to `{target}`{through} failed: DNS lookup failed{hint}"))
    } else if causes().any(is_refusal) {
        failed(format!("connection to `{target}`{through} refused{hint}"))
    } else {
        failed(format!("connection to `{target}`{through} failed{hint}"))
    };
    this.with_source(error)
}

/// How hyper-util describes a name that does not resolve; the types of these errors are private.
const UNKNOWN_NAME: &str = "dns error";

/// How it describes a proxy that answers with 407.
const PROXY_WANTS_CREDENTIALS: &str = "tunnel error: proxy authorization required";

fn is_refusal(cause: &(dyn StdError + 'static)) -> bool {
    cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

/// What is wrong with a certificate, if that is the cause.
fn fault(cause: &(dyn StdError + 'static)) -> Option<&'static str> {
    let Some(rustls::Error::InvalidCertificate(fault)) = cause.downcast_ref() else { return None };
    Some(match fault {
        CertificateError::UnknownIssuer => "is not signed by a trusted root; add its root certificate",
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => "is for another name",
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "has expired",
        _ => "is not trusted",
    })
}

fn causes<'e>(error: &'e (dyn StdError + 'static)) -> impl Iterator<Item = &'e (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |error| cause(*error))
}

/// The cause of an error; an I/O error hides the one it wraps behind that one's own cause.
fn cause<'e>(error: &'e (dyn StdError + 'static)) -> Option<&'e (dyn StdError + 'static)> {
    match error.downcast_ref::<io::Error>() {
        Some(io) => io.get_ref().map(|inner| inner as _),
        None => error.source(),
    }
}
