//! Reads the timestamps of a column, which are UTC times.

use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::types::TimestampMicrosecondType;
use arrow_array::{ArrayRef, RecordBatch};
use runtime::Timestamp;

use crate::error::Error;

/// The timestamps of a column, in microseconds.
pub(crate) struct Timestamps<'a>(&'a [i64]);

impl<'a> Timestamps<'a> {
    /// Reads the timestamps of an array; `None` if it has other values.
    pub(crate) fn of(column: &'a ArrayRef) -> Option<Self> {
        Some(Self(column.as_primitive_opt::<TimestampMicrosecondType>()?.values()))
    }

    /// Reads the timestamps of the time column.
    pub(crate) fn in_batch(batch: &'a RecordBatch, column: &str) -> Result<Self, Error> {
        let times = batch.column_by_name(column).and_then(Self::of);
        times.ok_or_else(|| Error::invalid_input(format!("the column `{column}` of timestamps is missing")))
    }

    /// Returns the timestamp of a row.
    pub(crate) fn get(&self, row: usize) -> Timestamp {
        timestamp(self.0.get(row).copied().unwrap_or_default())
    }

    /// Returns the number of rows from `from` on that are before a timestamp. The rows are in order.
    pub(crate) fn before(&self, from: usize, time: Timestamp) -> usize {
        self.0.get(from..).unwrap_or_default().partition_point(|count| timestamp(*count) < time)
    }
}

/// Converts the value of a column.
pub(crate) fn timestamp(microseconds: i64) -> Timestamp {
    let rest = Duration::from_micros(microseconds.rem_euclid(1_000_000).unsigned_abs());
    Timestamp::from_unix_seconds(microseconds.div_euclid(1_000_000)) + rest
}
