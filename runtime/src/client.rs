//! Clients that are built from settings, and requests as values with params and options.
//!
//! [`Builder`] collects the settings. A request is sent when it is awaited; the blocking methods use a background
//! thread. [`define_client!`](crate::define_client) wraps the types of this module as the `Client` and the `Request` of
//! each emitted crate.

mod any_client;
mod blocking;
mod builder;
mod core;
mod environment;
mod features;
mod request;
mod sending;
#[cfg(feature = "settings")]
mod settings;
mod untyped;

pub use any_client::AnyClient;
pub(crate) use blocking::Background;
pub use builder::Builder;
pub use core::{ClientType, Core};
pub use features::BlockingFeature;
pub use request::{Dynamic, Endpoint, Marker, Raw, Request, ResponseFuture};
pub(crate) use sending::require_runtime;
#[cfg(feature = "settings")]
pub use settings::ClientSettings;
pub use untyped::Untyped;
