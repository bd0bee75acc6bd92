//! The builder of a client.
//!
//! [`Builder`] turns settings into a client, or into an error that names the setting to correct. It sends nothing and
//! makes no connection.
//!
//! The features of this crate are traits, so that a call of a method whose feature is not enabled is an error that
//! names the feature. If the methods did not exist without their feature, the compiler would report only that.

use std::marker::PhantomData;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::blocking::Background;
use super::{ClientType, Core};
use crate::auth::{Credentials, DefaultHeader, KeySource};
use crate::dispatch::observer::Observer;
use crate::dispatch::{Dispatcher, Observers, Policy, Retries, Retry};
use crate::error::Error;
use crate::rate_limit::{ProcessRateLimiter, RateLimit, RateLimiter};
use crate::registry::ServiceInfo;
use crate::request::{BaseUrlSettings, BaseUrls};
use crate::secrets::Secret;
use crate::send::{Connection, HostOutages, SentFields, ServiceClock, WallClock};
use crate::transport::{HyperTransport, Transport, TransportSettings};
use crate::values::Timestamp;

/// Settings of a client, created by `Client::builder`.
#[must_use = "a builder does nothing until `build` is called"]
pub struct Builder<C> {
    pub(super) settings: BuilderSettings,
    pub(super) service: &'static ServiceInfo,
    agent: &'static str,
    client: PhantomData<fn() -> C>,
}

/// The settings without the type of the client, so that the code for them is compiled once.
#[derive(Default)]
pub(super) struct BuilderSettings {
    pub(super) base_urls: BaseUrlSettings,
    pub(super) api_key: Option<KeySource>,
    pub(super) client_credentials: Option<(Secret, Secret)>,
    transport: Option<Arc<dyn Transport>>,
    rate_limiter: Option<Arc<dyn RateLimiter>>,
    rate_limit: Option<RateLimit>,
    policy: Policy,
    observer: Option<Arc<dyn Observer>>,
    clock: Option<WallClock>,
    transport_settings: TransportSettings,
    headers: Vec<DefaultHeader>,
    max_body_bytes: Option<usize>,
}

impl BuilderSettings {
    pub(super) fn new(base_url: String) -> Self {
        let base_urls = BaseUrlSettings { service: base_url, ..BaseUrlSettings::default() };
        Self { base_urls, ..Self::default() }
    }

    fn build(self, service: &'static ServiceInfo, agent: &'static str) -> Result<Core, Error> {
        let base_urls = BaseUrls::new(service, &self.base_urls)?;
        self.policy.check()?;
        let credentials =
            Credentials::new(service, agent, &self.headers, self.api_key, self.client_credentials, &self.policy)?;
        let transport = match (self.transport, self.transport_settings.first_configured()) {
            (Some(_), Some(setting)) => {
                let message = format!("`{setting}` has no effect with a custom `transport`");
                return Err(Error::build(message).with_hint("set it on that transport"));
            }
            (Some(transport), None) => transport,
            (None, _) => Arc::new(HyperTransport::new(&self.transport_settings)?),
        };
        let rate_limiter: Arc<dyn RateLimiter> = match (self.rate_limiter, self.rate_limit) {
            (Some(_), Some(_)) => {
                return Err(Error::build("`rate_limit` has no effect with a custom `rate_limiter`")
                    .with_hint("set it on that rate limiter"));
            }
            (Some(rate_limiter), None) => rate_limiter,
            (None, limit) => Arc::new(ProcessRateLimiter::new(limit.unwrap_or_else(|| RateLimit::all(service.limits)))),
        };
        let connection = Connection {
            service,
            credentials,
            dispatcher: Arc::new(Dispatcher {
                base_urls,
                service,
                rate_limiter,
                transport,
                max_body_bytes: self.max_body_bytes.unwrap_or(32 << 20),
                retries: Retries::new(&self.policy.retry),
                pauses: Arc::default(),
            }),
            sent_fields: SentFields::default(),
            observers: Observers::new(self.observer),
            outages: HostOutages::new(service),
            clock: ServiceClock::new(self.clock.unwrap_or_else(|| Box::new(Timestamp::now))),
            policy: self.policy,
        };
        Ok(Core { connection: Arc::new(connection), background: Arc::new(Background::new(agent)) })
    }
}

