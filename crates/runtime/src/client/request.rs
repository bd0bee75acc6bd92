//! Requests: values that can be built, printed, compared, cloned and then sent.
//!
//! [`Request`] is a thin generic wrapper of a request type that is not generic. A macro defines it, here and in each
//! emitted crate, whose setters determine the params of an endpoint; sending is the same for all endpoints.

use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::Core;
use super::untyped::{Sending, Untyped};
use crate::error::Error;
use crate::rate_limit::RateLimit;
use crate::registry::{EndpointInfo, ServiceInfo};
use crate::request::RequestTarget;
use crate::send::{AnyBody, Body};
use crate::values::Value;

/// A type that represents an endpoint; [`marker!`](crate::marker!) implements this trait for the emitted types.
pub trait Marker {}

/// An endpoint that can be requested. Only emitted code implements this trait:
///
/// ```compile_fail,E0277
/// # use generated_client_runtime::{Endpoint, Value, registry::EndpointInfo};
/// struct Mine;
///
/// impl Endpoint for Mine {
///     type Body = Value;
///     const INFO: &'static EndpointInfo = generated_client_runtime::Raw::INFO;
/// }
/// ```
pub trait Endpoint: Marker + Send + Sync + 'static {
    /// The type of the response body.
    type Body: Body;

    /// The endpoint's description in the catalogue. For [`Dynamic`] and [`Raw`] it is a placeholder, because their
    /// endpoint is chosen at run time; `Request::endpoint` returns the description for every request.
    const INFO: &'static EndpointInfo;
}

crate::__request!("generated_client_runtime", "AnyClient");

impl<E> Request<E> {
    /// Returns the client's rate limit; `None` if a custom rate limiter reports none.
    pub fn rate_limit(&self) -> Option<RateLimit> {
        self.untyped.connection().dispatcher.rate_limiter.rate_limit()
    }

    /// Returns the service of this request.
    pub fn service(&self) -> &'static ServiceInfo {
        self.untyped.connection().service
    }

    /// Sends the request, and returns the text of the body as the service sends it: JSON with all digits of its numbers,
    /// which a [`Value`] does not have, or CSV or lines of JSON if the catalogue declares that format.
    pub async fn text(self) -> Result<String, Error> {
        self.untyped.send().await?.into_text()
    }
}

/// The future of a request. Dropping it cancels the request, and has no effect on other requests.
///
/// Nothing is sent before the first poll. From then on the request is a separate task, which makes progress even if the
/// future is not polled again. A future that is not polled, for example in the buffer of a stream, therefore does not
/// block other requests. Dropping the future ends the task immediately, even if its runtime has stopped.
#[must_use = "a request does nothing until it is awaited"]
pub struct ResponseFuture<B> {
    response: Sending,
    body: PhantomData<fn() -> B>,
}

impl<B> ResponseFuture<B> {
    #[doc(hidden)]
    pub fn of(untyped: Untyped) -> Self {
        Self { response: untyped.send(), body: PhantomData }
    }
}

impl<B: Body> Future for ResponseFuture<B> {
    type Output = Result<B, Error>;

    // Inlining this function would turn a function that awaits many requests into one large function to optimize.
    #[inline(never)]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(B::read(ready!(Pin::new(&mut self.response).poll(cx))))
    }
}

crate::debug::opaque_debug!(ResponseFuture<B>);

/// An endpoint that need not be in the catalogue; used by `Client::raw`.
#[derive(Clone, Copy, Debug)]
pub struct Raw;

impl Marker for Raw {}

impl Endpoint for Raw {
    type Body = Value;
    const INFO: &'static EndpointInfo = &EndpointInfo {
        summary: "Any path, even if it is not in the catalogue.",
        ..EndpointInfo::new("client", "raw", "Raw")
    };
}

impl Untyped {
    /// Creates a request for any path.
    pub fn raw(core: &Core, path: String) -> Self {
        Self::of(core, RequestTarget::raw(Raw::INFO, path, core.connection.service.base_url_suffix))
    }
}

/// An endpoint that is chosen at run time; `Client::endpoint` and `Request::into_dynamic` return requests for it. The
/// methods `history` and `follow` of such a request return an error if the endpoint has no history.
#[derive(Clone, Copy, Debug)]
pub struct Dynamic;

impl Marker for Dynamic {}

impl Endpoint for Dynamic {
    type Body = AnyBody;
    const INFO: &'static EndpointInfo = &EndpointInfo {
        summary: "Any endpoint of the registry.",
        ..EndpointInfo::new("client", "endpoint", "Dynamic")
    };
}
