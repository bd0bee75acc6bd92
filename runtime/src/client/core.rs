//! The part of a client that is independent of its catalogue.
//!
//! [`Core`] contains the credentials and the dispatcher, and no state that a failed request could corrupt. A
//! [`ClientType`] is the emitted type around a [`Core`], with the catalogue's data about the service.

use std::fmt;
use std::sync::Arc;

use super::blocking::Background;
use crate::registry::ServiceInfo;
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
