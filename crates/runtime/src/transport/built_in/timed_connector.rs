//! Opens connections within a timeout, which includes the TCP connection and the TLS handshake.
//!
//! hyper-util's timeout covers only the TCP connection, so a server that stalls during the TLS handshake would block a
//! request until its attempt times out.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_rustls::HttpsConnector;
use tower_service::Service;

use super::routes::Connector;
use crate::error::{BoxError, Error, ErrorKind};

/// A connector with a timeout.
#[derive(Clone)]
pub(super) struct TimedConnector {
    pub(super) inner: HttpsConnector<Connector>,
    pub(super) timeout: Duration,
}

impl Service<Uri> for TimedConnector {
    type Response = <HttpsConnector<Connector> as Service<Uri>>::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, target: Uri) -> Self::Future {
        let connecting = tokio::time::timeout(self.timeout, self.inner.call(target));
        let late = format!("timed out after {:?} (`connect_timeout`)", self.timeout);
        let late = Error::retryable(ErrorKind::Connect, late).timed_out();
        Box::pin(async move { connecting.await.unwrap_or_else(|_| Err(late.into())) })
    }
}
