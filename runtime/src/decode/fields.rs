//! Operations on the fields of any record: columns, times, serialization and deserialization.
//!
//! The values of a record are read with its visitor, and the values of an untyped object by their keys. The results are
//! the same. The code is compiled once for all records.

mod columns;
mod deserialize;
mod serialize;

pub use columns::Column;
pub(crate) use columns::{TimeField, columns, times};
pub(crate) use deserialize::deserialize;
pub(crate) use serialize::serialize_series;
