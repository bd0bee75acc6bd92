//! Opens connections through a proxy.
//!
//! The user's settings select the proxy, or the usual environment variables if the setting `env_proxy` is on.
//! An invalid proxy URL causes an error before anything is sent, because a request
//! that bypasses the proxy could leak data. Errors and `Debug` never contain the user name and password of a proxy.

use std::env::VarError;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::Uri;
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::proxy::SocksV5;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use tokio::net::TcpStream;
use tower_service::Service;

use super::failure::{Route, host_and_port, unused_proxy};
use super::no_proxy::NoProxy;
use super::resolver::TcpConnector;
use super::tunnel;
use crate::error::{BoxError, Error};
use crate::transport::address::{is_loopback, is_port_usable};
use crate::transport::settings::TransportSettings;

/// The routes to servers, which determine the proxy for each server, if any.
#[derive(Clone)]
pub(super) struct Routes {
    matcher: Arc<Matcher>,
    /// The hosts that are reached without a proxy.
    spared: Arc<NoProxy>,
    /// True if environment variables select the proxy. Requests to hosts on this machine then bypass the proxy: such
    /// requests may use plain HTTP, and plain HTTP must not leave this machine.
    is_of_env: bool,
}

type Lookup<'l> = dyn Fn(&str) -> Result<String, VarError> + 'l;

impl Routes {
    pub(super) fn new(settings: &TransportSettings) -> Result<Self, Error> {
        match &settings.proxy {
            None if settings.env_proxy => Self::of_environment(&|name| std::env::var(name)),
            proxy => Self::through(proxy.as_deref().unwrap_or_default()),
        }
    }

    /// Creates routes through the proxy with this URL, or direct routes if the URL is empty.
    fn through(url: &str) -> Result<Self, Error> {
        if !url.is_empty() && !is_usable(url) {
            return Err(Error::build(format!("invalid proxy URL; {EXAMPLES}")));
        }
        let matcher = Matcher::builder().all(url).build();
        Ok(Self { matcher: Arc::new(matcher), spared: Arc::new(NoProxy::parse("")), is_of_env: false })
    }

    fn of_environment(lookup: &Lookup<'_>) -> Result<Self, Error> {
        let spared = match variable(lookup, "NO_PROXY") {
            Some((_, Some(hosts))) => NoProxy::parse(&hosts),
            Some((_, None)) | None => NoProxy::parse(""),
        };
        let matcher = Matcher::builder()
            .all(proxy_url(lookup, "ALL_PROXY")?)
            .https(proxy_url(lookup, "HTTPS_PROXY")?)
            .http(proxy_url(lookup, "HTTP_PROXY")?)
            .build();
        Ok(Self { matcher: Arc::new(matcher), spared: Arc::new(spared), is_of_env: true })
    }

    fn intercept(&self, target: &Uri) -> Option<Intercept> {
        match target.host() {
            Some(host) if self.is_of_env && (is_loopback(host) || self.spared.contains(host)) => return None,
            _ => {}
        }
        self.matcher.intercept(target)
    }

    /// The connector that reaches a server directly or through a proxy. The caller adds the server's encryption.
    pub(super) fn connector(&self, tcp: TcpConnector, tls: &ClientConfig) -> Connector {
        let to_proxy = HttpsConnector::from((tcp.clone(), tls.clone()));
        Connector { routes: self.clone(), tcp, to_proxy }
    }

    /// The route to a server, for error messages.
    pub(super) fn route(&self, target: &Uri) -> Route {
        let proxy = self.intercept(target).map(|proxy| host_and_port(proxy.uri()));
        let hint = if proxy.is_some() || self.is_of_env { "" } else { unused_proxy(target) };
        Route { target: host_and_port(target), proxy, hint }
    }
}

const EXAMPLES: &str = "expected `http://host:port`, `https://host:port` or `socks5://host:port`";

