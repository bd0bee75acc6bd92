//! The transport interface, in this project's own types.
//!
//! A transport sends an [`HttpRequest`] with its credentials and returns an [`HttpResponse`] with its complete body. It
//! does not check the status, follow redirects or retry; its callers process the status and retry.
//!
//! In a test, the transport can be a closure that is passed to [`from_fn`]. Expected records and series can be created
//! with `Default` and `From<Vec<_>>`. In this example, `market().ratio()` is an endpoint of the client:
//!
//! ```
//! # use generated_client_runtime::transport::{Headers, HttpResponse, from_fn};
//! # use generated_client_runtime::Timestamp;
//! # extern crate generated_client_runtime as runtime;
//! # use test_service::invented::{Client, RatioRecord, Series};
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), generated_client_runtime::Error> {
//! let transport = from_fn(|request| async move {
//!     assert!(request.url.ends_with("/ratio?symbol=A"));
//!     Ok(HttpResponse::new(200, Headers::new(), r#"{"data": [{"openDate": 1700000000, "ratio": 0.25}]}"#))
//! });
//! let client = Client::builder("https://example.com/v2").api_key("key").transport(transport).build()?;
//!
//! let mut expected = RatioRecord::default();
//! (expected.open_date, expected.ratio) = (Timestamp::from_unix_seconds(1_700_000_000), 0.25);
//! assert_eq!(client.market().ratio().symbol("A").await?, Series::from(vec![expected]));
//! # Ok(()) }
//! ```
//!
//! In other cases, implement [`Transport`] and pass it to `Builder::transport`:
//!
//! ```
//! # use generated_client_runtime::transport::{HttpRequest, HttpResponse, SendFuture, Transport};
//! # extern crate generated_client_runtime as runtime;
//! # use test_service::invented::Client;
//! /// Prints every request before it is sent.
//! struct Logged<T>(T);
//!
//! impl<T: Transport> Transport for Logged<T> {
//!     fn send(&self, request: HttpRequest) -> SendFuture<'_> {
//!         println!("{request:?}");
//!         self.0.send(request)
//!     }
//!
//!     fn reports_sent(&self) -> bool {
//!         self.0.reports_sent()
//!     }
//! }
//! ```
//!
//! The built-in transport cannot be wrapped. With the feature `reqwest`, wrap `ReqwestTransport`, which sends with your own
//! `reqwest::Client`.
//!
//! [`from_fn`] enforces neither a timeout nor a maximum size, but the closure can read both from the request.

// The modules, lowest layer first, as in `lib.rs`.
#[cfg(feature = "client")]
pub(crate) mod address;

#[cfg(feature = "client")]
mod settings;

#[cfg(feature = "client")]
mod built_in;

use std::fmt;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::error::Error;

pub use crate::headers::{Headers, InvalidHeader};
#[cfg(feature = "client")]
pub(crate) use built_in::HyperTransport;
#[cfg(feature = "reqwest")]
pub use built_in::ReqwestTransport;
#[cfg(feature = "client")]
pub(crate) use settings::TransportSettings;

/// Sends a request and returns the response.
///
/// A transport has to enforce the [`timeout`](HttpRequest::timeout) and the
/// [`max_body_bytes`](HttpRequest::max_body_bytes) of the request.
///
/// ```
/// # use generated_client_runtime::transport::{Headers, HttpRequest, HttpResponse, SendFuture, Transport};
/// /// Returns the same record for every request.
/// struct Canned;
///
/// impl Transport for Canned {
///     fn send(&self, request: HttpRequest) -> SendFuture<'_> {
///         Box::pin(async move {
///             let body = r#"{"data": [{"openDate": 1700000000, "ratio": 0.25}]}"#;
///             Ok(HttpResponse::new(200, Headers::new(), body))
///         })
///     }
/// }
/// ```
pub trait Transport: Send + Sync + 'static {
    /// Sends the request once. Dropping the future cancels the request.
    ///
    /// A failure is an error with the phase in which it occurred, created with [`Error::retryable`], or with
    /// [`Error::new`] if the same request would fail again. If the headers of the response have arrived, they are added
    /// with [`Error::with_response`].
    fn send(&self, request: HttpRequest) -> SendFuture<'_>;

    /// `true` if the transport notifies [`on_sent`](HttpRequest::on_sent) when it sends a request.
    ///
    /// The rate limiter counts a request from the time at which it is sent. If this method returns true, that is the
    /// time of the notification, and until then the rate limiter reserves a slot for the request. If it returns false,
    /// that is the time at which `send` is called.
    fn reports_sent(&self) -> bool {
        false
    }
}

impl<T: Transport + ?Sized> Transport for Arc<T> {
    fn send(&self, request: HttpRequest) -> SendFuture<'_> {
        (**self).send(request)
    }

    fn reports_sent(&self) -> bool {
        (**self).reports_sent()
    }
}

/// The future that [`Transport::send`] returns.
pub type SendFuture<'t> = Pin<Box<dyn Future<Output = Result<HttpResponse, Error>> + Send + 't>>;

/// A request to send: a `POST` if it has a form, otherwise a `GET`.
#[derive(Clone)]
#[non_exhaustive]
pub struct HttpRequest {
    /// The absolute URL. For some services the query contains the API key, so `Debug` hides the query.
    pub url: String,
    /// The headers; `Debug` hides headers that carry credentials.
    pub headers: Headers,
    /// The body of a token request; `None` for data requests.
    pub form: Option<String>,
    /// The maximum time from the call of [`Transport::send`] to the last byte of the body.
    pub timeout: Duration,
    /// The maximum size of the decoded body in bytes.
    pub max_body_bytes: usize,
    /// Notified when the request is sent, if the transport [supports this](Transport::reports_sent).
    pub on_sent: SentNotifier,
    /// Notified when the status and headers of the response have arrived, if the transport supports this.
    pub on_headers: HeadersNotifier,
}

