//! The built-in transports, and their shared parts.
//!
//! [`HyperTransport`] is the default, and `ReqwestTransport` wraps the user's client. Both need sockets and threads, so
//! neither exists on WebAssembly.

mod certificates;
mod connect;
mod failure;
#[cfg(feature = "gzip")]
mod gzip;
mod hyper;
mod messages;
mod notifying_body;
mod pools;
#[cfg(feature = "proxy")]
mod proxy;
#[cfg(feature = "proxy")]
use proxy as routes;
#[cfg(not(feature = "proxy"))]
mod direct;
#[cfg(not(feature = "proxy"))]
use direct as routes;
#[cfg(feature = "reqwest")]
mod reqwest;

use std::sync::Arc;

use crate::{Settings, Transport, TransportError};

pub use hyper::HyperTransport;
#[cfg(feature = "reqwest")]
pub use reqwest::ReqwestTransport;

/// Creates the default transport, for a client whose builder sets no transport.
pub fn built_in(settings: &Settings) -> Result<Arc<dyn Transport>, TransportError> {
    Ok(Arc::new(HyperTransport::new(settings)?))
}
