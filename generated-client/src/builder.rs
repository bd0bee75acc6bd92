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
use crate::outlet::Outlet;
use crate::secret::Secret;
use crate::token::ClientCredentials;
use crate::transport::{HyperTransport, Limits, Transport};
use crate::{SERVICE, environment};

/// Settings of a [`Client`]; from [`Client::builder`].
pub struct Builder {
    base_url: String,
    api_key: Option<Secret>,
    client_credentials: Option<ClientCredentials>,
    transport: Option<Arc<dyn Transport>>,
    connect_timeout: Option<Duration>,
    limits: Limits,
    allow_http: bool,
}

impl Builder {
    pub(crate) fn new(base_url: String) -> Self {
        Self {
            base_url,
            api_key: None,
            client_credentials: None,
            transport: None,
            connect_timeout: None,
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
        self.client_credentials = Some(ClientCredentials { id: id.into(), secret: secret.into() });
        self
    }

    /// Sends requests through something other than the built-in transport.
    pub fn transport(mut self, transport: impl Transport) -> Self {
        self.transport = Some(Arc::new(transport));
        self
    }

    /// The time for a connection to be made, encryption included; 10 seconds unless set.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = Some(timeout);
        self
    }

    /// The time for one attempt, from its first step to the last byte of the body; 30 seconds unless set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.limits.timeout = timeout;
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
        let credentials = Credentials::new(self.api_key, self.client_credentials)?;
        let transport = match (self.transport, self.connect_timeout) {
            (Some(_), Some(_)) => {
                return Err(Error::build("`connect_timeout` has no effect on a transport of your own")
                    .with_hint("set it there"));
            }
            (Some(transport), None) => transport,
            (None, timeout) => built_in(timeout.unwrap_or(Duration::from_secs(10)))?,
        };
        Ok(Client::new(credentials, Outlet::new(base_url, transport, self.limits)))
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
