//! One attempt after the other: what a request goes through once its credentials are there.
//!
//! A request comes in with the [`RequestContext`] that follows it, a reply goes out or the error that ends it. Rate limiter and
//! transport are called here and nowhere else. Which credentials a request carries is for `auth` to say, and what its
//! body means for `send`.

mod context;
mod dispatcher;
mod ending;
pub mod observer;
mod policy;
pub(crate) mod retry;
pub(crate) mod retry_after;
#[cfg(feature = "tracing")]
pub(crate) mod spans;
pub(crate) mod status;

pub(crate) use context::RequestContext;
pub(crate) use dispatcher::Dispatcher;
pub(crate) use ending::Ending;
pub(crate) use policy::Policy;
pub(crate) use retry::Retries;
pub use retry::Retry;
