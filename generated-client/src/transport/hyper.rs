//! The default transport: hyper over rustls.
//!
//! HTTP/1.1, or HTTP/2 where that is compiled in and the server offers it; directly or through a proxy.
//! Nothing is followed or retried, but for a pooled connection that turned out to be closed
//! before anything was sent on it.

use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Incoming};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Builder, Client};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::Instant;

use super::connect::{Latest, TimedConnector, Way};
use super::routes::{Connector, Routes};
use super::settings::Settings;
use super::{Headers, HttpRequest, HttpResponse, Method, Phase, Sending, Transport, TransportError};
use crate::error::Error;

/// A pool of connections to whatever hosts are asked for.
pub(crate) struct HyperTransport {
    client: Client<TimedConnector<HttpsConnector<Connector>>, Full<Bytes>>,
    latest: Latest,
    routes: Routes,
}

/// Servers close idle connections after a minute or so; to be earlier saves a failed attempt.
const IDLE: Duration = Duration::from_secs(50);

impl HyperTransport {
    pub(crate) fn new(settings: &Settings) -> Result<Self, Error> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        let tls = settings.roots.config()?;
        let routes = Routes::new(settings)?;
        let connector = routes.connector(tcp, &tls);
        let https = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http();
        #[cfg(feature = "http2")]
        let https = https.enable_all_versions().wrap_connector(connector);
        #[cfg(not(feature = "http2"))]
        let https = https.enable_http1().wrap_connector(connector);
        let latest = Latest::default();
        let client = pool().build(TimedConnector::new(https, settings.connect_timeout(), latest.clone()));
        Ok(Self { client, latest, routes })
    }

    async fn exchange(&self, request: HttpRequest, progress: &mut Progress) -> Result<HttpResponse, TransportError> {
        let limit = request.limits.max_body_bytes;
        let mut request = convert(request)?;
        #[cfg(feature = "gzip")]
        super::gzip::accept(request.headers_mut());
        let target = request.uri().clone();
        if let Some(authorization) = self.routes.authorization(&target) {
            request.headers_mut().insert(http::header::PROXY_AUTHORIZATION, authorization);
        }
        let begun = Instant::now();
        let response =
            self.client.request(request).await.map_err(|error| classify(error, || self.routes.way(&target)))?;
        let departure = self.latest.after(begun);
        #[allow(unused_mut)] // Only compression changes it.
        let (mut head, body) = response.into_parts();
        *progress = Progress::Body(0);
        let body = read(body, limit, progress).await?;
        #[cfg(feature = "gzip")]
        let body = super::gzip::decode(&mut head.headers, body, limit)?;
        let headers = Headers::from_map(head.headers);
        Ok(HttpResponse { departure, ..HttpResponse::new(head.status.as_u16(), headers, body) })
    }
}

/// Settings of the pool.
fn pool() -> Builder {
    let mut builder = Client::builder(TokioExecutor::new());
    builder.pool_idle_timeout(IDLE).pool_timer(TokioTimer::new());
    // One connection carries all requests: one that died unnoticed would stop them until the system gives it up.
    #[cfg(feature = "http2")]
    builder.timer(TokioTimer::new()).http2_keep_alive_interval(PING).http2_keep_alive_timeout(PING);
    builder
}

/// How long nothing may come over a connection of HTTP/2 until it is asked for, and how long that may take.
#[cfg(feature = "http2")]
const PING: Duration = Duration::from_secs(10);

impl Transport for HyperTransport {
    fn send(&self, request: HttpRequest) -> Sending<'_> {
        Box::pin(async move {
            let timeout = request.limits.timeout;
            let mut progress = Progress::Head;
            let reply = tokio::time::timeout(timeout, self.exchange(request, &mut progress)).await;
            reply.unwrap_or_else(|_| Err(progress.timed_out(timeout)))
        })
    }
}

/// How far a reply has got.
#[derive(Clone, Copy)]
enum Progress {
    Head,
    Body(usize),
}

impl Progress {
    fn timed_out(self, timeout: Duration) -> TransportError {
        let (phase, so_far) = match self {
            Self::Head => (Phase::Head, "no status had arrived".to_owned()),
            Self::Body(bytes) => (Phase::Body, format!("{bytes} bytes of the body had arrived")),
        };
        TransportError::new(phase, format!("no whole reply within {timeout:?}; {so_far}")).timed_out()
    }
}

fn convert(request: HttpRequest) -> Result<Request<Full<Bytes>>, TransportError> {
    let method = match request.method {
        Method::Get => http::Method::GET,
        Method::Post => http::Method::POST,
    };
    let mut converted = Request::new(Full::from(request.body));
    *converted.method_mut() = method;
    *converted.uri_mut() = request
        .url
        .parse()
        .map_err(|error| TransportError::new(Phase::Send, "the URL cannot be sent").permanent().because(error))?;
    *converted.headers_mut() = request.headers.into_map();
    Ok(converted)
}

/// Names the phase of a failure before the head arrived.
fn classify(error: hyper_util::client::legacy::Error, way: impl FnOnce() -> Way) -> TransportError {
    if error.is_connect() {
        return super::connect::failed(error, &way());
    }
    let unsent = std::error::Error::source(&error)
        .and_then(|cause| cause.downcast_ref::<hyper::Error>())
        .is_some_and(|cause| cause.is_canceled() || cause.is_user());
    if unsent {
        TransportError::new(Phase::Send, "the request could not be sent").because(error)
    } else {
        TransportError::new(Phase::Head, "the connection failed before a status arrived").because(error)
    }
}

/// A body is not trusted to be as long as it says beyond this.
const TRUSTED: u64 = 1 << 20;

/// Reads the body to its end, up to the limit.
async fn read(mut body: Incoming, limit: usize, progress: &mut Progress) -> Result<Vec<u8>, TransportError> {
    let declared = body.size_hint().lower();
    if usize::try_from(declared).map_or(true, |declared| declared > limit) {
        return Err(super::too_large(limit));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(declared.min(TRUSTED)).unwrap_or(0));
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| {
            let message = format!("the body broke off after {} bytes", bytes.len());
            TransportError::new(Phase::Body, message).because(error)
        })?;
        let Ok(data) = frame.into_data() else { continue };
        if data.len() > limit - bytes.len() {
            return Err(super::too_large(limit));
        }
        bytes.extend_from_slice(&data);
        *progress = Progress::Body(bytes.len());
    }
    Ok(bytes)
}
