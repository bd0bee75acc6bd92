//! Rows of damaged or missing files that no run has fetched again.

use std::collections::BTreeSet;
use std::ops::Range;

use runtime::Timestamp;

use crate::marks::{LostMark, Marks};

/// Rows that a damaged or missing file had and that no run has fetched again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LostRows {
    /// The file.
    pub file: String,
    /// The name under which the damaged file was kept; `None` for a missing file.
    pub kept_as: Option<String>,
    /// The time of the run that has found the damage.
    pub since: Option<Timestamp>,
    /// The lost rows of each series. Empty if it is unknown which rows the file had.
    pub series: Vec<LostSeries>,
    /// `true` if this run has found the damage, and no earlier one.
    pub is_new: bool,
}

/// The lost rows of a series.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LostSeries {
    /// The path that identifies the series.
    pub path: String,
    /// The intervals of the rows.
    pub ranges: Vec<Range<Timestamp>>,
}

/// Returns the lost rows that no user has acknowledged. A run has found the damage of the files in `found`.
pub(crate) fn unacknowledged(marks: &Marks, found: &BTreeSet<String>) -> Vec<LostRows> {
    let mut all = Vec::new();
    for mark in marks.lost.iter().filter(|mark| mark.acknowledged.is_none()) {
        all.push(lost_rows(mark, found.contains(&mark.file)));
    }
    all
}

fn lost_rows(mark: &LostMark, is_new: bool) -> LostRows {
    let mut series = Vec::new();
    for (path, rows) in &mark.rows {
        series.push(LostSeries { path: path.clone(), ranges: rows.ranges().collect() });
    }
    let kept_as = Some(mark.kept_as.clone()).filter(|name| !name.is_empty());
    LostRows { file: mark.file.clone(), kept_as, since: mark.since, series, is_new }
}
