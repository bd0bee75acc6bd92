//! Building a client.
//!
//! Settings come in, a [`Client`] goes out or an error that says which setting to mend.
//! Nothing is sent and no connection is made here.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::base_url::BaseUrl;
use crate::client::Client;
use crate::credentials::Credentials;
use crate::error::Error;
use crate::gate::{Gate, RateLimit, RollingGate};
use crate::observer::{Audience, Observer};
use crate::outlet::Outlet;
use crate::retry::Retry;
use crate::secret::Secret;
use crate::token::{BasicEncoding, ClientCredentials};
use crate::transport::{HyperTransport, Limits, Transport};
use crate::{SERVICE, environment};

/// Settings of a [`Client`]; from [`Client::builder`].
pub struct Builder {
    base_url: String,
    api_key: Option<Secret>,
    client_credentials: Option<(Secret, Secret)>,
    basic_encoding: BasicEncoding,
    transport: Option<Arc<dyn Transport>>,
    gate: Option<Arc<dyn Gate>>,
    rate_limit: Option<RateLimit>,
    retry: Retry,
    observer: Option<Arc<dyn Observer>>,
    connect_timeout: Option<Duration>,
    total_timeout: Duration,
    limits: Limits,
    allow_http: bool,
}

impl Builder {
    pub(crate) fn new(base_url: String) -> Self {
        Self {
            base_url,
            api_key: None,
            client_credentials: None,
            basic_encoding: BasicEncoding::default(),
            transport: None,
            gate: None,
            rate_limit: None,
            retry: Retry::default(),
            observer: None,
            connect_timeout: None,
            total_timeout: Duration::from_secs(600),
            limits: Limits { timeout: Duration::from_secs(30), max_body_bytes: 32 << 20 },
            allow_http: false,
        }
    }

    /// The settings that stand in the environment; see [`Client::from_env`].
    pub fn from_env() -> Result<Self, Error> {
        environment::read(&|name| std::env::var(name))
    }

    /// The API key, sent with every request.
    pub fn api_key(mut self, key: impl Into<Secret>) -> Self {
        self.api_key = Some(key.into());
        self
    }

    /// Turns the token flow on: with these, a token is fetched when one is needed, and sent with every
    /// request for data beside the API key.
    pub fn client_credentials(mut self, id: impl Into<Secret>, secret: impl Into<Secret>) -> Self {
        self.client_credentials = Some((id.into(), secret.into()));
        self
    }

    /// How client id and secret are encoded in the request for a token; as in a form unless set.
    pub fn basic_encoding(mut self, encoding: BasicEncoding) -> Self {
        self.basic_encoding = encoding;
        self
    }

    /// Sends requests through something other than the built-in transport.
    pub fn transport(mut self, transport: impl Transport) -> Self {
        self.transport = Some(Arc::new(transport));
        self
    }

    /// How many requests may be sent; what satisfies every set that the catalogue names, unless set.
    pub fn rate_limit(mut self, limit: RateLimit) -> Self {
        self.rate_limit = Some(limit);
        self
    }

    /// Holds requests back with something other than the built-in gate.
    pub fn gate(mut self, gate: impl Gate) -> Self {
        self.gate = Some(Arc::new(gate));
        self
    }

    /// When a request is sent again.
    pub fn retry(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }

    /// Tells somebody what happens to requests.
    pub fn observer(mut self, observer: impl Observer) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// The time for a connection to be made, encryption included; 10 seconds unless set.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = Some(timeout);
        self
    }

    /// The time for one attempt, from its connection to the last byte of the body; 30 seconds unless set.
    pub fn attempt_timeout(mut self, timeout: Duration) -> Self {
        self.limits.timeout = timeout;
        self
    }

    /// The time for a request as a whole: every attempt, and the waits for a token, for the gate and between
    /// attempts; 10 minutes unless set.
    ///
    /// Many requests that are made at once wait for each other at the gate.
    pub fn total_timeout(mut self, timeout: Duration) -> Self {
        self.total_timeout = timeout;
        self
    }

    /// The most bytes that the body of a reply may have; 32 MiB unless set.
    pub fn max_body_bytes(mut self, bytes: usize) -> Self {
        self.limits.max_body_bytes = bytes;
        self
    }

    /// Permits a base URL without encryption that leaves this machine.
    ///
    /// Everybody on the way can read the API key then.
    pub fn allow_http(mut self, allow: bool) -> Self {
        self.allow_http = allow;
        self
    }

    /// Checks the settings and builds the client.
    pub fn build(self) -> Result<Client, Error> {
        let base_url = BaseUrl::parse(&self.base_url, SERVICE.base_url_suffix, self.allow_http)?;
        let encoding = self.basic_encoding;
        let own = self.client_credentials.map(|(id, secret)| ClientCredentials { id, secret, encoding });
        let credentials = Credentials::new(self.api_key, own)?;
        let transport = match (self.transport, self.connect_timeout) {
            (Some(_), Some(_)) => {
                return Err(Error::build("`connect_timeout` has no effect on a transport of your own")
                    .with_hint("set it there"));
            }
            (Some(transport), None) => transport,
            (None, timeout) => built_in(timeout.unwrap_or(Duration::from_secs(10)))?,
        };
        let gate = match (self.gate, self.rate_limit) {
            (Some(_), Some(_)) => {
                return Err(Error::build("`rate_limit` has no effect on a gate of your own").with_hint("set it there"));
            }
            (Some(gate), None) => gate,
            (None, limit) => Arc::new(RollingGate::new(limit.unwrap_or_default())),
        };
        let outlet = Outlet::new(base_url, gate, transport, self.limits, self.retry);
        Ok(Client::new(credentials, outlet, Audience::new(self.observer), self.total_timeout))
    }
}

fn built_in(connect_timeout: Duration) -> Result<Arc<dyn Transport>, Error> {
    let transport = HyperTransport::new(connect_timeout)
        .map_err(|error| Error::build(format!("encryption cannot be set up: {error}")))?;
    Ok(Arc::new(transport))
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("api_key", &self.api_key)
            .field("client_credentials", &self.client_credentials.is_some())
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
