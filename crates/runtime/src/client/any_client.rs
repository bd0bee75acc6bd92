//! A client for tools that work with any registry.

#[cfg(feature = "settings")]
use std::path::Path;

use super::Core;
use super::builder::{Builder, BuilderSettings};
use super::environment::read_environment;
use super::request::{Dynamic, Raw, Request};
#[cfg(feature = "settings")]
use super::settings::read_file;
use super::untyped::Untyped;
use crate::error::Error;
use crate::registry::{EndpointInfo, ServiceInfo};

/// The header `User-Agent`, unless a setting replaces it.
const AGENT: &str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));

/// A client of any service. It has no methods for endpoints; requests take an endpoint of the registry.
#[derive(Clone, Debug)]
pub struct AnyClient(Core);

impl AnyClient {
    /// Starts building a client for this service and this base URL.
    pub fn builder(service: &'static ServiceInfo, base_url: impl Into<String>) -> Builder<Self> {
        Builder::of(BuilderSettings::new(base_url.into()), service, AGENT)
    }

    /// Starts building a client with the settings of the environment, whose variables begin with the prefix of the
    /// service. A missing or invalid variable is an error.
    pub fn builder_from_env(service: &'static ServiceInfo) -> Result<Builder<Self>, Error> {
        read_environment(service, &|name| std::env::var(name)).map(|settings| Builder::of(settings, service, AGENT))
    }

    /// Starts building a client with the settings of a TOML file, which has the keys of
    /// [`ClientSettings`](crate::ClientSettings); requires the feature `settings`. A setting that the file omits stays as
    /// in `defaults`.
    #[cfg(feature = "settings")]
    pub fn builder_from_file(defaults: Builder<Self>, path: impl AsRef<Path>) -> Result<Builder<Self>, Error> {
        read_file(path.as_ref())?.apply(defaults)
    }

    /// Creates a request for an endpoint of the registry.
    pub fn endpoint(&self, endpoint: &'static EndpointInfo) -> Request<Dynamic> {
        Request::from_untyped(Untyped::new(&self.0, endpoint))
    }

    /// Creates a request for any path.
    pub fn raw(&self, path: impl Into<String>) -> Request<Raw> {
        Request::from_untyped(Untyped::raw(&self.0, path.into()))
    }
}

impl From<Core> for AnyClient {
    fn from(core: Core) -> Self {
        Self(core)
    }
}
