//! A mock server for any emitted client, for tests and for experiments without a key or a network.
//!
//! [`Sandbox::of`] creates the server from the registry of a client. Every endpoint with a path is served on a local
//! socket, with the envelope, the fields and the ranges that the registry declares. The values are generated from a
//! seed, so the same request gets the same response. Requests are checked against the registry, which is the only
//! source of facts about the service.

// The modules, lowest layer first.
mod seed;

mod interval;

mod json;

mod rejection;

mod authorization;

mod token;

mod access;

mod query;

mod traffic;

mod connection;

mod paths;

mod fault;

mod settings;

mod shared;

mod listener;

mod host_check;

mod middleware;

mod values;

mod record_layout;

mod groups;

mod time_range;

mod record_pages;

mod response_body;

mod body_text;

mod page;

mod routes;

mod sandbox;

mod builder;

#[doc(hidden)]
pub mod request_checks;

pub use builder::Builder;
pub use fault::{Rule, RuleError};
pub use sandbox::Sandbox;
pub use settings::RetryAfter;
pub use traffic::{Counts, Peak};
