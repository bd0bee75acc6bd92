//! A transport for programs with their own `reqwest::Client`.
//!
//! The transport uses the connections, proxies and certificates of the client. It adds timeouts, a maximum size of
//! decoded bodies, and errors that contain the phase. A redirect that the client follows is detected only afterwards,
//! so [`ReqwestTransport::from_builder`] turns redirects off.

use std::error::Error as _;

use ::reqwest::redirect::Policy;
use ::reqwest::{Body, Client, ClientBuilder, Error as ReqwestError, Request};
use http::Uri;

use super::failure::{Route, before_headers, host_and_port};
use super::messages::{self, Progress};
use crate::error::{Error, ErrorKind};
use crate::transport::{HttpRequest, ResponseBody, SendFuture, Transport};

/// Sends requests with a `reqwest::Client`; requires the feature `reqwest`.
///
/// This crate enables no feature of reqwest. To send requests to `https` URLs, enable one of reqwest's TLS features.
///
/// The connections belong to the client. After a suspend or a change of network, all idle connections may be dead, and
/// each attempt may fail on another dead connection. To avoid such attempts, set `tcp_keepalive`, `tcp_user_timeout`
/// and a short `pool_idle_timeout` on the `ClientBuilder`, or `pool_max_idle_per_host(0)` to open a new connection for
/// each request. A connection is driven by the runtime that opened it, so use one client for awaited requests and
/// another client for blocking requests.
///
/// ```
/// # use generated_client_runtime::transport::ReqwestTransport;
/// # extern crate generated_client_runtime as runtime;
/// # use test_service::invented::Client;
/// let transport = ReqwestTransport::from_builder(reqwest::Client::builder())?;
/// let client = Client::builder("https://example.com/v2").api_key("key").transport(transport).build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReqwestTransport(Client);

impl ReqwestTransport {
    /// Builds a client that does not follow redirects.
    pub fn from_builder(builder: ClientBuilder) -> Result<Self, ReqwestError> {
        builder.redirect(Policy::none()).build().map(Self)
    }

    /// Wraps a client without changes.
    ///
    /// Build the client with `redirect::Policy::none()`, which is not reqwest's default. Otherwise the client follows
    /// redirects and sends the API key to their target; the response is then rejected, but the key has leaked.
    pub fn new(client: Client) -> Self {
        Self(client)
    }

    async fn exchange(&self, request: HttpRequest, progress: &mut Progress) -> Result<ResponseBody, Error> {
        let limit = request.max_body_bytes;
        let request = messages::convert(request)?.map(Body::wrap);
        let target = request.uri().clone();
        let request = Request::try_from(request)
            .map_err(|error| Error::new(ErrorKind::Send, "the URL is invalid").with_source(error.without_url()))?;
        let asked = request.url().clone();
        let response = self.0.execute(request).await.map_err(|error| failed(error, &target))?;
        if *response.url() != asked {
            return Err(followed(response.url().host_str()));
        }
        messages::read(response.into(), limit, progress).await.map_err(late)
    }
}

impl Transport for ReqwestTransport {
    fn send(&self, request: HttpRequest) -> SendFuture<'_> {
        Box::pin(async move {
            let timeout = request.timeout;
            let mut progress = Progress::new(&request);
            let body = tokio::time::timeout(timeout, self.exchange(request, &mut progress)).await;
            progress.reply(body, timeout)
        })
    }

    fn reports_sent(&self) -> bool {
        true
    }
}

/// Converts an error that occurred before the headers arrived, and adds its phase.
fn failed(error: ReqwestError, target: &Uri) -> Error {
    if error.is_redirect() {
        return followed(error.url().and_then(|url| url.host_str()));
    }
    let is_connect = error.is_connect();
    let is_timeout = error.is_timeout();
    // The URL is removed, because the runtime adds it with secrets masked.
    let error = before_headers(error.without_url(), is_connect, || Route {
        target: host_and_port(target),
        proxy: None,
        hint: "",
    });
    if is_timeout { error.timed_out() } else { error }
}

/// Marks the error as a timeout if a timeout of the reqwest client caused it.
fn late(error: Error) -> Error {
    let cause = error.source().and_then(|cause| cause.downcast_ref());
    if cause.is_some_and(ReqwestError::is_timeout) { error.timed_out() } else { error }
}

fn followed(host: Option<&str>) -> Error {
    let host = host.unwrap_or_default();
    let message = format!(
        "a redirect to the host `{host}` was followed, so that host may have received the API key; \
         build the reqwest client with `redirect::Policy::none()`"
    );
    Error::new(ErrorKind::Headers, message)
}