/// The URL in an environment variable; empty if the variable is not set.
fn proxy_url(lookup: &Lookup<'_>, name: &str) -> Result<String, Error> {
    match variable(lookup, name) {
        None => Ok(String::new()),
        Some((_, Some(url))) if is_usable(&url) => Ok(url),
        Some((name, _)) => {
            Err(Error::build(format!("the environment variable `{name}` is not a valid proxy URL; {EXAMPLES}")))
        }
    }
}

/// The name and the value of the environment variable `name`, or else of the variable with this name in lower
/// case; `None` if neither is set. The value is `None` if it is not UTF-8.
fn variable(lookup: &Lookup<'_>, name: &str) -> Option<(String, Option<String>)> {
    // In a CGI program, `HTTP_PROXY` contains the header `Proxy` of the request. Any client can set that header, so the
    // variable is ignored.
    let is_in_cgi = lookup("REQUEST_METHOD").is_ok();
    for name in [name.to_owned(), name.to_lowercase()] {
        if is_in_cgi && name == "HTTP_PROXY" {
            continue;
        }
        match lookup(&name) {
            Ok(value) if value.trim().is_empty() => {}
            Ok(value) => return Some((name, Some(value))),
            Err(VarError::NotPresent) => {}
            Err(VarError::NotUnicode(_)) => return Some((name, None)),
        }
    }
    None
}

/// `true` if the matcher and the connector support a proxy's URL.
fn is_usable(url: &str) -> bool {
    let anywhere = Uri::from_static("https://example.com");
    let proxy = Matcher::builder().all(url).build().intercept(&anywhere);
    let Some(proxy) = proxy else { return false };
    let Some(authority) = proxy.uri().authority() else { return false };
    match proxy.uri().scheme_str() {
        Some("socks4" | "socks4a") => false,
        Some("socks5" | "socks5h") if authority.port().is_none() => false,
        _ => !authority.host().is_empty() && is_port_usable(authority),
    }
}

/// Opens the connection to a server, directly or through a proxy. TLS with the server is added later.
#[derive(Clone)]
pub(crate) struct Connector {
    pub(super) routes: Routes,
    pub(super) tcp: TcpConnector,
    /// The connector to a proxy. The connection to the proxy may itself be encrypted.
    pub(super) to_proxy: HttpsConnector<TcpConnector>,
}

impl Service<Uri> for Connector {
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
        let connecting = self.to_proxy.call(proxy.uri().clone());
        let authorization = proxy.basic_auth().cloned();
        Box::pin(async move {
            let stream = connecting.await?;
            tunnel::open(stream, &host_and_port(&target), authorization).await
        })
    }
}

