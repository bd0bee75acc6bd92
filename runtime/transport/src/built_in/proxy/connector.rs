//! Opens the connection to a server, directly or through a proxy, but without the server's encryption.
//!
//! hyper-util implements the proxy protocols, and `hyper.rs` adds the server's encryption.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder, MaybeHttpsStream};
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use tokio::net::TcpStream;
use tower_service::Service;

use super::{Routes, is_encrypted};
use crate::BoxError;
use crate::built_in::failure::host_and_port;

/// Connects to a server, directly or through a proxy, but without the server's encryption.
#[derive(Clone)]
pub(crate) struct ProxyConnector {
    routes: Routes,
    tcp: HttpConnector,
    /// The connector to a proxy. The connection to the proxy may itself be encrypted.
    to_proxy: HttpsConnector<HttpConnector>,
}

impl ProxyConnector {
    pub(super) fn new(routes: Routes, tcp: HttpConnector, tls: ClientConfig) -> Self {
        let builder = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http();
        let to_proxy = builder.enable_http1().wrap_connector(tcp.clone());
        Self { routes, tcp, to_proxy }
    }
}

impl Service<Uri> for ProxyConnector {
    type Response = Hop;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Hop, BoxError>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.tcp.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, target: Uri) -> Self::Future {
        let Some(proxy) = self.routes.intercept(&target) else {
            let connecting = self.tcp.call(target);
            return Box::pin(async { Ok(Hop { stream: connecting.await?.into(), forwards: false }) });
        };
        if let Some("socks5" | "socks5h") = proxy.uri().scheme_str() {
            let mut socks = SocksV5::new(proxy.uri().clone(), self.tcp.clone());
            if let Some((user, password)) = proxy.raw_auth() {
                socks = socks.with_auth(user.to_owned(), password.to_owned());
            }
            let connecting = socks.call(with_port(target));
            return Box::pin(async { Ok(Hop { stream: connecting.await?.into(), forwards: false }) });
        }
        // An unencrypted request needs no tunnel, because the proxy reads and forwards it.
        if !is_encrypted(&target) {
            let connecting = self.to_proxy.call(proxy.uri().clone());
            return Box::pin(async { Ok(Hop { stream: connecting.await?, forwards: true }) });
        }
        let mut tunnel = Tunnel::new(proxy.uri().clone(), self.to_proxy.clone());
        if let Some(authorization) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(authorization.clone());
        }
        let connecting = tunnel.call(target);
        Box::pin(async { Ok(Hop { stream: connecting.await?, forwards: false }) })
    }
}

/// Adds the default port of the scheme to a URL without a port, because a SOCKS tunnel would always use 443.
fn with_port(target: Uri) -> Uri {
    let authority = host_and_port(&target).parse().ok();
    let mut parts = target.clone().into_parts();
    parts.authority = authority;
    Uri::from_parts(parts).unwrap_or(target)
}

/// A connection to the server or to its proxy.
pub(crate) struct Hop {
    stream: MaybeHttpsStream<TokioIo<TcpStream>>,
    /// True if the proxy reads and forwards the requests, so that each request must contain the absolute URL.
    forwards: bool,
}

impl Connection for Hop {
    fn connected(&self) -> Connected {
        self.stream.connected().proxy(self.forwards)
    }
}

impl Read for Hop {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl Write for Hop {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_port_is_written() {
        assert_eq!(with_port(Uri::from_static("http://example.com/v2")), "http://example.com:80/v2");
        assert_eq!(with_port(Uri::from_static("https://[::1]/v2?a=b")), "https://[::1]:443/v2?a=b");
    }
}
