//! Timestamps of a column.
//!
//! An array of timestamps is read as UTC times.

use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::types::{TimestampMicrosecondType, TimestampMillisecondType};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use runtime::Timestamp;

use crate::error::Error;

/// The timestamps of a column.
pub(crate) struct Times<'a> {
    counts: &'a [i64],
    per_second: i64,
}

impl<'a> Times<'a> {
    /// `None` if the column has other values.
    pub(crate) fn of(column: &'a ArrayRef) -> Option<Self> {
        let (counts, per_second) = match column.data_type() {
            DataType::Timestamp(TimeUnit::Millisecond, _) => {
                (column.as_primitive::<TimestampMillisecondType>().values(), 1000)
            }
            DataType::Timestamp(TimeUnit::Microsecond, _) => {
                (column.as_primitive::<TimestampMicrosecondType>().values(), 1_000_000)
            }
            _ => return None,
        };
        Some(Self { counts, per_second })
    }

    /// Those of the time column.
    pub(crate) fn in_batch(batch: &'a RecordBatch, column: &str) -> Result<Self, Error> {
        let times = batch.column_by_name(column).and_then(Self::of);
        times.ok_or_else(|| Error::invalid_input(format!("the column `{column}` of timestamps is missing")))
    }

    /// The timestamp of a row.
    pub(crate) fn get(&self, row: usize) -> Timestamp {
        self.timestamp(self.counts.get(row).copied().unwrap_or_default())
    }

    /// Number of rows from `from` on that are before a timestamp. The rows are in order.
    pub(crate) fn before(&self, from: usize, time: Timestamp) -> usize {
        self.counts.get(from..).unwrap_or_default().partition_point(|count| self.timestamp(*count) < time)
    }

    fn timestamp(&self, count: i64) -> Timestamp {
        let rest = u64::try_from(count.rem_euclid(self.per_second) * (1_000_000 / self.per_second)).unwrap_or_default();
        Timestamp::from_unix_seconds(count.div_euclid(self.per_second)) + Duration::from_micros(rest)
    }
}