impl<C: ClientType> Builder<C> {
    #[doc(hidden)]
    pub fn new(base_url: String) -> Self {
        Self::of(BuilderSettings::new(base_url), C::SERVICE, C::AGENT)
    }
}

impl<C: From<Core>> Builder<C> {
    pub(super) fn of(settings: BuilderSettings, service: &'static ServiceInfo, agent: &'static str) -> Self {
        Self { settings, service, agent, client: PhantomData }
    }

    /// Changes the settings.
    fn with(mut self, change: impl FnOnce(&mut BuilderSettings)) -> Self {
        change(&mut self.settings);
        self
    }

    /// Sets the base URL of the groups that are on another host, by its name in the catalogue; see the `base_urls` of the
    /// service. Without it, requests of these groups are errors.
    ///
    /// The credentials of the client, such as the API key, are sent to this host too.
    pub fn base_url(self, name: impl Into<String>, url: impl Into<String>) -> Self {
        self.with(|settings| {
            settings.base_urls.groups.insert(name.into(), url.into());
        })
    }

    /// Sets the API key, which is sent with every request. For a service with HTTP Basic authentication, the key is
    /// `name:password`.
    pub fn api_key(self, key: impl Into<Secret>) -> Self {
        self.with(|settings| settings.api_key = Some(KeySource::Fixed(key.into())))
    }

    /// Reads the API key from a function whenever a request is signed, so that the key can be replaced while the client is
    /// in use.
    ///
    /// The function must return quickly, so fetch a key elsewhere and return it here. If the service rejects a key with 401
    /// or 403 and the function returns another key by then, the request is sent again with that key.
    ///
    /// ```
    /// # extern crate generated_client_runtime as runtime;
    /// # use test_service::invented::Client;
    /// use std::sync::{Arc, RwLock};
    ///
    /// let key = Arc::new(RwLock::new("first".to_owned()));
    /// let current = key.clone();
    /// let client = Client::builder("https://example.com/v2")
    ///     .api_key_source(move || current.read().map(|key| key.as_str().into()).map_err(|error| error.to_string()))
    ///     .build()?;
    /// *key.write().unwrap() = "second".to_owned();
    /// # Ok::<(), runtime::Error>(())
    /// ```
    pub fn api_key_source<E>(self, source: impl Fn() -> Result<Secret, E> + Send + Sync + 'static) -> Self
    where
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let source = Arc::new(move || source().map_err(Into::into));
        self.with(|settings| settings.api_key = Some(KeySource::Function(source)))
    }

    /// Reads the API key from a file whenever a request is signed, like [`api_key_source`](Self::api_key_source). The file
    /// is a regular file of at most 64 KiB that contains only the key; white space around it is removed. Replace the file
    /// with a rename.
    pub fn api_key_file(self, path: impl Into<PathBuf>) -> Self {
        self.with(|settings| settings.api_key = Some(KeySource::File(path.into())))
    }

    /// Enables the OAuth 2.0 token flow: the client fetches a token when one is needed, and sends it with every request
    /// for data in addition to the API key.
    pub fn client_credentials(self, id: impl Into<Secret>, secret: impl Into<Secret>) -> Self {
        self.with(|settings| settings.client_credentials = Some((id.into(), secret.into())))
    }

    /// Replaces the built-in transport.
    pub fn transport(self, transport: impl Transport) -> Self {
        self.with(|settings| settings.transport = Some(Arc::new(transport)))
    }

    /// Sets the clock of this machine, for tests; the default is the system clock.
    ///
    /// `Client::service_time` is estimated from the headers `Date` and `Age` of the responses, and from this clock.
    pub fn clock(self, clock: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        self.with(|settings| settings.clock = Some(Box::new(clock)))
    }

    /// Sets the rate limit. The default is a limit that satisfies every rate limit in the catalogue.
    pub fn rate_limit(self, limit: RateLimit) -> Self {
        self.with(|settings| settings.rate_limit = Some(limit))
    }

    /// Sets a custom rate limiter, or a [`ProcessRateLimiter`] that other clients use as well. It replaces a rate limit
    /// that was set before, for example by a settings file.
    pub fn rate_limiter(mut self, rate_limiter: impl RateLimiter) -> Self {
        self.settings.rate_limiter = Some(Arc::new(rate_limiter));
        self.settings.rate_limit = None;
        self
    }

