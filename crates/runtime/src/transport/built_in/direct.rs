//! Opens connections without proxies, if the feature `proxy` is off.
//!
//! Replaces `proxy.rs` and has the same interface. If the environment sets a proxy and a connection fails, the error
//! contains the name of the missing feature.

#![expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "same signature as in `proxy.rs`")]

use http::Uri;
use rustls::ClientConfig;

use super::failure::{Route, host_and_port, unused_proxy};
use super::resolver::TcpConnector;
use crate::error::Error;
use crate::transport::settings::TransportSettings;

pub(super) type Connector = TcpConnector;

/// The routes to servers, which are always direct.
pub(super) struct Routes;

impl Routes {
    pub(super) fn new(_: &TransportSettings) -> Result<Self, Error> {
        Ok(Self)
    }

    /// The connector for the TCP connection, without encryption.
    pub(super) fn connector(&self, tcp: TcpConnector, _: &ClientConfig) -> Connector {
        tcp
    }

    /// The route to a server, for error messages.
    pub(super) fn route(&self, target: &Uri) -> Route {
        Route { target: host_and_port(target), proxy: None, hint: unused_proxy(target) }
    }
}
