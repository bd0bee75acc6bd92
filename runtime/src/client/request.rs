//! Requests: values that can be built, printed, compared, cloned and then sent.
//!
//! [`Request`] is a thin generic wrapper of a request type that is not generic. The emitted setters determine the
//! params of an endpoint; sending is the same for all endpoints.

use std::borrow::Cow;
use std::fmt;
use std::future::{Future, IntoFuture};
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use super::Core;
use super::sending::Sending;
use super::untyped::Untyped;
use crate::decode::BadRecords;
use crate::dispatch::Retry;
use crate::error::Error;
use crate::rate_limit::RateLimit;
use crate::registry::{EndpointInfo, ServiceInfo};
use crate::request::RequestTarget;
use crate::send::{AnyBody, Body, Response};
use crate::values::wire::{IntoParam, IntoParamList, ToWire};
use crate::values::{Timestamp, Value};

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

/// A request for an endpoint; users see it as the emitted `Request`.
///
/// Two requests are equal if they have the same endpoint and params, in any order; timeouts, retry rules and headers
/// are not compared.
#[must_use = "a request does nothing until it is awaited"]
pub struct Request<E> {
    pub(crate) untyped: Untyped,
    endpoint: PhantomData<fn() -> E>,
}

/// Methods for emitted code.
#[doc(hidden)]
impl<E: Endpoint> Request<E> {
    /// Creates a request without params.
    pub fn new(core: &Core) -> Self {
        Self::of(Request::dynamic(core, E::INFO).untyped)
    }

    /// Sets a param; `None` omits it.
    pub fn with<T: ToWire, Via>(self, wire_name: &'static str, value: impl IntoParam<T, Via>) -> Self {
        Self::of(set_param(self.untyped, wire_name, value))
    }

    /// Sets a param to several values; `None` omits it.
    pub fn with_list<T: ToWire, Via>(self, wire_name: &'static str, values: impl IntoParamList<T, Via>) -> Self {
        Self::of(self.untyped.set_list(Cow::Borrowed(wire_name), values.into_param_list()))
    }

    /// Skips records that cannot be decoded, instead of failing the response.
    pub fn skip_bad_records(mut self) -> Self {
        self.untyped.0.target.bad_records = BadRecords::Skipped;
        self
    }
}

// This function is compiled once for each type of value, whereas the methods above are compiled for each endpoint.

fn set_param<T: ToWire, Via>(request: Untyped, wire_name: &'static str, value: impl IntoParam<T, Via>) -> Untyped {
    request.set_one(wire_name, &value.into_param())
}

#[doc(hidden)]
impl Request<Raw> {
    /// Creates a request for any path.
    pub fn raw(core: &Core, path: String) -> Self {
        let suffix = core.connection.service.base_url_suffix;
        Self::of(Untyped::new(core, RequestTarget::raw(Raw::INFO, path, suffix)))
    }
}

impl<E> Request<E> {
    fn of(untyped: Untyped) -> Self {
        Self { untyped, endpoint: PhantomData }
    }

    /// Sets a param by its wire name, including params that are not in the catalogue. `None` omits the param.
    ///
    /// An earlier value of the param is replaced.
    // `value` is passed by value, so that callers can pass a literal without `&`.
    #[allow(clippy::needless_pass_by_value)]
    pub fn query(self, name: impl Into<String>, value: impl ToWire) -> Self {
        Self::of(self.untyped.set_value(Cow::Owned(name.into()), &value))
    }

    /// Sets a param to several values by its wire name, in the list format of the catalogue.
    ///
    /// The values of a param that is not in the catalogue are separated by commas.
    pub fn query_list(self, name: impl Into<String>, values: impl IntoIterator<Item: ToWire>) -> Self {
        Self::of(self.untyped.set_list(Cow::Owned(name.into()), Some(values)))
    }

    /// Sets the timeout of the entire request; overrides the client's.
    pub fn timeout(self, timeout: Duration) -> Self {
        Self::of(self.untyped.set_policy(|policy| policy.timeout = timeout))
    }

    /// Sets the timeout of each attempt of this request; overrides the client's.
    pub fn attempt_timeout(self, timeout: Duration) -> Self {
        Self::of(self.untyped.set_policy(|policy| policy.attempt_timeout = timeout))
    }