    /// The account whose rate limit the client uses, for `generated-client-shared-rate-limit`.
    #[cfg(feature = "__shared-rate-limit")]
    #[doc(hidden)]
    pub fn account(&self) -> crate::rate_limit::account::Account {
        let settings = &self.settings;
        let mut credentials = Vec::new();
        // A key that cannot be read now makes `build` fail.
        credentials.extend(settings.api_key.as_ref().and_then(|source| source.read().ok()));
        if let Some((id, _)) = &settings.client_credentials {
            credentials.push(id.clone());
        }
        let limit = settings.rate_limit.clone().unwrap_or_else(|| RateLimit::all(self.service.limits));
        crate::rate_limit::account::Account::new(&settings.base_urls.service, credentials, limit)
    }

    /// Sets the retry rules.
    pub fn retry(self, retry: Retry) -> Self {
        self.with(|settings| settings.policy.retry = retry)
    }

    /// Adds an observer, which receives the events of requests.
    pub fn observer(self, observer: impl Observer) -> Self {
        self.with(|settings| settings.observer = Some(Arc::new(observer)))
    }

    /// Sets the timeout of a connection attempt, including TLS; 10 seconds unless set.
    pub fn connect_timeout(self, timeout: Duration) -> Self {
        self.with(|settings| settings.transport_settings.connect_timeout = Some(timeout))
    }

    /// Also accepts servers whose certificate is signed by this root certificate, for example by a private certificate
    /// authority. The format is PEM.
    ///
    /// One PEM text may contain several certificates, and this method may be called several times.
    pub fn root_certificate(self, pem: impl Into<Vec<u8>>) -> Self {
        self.with(|settings| settings.transport_settings.root_certificates.push(pem.into()))
    }

    /// Sets the client certificate (with its intermediate certificates) and its private key. The certificates are sent
    /// only to servers that request a client certificate. Certificates and key are in PEM format, and the key is not
    /// encrypted.
    pub fn client_certificate(self, certificates: impl Into<Vec<u8>>, key: impl Into<Secret>) -> Self {
        let key = key.into().expose().as_bytes().to_vec();
        self.with(|settings| settings.transport_settings.client_certificate = Some((certificates.into(), key)))
    }

    /// Trusts the root certificates of the system instead of the bundled ones; requires the feature `system-roots`.
    ///
    /// The certificates are read when the client is built: on Windows and macOS from the system's certificate store,
    /// elsewhere from the usual paths of OpenSSL. If `SSL_CERT_FILE` or `SSL_CERT_DIR` is set, they are read from there
    /// instead.
    pub fn system_roots(self) -> Self
    where
        C: SystemRootsFeature,
    {
        self.with(|settings| settings.transport_settings.system_roots = true)
    }

    /// Connects through this proxy, or without a proxy if the URL is empty; requires the feature `proxy`. In both cases
    /// the environment's proxy is ignored.
    ///
    /// The URL begins with `http://`, `https://` or `socks5://`; without a scheme, `http://` is assumed. The URL may
    /// contain user and password, which never appear in errors or in the output of `Debug`. The proxy resolves host
    /// names. The client asks an HTTP proxy for a tunnel (`CONNECT`), even if the base URL is not encrypted.
    pub fn proxy(self, url: impl Into<Secret>) -> Self
    where
        C: ProxyFeature,
    {
        self.with(|settings| settings.transport_settings.proxy = Some(url.into().expose().to_owned()))
    }

    /// Uses the proxy that the environment selects for the base URL; requires the feature `proxy`. Off unless set, so
    /// that enabling the feature in one crate of a program does not affect the others.
    ///
    /// | variable, also in lower case | meaning |
    /// |---|---|
    /// | `HTTPS_PROXY`, `HTTP_PROXY` | the proxy for a base URL with that scheme |
    /// | `ALL_PROXY` | the proxy if the variable for the scheme is not set |
    /// | `NO_PROXY` | what is reached without a proxy: hosts with their subdomains, addresses, networks, or `*` |
    ///
    /// Servers on this machine are always reached without a proxy.
    pub fn env_proxy(self, is_used: bool) -> Self
    where
        C: ProxyFeature,
    {
        self.with(|settings| settings.transport_settings.env_proxy = is_used)
    }

