//! What is done with the fields of records that are there, whatever their types: columns, times, and JSON again.
//!
//! A record shows its values to the visitor of [`record`](crate::record), a value of which nothing is known by its
//! keys; both come out alike. Compiled once for all records.

mod columns;
mod serialize;

pub use columns::Column;
pub(crate) use columns::{column, columns, times};
pub(crate) use serialize::serialize_series;
