//! The rules of a merge: which rows of a series are the same record, and which intervals they belong to.

use std::ops::Range;
use std::time::Duration;

use runtime::{Interval, Timestamp};

use crate::revisions::RevisionLog;
use crate::section::Section;
use crate::time_ranges::TimeRanges;
use crate::timestamps::{microseconds, timestamp};

/// Times that differ by at most this part of the interval, and by at most this time, are the same time, corrected.
const CORRECTION_PART: u32 = 100;
const MAX_CORRECTION: Duration = Duration::from_secs(60);

/// The ranges of a series that decide how a merge counts and replaces its rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct MergeRanges {
    /// The ranges that were fetched; the fetched rows are all rows of the service in these ranges.
    pub(crate) fetched: TimeRanges,
    /// The range from the first to the last existing row.
    pub(crate) existing: Option<Range<Timestamp>>,
    /// The ranges of lost rows, of which those that are fetched again are counted.
    pub(crate) lost: TimeRanges,
}

/// How the rows of one series are merged.
#[derive(Clone, Debug, Default)]
pub(crate) struct MergeRules {
    /// The path of the series.
    pub(crate) path: String,
    /// The time column.
    pub(crate) time: String,
    /// The intervals of the records.
    pub(crate) interval: Interval,
    /// The columns that identify a row in addition to its time.
    pub(crate) key: Vec<String>,
    pub(crate) ranges: MergeRanges,
    /// Receives the values that are replaced.
    pub(crate) revisions: RevisionLog,
}

impl MergeRules {
    /// The rules for the series of a section.
    pub(crate) fn new(section: &Section, ranges: MergeRanges, revisions: RevisionLog) -> Self {
        Self {
            path: section.path.clone(),
            time: section.row_facts.time.clone(),
            interval: section.row_facts.interval,
            key: section.row_facts.key.clone(),
            ranges,
            revisions,
        }
    }

    fn correction(&self) -> Duration {
        (self.interval.shortest() / CORRECTION_PART).min(MAX_CORRECTION)
    }

    /// The first time of the interval of a row, in microseconds. A time shortly before an interval belongs to
    /// that interval.
    pub(crate) fn start(&self, time: i64) -> i64 {
        let start = self.interval.start_of(timestamp(time) + self.correction());
        microseconds(start - self.correction()).unwrap_or(time)
    }

    /// The first time after the interval of a row.
    pub(crate) fn end(&self, time: i64) -> i64 {
        let end = self.interval.end_of(timestamp(time) + self.correction());
        // An interval is at least as long as the resolution of the column.
        microseconds(end - self.correction()).unwrap_or(i64::MAX).max(time.saturating_add(1))
    }

    /// `true` if a time is after the interval of a row, or if there is no row.
    pub(crate) fn is_after(&self, time: Option<Timestamp>, row: Option<Timestamp>) -> bool {
        match row.and_then(microseconds) {
            Some(row) => time >= Some(timestamp(self.end(row))),
            None => true,
        }
    }

    pub(crate) fn is_correction(&self, one: i64, other: i64) -> bool {
        timestamp(one).abs_diff(timestamp(other)) <= self.correction()
    }

    pub(crate) fn is_fetched(&self, time: i64) -> bool {
        self.ranges.fetched.contains(timestamp(time))
    }

    /// The number of next rows of both sources that have the same times, each alone in its interval. The last
    /// row of a batch is not counted, because the next batch may have rows of the same interval.
    pub(crate) fn count_single(&self, old: &[i64], new: &[i64]) -> usize {
        // Rows of one time may be different records.
        if !self.key.is_empty() {
            return 0;
        }
        let mut count = 0;
        while let (Some([was, next_old]), Some([is, next_new])) = (old.get(count..count + 2), new.get(count..count + 2))
        {
            let end = self.end(*was);
            if was != is || *next_old < end || *next_new < end {
                break;
            }
            count += 1;
        }
        count
    }
}
