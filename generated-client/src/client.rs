//! The client: what all requests of a program share.
//!
//! Settings come in through [`Builder`], requests go out through the groups' handles, which are emitted.
//! It holds credentials, the way out and nothing that a request could break.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::builder::Builder;
use crate::credentials::Credentials;
use crate::error::Error;
use crate::observer::{Audience, Purpose};
use crate::outlet::Outlet;
use crate::registry::EndpointInfo;
use crate::request::{Raw, Request};
use crate::trip::Trip;

/// Access to the service.
///
/// Cloning is cheap, and clones share their connections, their token and their
/// place within the service's limits.
/// Requests can be made from any thread and side by side; they are sent inside a Tokio runtime, or
/// without one by the feature `blocking`.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    credentials: Credentials,
    outlet: Outlet,
    audience: Audience,
    /// The time for one request, whatever it takes.
    timeout: Duration,
    #[cfg(feature = "blocking")]
    background: crate::blocking::Background,
}

impl Client {
    /// Begins a client for the service at `base_url`, which is always yours to give.
    pub fn builder(base_url: impl Into<String>) -> Builder {
        Builder::new(base_url.into())
    }

    /// A client with the settings that stand in the environment.
    ///
    /// With the prefix [`SERVICE.env_prefix`](crate::registry::ServiceInfo::env_prefix) and an underscore
    /// before each name:
    ///
    /// | variable | meaning |
    /// |---|---|
    /// | `BASE_URL` | where the service is; required |
    /// | `API_KEY` | the API key; required if the service takes one |
    /// | `CLIENT_ID`, `CLIENT_SECRET` | turn the token flow on; both or neither |
    pub fn from_env() -> Result<Self, Error> {
        Builder::from_env()?.build()
    }

    pub(crate) fn new(credentials: Credentials, outlet: Outlet, audience: Audience, timeout: Duration) -> Self {
        Self(Arc::new(Inner {
            credentials,
            outlet,
            audience,
            timeout,
            #[cfg(feature = "blocking")]
            background: crate::blocking::Background::default(),
        }))
    }

    /// A request for any path, whether the catalogue knows it or not.
    ///
    /// It goes the way of all requests: same credentials, same limits, same errors. The path begins with a
    /// slash and may carry the version that the base URL ends in; params are added with
    /// [`Request::query`].
    ///
    /// ```
    /// # fn demo(client: &generated_client::Client) {
    /// let request = client.raw("/v2/somethingNew").query("coin", "BTC");
    /// assert_eq!(request.to_string(), "GET /somethingNew?coin=BTC");
    /// # }
    /// ```
    pub fn raw(&self, path: impl Into<String>) -> Request<Raw> {
        Request::raw(self, path.into())
    }

    pub(crate) fn credentials(&self) -> &Credentials {
        &self.0.credentials
    }

    /// Begins the way of a request.
    pub(crate) fn trip(&self, endpoint: &'static EndpointInfo) -> Trip {
        Trip::new(Purpose::Data(endpoint), self.0.timeout, self.0.audience.clone())
    }

    #[cfg(feature = "blocking")]
    pub(crate) fn background(&self) -> &crate::blocking::Background {
        &self.0.background
    }

    pub(crate) fn outlet(&self) -> &Outlet {
        &self.0.outlet
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("outlet", &self.0.outlet).field("credentials", &self.0.credentials).finish()
    }
}
