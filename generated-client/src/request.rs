//! Requests: values that can be built, printed, compared, cloned and then sent.
//!
//! A thin generic shell around one call that is not generic. What an endpoint takes is decided by the
//! emitted setters; how it is sent is the same for all.

use std::borrow::Cow;
use std::fmt;
use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crate::Value;
use crate::call::Call;
use crate::client::Client;
use crate::error::Error;
use crate::registry::EndpointInfo;
use crate::response::Response;
use crate::send::{self, Sent};
use crate::series::Body;
use crate::wire::ToWire;

/// Something that can be asked for.
pub trait Endpoint: Send + Sync + 'static {
    /// What comes back.
    type Body: Body;

    /// The endpoint, as the catalogue describes it.
    const INFO: &'static EndpointInfo;
}

/// A request for an endpoint, sent by `.await`.
///
/// Two requests are equal if they ask for the same, in whatever order their params were set.
///
/// ```
/// # fn demo(client: &generated_client::Client) {
/// let request = client.raw("/volumeRatio").query("limit", 5).query("coin", "BTC");
/// assert_eq!(request.to_string(), "GET /volumeRatio?coin=BTC&limit=5");
/// assert_eq!(request, client.raw("/volumeRatio").query("coin", "BTC").query("limit", 5));
/// # }
/// ```
///
/// Some of Tokio's functions take nothing but a future, which a request becomes with
/// [`into_future`](IntoFuture::into_future):
///
/// ```no_run
/// # async fn demo(client: &generated_client::Client) -> Result<(), Box<dyn std::error::Error>> {
/// let task = tokio::spawn(client.raw("/volumeRatio").into_future());
/// let (ratio, price) = tokio::try_join!(client.raw("/ratio").into_future(), client.raw("/price").into_future())?;
/// task.await??;
/// # Ok(())
/// # }
/// ```
#[must_use = "a request does nothing until it is awaited"]
pub struct Request<E> {
    untyped: Untyped,
    endpoint: PhantomData<fn() -> E>,
}

/// A request without its endpoint's type: what is done here is compiled once and not for every endpoint.
///
/// It stays in one place while it goes from setter to setter, each of which would copy it otherwise.
#[derive(Clone)]
struct Untyped(Box<Parts>);

#[derive(Clone)]
struct Parts {
    client: Client,
    call: Call,
}

impl Untyped {
    fn new(client: &Client, call: Call) -> Self {
        Self(Box::new(Parts { client: client.clone(), call }))
    }

    fn for_endpoint(client: &Client, endpoint: &'static EndpointInfo) -> Self {
        Self::new(client, Call::new(endpoint))
    }

    fn set(mut self, wire_name: Cow<'static, str>, value: &dyn ToWire) -> Self {
        self.0.call.set(wire_name, value.to_wire());
        self
    }

    fn with<T: ToWire>(self, wire_name: &'static str, value: impl Into<T>) -> Self {
        self.set(Cow::Borrowed(wire_name), &value.into())
    }

    fn with_list<T: ToWire>(self, wire_name: &'static str, values: impl IntoIterator<Item: Into<T>>) -> Self {
        let mut list = String::new();
        for (index, value) in values.into_iter().enumerate() {
            if index > 0 {
                list.push(',');
            }
            value.into().write_wire(&mut list);
        }
        self.set(Cow::Borrowed(wire_name), &list)
    }

    fn send(self) -> Sending {
        Box::pin(send::send(self.0.client, self.0.call))
    }
}

/// A request on its way.
type Sending = Pin<Box<dyn Future<Output = Sent> + Send>>;

// Which of these the emitted code needs depends on the catalogue.
#[allow(dead_code)]
impl<E: Endpoint> Request<E> {
    pub(crate) fn new(client: &Client) -> Self {
        Self::of(Untyped::for_endpoint(client, E::INFO))
    }

    /// Sets a param.
    pub(crate) fn with<T: ToWire>(self, wire_name: &'static str, value: impl Into<T>) -> Self {
        Self::of(self.untyped.with::<T>(wire_name, value))
    }

    /// Sets a param to several values.
    pub(crate) fn with_list<T: ToWire>(
        self,
        wire_name: &'static str,
        values: impl IntoIterator<Item: Into<T>>,
    ) -> Self {
        Self::of(self.untyped.with_list::<T>(wire_name, values))
    }
}

impl Request<Raw> {
    pub(crate) fn raw(client: &Client, path: String) -> Self {
        Self::of(Untyped::new(client, Call::raw(Raw::INFO, path)))
    }
}

impl<E> Request<E> {
    fn of(untyped: Untyped) -> Self {
        Self { untyped, endpoint: PhantomData }
    }

