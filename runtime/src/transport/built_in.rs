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
#[cfg(feature = "reqwest")]
mod reqwest;
#[cfg_attr(feature = "proxy", path = "built_in/proxy.rs")]
#[cfg_attr(not(feature = "proxy"), path = "built_in/direct.rs")]
mod routes;

pub(crate) use hyper::HyperTransport;
#[cfg(feature = "reqwest")]
pub use reqwest::ReqwestTransport;