/// Adds the default port of the scheme to a URL without a port, because SOCKS would use 443 even for `http`.
fn with_port(target: Uri) -> Uri {
    let authority = host_and_port(&target).parse().ok();
    let mut parts = target.clone().into_parts();
    parts.authority = authority;
    Uri::from_parts(parts).unwrap_or(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The proxy for a server, or the error for an invalid environment.
    fn check(environment: &[(&str, &str)], target: &str) -> Result<Option<String>, String> {
        let lookup = |name: &str| {
            let found = environment.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned()).ok_or(VarError::NotPresent)
        };
        let routes = Routes::of_environment(&lookup).map_err(|error| error.to_string())?;
        Ok(routes.route(&target.parse().unwrap()).proxy)
    }

    /// Environment variables, target of a request, and expected proxy.
    type Row = (&'static [(&'static str, &'static str)], &'static str, Option<&'static str>);

    #[test]
    fn environment_selects_the_proxy() {
        let secure = "https://example.com/v2";
        let table: [Row; 23] = [
            (&[], secure, None),
            (&[("HTTPS_PROXY", "http://p:1")], secure, Some("p:1")),
            (&[("https_proxy", "http://p:1")], secure, Some("p:1")),
            (&[("HTTPS_PROXY", ""), ("https_proxy", "http://p:1")], secure, Some("p:1")),
            (&[("HTTPS_PROXY", "http://p:1"), ("https_proxy", "http://q:2")], secure, Some("p:1")),
            (&[("HTTPS_PROXY", "p:1")], secure, Some("p:1")),
            (&[("HTTPS_PROXY", "http://p")], secure, Some("p:80")),
            (&[("HTTPS_PROXY", "https://me:canary@p")], secure, Some("p:443")),
            (&[("ALL_PROXY", "socks5://p:1080")], secure, Some("p:1080")),
            (&[("ALL_PROXY", "http://p:1"), ("HTTPS_PROXY", "http://q:2")], secure, Some("q:2")),
            (&[("HTTP_PROXY", "http://p:1")], secure, None),
            (&[("HTTP_PROXY", "http://p:1")], "http://example.com/", Some("p:1")),
            (&[("HTTP_PROXY", "http://p:1"), ("REQUEST_METHOD", "GET")], "http://example.com/", None),
            (&[("http_proxy", "http://p:1"), ("REQUEST_METHOD", "GET")], "http://example.com/", Some("p:1")),
            (&[("ALL_PROXY", "http://p:1"), ("NO_PROXY", "example.com")], secure, None),
            (&[("ALL_PROXY", "http://p:1"), ("no_proxy", "a.org, .example.com")], "https://x.example.com/", None),
            (&[("ALL_PROXY", "http://p:1"), ("NO_PROXY", "ample.com")], secure, Some("p:1")),
            (&[("ALL_PROXY", "http://p:1"), ("NO_PROXY", "*")], secure, None),
            (&[("ALL_PROXY", "http://p:1"), ("NO_PROXY", "10.0.0.0/8")], "https://10.1.2.3/", None),
            (&[("ALL_PROXY", "http://p:1"), ("NO_PROXY", "*")], "https://10.1.2.3/", None),
            (&[("ALL_PROXY", "http://p:1"), ("NO_PROXY", "a.org example.com")], secure, None),
            (&[("ALL_PROXY", "http://p:1")], "http://127.0.0.1:8700/", None),
            (&[("ALL_PROXY", "http://p:1")], "https://localhost/", None),
        ];
        for (environment, target, expected) in table {
            assert_eq!(check(environment, target), Ok(expected.map(str::to_owned)), "{environment:?} {target}");
        }
    }

    #[test]
    fn unusable_proxy_is_not_bypassed() {
        for url in
            ["htp://canary@p:1", "socks4://p:1", "socks5://p", "http://", "http://p:x", "p:99999", "p q", "/canary"]
        {
            let expected = format!("the environment variable `https_proxy` is not a valid proxy URL; {EXAMPLES}");
            assert_eq!(check(&[("https_proxy", url)], "https://example.com/"), Err(expected), "{url}");
            assert_eq!(
                Routes::through(url).map(drop).unwrap_err().to_string(),
                format!("invalid proxy URL; {EXAMPLES}"),
                "{url}"
            );
        }
    }

    #[test]
    fn a_proxy_that_is_set_is_used_for_every_host() {
        let check = |url: &str, target: &'static str| {
            Routes::through(url).map(|routes| routes.route(&Uri::from_static(target)).proxy).unwrap()
        };
        assert_eq!(check("", "https://example.com/"), None);
        assert_eq!(check("http://me:canary@q:2", "https://example.com/").as_deref(), Some("q:2"));
        assert_eq!(check("http://me:canary@q:2", "http://127.0.0.1/").as_deref(), Some("q:2"));
    }
}

#[cfg(test)]
mod connector_tests {
    use super::*;

    #[test]
    fn default_port_is_written() {
        assert_eq!(with_port(Uri::from_static("http://example.com/v2")), "http://example.com:80/v2");
        assert_eq!(with_port(Uri::from_static("https://[::1]/v2?a=b")), "https://[::1]:443/v2?a=b");
    }
}
