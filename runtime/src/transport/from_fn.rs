//! A transport that is a closure, for tests and recordings.
//!
//! The transport enforces neither a timeout nor a maximum size, but the closure can read both from the request.

use std::future::Future;

use super::{HttpRequest, HttpResponse, SendFuture, Transport, TransportError};

/// Creates a transport that passes each request to a closure, which returns the response.
///
/// ```
/// # use generated_client_runtime::transport as transport;
/// use transport::{Headers, HttpResponse, from_fn};
///
/// let transport = from_fn(|request| async move {
///     assert!(request.url.ends_with("/ratio?coin=BTC"));
///     Ok(HttpResponse::new(200, Headers::new(), r#"{"data": []}"#))
/// });
/// # fn check(_: impl transport::Transport) {}
/// # check(transport);
/// ```
pub fn from_fn<F, R>(answer: F) -> FromFn<F>
where
    F: Fn(HttpRequest) -> R + Send + Sync + 'static,
    R: Future<Output = Result<HttpResponse, TransportError>> + Send + 'static,
{
    FromFn(answer)
}

/// A transport that is a closure, created by [`from_fn`].
#[derive(Clone)]
pub struct FromFn<F>(F);

impl<F, R> Transport for FromFn<F>
where
    F: Fn(HttpRequest) -> R + Send + Sync + 'static,
    R: Future<Output = Result<HttpResponse, TransportError>> + Send + 'static,
{
    fn send(&self, request: HttpRequest) -> SendFuture<'_> {
        Box::pin((self.0)(request))
    }
}

crate::transport::opaque_debug!(FromFn<F>);
