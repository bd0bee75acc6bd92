//! Rows of damaged, missing or replaced files that no run has fetched again.

use std::ops::Range;

use runtime::Timestamp;

use crate::data_set_paths::REVISIONS;
use crate::marks::LostMark;
use crate::table_state::TableState;

/// Rows that a damaged, missing or replaced file had and that no run has fetched again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LostRows {
    /// The file.
    pub file: String,
    /// The name under which the damaged file was kept; `None` for a missing or replaced file.
    pub kept_as: Option<String>,
    /// The time at which the loss was found.
    pub since: Option<Timestamp>,
    /// The lost rows of each series. Empty if it is unknown which rows the file had.
    pub series: Vec<LostSeries>,
    /// `true` if the file had the earlier values of rows, and not the rows.
    pub has_earlier_values: bool,
    /// `true` until a complete run has reported them.
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
    /// `true` if a user has [retired](crate::retire()) the series, so that no run requests it.
    pub is_retired: bool,
}

/// The lost rows that no user has acknowledged.
pub(crate) fn unacknowledged(state: &TableState) -> Vec<LostRows> {
    let mut all = Vec::new();
    for mark in state.marks.lost.iter().filter(|mark| mark.acknowledged.is_none()) {
        all.push(lost_rows(mark, state));
    }
    all
}

fn lost_rows(mark: &LostMark, state: &TableState) -> LostRows {
    let mut series = Vec::new();
    for (path, rows) in &mark.rows {
        let is_retired = state.series.get(path).is_some_and(|series| series.retired.is_some());
        series.push(LostSeries { path: path.clone(), ranges: rows.ranges().collect(), is_retired });
    }
    let kept_as = Some(mark.kept_as.clone()).filter(|name| !name.is_empty());
    let is_new = mark.reported.is_none();
    let has_earlier_values = mark.file.ends_with(REVISIONS);
    LostRows { file: mark.file.clone(), kept_as, since: mark.since, series, has_earlier_values, is_new }
}
