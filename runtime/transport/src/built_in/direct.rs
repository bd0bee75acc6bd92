//! Connecting without proxies, where they are not compiled in.
//!
//! Replaces `proxy.rs` and has its interface. If the environment names a proxy and a connection fails, the error names
//! the missing feature.

#![expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "it has the shape of `proxy.rs`")]

use http::{HeaderValue, Uri};
use hyper_util::client::legacy::connect::HttpConnector;
use rustls::ClientConfig;

use super::failure::{Way, place};
use crate::address::is_loopback;
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
        let variables = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
        let named = || variables.iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
        let outside = target.host().is_some_and(|host| !is_loopback(host));
        let hint = if outside && named() { HINT } else { "" };
        Way { target: place(target), proxy: None, hint }
    }

    /// No proxy, so no credentials for one.
    pub(super) fn authorization(&self, _: &Uri) -> Option<HeaderValue> {
        None
    }
}

const HINT: &str = "; the environment sets a proxy, which requires the feature `proxy`";
