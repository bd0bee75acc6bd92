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
//! # mod invented { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/invented/service.rs")); }
//! # use invented::{Client, RatioRecord, Series};
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
//! In other cases, implement [`Transport`] and pass it to [`Builder::transport`](crate::Builder::transport):
//!
//! ```
//! # use generated_client_runtime::transport::{HttpRequest, HttpResponse, SendFuture, Transport};
//! # extern crate generated_client_runtime as runtime;
//! # mod invented { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/invented/service.rs")); }
//! # use invented::Client;
//! /// Prints every request before it is sent.
//! struct Logged<T>(T);
//!
//! impl<T: Transport> Transport for Logged<T> {
//!     fn send(&self, request: HttpRequest) -> SendFuture<'_> {
//!         println!("{request:?}");
//!         self.0.send(request)
//!     }
//! }
//! ```
//!
//! [`from_fn`] enforces neither a timeout nor a maximum size, but the closure can read both from the request.

// The modules, lowest layer first, as in `lib.rs`.
mod headers;

pub(crate) mod address;

mod settings;

mod built_in;

use std::error::Error as StdError;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

pub(crate) use built_in::HyperTransport;
#[cfg(feature = "reqwest")]
pub use built_in::ReqwestTransport;
pub use headers::{Headers, HeadersNotifier, InvalidHeader, ResponseBody, SentNotifier};
pub(crate) use settings::Settings;

/// Sends a request and returns the response.
///
/// A transport has to enforce the [`options`](HttpRequest::options) of the request.
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
    fn send(&self, request: HttpRequest) -> SendFuture<'_>;

    /// Returns whether the transport notifies [`on_sent`](HttpRequest::on_sent) when it sends a request.
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

/// The source of an error.
type BoxError = Box<dyn StdError + Send + Sync>;

/// The future that [`Transport::send`] returns.
pub type SendFuture<'t> = Pin<Box<dyn Future<Output = Result<HttpResponse, TransportError>> + Send + 't>>;

/// A request to send.
#[derive(Clone)]
#[non_exhaustive]
pub struct HttpRequest {
    /// The HTTP method.
    pub method: Method,
    /// The absolute URL. For some services the query contains the API key, so `Debug` hides the query.
    pub url: String,
    /// The headers; `Debug` hides headers that carry credentials.
    pub headers: Headers,
    /// The body; empty for [`Method::Get`].
    pub body: Vec<u8>,
    /// The timeout and the maximum size that the transport has to enforce.
    pub options: RequestOptions,
    /// Notified when the request is sent, if the transport [supports this](Transport::reports_sent).
    pub on_sent: SentNotifier,
    /// Notified when the status and headers of the response have arrived, if the transport supports this.
    pub on_headers: HeadersNotifier,
}

impl HttpRequest {
    /// Creates a request without a body, as a transport receives it; for testing a transport.
    pub fn new(method: Method, url: impl Into<String>, headers: Headers, options: RequestOptions) -> Self {
        Self {
            method,
            url: url.into(),
            headers,
            body: Vec::new(),
            options,
            on_sent: SentNotifier::default(),
            on_headers: HeadersNotifier::default(),
        }
    }
}

impl fmt::Debug for HttpRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = self.url.split_once('?').map_or_else(|| self.url.clone(), |(path, _)| format!("{path}?…"));
        f.debug_struct("HttpRequest")
            .field("method", &self.method)
            .field("url", &url)
            .field("headers", &self.headers)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// An HTTP method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// The method of all data requests.
    Get,
    /// The method of token requests.
    Post,
}

impl Method {
    /// Returns the name of the method, as it is sent.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }
}

/// The timeout and the maximum size that a transport has to enforce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestOptions {
    /// The maximum time from the call of [`Transport::send`] to the last byte of the body.
    pub timeout: Duration,
    /// The maximum size of the decoded body in bytes.
    pub max_body_bytes: usize,
}