    /// Sets a param by its name on the wire, also one that the catalogue does not know.
    ///
    /// A param that was set before is replaced.
    // By value, so that a literal can be passed as it is.
    #[allow(clippy::needless_pass_by_value)]
    pub fn query(self, name: impl Into<String>, value: impl ToWire) -> Self {
        Self::of(self.untyped.set(Cow::Owned(name.into()), &value))
    }

    /// What is sent, from the base URL on.
    pub fn path_and_query(&self) -> String {
        self.untyped.0.call.path_and_query()
    }

    /// The endpoint, as the catalogue describes it.
    pub fn endpoint(&self) -> &'static EndpointInfo {
        self.untyped.0.call.endpoint()
    }
}

impl<E> Clone for Request<E> {
    fn clone(&self) -> Self {
        Self::of(self.untyped.clone())
    }
}

impl<E> PartialEq for Request<E> {
    fn eq(&self, other: &Self) -> bool {
        self.untyped.0.call == other.untyped.0.call
    }
}

impl<E> fmt::Debug for Request<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.untyped.0.call.fmt(f)
    }
}

/// `GET /volumeRatio?coin=BTC`.
impl<E> fmt::Display for Request<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.untyped.0.call.fmt(f)
    }
}

impl<E: Endpoint> Request<E> {
    /// Sends the request like `.await`, and brings back status and headers beside the body.
    ///
    /// ```no_run
    /// # async fn demo(client: &generated_client::Client) -> Result<(), generated_client::Error> {
    /// let response = client.raw("/health").response().await?;
    /// println!("{} {:?}", response.status, response.headers.get("x-request-id"));
    /// println!("{}", response.body);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn response(self) -> Result<Response<E::Body>, Error> {
        self.untyped.send().await?.into_response()
    }
}

/// For callers who do not await; with the feature `blocking`.
///
/// The calling thread waits for the reply; one thread per client and its clones keeps connections alive
/// between requests. Any number of threads may ask at once. Inside an async runtime both refuse.
#[cfg(feature = "blocking")]
impl<E: Endpoint> Request<E> {
    /// Sends the request and waits for the body.
    ///
    /// ```no_run
    /// # fn demo(client: &generated_client::Client) -> Result<(), generated_client::Error> {
    /// let health = client.raw("/health").send_blocking()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn send_blocking(self) -> Result<E::Body, Error> {
        E::Body::read(self.reply_blocking())
    }

    /// Sends the request, waits, and brings back status and headers beside the body.
    pub fn response_blocking(self) -> Result<Response<E::Body>, Error> {
        self.reply_blocking()?.into_response()
    }

    fn reply_blocking(self) -> Sent {
        let Parts { client, call } = *self.untyped.0;
        let outcome = client.background().wait(send::send(client.clone(), call.clone()));
        outcome.unwrap_or_else(|error| Err(error.about(&call).without_secrets(client.credentials())))
    }
}

impl<E: Endpoint> IntoFuture for Request<E> {
    type Output = Result<E::Body, Error>;
    type IntoFuture = Pending<E::Body>;

    fn into_future(self) -> Pending<E::Body> {
        Pending { reply: self.untyped.send(), body: PhantomData }
    }
}

/// The future of a request. Dropping it abandons the request and breaks nothing.
///
/// While it waits in line it keeps its place, and those behind it wait too: poll it to its end or drop it. A task of
/// its own, by `tokio::spawn`, does the one; `select!` and `timeout` do the other.
#[must_use = "a request does nothing until it is awaited"]
pub struct Pending<B> {
    reply: Sending,
    body: PhantomData<fn() -> B>,
}

impl<B: Body> Future for Pending<B> {
    type Output = Result<B, Error>;

    // Whoever awaits many requests in one function would otherwise get them all as one function to optimize.
    #[inline(never)]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(B::read(ready!(self.reply.as_mut().poll(cx))))
    }
}

impl<B> fmt::Debug for Pending<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pending(..)")
    }
}

/// An endpoint that the catalogue need not know; from [`Client::raw`].
#[derive(Clone, Copy, Debug)]
pub struct Raw;

impl Endpoint for Raw {
    type Body = Value;
    const INFO: &'static EndpointInfo =
        &EndpointInfo::new("client", "raw", "Raw").summary("Any path, whether the catalogue knows it or not.");
}

/// Says which setters an endpoint has.
#[allow(unused_macros)] // Whether an endpoint has setters depends on the catalogue.
macro_rules! takes {
    ($endpoint:ident => $($takes:ident),+) => {
        $(impl $takes for $endpoint {})+
    };
}
#[allow(unused_imports)]
pub(crate) use takes;
