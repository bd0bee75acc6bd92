//! A mock server for any emitted client, for tests and for experiments without a key or a network.
//!
//! [`Sandbox::of`] creates the server from the registry of a client. Every endpoint with a path is served on a local
//! socket, with the envelope, the fields and the ranges that the registry declares. The values are generated from a
//! seed, so the same request gets the same response. Requests are checked against the registry, which is the only
//! source of facts about the service.

mod access;
mod fault;
mod groups;
mod host_check;
mod listener;
mod middleware;
mod page;
mod query;
mod rejection;
#[doc(hidden)]
pub mod request_checks;
mod response_body;
mod routes;
mod sandbox;
mod seed;
mod settings;
mod time_range;
mod token;
mod traffic;
mod values;

pub use fault::{Rule, RuleError};
pub use sandbox::Sandbox;
pub use settings::{Builder, RetryAfter};
pub use traffic::{Counts, Peak};
