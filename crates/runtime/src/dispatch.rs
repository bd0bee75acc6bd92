//! Sends the attempts of a request that already has its credentials.
//!
//! The dispatcher makes one attempt of a request with its [`RequestContext`], and `retry` decides whether to make
//! another. The rate limiter and the transport are called only here. `auth` adds the credentials to a request, and
//! `send` repeats attempts and decodes the body.

// The modules, lowest layer first, as in `lib.rs`.
pub(crate) mod retry;

pub(crate) mod retry_after;

pub(crate) mod service_pause;

pub(crate) mod request_params;

pub(crate) mod readable_body;

pub(crate) mod status;

pub mod observer;

#[cfg(feature = "tracing")]
pub(crate) mod log;

mod observers;

mod request_context;

mod dispatcher;

pub(crate) use dispatcher::Dispatcher;
pub(crate) use observers::Observers;
pub(crate) use request_context::{Policy, RequestContext};
pub(crate) use request_params::ShownParams;
pub(crate) use retry::Retries;
pub use retry::Retry;
