//! What a param or a field can hold: points in time, numbers, named types.
//!
//! Values come in as Rust types and go out as the text of a param. Reading them from JSON is the job of `decode`,
//! and which param takes which value is the registry's to know.

mod into_param;
pub(crate) mod named_type;
pub(crate) mod number;
pub(crate) mod timestamp;
pub mod wire;

pub(crate) use number::Number;
pub use timestamp::{OutOfRange, ParseTimestampError, Timestamp};

/// Any JSON value, where nothing is known of it.
pub use ::serde_json::Value;