    /// Sets the maximum time of this request in the rate-limit queue; overrides the client's.
    pub fn queue_timeout(self, timeout: Duration) -> Self {
        Self::of(self.untyped.set_policy(|policy| policy.queue_timeout = Some(timeout)))
    }

    /// Sets the retry rules of this request, which override the client's. The retry budget remains the client's.
    pub fn retry(self, retry: Retry) -> Self {
        Self::of(self.untyped.set_policy(|policy| policy.retry = retry))
    }

    /// Sends a header with this request; it replaces the client's header of that name.
    pub fn header(mut self, name: impl AsRef<str>, value: impl AsRef<str>) -> Self {
        self.untyped.0.options.header(name.as_ref(), value.as_ref());
        self
    }

    /// Returns the path and query that are sent, relative to the base URL.
    pub fn path_and_query(&self) -> String {
        self.untyped.0.target.path_and_query()
    }

    /// Converts to the same request, with a type that does not name the endpoint.
    pub fn into_dynamic(self) -> Request<Dynamic> {
        Request::of(self.untyped)
    }

    /// Returns the params that are set, each with its value as sent, before encoding.
    pub fn params(&self) -> impl Iterator<Item = (&str, &str)> {
        self.untyped.0.target.params()
    }

    /// Returns the client's rate limit; `None` if a custom rate limiter reports none.
    pub fn rate_limit(&self) -> Option<RateLimit> {
        self.untyped.connection().dispatcher.rate_limiter.rate_limit()
    }

    /// Returns the time of the service, as estimated from the responses of the client so far; see
    /// `Client::service_time`.
    pub fn service_time(&self) -> Timestamp {
        self.untyped.0.core.service_time()
    }

    /// Returns the service of this request.
    pub fn service(&self) -> &'static ServiceInfo {
        self.untyped.connection().service
    }

    /// Returns the endpoint's description in the catalogue.
    pub fn endpoint(&self) -> &'static EndpointInfo {
        self.untyped.0.target.endpoint
    }
}

impl<E> Clone for Request<E> {
    fn clone(&self) -> Self {
        Self::of(self.untyped.clone())
    }
}

impl<E> PartialEq for Request<E> {
    fn eq(&self, other: &Self) -> bool {
        self.untyped.0.target == other.untyped.0.target
    }
}

impl<E> Eq for Request<E> {}

impl<E> Hash for Request<E> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.untyped.0.target.hash(state);
    }
}

impl<E> fmt::Debug for Request<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.untyped.0.target.fmt(f)
    }
}

/// Writes the method and the target: `GET /ratio?coin=BTC`.
impl<E> fmt::Display for Request<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.untyped.0.target.fmt(f)
    }
}

impl<E: Endpoint> Request<E> {
    /// Sends the request like `.await`, and returns status and headers with the body.
    pub async fn response(self) -> Result<Response<E::Body>, Error> {
        self.untyped.send().await?.into_response()
    }
}

/// Blocking methods for callers who do not use async; see the emitted `Request`.
#[cfg(feature = "blocking")]
impl<E: Endpoint> Request<E> {
    /// Sends the request and waits for the body.
    pub fn send_blocking(self) -> Result<E::Body, Error> {
        E::Body::read(self.untyped.send_blocking())
    }

    /// Sends the request, waits, and returns status and headers with the body.
    pub fn response_blocking(self) -> Result<Response<E::Body>, Error> {
        self.untyped.send_blocking()?.into_response()
    }
}

impl<E: Endpoint> IntoFuture for Request<E> {
    type Output = Result<E::Body, Error>;
    type IntoFuture = ResponseFuture<E::Body>;

    fn into_future(self) -> ResponseFuture<E::Body> {
        ResponseFuture { response: self.untyped.send(), body: PhantomData }
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

impl<B: Body> Future for ResponseFuture<B> {
    type Output = Result<B, Error>;

    // Inlining this function would turn a function that awaits many requests into one large function to optimize.
    #[inline(never)]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(B::read(ready!(Pin::new(&mut self.response).poll(cx))))
    }
}

crate::transport::opaque_debug!(ResponseFuture<B>);

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

#[doc(hidden)]
impl Request<Dynamic> {
    /// Creates a request for an endpoint of the registry.
    pub fn dynamic(core: &Core, endpoint: &'static EndpointInfo) -> Self {
        Self::of(Untyped::new(core, RequestTarget::new(endpoint)))
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
