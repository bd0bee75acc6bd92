//! Operations on the fields of any record: columns, times, and both directions of serde.
//!
//! The values of a record are read with its visitor, and those of an untyped object by their keys, with the same
//! results. The code is compiled once for all records.

mod columns;
mod deserialize;
mod serialize;

pub use columns::Column;
pub(crate) use columns::{TimeField, column, columns, times};
pub(crate) use deserialize::deserialize;
pub(crate) use serialize::serialize_series;
