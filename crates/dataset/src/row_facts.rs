//! The facts of the rows of a series: their times, and the intervals with a row.

use std::ops::Range;
use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use runtime::Timestamp;
use runtime::history::interval_start;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::series::SeriesRequest;
use crate::time_ranges::TimeRanges;
use crate::timestamps::{microseconds, times, timestamp};
use crate::unknown_values::invalid;
use crate::value_ranges::out_of_range;

/// The facts of the rows of a series, in one file or in all files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RowFacts {
    /// The time column.
    pub(crate) time: String,
    /// The interval between records, in seconds.
    pub(crate) step: u64,
    /// Whether the time of a record is the end of its interval; otherwise, it is the start.
    pub(crate) time_is_end: bool,
    /// The columns that identify a row in addition to its time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) key: Vec<String>,
    pub(crate) first: Option<Timestamp>,
    pub(crate) last: Option<Timestamp>,
    /// The intervals with a row.
    pub(crate) present: TimeRanges,
    /// The intervals with a row that has an invalid value.
    pub(crate) invalid: TimeRanges,
    /// The intervals with a row that has a value outside of the range in the catalogue. Files of format 5 list none.
    #[serde(default)]
    pub(crate) out_of_range: TimeRanges,
}

impl RowFacts {
    pub(crate) fn new(series: &SeriesRequest) -> Self {
        Self {
            time: series.time().to_owned(),
            step: series.step().as_secs(),
            time_is_end: series.time_is_end,
            key: series.key(),
            ..Self::default()
        }
    }

    /// Returns the facts of no rows, with the same time column, interval and key.
    pub(crate) fn emptied(&self) -> Self {
        Self {
            time: self.time.clone(),
            step: self.step,
            time_is_end: self.time_is_end,
            key: self.key.clone(),
            ..Self::default()
        }
    }

    pub(crate) fn step(&self) -> Duration {
        Duration::from_secs(self.step)
    }

    /// Returns the end of the interval of the last record.
    pub(crate) fn end(&self) -> Option<Timestamp> {
        self.last.map(|last| if self.time_is_end { last } else { last + self.step() })
    }

    /// Adds the facts of rows; `schema` has all columns of the file.
    pub(crate) fn add(&mut self, rows: &RecordBatch, schema: &Schema) -> Result<(), Error> {
        let step = self.step();
        let all = times(rows, &self.time)?;
        self.present.extend(&intervals(all, self.step));
        for (time, is_invalid) in all.iter().zip(invalid(rows, schema)) {
            if is_invalid {
                let start = interval_start(timestamp(*time), step);
                self.invalid.add(start..start + step);
            }
        }
        let first = all.iter().min().map(|time| timestamp(*time));
        let last = all.iter().max().map(|time| timestamp(*time));
        self.extend(first, last);
        for row in out_of_range(rows) {
            if let Some(time) = all.get(row) {
                let start = interval_start(timestamp(*time), step);
                self.out_of_range.add(start..start + step);
            }
        }
        Ok(())
    }

    /// Adds the facts of other rows.
    pub(crate) fn add_all(&mut self, other: &Self) {
        self.present.extend(&other.present);
        self.invalid.extend(&other.invalid);
        self.out_of_range.extend(&other.out_of_range);
        self.extend(other.first, other.last);
    }

    fn extend(&mut self, first: Option<Timestamp>, last: Option<Timestamp>) {
        self.first = self.first.into_iter().chain(first).min();
        self.last = self.last.max(last);
    }

    /// Removes the facts of the rows in a range.
    pub(crate) fn remove(&mut self, range: &Range<Timestamp>) {
        let removed = range.clone().into();
        self.present = self.present.without(&removed);
        self.invalid = self.invalid.without(&removed);
        self.out_of_range = self.out_of_range.without(&removed);
        let (left, step) = (self.present.bounds(), self.step());
        let is_left = |time: &Timestamp| !range.contains(time);
        self.first = self.first.filter(is_left).or(left.as_ref().map(|left| left.start));
        self.last = self.last.filter(is_left).or(left.map(|left| left.end - step));
    }

    /// Returns the range between the first and the last record.
    pub(crate) fn known(&self) -> Known {
        Some(self.first?..self.last?)
    }

    /// Returns the ranges without a record between the first and the last record.
    pub(crate) fn gaps(&self) -> TimeRanges {
        self.present.bounds().map(|bounds| self.present.uncovered(bounds)).unwrap_or_default()
    }
}

/// Returns the intervals that contain times in microseconds. `step` is the length of an interval in seconds.
///
/// Intervals that follow each other are joined before they are added to the ranges, because most rows of a page do, and
/// adding a range for each row takes longer than writing the row.
fn intervals(times: &[i64], step: u64) -> TimeRanges {
    let step = i64::try_from(step).unwrap_or(i64::MAX).saturating_mul(1_000_000);
    let mut all = TimeRanges::default();
    if step == 0 {
        return all;
    }
    // The intervals of weeks do not begin at a multiple of their length.
    let length = Duration::from_micros(step.unsigned_abs());
    let offset = microseconds(interval_start(timestamp(step), length)).unwrap_or_default().rem_euclid(step);
    let mut current: Option<Range<i64>> = None;
    for time in times {
        let start = time.saturating_sub(offset).div_euclid(step).saturating_mul(step).saturating_add(offset);
        let end = start.saturating_add(step);
        match &mut current {
            Some(run) if (run.start..=run.end).contains(&start) => run.end = run.end.max(end),
            _ => {
                add_run(&mut all, current.replace(start..end));
            }
        }
    }
    add_run(&mut all, current);
    all
}

/// Adds a range in microseconds, if there is one.
fn add_run(all: &mut TimeRanges, run: Option<Range<i64>>) {
    if let Some(run) = run {
        all.add(timestamp(run.start)..timestamp(run.end));
    }
}

/// The range between the first and the last record that existed when a run began.
pub(crate) type Known = Option<Range<Timestamp>>;
