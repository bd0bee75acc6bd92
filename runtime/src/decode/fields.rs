//! Operations on the fields of any record: columns, times, serialization and deserialization.
//!
//! The values of a record are read with its visitor, and the values of an untyped object by their keys, with the same
//! results. The code is compiled once for all record types.

mod columns;
mod serde;

pub use columns::Column;
pub(crate) use columns::{TimeField, columns, times};
pub(crate) use serde::{deserialize, serialize_series};
