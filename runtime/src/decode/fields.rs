//! Operations on the fields of any record: columns, times, and both directions of serde.
//!
//! A record passes its values to the visitor of [`record`](crate::record), an untyped value its members; the results
//! are the same. Compiled once for all records.

mod columns;
mod deserialize;
mod serialize;

pub use columns::Column;
pub(crate) use columns::{column, columns, times};
pub(crate) use deserialize::deserialize;
pub(crate) use serialize::serialize_series;
