//! What a user should know about a table until the user acknowledges it: fields that the service no longer sends, and
//! rows of damaged files that no run can fetch again.

use std::collections::BTreeMap;

use runtime::Timestamp;
use serde::{Deserialize, Serialize};

use crate::field_marks::FieldMarks;
use crate::series_state::SeriesState;
use crate::time_ranges::TimeRanges;

/// The marks of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Marks {
    /// Fields that had values, and that the service no longer sends.
    #[serde(rename = "fields")]
    pub(crate) missing: FieldMarks,
    /// Fields of the catalogue that no record has ever had.
    #[serde(default)]
    pub(crate) unsent: FieldMarks,
    /// Damaged files with rows that could not be salvaged.
    pub(crate) lost: Vec<LostMark>,
}

/// Rows of a damaged file that could not be salvaged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LostMark {
    /// The name of the file, and the name under which the damaged file was kept.
    pub(crate) file: String,
    pub(crate) kept_as: String,
    /// The time at which the loss was found.
    pub(crate) since: Option<Timestamp>,
    /// The time of the first complete run that has reported the mark.
    #[serde(default)]
    pub(crate) reported: Option<Timestamp>,
    /// The times of the rows that were lost, by series. A run removes the times that it fetches again.
    pub(crate) rows: BTreeMap<String, TimeRanges>,
    /// Number of lost rows of each series without a regular step. Their ranges do not show which of the rows a run has
    /// fetched again.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) left: BTreeMap<String, u64>,
    /// Whether it is known which rows the file had.
    pub(crate) is_listed: bool,
    pub(crate) acknowledged: Option<Timestamp>,
}

impl Marks {
    /// Notes the rows of series. A mark of lost rows ends when all of them were fetched again. The sections of a series
    /// without a regular step do not show that.
    pub(crate) fn note_present(&mut self, series: &BTreeMap<String, SeriesState>) {
        for (path, state) in series.iter().filter(|(_, state)| state.row_facts.interval.has_steps()) {
            self.note_recovered(path, &state.row_facts.present);
        }
        self.remove_recovered();
    }

    /// Notes the fetched rows of a series without a regular step, from the first to the last row of each fetched range.
    /// Only a mark of an earlier version, which has not counted the rows, ends by that.
    pub(crate) fn note_fetched(&mut self, path: &str, rows: &TimeRanges) {
        self.note_recovered(path, rows);
        self.remove_recovered();
    }

    fn note_recovered(&mut self, path: &str, present: &TimeRanges) {
        for mark in self.lost.iter_mut().filter(|mark| mark.is_listed && !mark.left.contains_key(path)) {
            if let Some(rows) = mark.rows.get_mut(path) {
                *rows = rows.without(present);
            }
        }
    }

    /// Whether rows of a series in these ranges are lost.
    pub(crate) fn has_lost(&self, path: &str, ranges: &TimeRanges) -> bool {
        let mut of_series = self.lost.iter().filter_map(|mark| mark.rows.get(path));
        of_series.any(|rows| !rows.intersection(ranges).is_empty())
    }

    /// The ranges of the lost rows of a series that are counted.
    pub(crate) fn counted(&self, path: &str) -> TimeRanges {
        let mut ranges = TimeRanges::default();
        for mark in self.lost.iter().filter(|mark| mark.left.contains_key(path)) {
            if let Some(rows) = mark.rows.get(path) {
                ranges.extend(rows);
            }
        }
        ranges
    }

    /// Notes the times of new rows of a series. A mark ends when as many rows are back as were lost.
    pub(crate) fn note_found(&mut self, path: &str, times: &[Timestamp]) {
        for mark in &mut self.lost {
            let Some(rows) = mark.rows.get(path) else { continue };
            let found = times.iter().filter(|time| rows.contains(**time)).count() as u64;
            mark.note_back(path, found);
        }
        self.remove_recovered();
    }

    /// Notes that another file, such as a copy, has brought back this number of rows of a series.
    pub(crate) fn note_brought_back(&mut self, file: &str, path: &str, count: u64) {
        for mark in self.lost.iter_mut().filter(|mark| mark.file == file) {
            mark.note_back(path, count);
        }
        self.remove_recovered();
    }

    fn remove_recovered(&mut self) {
        for mark in self.lost.iter_mut().filter(|mark| mark.is_listed) {
            mark.rows.retain(|_, rows| !rows.is_empty());
        }
        self.lost.retain(|mark| !mark.is_listed || !mark.rows.is_empty());
    }

    /// Notes that a complete run has reported all marks of lost rows. Returns whether one of them was new.
    pub(crate) fn note_reported(&mut self, now: Timestamp) -> bool {
        let mut has_new = false;
        for mark in self.lost.iter_mut().filter(|mark| mark.reported.is_none()) {
            mark.reported = Some(now);
            has_new = true;
        }
        has_new
    }

    /// Removes a series from all marks.
    pub(crate) fn remove_series(&mut self, path: &str) {
        self.missing.remove_series(path);
        self.unsent.remove_series(path);
        for mark in &mut self.lost {
            mark.rows.remove(path);
            mark.left.remove(path);
        }
    }
}

impl LostMark {
    /// Notes that this number of rows of a series without a regular step is back.
    fn note_back(&mut self, path: &str, count: u64) {
        let Some(left) = self.left.get_mut(path) else { return };
        *left = left.saturating_sub(count);
        if *left == 0 {
            self.left.remove(path);
            self.rows.remove(path);
        }
    }
}
