//! The default transport: hyper over rustls.
//!
//! The transport uses HTTP/1.1, or HTTP/2 if the setting `http2` is on and the server offers HTTP/2. It connects
//! directly or through a proxy, and does not follow redirects. It resends a request only if a pooled connection was
//! closed before any part of the request was written, or if an HTTP/2 server reports that it has not processed it.

use std::time::Duration;

use hyper_rustls::HttpsConnector;

use super::certificates;
use super::failure::{self, before_headers};
use super::messages::{self, Progress};
use super::pools::{Pool, Pools};
use super::resolver::{Resolver, TcpConnector};
use super::routes::Routes;
use super::timed_connector::TimedConnector;
use crate::error::{Error, ErrorKind};
use crate::transport::settings::TransportSettings;
use crate::transport::{HttpRequest, ResponseBody, SendFuture, Transport};

/// The default transport, which pools connections to any host.
pub(crate) struct HyperTransport {
    pub(super) pools: Pools,
    routes: Routes,
    /// True if requests may be sent with HTTP/2.
    http2: bool,
}

/// The maximum number of times that a request is sent again at once after the server reported that it has not processed
/// it.
const MAX_RESENDS: u32 = 5;

crate::debug::opaque_debug!(HyperTransport);

/// The system probes a connection after this time without data, and closes it after twice this time.
const SILENCE: Duration = Duration::from_secs(10);

impl HyperTransport {
    /// Creates the transport without opening a connection.
    pub(crate) fn new(settings: &TransportSettings) -> Result<Self, Error> {
        Self::with_resolver(settings, Resolver::system())
    }

    fn with_resolver(settings: &TransportSettings, resolver: Resolver) -> Result<Self, Error> {
        let timeout = settings.connect_timeout.unwrap_or(Duration::from_secs(10));
        let mut tcp = TcpConnector::new_with_resolver(resolver);
        // This time is divided among the addresses of a host, so that a dead address leaves time for the others.
        tcp.set_connect_timeout(Some(timeout));
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
        let connector = TimedConnector { inner: HttpsConnector::from((connector, tls)), timeout };
        Ok(Self { pools: Pools::new(connector), routes, http2: settings.http2 })
    }

    async fn exchange(
        &self,
        pool: &Pool,
        request: HttpRequest,
        progress: &mut Progress,
    ) -> Result<ResponseBody, Error> {
        if !self.http2 {
            return self.exchange_once(pool, request, progress).await;
        }
        for _ in 0..MAX_RESENDS {
            match self.exchange_once(pool, request.clone(), progress).await {
                Err(error) if failure::is_unprocessed(&error) => {}
                outcome => return outcome,
            }
        }
        self.exchange_once(pool, request, progress).await
    }

    async fn exchange_once(
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
            let mut progress = Progress::new(&request);
            let responses = pool.responses();
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

#[cfg(test)]
mod tests {
    use std::net::{SocketAddr, TcpListener, TcpStream};
    use std::thread;
    use std::time::Instant;

    use super::*;
    use crate::transport::{Headers, HttpResponse};

    /// Sends a request to a host with these addresses.
    fn check(addresses: Vec<SocketAddr>, timeout: Duration) -> Result<HttpResponse, Error> {
        let settings = TransportSettings { connect_timeout: Some(timeout), ..TransportSettings::default() };
        let port = addresses.first().map_or(80, SocketAddr::port);
        let transport = HyperTransport::with_resolver(&settings, Resolver::of(addresses)).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let url = format!("http://service.invalid:{port}/");
        let request = HttpRequest::new(url, Headers::new(), Duration::from_secs(30), 100);
        runtime.block_on(transport.send(request))
    }

    /// Creates an address to which no connection is completed, because the queue of its listener is full.
    fn dead_address() -> (TcpListener, Vec<TcpStream>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let mut waiting = Vec::new();
        while let Ok(stream) = TcpStream::connect_timeout(&address, Duration::from_millis(50)) {
            waiting.push(stream);
        }
        (listener, waiting)
    }

    #[test]
    fn a_dead_address_leaves_time_for_the_next() {
        let (dead, _waiting) = dead_address();
        let alive = TcpListener::bind(("127.0.0.2", dead.local_addr().unwrap().port())).unwrap();
        let addresses = vec![dead.local_addr().unwrap(), alive.local_addr().unwrap()];
        thread::spawn(move || {
            use std::io::{Read, Write};
            let (mut stream, _) = alive.accept().unwrap();
            let _ = stream.read(&mut [0; 1000]).unwrap();
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").unwrap();
        });
        let begun = Instant::now();
        assert_eq!(check(addresses, Duration::from_secs(1)).unwrap().status, 200);
        assert!(begun.elapsed() >= Duration::from_millis(500), "{:?}", begun.elapsed());
    }

    #[test]
    fn phase_of_a_connection_that_is_not_made_is_named() {
        let (dead, _waiting) = dead_address();
        let port = dead.local_addr().unwrap().port();
        for (addresses, port, expected) in [
            (Vec::new(), 80, "failed: the DNS lookup timed out after 200ms (`connect_timeout`)"),
            (vec![dead.local_addr().unwrap()], port, "timed out after 200ms (`connect_timeout`)"),
        ] {
            let error = check(addresses, Duration::from_millis(200)).unwrap_err();
            assert!(error.is_timeout() && error.is_retryable(), "{error:#}");
            let expected = format!("connection to `service.invalid:{port}` {expected}; check the base URL");
            assert_eq!(error.to_string(), expected);
        }
    }
}
