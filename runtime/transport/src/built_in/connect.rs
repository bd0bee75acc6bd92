//! Opens connections, with one timeout that includes the TLS handshake.
//!
//! hyper-util's timeout covers only the TCP connection, so a server that stalls during the TLS handshake would block a
//! request until its attempt times out.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use tower_service::Service;

use crate::BoxError;

/// A connector with a timeout.
#[derive(Clone)]
pub(super) struct TimedConnector<C> {
    pub(super) inner: C,
    pub(super) timeout: Duration,
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
        let timeout = self.timeout;
        Box::pin(async move { connecting.await.unwrap_or_else(|_| Err(Box::new(ConnectTimeout(timeout)))) })
    }
}

/// The error for a connection that was not established in time.
#[derive(Debug)]
pub(super) struct ConnectTimeout(pub(super) Duration);

impl fmt::Display for ConnectTimeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`connect_timeout` elapsed")
    }
}

impl std::error::Error for ConnectTimeout {}
