//! The facts of the rows of a series: their times, and the intervals with a row.

use std::ops::Range;
use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use runtime::{Interval, Timestamp};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::last_seen::LastSeen;
use crate::partial_intervals::LastTimes;
use crate::series::SeriesRequest;
use crate::spacing::usual_spacing;
use crate::time_ranges::TimeRanges;
use crate::timestamps::{MicrosecondIntervals, range_of, times, timestamp};
use crate::unknown_values::invalid;
use crate::value_ranges::out_of_range;

/// The facts of the rows of a series, in one file or in all files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RowFacts {
    /// The time column.
    pub(crate) time: String,
    /// The intervals of the records. Fixed ones are stored as seconds.
    #[serde(rename = "step")]
    pub(crate) interval: Interval,
    /// Whether the time of a record is the end of its interval; otherwise, it is the start.
    pub(crate) time_is_end: bool,
    /// The columns that identify a row in addition to its time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) key: Vec<String>,
    pub(crate) first: Option<Timestamp>,
    pub(crate) last: Option<Timestamp>,
    /// The intervals with a row; without a regular step, the ranges from the first to the last row of each section.
    pub(crate) present: TimeRanges,
    /// The parts of these intervals without a row, where an interval usually has several rows at the same spacing. Files
    /// of an earlier version list none.
    #[serde(default, skip_serializing_if = "TimeRanges::is_empty")]
    pub(crate) partial: TimeRanges,
    /// The last row of each label. Files of an earlier version list none.
    #[serde(default, skip_serializing_if = "LastSeen::is_empty")]
    pub(crate) last_seen: LastSeen,
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
            interval: series.interval(),
            time_is_end: series.time_is_end,
            key: series.key(),
            ..Self::default()
        }
    }

    /// The facts of no rows, with the same time column, interval and key.
    pub(crate) fn emptied(&self) -> Self {
        Self {
            time: self.time.clone(),
            interval: self.interval,
            time_is_end: self.time_is_end,
            key: self.key.clone(),
            ..Self::default()
        }
    }

    /// The end of the interval of the last record; without a regular step, its time.
    pub(crate) fn end(&self) -> Option<Timestamp> {
        let last = self.last?;
        let is_end = self.time_is_end || !self.interval.has_steps();
        Some(if is_end { last } else { self.interval.moved(last, 1) })
    }

    /// Adds the facts of the next batch of rows. `schema` has all columns of the file, and `last_times` are the times of
    /// the last rows of the batches before.
    pub(crate) fn add(&mut self, rows: &RecordBatch, schema: &Schema, last_times: &mut LastTimes) -> Result<(), Error> {
        let all = times(rows, &self.time)?;
        if self.interval.has_steps() {
            self.present.extend(&intervals(all, self.interval));
            let judged = last_times.judge(all, self.interval);
            if let Some(since) = judged.since {
                self.partial = self.partial.until(timestamp(since));
            }
            self.partial.extend(&judged.gaps);
        }
        if !self.key.is_empty() {
            self.last_seen.add(rows, all, &self.key);
        }
        for (time, is_invalid) in all.iter().zip(invalid(rows, schema)) {
            if is_invalid {
                self.invalid.add(range_of(timestamp(*time), self.interval));
            }
        }
        if let (Some(first), Some(last)) = (all.iter().min(), all.iter().max()) {
            self.extend_to(timestamp(*first));
            self.extend_to(timestamp(*last));
        }
        for row in out_of_range(rows) {
            if let Some(time) = all.get(row) {
                self.out_of_range.add(range_of(timestamp(*time), self.interval));
            }
        }
        if !self.interval.has_steps()
            && let Some(Range { start, end }) = self.extent()
        {
            self.present = TimeRanges::from(start..range_of(end, self.interval).end);
        }
        Ok(())
    }

    /// Adds the facts of other rows.
    pub(crate) fn add_all(&mut self, other: &Self) {
        self.add_partial(&other.partial, &other.present);
        self.present.extend(&other.present);
        self.last_seen.add_all(&other.last_seen);
        self.invalid.extend(&other.invalid);
        self.out_of_range.extend(&other.out_of_range);
        for end in [other.first, other.last].into_iter().flatten() {
            self.extend_to(end);
        }
    }

    /// Adds the gaps within the intervals of other rows. An interval that has rows of both lacks only what both lack.
    fn add_partial(&mut self, partial: &TimeRanges, present: &TimeRanges) {
        if self.partial.is_empty() && partial.is_empty() {
            return;
        }
        let shared = self.present.intersection(present);
        let in_both = self.partial.intersection(partial);
        self.partial = self.partial.without(&shared);
        self.partial.extend(&partial.without(&shared));
        self.partial.extend(&in_both);
    }

    /// Extends the range of the rows to one that has this time.
    fn extend_to(&mut self, time: Timestamp) {
        self.first = Some(self.first.unwrap_or(time).min(time));
        self.last = Some(self.last.unwrap_or(time).max(time));
    }

    /// Removes the facts of the rows in a range.
    pub(crate) fn remove(&mut self, range: &Range<Timestamp>) {
        let removed = range.clone().into();
        self.present = self.present.without(&removed);
        self.partial = self.partial.without(&removed);
        self.last_seen.remove(range);
        self.invalid = self.invalid.without(&removed);
        self.out_of_range = self.out_of_range.without(&removed);
        let left = self.present.bounds();
        if self.first.is_none_or(|first| range.contains(&first)) {
            self.first = left.as_ref().map(|left| left.start);
        }
        if self.last.is_none_or(|last| range.contains(&last)) {
            self.last = left.map(|left| range_of(left.end - Duration::from_nanos(1), self.interval).start);
        }
    }

    /// The present times, with all between the first and the last row of the file of a period if there is no
    /// regular step: a merge divides the rows of a file into other sections than before.
    pub(crate) fn present_in_file(&self, period: &Range<Timestamp>) -> TimeRanges {
        let mut present = self.present.clone();
        if !self.interval.has_steps()
            && let Some(bounds) = self.present.within(period).bounds()
        {
            present.add(bounds);
        }
        present
    }

    /// The number of intervals from most records to the next one.
    pub(crate) fn usual_spacing(&self) -> Option<u64> {
        usual_spacing(&self.present, self.interval)
    }

    /// The range between the first and the last record.
    pub(crate) fn extent(&self) -> Option<Range<Timestamp>> {
        Some(self.first?..self.last?)
    }

    /// The intervals without a record in a range. Where the file of the next period was written again, an interval that
    /// ends in it is present only up to that period.
    fn missing(&self, range: Range<Timestamp>) -> TimeRanges {
        let mut missing = TimeRanges::default();
        for gap in self.present.uncovered(range).ranges() {
            let is_start = self.interval.start_of(gap.start) == gap.start;
            missing.add(if is_start { gap } else { self.interval.end_of(gap.start)..gap.end });
        }
        missing
    }

    /// The ranges without a record between the first and the last record; none without a regular step.
    pub(crate) fn gaps(&self) -> TimeRanges {
        if !self.interval.has_steps() {
            return TimeRanges::default();
        }
        let mut gaps = match self.present.bounds() {
            Some(bounds) => self.missing(bounds),
            None => TimeRanges::default(),
        };
        // The first and the last interval may be partly before or after the data.
        if let Some(extent) = self.extent() {
            gaps.extend(&self.partial.within(&extent));
        }
        gaps
    }
}

/// The intervals that contain times in microseconds.
///
/// Intervals that follow each other are joined before they are added to the ranges, because most rows of a page do, and
/// adding a range for each row takes longer than writing the row.
fn intervals(times: &[i64], interval: Interval) -> TimeRanges {
    let mut all = TimeRanges::default();
    if interval == Interval::default() {
        return all;
    }
    let intervals = MicrosecondIntervals::new(interval);
    let mut joined: Option<Range<i64>> = None;
    let mut current = 0..0;
    for time in times {
        if !current.contains(time) {
            current = intervals.after(&current, *time);
        }
        match &mut joined {
            Some(run) if (run.start..=run.end).contains(&current.start) => run.end = run.end.max(current.end),
            _ => {
                add_run(&mut all, joined.replace(current.clone()));
            }
        }
    }
    add_run(&mut all, joined);
    all
}

/// Adds a range in microseconds, if there is one.
fn add_run(all: &mut TimeRanges, run: Option<Range<i64>>) {
    if let Some(run) = run {
        all.add(timestamp(run.start)..timestamp(run.end));
    }
}
