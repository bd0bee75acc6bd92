//! Opens the connection to a server, directly or through a proxy.
//!
//! hyper-util implements the proxy protocols, and `hyper.rs` adds the server's encryption.

use std::pin::Pin;
use std::task::{Context, Poll};

use http::Uri;
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tower_service::Service;

use super::Routes;
use crate::transport::BoxError;
use crate::transport::built_in::failure::host_and_port;

/// Opens the connection to a server, directly or through a proxy. TLS with the server is added later.
#[derive(Clone)]
pub(crate) struct ProxyConnector {
    pub(super) routes: Routes,
    pub(super) tcp: HttpConnector,
    /// The connector to a proxy. The connection to the proxy may itself be encrypted.
    pub(super) to_proxy: HttpsConnector<HttpConnector>,
}

impl Service<Uri> for ProxyConnector {
    type Response = MaybeHttpsStream<TokioIo<TcpStream>>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.tcp.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, target: Uri) -> Self::Future {
        let Some(proxy) = self.routes.intercept(&target) else {
            let connecting = self.tcp.call(target);
            return Box::pin(async { Ok(connecting.await?.into()) });
        };
        let target = with_port(target);
        if let Some("socks5" | "socks5h") = proxy.uri().scheme_str() {
            let mut socks = SocksV5::new(proxy.uri().clone(), self.tcp.clone());
            if let Some((user, password)) = proxy.raw_auth() {
                socks = socks.with_auth(user.to_owned(), password.to_owned());
            }
            let connecting = socks.call(target);
            return Box::pin(async { Ok(connecting.await?.into()) });
        }
        let mut tunnel = Tunnel::new(proxy.uri().clone(), self.to_proxy.clone());
        if let Some(authorization) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(authorization.clone());
        }
        let connecting = tunnel.call(target);
        Box::pin(async { Ok(connecting.await?) })
    }
}

/// Adds the default port of the scheme to a URL without a port, because a tunnel would use 443 even for `http`.
fn with_port(target: Uri) -> Uri {
    let authority = host_and_port(&target).parse().ok();
    let mut parts = target.clone().into_parts();
    parts.authority = authority;
    Uri::from_parts(parts).unwrap_or(target)
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
