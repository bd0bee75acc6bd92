//! Connecting, with one timeout for all of it.
//!
//! The timeout that hyper-util offers ends with the TCP connection; a server that stalls in the
//! middle of the TLS handshake would hold a request until its own time is over.

use std::error::Error as StdError;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use tokio::time::Instant;
use tower_service::Service;

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
pub(super) struct TooLate(pub(super) Duration);

impl fmt::Display for TooLate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`connect_timeout` is over")
    }
}

impl StdError for TooLate {}