    /// Uses HTTP/2 with servers that offer it; requires the feature `http2`. Off unless set, so that enabling the
    /// feature in one crate of a program does not affect the others.
    pub fn http2(self, is_used: bool) -> Self
    where
        C: Http2Feature,
    {
        self.with(|settings| settings.transport_settings.http2 = is_used)
    }

    /// Sets the timeout of one attempt, from its connection to the last byte of the body; 30 seconds unless set.
    pub fn attempt_timeout(self, timeout: Duration) -> Self {
        self.with(|settings| settings.policy.attempt_timeout = timeout)
    }

    /// Sets the timeout of the entire request; 10 minutes unless set. It covers all attempts, the wait for a token, and
    /// the waits between attempts.
    ///
    /// Time in the rate-limit queue does not count, so thousands of concurrent requests do not time out while queued.
    /// [`queue_timeout`](Builder::queue_timeout) limits that time. The wait for a token counts in full. If a request
    /// times out during that wait, the token request continues, because other requests use the token too.
    pub fn timeout(self, timeout: Duration) -> Self {
        self.with(|settings| settings.policy.timeout = timeout)
    }

    /// Sets the maximum time of a request in the rate-limit queue, summed over its attempts; unlimited unless set.
    ///
    /// After that time the request fails without being sent again. If an earlier attempt failed, its error is the
    /// source of the new error.
    pub fn queue_timeout(self, timeout: Duration) -> Self {
        self.with(|settings| settings.policy.queue_timeout = Some(timeout))
    }

    /// Sets the header `User-Agent`; unless set, it contains the name and version of the emitted crate.
    pub fn user_agent(self, agent: impl Into<String>) -> Self {
        self.header("user-agent", agent)
    }

    /// Sends a header with every request, including token requests; it replaces an earlier header of the same name.
    ///
    /// The output of `Debug` omits the value. The headers for credentials, and those that the transport sets, such
    /// as `host`, cannot be set with this method.
    pub fn header(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let header = DefaultHeader { name: name.into(), value: value.into().into(), is_secret: false };
        self.with(|settings| settings.headers.push(header))
    }

    /// Sends a secret header with every request: its value is masked wherever a response repeats it.
    pub fn secret_header(self, name: impl Into<String>, value: impl Into<Secret>) -> Self {
        let header = DefaultHeader { name: name.into(), value: value.into(), is_secret: true };
        self.with(|settings| settings.headers.push(header))
    }

    /// Sets the maximum size of a response body in bytes after decompression; 32 MiB unless set.
    ///
    /// A larger body is an error and is not retried.
    pub fn max_body_bytes(self, bytes: usize) -> Self {
        self.with(|settings| settings.max_body_bytes = Some(bytes))
    }

    /// Permits an `http` base URL that names another machine.
    ///
    /// The API key can then be read by anyone on the network path.
    pub fn allow_http(self, allow: bool) -> Self {
        self.with(|settings| settings.base_urls.allow_http = allow)
    }

    /// Checks the settings and builds the client.
    pub fn build(self) -> Result<C, Error> {
        self.settings.build(self.service, self.agent).map(C::from)
    }
}

crate::debug::opaque_debug!(Builder<C>);

/// Declares a trait that every type implements if the feature is enabled, and otherwise no type.
macro_rules! feature {
    ($feature:literal, $trait:ident, $message:literal) => {
        #[doc(hidden)]
        #[diagnostic::on_unimplemented(
                                    message = $message,
                                    label = "the feature is not enabled",
                                    note = "in Cargo.toml, add it to the `features` of the dependency on the client"
                                )]
        pub trait $trait {}

        #[cfg(feature = $feature)]
        impl<T> $trait for T {}
    };
}

feature!("blocking", BlockingFeature, "requests without `await` need the feature `blocking`");
feature!("http2", Http2Feature, "`http2` needs the feature `http2`");
feature!("proxy", ProxyFeature, "`proxy` and `env_proxy` need the feature `proxy`");
feature!("settings", SettingsFeature, "`from_file` needs the feature `settings`");
feature!("system-roots", SystemRootsFeature, "`system_roots` needs the feature `system-roots`");
