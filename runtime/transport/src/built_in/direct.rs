//! Connecting without proxies, where they are not compiled in.
//!
//! Replaces `proxy.rs` and has its interface. If the environment names a proxy and a connection fails, the error names
//! the missing feature.

#![expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "it has the shape of `proxy.rs`")]

use http::{HeaderValue, Uri};
use hyper_util::client::legacy::connect::HttpConnector;
use rustls::ClientConfig;

use super::failure::{Way, place, unused_proxy};
use crate::settings::{Settings, SettingsError};

pub(super) type Connector = HttpConnector;

/// How servers are reached: directly.
pub(super) struct Routes;

impl Routes {
    pub(super) fn new(_: &Settings) -> Result<Self, SettingsError> {
        Ok(Self)
    }

    /// The connector below encryption.
    pub(super) fn connector(&self, tcp: HttpConnector, _: &ClientConfig) -> Connector {
        tcp
    }

    /// The way to a server, in words.
    pub(super) fn way(&self, target: &Uri) -> Way {
        Way { target: place(target), proxy: None, hint: unused_proxy(target) }
    }

    /// No proxy, so no credentials for one.
    pub(super) fn authorization(&self, _: &Uri) -> Option<HeaderValue> {
        None
    }
}
