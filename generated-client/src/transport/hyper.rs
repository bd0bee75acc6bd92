//! The default transport: hyper over rustls.
//!
//! HTTP/1.1, or HTTP/2 where that is compiled in and the server offers it; directly or through a proxy.
//! Nothing is followed or retried, but for a pooled connection that turned out to be closed
//! before anything was sent on it.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use http::header::PROXY_AUTHORIZATION;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::{HttpConnector, capture_connection};
use hyper_util::client::legacy::{Builder, Client, Error as PoolError};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::Instant;

use super::connect::{Latest, TimedConnector};
use super::exchange::{self, Progress};
use super::failure::before_head;
use super::routes::{Connector, Routes};
use super::settings::Settings;
use super::{HttpRequest, HttpResponse, Sending, Transport, TransportError};
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
        let mut request = exchange::convert(request)?.map(Full::from);
        let target = request.uri().clone();
        if let Some(authorization) = self.routes.authorization(&target) {
            request.headers_mut().insert(PROXY_AUTHORIZATION, authorization);
        }
        let begun = Instant::now();
        let (response, assigned) = self.head(request).await;
        let response = response.map_err(|error| {
            let is_connect = error.is_connect();
            before_head(error, is_connect, || self.routes.way(&target))
        })?;
        // If it was sent again, because its connection was closed meanwhile, the latest one will have been for it.
        let departure = assigned.saturating_duration_since(begun).max(self.latest.after(begun));
        let response = exchange::read(response, limit, progress).await?;
        Ok(HttpResponse { departure: Some(departure), ..response })
    }

    /// The head of the reply, and when there was a connection for the request.
    ///
    /// That need not be one that was made for it: while one is being made, another may become free.
    async fn head(&self, mut request: Request<Full<Bytes>>) -> (Result<Response<Incoming>, PoolError>, Instant) {
        let connection = capture_connection(&mut request);
        let mut response = pin!(self.client.request(request));
        let mut assigned = None;
        let response = poll_fn(|cx| {
            let response = response.as_mut().poll(cx);
            if assigned.is_none() && connection.connection_metadata().is_some() {
                assigned = Some(Instant::now());
            }
            response
        });
        (response.await, assigned.unwrap_or_else(Instant::now))
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
