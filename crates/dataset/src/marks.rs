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
    /// Fields that the service no longer sends.
    pub(crate) fields: FieldMarks,
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
    /// Whether it is known which rows the file had.
    pub(crate) is_listed: bool,
    pub(crate) acknowledged: Option<Timestamp>,
}

impl Marks {
    /// Notes the rows of series. A mark of lost rows ends when all of them were fetched again. The sections of a series
    /// without a regular step do not show that.
    pub(crate) fn note_present(&mut self, series: &BTreeMap<String, SeriesState>) {
        for (path, state) in series.iter().filter(|(_, state)| state.rows.interval.has_steps()) {
            self.note_recovered(path, &state.rows.present);
        }
        self.remove_recovered();
    }

    /// Notes the fetched rows of a series without a regular step, from the first to the last row of each fetched range.
    pub(crate) fn note_fetched(&mut self, path: &str, rows: &TimeRanges) {
        self.note_recovered(path, rows);
        self.remove_recovered();
    }

    fn note_recovered(&mut self, path: &str, present: &TimeRanges) {
        for mark in self.lost.iter_mut().filter(|mark| mark.is_listed) {
            if let Some(rows) = mark.rows.get_mut(path) {
                *rows = rows.without(present);
            }
        }
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
        self.fields.remove_series(path);
        self.unsent.remove_series(path);
        for mark in &mut self.lost {
            mark.rows.remove(path);
        }
    }
}
