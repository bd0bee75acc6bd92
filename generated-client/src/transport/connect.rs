//! Connecting, with one timeout for all of it.
//!
//! The timeout that hyper-util offers ends with the TCP connection; a server that stalls in the
//! middle of the TLS handshake would hold a request until its own time is over.

use std::error::Error as StdError;
use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use rustls::CertificateError;
use tokio::time::Instant;
use tower_service::Service;

use super::{Phase, TransportError};

type BoxError = Box<dyn StdError + Send + Sync>;

/// A connector that gives up in time.
#[derive(Clone)]
pub(super) struct TimedConnector<C> {
    inner: C,
    timeout: Duration,
    latest: Latest,
}

/// When the latest connection was made.
#[derive(Clone, Default)]
pub(super) struct Latest(Arc<Mutex<Option<Instant>>>);

impl Latest {
    /// How long after a point in time the latest connection was made; zero if it was there already.
    ///
    /// It may have been made for another request: then this one is taken to have left too late, never too
    /// early.
    pub(super) fn after(&self, since: Instant) -> Duration {
        let latest = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        latest.map_or(Duration::ZERO, |latest| latest.saturating_duration_since(since))
    }

    fn now(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }
}

impl<C> TimedConnector<C> {
    pub(super) fn new(inner: C, timeout: Duration, latest: Latest) -> Self {
        Self { inner, timeout, latest }
    }
}

impl<C> Service<Uri> for TimedConnector<C>
where
    C: Service<Uri, Error = BoxError>,
    C::Future: Send + 'static,
{
    type Response = C::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<C::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, target: Uri) -> Self::Future {
        let connecting = tokio::time::timeout(self.timeout, self.inner.call(target));
        let (timeout, latest) = (self.timeout, self.latest.clone());
        Box::pin(async move {
            let connection = connecting.await.unwrap_or_else(|_| Err(Box::new(TooLate(timeout))))?;
            latest.now();
            Ok(connection)
        })
    }
}

/// Time ran out before there was a connection.
#[derive(Debug)]
struct TooLate(Duration);

impl fmt::Display for TooLate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`connect_timeout` is over")
    }
}

impl StdError for TooLate {}

/// Where a connection was to lead.
pub(super) struct Way {
    /// Host and port of the server.
    pub(super) target: String,
    /// Host and port of the proxy before it, if there is one.
    pub(super) proxy: Option<String>,
    /// What else might be the matter.
    pub(super) hint: &'static str,
}

/// Host and port, also where the port is left to the scheme.
pub(super) fn place(uri: &Uri) -> String {
    let by_scheme = if uri.scheme_str() == Some("https") { 443 } else { 80 };
    format!("{}:{}", uri.host().unwrap_or_default(), uri.port_u16().unwrap_or(by_scheme))
}

/// Says why there is no connection.
pub(super) fn failed(error: impl Into<BoxError>, way: &Way) -> TransportError {
    let error = error.into();
    let causes = || std::iter::successors(Some(&*error as &(dyn StdError + 'static)), |error| cause(*error));
    let Way { target, proxy, hint } = way;
    let through = proxy.as_ref().map(|proxy| format!(" through the proxy `{proxy}`")).unwrap_or_default();
    let says = |words: &str| causes().any(|cause| cause.to_string() == words);
    let failed = |message| TransportError::new(Phase::Connect, message);
    let this = if let Some(fault) = causes().find_map(|cause| fault(cause)) {
        failed(format!("the certificate of `{target}`{through} {fault}")).permanent()
    } else if says(PROXY_WANTS_CREDENTIALS) {
        let advice = "which wants credentials; write them into its URL";
        failed(format!("no connection to `{target}`{through}, {advice}")).permanent()
    } else if let Some(TooLate(timeout)) = causes().find_map(|cause| cause.downcast_ref()) {
        failed(format!("no connection to `{target}`{through} within {timeout:?}{hint}")).timed_out()
    } else if says(UNKNOWN_NAME) {
        failed(format!("no connection to `{target}`{through}: a name cannot be looked up{hint}"))
    } else if causes().any(is_refusal) {
        failed(format!("no connection to `{target}`{through}, which refuses it{hint}"))
    } else {
        failed(format!("no connection to `{target}`{through}{hint}"))
    };
    this.because(error)
}

/// What hyper-util says of a name that leads nowhere; the types of these errors are private.
const UNKNOWN_NAME: &str = "dns error";

/// What it says of a proxy that answers with 407.
const PROXY_WANTS_CREDENTIALS: &str = "tunnel error: proxy authorization required";

fn is_refusal(cause: &(dyn StdError + 'static)) -> bool {
    cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

/// What is wrong with a certificate, if that is the cause.
fn fault(cause: &(dyn StdError + 'static)) -> Option<&'static str> {
    let Some(rustls::Error::InvalidCertificate(fault)) = cause.downcast_ref() else { return None };
    Some(match fault {
        CertificateError::UnknownIssuer => "is signed by nobody who is trusted here; `root_certificate` adds a root",
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => "is for another name",
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "has expired",
        _ => "is not trusted",
    })
}

/// The cause of an error; an I/O error hides the one it wraps behind that one's own cause.
fn cause<'e>(error: &'e (dyn StdError + 'static)) -> Option<&'e (dyn StdError + 'static)> {
    match error.downcast_ref::<io::Error>() {
        Some(io) => io.get_ref().map(|inner| inner as _),
        None => error.source(),
    }
}
