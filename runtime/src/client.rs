//! Clients that are built from settings, and requests as values with params and options.
//!
//! [`Builder`] collects the settings. A request is sent when it is awaited; the blocking methods use a background
//! thread. [`define_client!`](crate::define_client) wraps the types of this module as the `Client` and the `Request` of
//! each emitted crate.

// The modules, lowest layer first, as in `lib.rs`.
mod blocking;

mod core;

mod builder;

#[cfg(feature = "settings")]
mod settings;

mod environment;

mod untyped;

mod request;

mod any_client;

pub use any_client::AnyClient;
pub(crate) use blocking::Background;
pub use builder::{BlockingFeature, Builder};
pub use core::{ClientType, Core};
pub use request::{Dynamic, Endpoint, Marker, Raw, Request, ResponseFuture};
#[cfg(feature = "settings")]
pub use settings::ClientSettings;
pub use untyped::Untyped;
pub(crate) use untyped::require_runtime;
