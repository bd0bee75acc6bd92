//! Settings of the built-in transport.
//!
//! The client's builder sets them. A custom transport ignores these settings, so the builder rejects them together with
//! a custom transport.

use std::time::Duration;

/// Settings of the built-in transport.
///
/// `Debug` shows the number of certificates but not their content, because a PEM file may also contain a key.
#[derive(Clone, Default)]
pub(crate) struct TransportSettings {
    /// The maximum time to connect, including the TLS handshake; 10 seconds unless set.
    pub(crate) connect_timeout: Option<Duration>,
    /// Additional trusted root certificates. Each entry is PEM with one or more certificates.
    pub(crate) root_certificates: Vec<Vec<u8>>,
    /// The client certificate and its key, each as PEM.
    pub(crate) client_certificate: Option<(Vec<u8>, Vec<u8>)>,
    /// True to trust the root certificates of the system instead of the bundled certificates; set only with the feature
    /// `system-roots`.
    pub(crate) system_roots: bool,
    /// The URL of the proxy for all requests; it may contain a password. An empty URL turns proxies off. Set only with the
    /// feature `proxy`, like `env_proxy`.
    pub(crate) proxy: Option<String>,
    /// True if the environment selects the proxy; ignored if `proxy` is set.
    pub(crate) env_proxy: bool,
    /// True to use HTTP/2 with servers that offer it; set only with the feature `http2`.
    pub(crate) http2: bool,
}

impl TransportSettings {
    /// The name of the first setting that is not the default, if any.
    pub(crate) fn first_configured(&self) -> Option<&'static str> {
        let settings = [
            ("env_proxy", self.env_proxy),
            ("proxy", self.proxy.is_some()),
            ("http2", self.http2),
            ("connect_timeout", self.connect_timeout.is_some()),
            ("system_roots", self.system_roots),
            ("client_certificate", self.client_certificate.is_some()),
            ("root_certificate", !self.root_certificates.is_empty()),
        ];
        settings.into_iter().find_map(|(name, is_set)| is_set.then_some(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_unsupported_setting_is_named() {
        let mut settings = TransportSettings::default();
        assert_eq!(settings.first_configured(), None);
        settings.root_certificates.push(Vec::new());
        assert_eq!(settings.first_configured(), Some("root_certificate"));
        settings.client_certificate = Some((Vec::new(), Vec::new()));
        assert_eq!(settings.first_configured(), Some("client_certificate"));
        settings.system_roots = true;
        assert_eq!(settings.first_configured(), Some("system_roots"));
        settings.connect_timeout = Some(Duration::ZERO);
        assert_eq!(settings.first_configured(), Some("connect_timeout"));
        settings.proxy = Some(String::new());
        assert_eq!(settings.first_configured(), Some("proxy"));
        settings.env_proxy = true;
        assert_eq!(settings.first_configured(), Some("env_proxy"));
    }
}