impl HttpRequest {
    /// Creates a `GET` as a transport receives it; for testing a transport.
    pub fn new(url: impl Into<String>, headers: Headers, timeout: Duration, max_body_bytes: usize) -> Self {
        let on_sent = SentNotifier::default();
        let on_headers = HeadersNotifier::default();
        Self { url: url.into(), headers, form: None, timeout, max_body_bytes, on_sent, on_headers }
    }

    /// Returns the name of the HTTP method.
    pub fn method(&self) -> &'static str {
        if self.form.is_some() { "POST" } else { "GET" }
    }
}

impl fmt::Debug for HttpRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = self.url.split_once('?').map_or_else(|| self.url.clone(), |(path, _)| format!("{path}?…"));
        f.debug_struct("HttpRequest")
            .field("method", &self.method())
            .field("url", &url)
            .field("headers", &self.headers)
            .field("timeout", &self.timeout)
            .field("max_body_bytes", &self.max_body_bytes)
            .finish_non_exhaustive()
    }
}

/// A response.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HttpResponse {
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: Headers,
    /// The complete body, decoded.
    pub body: ResponseBody,
    /// True if the body had neither a length nor chunks, so that only the end of the connection marked the end of the
    /// body. A truncated body then looks complete.
    pub ends_with_connection: bool,
}

impl HttpResponse {
    /// Creates a response with any status.
    pub fn new(status: u16, headers: Headers, body: impl Into<ResponseBody>) -> Self {
        Self { status, headers, body: body.into(), ends_with_connection: false }
    }
}

/// The complete body of a response, readable as a slice of bytes.
///
/// `Debug` shows only the length, because the content may be a token.
///
/// ```
/// # use generated_client_runtime::transport::ResponseBody;
/// let body = ResponseBody::from("{}");
/// assert_eq!((&*body, body.len()), (&b"{}"[..], 2));
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ResponseBody(pub(crate) Bytes);

impl Deref for ResponseBody {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for ResponseBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len())
    }
}

impl<B: Into<Vec<u8>>> From<B> for ResponseBody {
    fn from(bytes: B) -> Self {
        Self(Bytes::from(bytes.into()))
    }
}

/// Notified when a request is sent. That may be long after the transport received the request, because a connection may
/// have to be opened first.
///
/// ```
/// # use generated_client_runtime::transport::SentNotifier;
/// let on_sent = SentNotifier::new(|| println!("the request is sent"));
/// on_sent.notify();
/// ```
#[derive(Clone, Default)]
pub struct SentNotifier(Option<Arc<dyn Fn() + Send + Sync>>);

impl SentNotifier {
    /// Creates a notifier that calls `notified` when a request is sent; for testing a transport.
    pub fn new(notified: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(notified)))
    }

    /// Reports that the request is being sent; may be called from any thread. The rate limiter ignores all calls after
    /// the first.
    pub fn notify(&self) {
        if let Some(notified) = &self.0 {
            notified();
        }
    }
}

crate::debug::opaque_debug!(SentNotifier);

type OnHeaders = dyn Fn(u16, &Headers) + Send + Sync;

/// Notified when the status and headers of a response have arrived. The transport sends the notification before it
/// reads the body, so that a 429 stops further requests at once.
#[derive(Clone, Default)]
pub struct HeadersNotifier(Option<Arc<OnHeaders>>);

impl HeadersNotifier {
    /// Creates a notifier that calls `on_headers` with the status and headers; for testing a transport.
    pub fn new(on_headers: impl Fn(u16, &Headers) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(on_headers)))
    }

    /// Reports the status and headers. A transport may omit this call, because the client also reports them once the
    /// response is complete.
    pub fn notify(&self, status: u16, headers: &Headers) {
        if let Some(on_headers) = &self.0 {
            on_headers(status, headers);
        }
    }
}

crate::debug::opaque_debug!(HeadersNotifier);

/// Creates a transport that passes each request to a closure, which returns the response.
///
/// ```
/// # use generated_client_runtime::transport as transport;
/// use transport::{Headers, HttpResponse, from_fn};
///
/// let transport = from_fn(|request| async move {
///     assert!(request.url.ends_with("/ratio?symbol=A"));
///     Ok(HttpResponse::new(200, Headers::new(), r#"{"data": []}"#))
/// });
/// # fn check(_: impl transport::Transport) {}
/// # check(transport);
/// ```
pub fn from_fn<F, R>(answer: F) -> FromFn
where
    F: Fn(HttpRequest) -> R + Send + Sync + 'static,
    R: Future<Output = Result<HttpResponse, Error>> + Send + 'static,
{
    FromFn(Arc::new(move |request| Box::pin(answer(request))))
}

/// A transport that is a closure, created by [`from_fn`].
#[derive(Clone)]
pub struct FromFn(Arc<dyn Fn(HttpRequest) -> SendFuture<'static> + Send + Sync>);

impl Transport for FromFn {
    fn send(&self, request: HttpRequest) -> SendFuture<'_> {
        (self.0)(request)
    }
}

crate::debug::opaque_debug!(FromFn);
