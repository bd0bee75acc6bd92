//! The built-in transports, and their shared parts.
//!
//! `HyperTransport` is the default, and `ReqwestTransport` wraps the user's `reqwest::Client`.

mod certificates;

mod tls_failure;

#[cfg(feature = "proxy")]
mod tunnel;

mod failure;

mod resolver;

#[cfg(feature = "proxy")]
mod no_proxy;

#[cfg(not(feature = "proxy"))]
mod direct;
#[cfg(feature = "proxy")]
mod proxy;

#[cfg(feature = "gzip")]
mod gzip;

mod messages;

mod timed_connector;

mod pools;

mod hyper;

#[cfg(feature = "reqwest")]
mod reqwest;

#[cfg(not(feature = "proxy"))]
use direct as routes;
#[cfg(feature = "proxy")]
use proxy as routes;

pub(crate) use hyper::HyperTransport;
#[cfg(feature = "reqwest")]
pub use reqwest::ReqwestTransport;
