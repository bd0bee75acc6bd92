//! Timestamps in Arrow columns: microseconds since 1970 in UTC.
//!
//! All timestamp columns have this unit, because some services write times with that resolution.

use std::ops::Range;
use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::TimestampMicrosecondType;
use runtime::{Interval, Timestamp};

use crate::error::Error;

/// The values of the time column.
pub(crate) fn times<'a>(batch: &'a RecordBatch, column: &str) -> Result<&'a [i64], Error> {
    if let Some(found) = batch.column_by_name(column)
        && let Some(times) = found.as_primitive_opt::<TimestampMicrosecondType>()
    {
        return Ok(times.values());
    }
    Err(Error::invalid_input(format!("the column `{column}` of timestamps is missing")))
}

/// Converts the value of a column.
pub(crate) fn timestamp(microseconds: i64) -> Timestamp {
    let rest = Duration::from_micros(microseconds.rem_euclid(1_000_000).unsigned_abs());
    Timestamp::from_unix_seconds(microseconds.div_euclid(1_000_000)) + rest
}

/// The value of a column; `None` if the time is out of its range.
pub(crate) fn microseconds(time: Timestamp) -> Option<i64> {
    let whole = time.unix_seconds();
    let rest = time.abs_diff(Timestamp::from_unix_seconds(whole)).subsec_micros();
    whole.checked_mul(1_000_000)?.checked_add(rest.into())
}

/// The intervals of a series, in microseconds. No interval is shorter than a microsecond.
///
/// Most intervals have one length. The value keeps it and the anchor, because the intervals of all rows of a page are
/// determined, and the conversion of both would take most of the time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MicrosecondIntervals {
    interval: Interval,
    /// The length of each interval; `None` if they have several lengths, as months do.
    length: Option<i64>,
    anchor: i64,
}

impl MicrosecondIntervals {
    pub(crate) fn new(interval: Interval) -> Self {
        let length = interval.step().length();
        let length = length.and_then(|length| i64::try_from(length.as_micros()).ok());
        Self {
            interval,
            length: length.map(|length| length.max(1)),
            anchor: microseconds(interval.anchor()).unwrap_or_default(),
        }
    }

    /// The interval that contains a time.
    pub(crate) fn containing(&self, time: i64) -> Range<i64> {
        let Some(length) = self.length else {
            let time = timestamp(time);
            let start = microseconds(self.interval.start_of(time)).unwrap_or(i64::MIN);
            let end = microseconds(self.interval.end_of(time)).unwrap_or(i64::MAX);
            return start..end;
        };
        let start = time.saturating_sub(time.saturating_sub(self.anchor).rem_euclid(length));
        start..start.saturating_add(length)
    }

    /// The interval that contains a time, if `last` is an interval. Most rows are in the interval after that of the row
    /// before them, which is found without a division.
    pub(crate) fn after(&self, last: &Range<i64>, time: i64) -> Range<i64> {
        match self.length {
            Some(length) if last.end == time && last.start < last.end => last.end..last.end.saturating_add(length),
            _ => self.containing(time),
        }
    }
}

/// The interval that contains a time; of a series without a regular step, the microsecond.
pub(crate) fn range_of(time: Timestamp, interval: Interval) -> Range<Timestamp> {
    if interval.has_steps() {
        return interval.start_of(time)..interval.end_of(time);
    }
    let start = microseconds(time).unwrap_or_default();
    timestamp(start)..timestamp(start.saturating_add(1))
}
