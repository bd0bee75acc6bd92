//! The part of a client that is independent of its catalogue.
//!
//! [`Core`] contains the credentials and the dispatcher, and no state that a failed request could corrupt. A
//! [`ClientType`] is the emitted type around a [`Core`], with the catalogue's data about the service.
//!
//! [`AnyClient`] is for tools that work with any registry.

use std::fmt;
#[cfg(feature = "settings")]
use std::path::Path;
use std::sync::Arc;

use super::blocking::Background;
use super::builder::{self, Settings};
use super::{Builder, Dynamic, Raw, Request, Untyped};
use crate::error::Error;
use crate::registry::{EndpointInfo, ServiceInfo};
use crate::send::Connection;
use crate::values::Timestamp;

/// Access to a service.
///
/// Cloning is cheap, and clones share their connections, their token and their rate limit.
#[derive(Clone)]
pub struct Core {
    pub(super) connection: Arc<Connection>,
    pub(super) background: Arc<Background>,
}

impl Core {
    #[doc(hidden)]
    pub fn service_time(&self) -> Timestamp {
        self.connection.clock.read().time()
    }
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("base_url", &self.connection.dispatcher.base_url).finish_non_exhaustive()
    }
}

/// The type of an emitted client, with the catalogue's description of its service.
///
/// Only [`define_client!`](crate::define_client) implements this trait.
pub trait ClientType: From<Core> {
    /// The service's description in the catalogue.
    const SERVICE: &'static ServiceInfo;

    /// The header `User-Agent`: name and version of the emitted crate.
    const AGENT: &'static str;
}

/// A client of any service. It has no methods for endpoints; requests take an endpoint of the registry.
#[derive(Clone, Debug)]
pub struct AnyClient(Core);

impl AnyClient {
    /// Starts building a client for this service and this base URL.
    pub fn builder(service: &'static ServiceInfo, base_url: impl Into<String>) -> Builder<Self> {
        Self::with(service, Settings::new(base_url.into()))
    }

    /// Starts building a client with the settings of the environment, whose variables begin with the prefix of the
    /// service. A missing or invalid variable is an error.
    pub fn builder_from_env(service: &'static ServiceInfo) -> Result<Builder<Self>, Error> {
        builder::read_environment(service, &|name| std::env::var(name)).map(|settings| Self::with(service, settings))
    }

    /// Starts building a client with the settings of a TOML file, which has the keys of
    /// [`ClientSettings`](crate::ClientSettings); requires the feature `settings`.
    #[cfg(feature = "settings")]
    pub fn builder_from_file(service: &'static ServiceInfo, path: impl AsRef<Path>) -> Result<Builder<Self>, Error> {
        super::settings::read_file(path.as_ref())?.apply(Self::builder(service, ""))
    }

    /// Creates a request for an endpoint of the registry.
    pub fn endpoint(&self, endpoint: &'static EndpointInfo) -> Request<Dynamic> {
        Request::from_untyped(Untyped::new(&self.0, endpoint))
    }

    /// Creates a request for any path.
    pub fn raw(&self, path: impl Into<String>) -> Request<Raw> {
        Request::from_untyped(Untyped::raw(&self.0, path.into()))
    }

    fn with(service: &'static ServiceInfo, settings: Settings) -> Builder<Self> {
        const AGENT: &str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));
        Builder::of(settings, service, AGENT)
    }
}

impl From<Core> for AnyClient {
    fn from(core: Core) -> Self {
        Self(core)
    }
}
