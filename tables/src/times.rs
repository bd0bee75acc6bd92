//! Timestamps of a column.
//!
//! An array of timestamps is read as UTC times.

use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::types::{TimestampMicrosecondType, TimestampMillisecondType};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use runtime::Timestamp;

/// The timestamps of a column.
pub(crate) struct Times<'a> {
    counts: &'a [i64],
    per_second: i64,
}

impl<'a> Times<'a> {
    /// `None` if the column has other values.
    pub(crate) fn of(column: &'a ArrayRef) -> Option<Self> {
        let (counts, per_second): (&[i64], _) = match column.data_type() {
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

    /// The timestamp of a row.
    pub(crate) fn get(&self, row: usize) -> Timestamp {
        let count = self.counts.get(row).copied().unwrap_or_default();
        let rest = u64::try_from(count.rem_euclid(self.per_second)).unwrap_or_default();
        let beyond = Duration::from_micros(rest * u64::try_from(1_000_000 / self.per_second).unwrap_or(1));
        Timestamp::from_unix_seconds(count.div_euclid(self.per_second)) + beyond
    }

    /// Number of rows from `from` on that are before a timestamp. The rows are in order.
    pub(crate) fn before(&self, from: usize, time: Timestamp) -> usize {
        let rows = from..self.counts.len();
        let mut low = rows.start;
        let mut high = rows.end;
        while low < high {
            let middle = low.midpoint(high);
            if self.get(middle) < time { low = middle + 1 } else { high = middle }
        }
        low - from
    }
}
