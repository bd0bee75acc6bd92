//! The default transport: hyper over rustls.
//!
//! The transport uses HTTP/1.1, or HTTP/2 if the setting `http2` is on and the server offers HTTP/2. It connects
//! directly or through a proxy, and does not follow redirects. It resends a request only if a pooled connection was
//! closed before any part of the request was written.

use std::time::Duration;

use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::connect::HttpConnector;

use super::certificates;
use super::failure::before_headers;
use super::messages::{self, Progress};
use super::pools::{Pool, Pools};
use super::routes::Routes;
use super::timed_connector::TimedConnector;
use crate::error::{Error, ErrorKind};
use crate::transport::settings::Settings;
use crate::transport::{HttpRequest, ResponseBody, SendFuture, Transport};

/// The default transport, which pools connections to any host.
pub(crate) struct HyperTransport {
    pub(super) pools: Pools,
    routes: Routes,
}

crate::debug::opaque_debug!(HyperTransport);

/// The system probes a connection after this time without data, and closes it after twice this time.
const SILENCE: Duration = Duration::from_secs(10);

impl HyperTransport {
    /// Creates the transport without opening a connection.
    pub(crate) fn new(settings: &Settings) -> Result<Self, Error> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_keepalive(Some(SILENCE));
        tcp.set_keepalive_interval(Some(SILENCE / 3));
        tcp.set_keepalive_retries(Some(3));
        #[cfg(any(target_os = "android", target_os = "fuchsia", target_os = "linux"))]
        tcp.set_tcp_user_timeout(Some(2 * SILENCE));
        #[cfg_attr(not(feature = "http2"), expect(unused_mut, reason = "only HTTP/2 changes the configuration"))]
        let mut tls = certificates::config(settings)?;
        let routes = Routes::new(settings)?;
        let connector = routes.connector(tcp, &tls);
        #[cfg(feature = "http2")]
        if settings.http2 {
            tls.alpn_protocols = vec!["h2".into(), "http/1.1".into()];
        }
        let timeout = settings.connect_timeout.unwrap_or(Duration::from_secs(10));
        let connector = TimedConnector { inner: HttpsConnector::from((connector, tls)), timeout };
        Ok(Self { pools: Pools::new(connector), routes })
    }

    async fn exchange(
        &self,
        pool: &Pool,
        request: HttpRequest,
        progress: &mut Progress,
    ) -> Result<ResponseBody, Error> {
        let limit = request.max_body_bytes;
        let request = messages::convert(request)?;
        let target = request.uri().clone();
        let response = pool.client.request(request).await.map_err(|error| {
            let is_connect = error.is_connect();
            before_headers(error, is_connect, || self.routes.route(&target))
        })?;
        pool.answered();
        messages::read(response, limit, progress).await
    }
}

impl Transport for HyperTransport {
    fn send(&self, request: HttpRequest) -> SendFuture<'_> {
        Box::pin(async move {
            let timeout = request.timeout;
            let pool = self.pools.here();
            let (mut progress, responses) = (Progress::new(&request), pool.responses());
            let body = tokio::time::timeout(timeout, self.exchange(&pool, request, &mut progress)).await;
            let is_without_response = progress.head.is_none();
            progress.reply(body, timeout).map_err(|error| {
                // If the request used a pooled connection and no other request received a response in the meantime, all
                // pooled connections may be dead, so the pool is replaced.
                let may_be_stale = is_without_response && error.kind() != ErrorKind::Connect;
                if may_be_stale && self.pools.distrust(&pool, responses) { error.on_stale_connection() } else { error }
            })
        })
    }

    fn reports_sent(&self) -> bool {
        true
    }
}
