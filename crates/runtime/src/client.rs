//! Clients that are built from settings, and requests as values with params and options.
//!
//! [`Builder`] collects the settings. A request is sent when it is awaited; the blocking methods use a background
//! thread. [`define_client!`](crate::define_client) wraps the types of this module as the `Client` and the `Request` of
//! each emitted crate.

// The modules, lowest layer first, as in `lib.rs`.
mod blocking;

mod builder;

#[cfg(feature = "settings")]
mod settings;

mod environment;

mod untyped;

mod request;

mod any_client;

use std::fmt;
use std::sync::Arc;

use crate::registry::ServiceInfo;
use crate::send::Connection;
use crate::values::Timestamp;

pub use any_client::AnyClient;
pub(crate) use blocking::Background;
pub use builder::{BlockingFeature, Builder};
pub use request::{Dynamic, Endpoint, Marker, Raw, Request, ResponseFuture};
#[cfg(feature = "settings")]
pub use settings::ClientSettings;
pub use untyped::Untyped;
pub(crate) use untyped::{Sending, require_runtime};

/// Access to a service: the credentials and the dispatcher, and no state that a failed request could corrupt.
///
/// Cloning is cheap, and clones share their connections, their token and their rate limit.
#[derive(Clone)]
pub struct Core {
    connection: Arc<Connection>,
    background: Arc<Background>,
}

impl Core {
    #[doc(hidden)]
    pub fn service_time(&self) -> Timestamp {
        self.connection.clock.read().time()
    }
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base_url", &self.connection.dispatcher.base_urls.service())
            .finish_non_exhaustive()
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
