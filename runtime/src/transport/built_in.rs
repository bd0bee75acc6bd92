//! The built-in transports, and their shared parts.
//!
//! `HyperTransport` is the default, and `ReqwestTransport` wraps the user's `reqwest::Client`.

mod certificates;
mod failure;
#[cfg(feature = "gzip")]
mod gzip;
mod hyper;
mod messages;
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

pub(crate) use hyper::HyperTransport;
#[cfg(feature = "reqwest")]
pub use reqwest::ReqwestTransport;
