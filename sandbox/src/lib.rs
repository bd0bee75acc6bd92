//! A server that answers as the catalogue says, with invented data.
//!
//! Every endpoint with a path in the registry of [`generated_client`] is answered with the envelope, the fields and the
//! ranges that the registry names, over a socket of this machine. The data is an invented market: the same for the same
//! seed, and with series that agree with each other.

mod access;
mod answer;
mod asked;
mod calendar;
mod connection;
mod fault;
mod fields;
mod invented;
mod known;
mod market;
mod measures;
mod number;
mod page;
mod passage;
mod plausible;
mod recording;
mod refusal;
mod routes;
mod sandbox;
mod scope;
mod settings;
mod snapshot;
mod suggest;
mod token;
mod traffic;
mod whole;
mod window;

pub use fault::{Rule, RuleError};
pub use recording::{RecordingError, check_recording};
pub use sandbox::Sandbox;
pub use settings::{Builder, RetryAfter};
pub use traffic::{Counts, Peak};
