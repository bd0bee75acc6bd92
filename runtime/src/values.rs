//! Values of params and fields: timestamps, numbers, named types.
//!
//! Values come in as Rust types and leave as the text of a param. Reading JSON is the job of `decode`, and the registry
//! knows the type of each param.

mod into_param;
pub(crate) mod named_type;
pub(crate) mod number;
pub(crate) mod timestamp;
pub mod wire;

pub(crate) use number::Number;
pub use timestamp::{OutOfRange, ParseTimestampError, Timestamp};

/// Any JSON value, where nothing is known of it.
pub use ::serde_json::Value;
