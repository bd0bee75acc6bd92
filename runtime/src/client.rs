//! Builds a client from settings, and requests as values: params, options, futures.
//!
//! [`Builder`] collects the settings; requests are sent as futures or by a background thread. [`define_client!`](crate::define_client)
//! defines the types that users name, `Client` and `Request`, for each catalogue around this module.

#[cfg(feature = "blocking")]
mod blocking;
mod builder;
mod core;
mod environment;
mod request;
mod sending;
#[cfg(feature = "settings")]
mod settings;
mod untyped;

#[cfg(feature = "blocking")]
pub(crate) use blocking::Background;
pub use builder::Builder;
pub use core::{ClientType, Core};
pub use request::{Dynamic, Endpoint, Marker, Raw, Request, ResponseFuture};
pub(crate) use sending::{Sending, require_runtime};
#[cfg(feature = "settings")]
pub use settings::ClientSettings;
pub(crate) use untyped::Untyped;
