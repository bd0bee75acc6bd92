//! Values of params and fields: timestamps, numbers and named types.
//!
//! This module writes Rust values as params. `decode` reads JSON, and the registry contains the type of each param.

mod decimal;
#[cfg(feature = "settings")]
mod duration;
mod json_text;
pub(crate) mod named_type;
pub(crate) mod number;
pub(crate) mod timestamp;
pub mod wire;

pub use decimal::{Decimal, ParseDecimalError};
#[cfg(feature = "settings")]
pub(crate) use duration::duration;
pub(crate) use json_text::json_text;
pub(crate) use number::Number;
pub use timestamp::{OutOfRange, ParseTimestampError, Timestamp};

/// Any JSON value, for fields of unknown type.
pub use ::serde_json::Value;