impl RequestOptions {
    /// Creates options with a timeout and a maximum body size.
    pub const fn new(timeout: Duration, max_body_bytes: usize) -> Self {
        Self { timeout, max_body_bytes }
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

/// The phase in which a transport failed. Every request goes through these phases in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// Resolving the name, connecting and the TLS handshake.
    Connect,
    /// Sending the request; the server has not received all of it.
    Send,
    /// Waiting for status and headers; the server may have received the request.
    Headers,
    /// Reading the body.
    Body,
}

/// Whether the same request may succeed if it is sent again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Again {
    #[default]
    No,
    /// The response body exceeds the maximum size, so only a request for less data can succeed.
    InParts,
    Yes,
}

/// The reason why a transport returned no complete response.
///
/// An error is retryable unless [`permanent`](TransportError::permanent) is called.
#[derive(Clone, Debug)]
pub struct TransportError {
    phase: Phase,
    message: String,
    pub(crate) failure: Failure,
}

/// The facts about a failed attempt that the error of its request has too.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failure {
    pub(crate) timeout: bool,
    pub(crate) again: Again,
    /// True if a pooled connection failed.
    pub(crate) stale: bool,
    /// Status and headers, if they arrived.
    pub(crate) response: Option<Box<(u16, Headers)>>,
    pub(crate) cause: Option<Arc<dyn StdError + Send + Sync>>,
}

impl TransportError {
    /// Creates an error for a phase. The message must contain neither credentials nor the text of the source.
    pub fn new(phase: Phase, message: impl Into<String>) -> Self {
        let failure = Failure { again: Again::Yes, ..Failure::default() };
        Self { phase, message: message.into(), failure }
    }

    /// Creates the error for a body larger than [`RequestOptions::max_body_bytes`].
    pub fn body_too_large(limit: usize) -> Self {
        let message = format!("the body exceeds {limit} bytes (`max_body_bytes`)");
        let failure = Failure { again: Again::InParts, ..Failure::default() };
        Self { phase: Phase::Body, message, failure }
    }

    /// Marks the error as a timeout.
    pub fn timed_out(self) -> Self {
        Self { failure: Failure { timeout: true, ..self.failure }, ..self }
    }

    /// Marks the error as permanent, which means that the same request would fail again.
    pub fn permanent(self) -> Self {
        let again = if self.is_body_too_large() { Again::InParts } else { Again::No };
        Self { failure: Failure { again, ..self.failure }, ..self }
    }

    /// Sets the source.
    pub fn with_source(self, cause: impl Into<BoxError>) -> Self {
        Self { failure: Failure { cause: Some(cause.into().into()), ..self.failure }, ..self }
    }

    /// Marks the error as a failure of a pooled connection that had worked before. The failure may come from the
    /// connection rather than from the service. The next attempt uses a new pool.
    pub fn on_stale_connection(self) -> Self {
        Self { failure: Failure { stale: true, ..self.failure }, ..self }
    }

    /// Returns whether the failure was marked with [`on_stale_connection`](Self::on_stale_connection).
    pub fn is_stale(&self) -> bool {
        self.failure.stale
    }

    /// Adds the status and headers that had arrived before the error.
    pub fn with_status_and_headers(self, status: u16, headers: Headers) -> Self {
        Self { failure: Failure { response: Some(Box::new((status, headers))), ..self.failure }, ..self }
    }

    /// Returns the status and headers, if they had arrived before the error.
    pub fn status_and_headers(&self) -> Option<(u16, &Headers)> {
        self.failure.response.as_deref().map(|(status, headers)| (*status, headers))
    }

    /// Returns the phase in which the error occurred.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns whether the error is a timeout.
    pub fn is_timeout(&self) -> bool {
        self.failure.timeout
    }

    /// Returns whether the same request may succeed if it is sent again.
    pub fn is_retryable(&self) -> bool {
        self.failure.again == Again::Yes
    }

    /// Returns whether the body is larger than the request allows.
    pub fn is_body_too_large(&self) -> bool {
        self.failure.again == Again::InParts
    }

    /// Returns the source, for code that converts the error to another type.
    pub fn into_source(self) -> Option<Arc<dyn StdError + Send + Sync>> {
        self.failure.cause
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for TransportError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.failure.cause.as_deref().map(|cause| cause as _)
    }
}

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
    R: Future<Output = Result<HttpResponse, TransportError>> + Send + 'static,
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
