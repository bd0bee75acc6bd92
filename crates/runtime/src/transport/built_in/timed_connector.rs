//! Opens connections within a timeout, which includes the DNS lookup, the TCP connection and the TLS handshake.
//!
//! hyper-util's timeout covers only the TCP connection, so a server that stalls during the TLS handshake would block a
//! request until its attempt times out.

use std::cell::Cell;
use std::error::Error as StdError;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_rustls::HttpsConnector;
use tower_service::Service;

use super::failure::causes;
use super::resolver::LOOKS_UP;
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
        let time = self.timeout;
        let connecting = tokio::time::timeout(time, self.inner.call(target));
        Box::pin(LOOKS_UP.scope(Cell::new(false), async move {
            match connecting.await {
                Ok(Err(error)) if is_out_of_time(&*error) => Err(timed_out(time, false).into()),
                Ok(outcome) => outcome,
                Err(_) => Err(timed_out(time, LOOKS_UP.with(Cell::get)).into()),
            }
        }))
    }
}

/// `true` if no address of the host accepted the connection in its part of the time.
fn is_out_of_time(error: &(dyn StdError + 'static)) -> bool {
    causes(error).any(|cause| {
        cause.downcast_ref().is_some_and(|error: &io::Error| {
            // An error of the system, which also has a time limit, has a code.
            error.kind() == io::ErrorKind::TimedOut && error.raw_os_error().is_none()
        })
    })
}

/// Creates the error for a connection that was not made in time.
fn timed_out(time: Duration, looks_up: bool) -> Error {
    let what = if looks_up { "failed: the DNS lookup timed out" } else { "timed out" };
    Error::retryable(ErrorKind::Connect, format!("{what} after {time:?} (`connect_timeout`)")).timed_out()
}
