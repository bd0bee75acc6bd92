//! Values of params and fields: timestamps, numbers and named types.
//!
//! This module writes Rust values as params. `decode` reads JSON, and the registry contains the type of each param.

// The modules, lowest layer first, as in `lib.rs`.
mod error;

mod json_text;

pub(crate) mod number;

mod decimal;

pub(crate) mod named_type;

pub mod wire;

pub(crate) mod timestamp;

pub use decimal::Decimal;
pub use error::ConversionError;
pub(crate) use json_text::json_text;
pub(crate) use number::Number;
pub use timestamp::{Interval, Timestamp, is_time_zone};

/// Any JSON value, for fields of unknown type.
pub use ::serde_json::Value;
