//! What a user should know about a table until the user acknowledges it: fields that the service no longer sends, and
//! rows of damaged files that no run can fetch again.

use std::collections::{BTreeMap, BTreeSet};

use runtime::Timestamp;
use serde::{Deserialize, Serialize};

use crate::series::endpoint_of;
use crate::series_state::SeriesState;
use crate::time_ranges::TimeRanges;

/// A field of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EndpointField {
    pub(crate) endpoint: String,
    pub(crate) field: String,
}

impl EndpointField {
    /// A field of the endpoint of a series.
    pub(crate) fn of_series(path: &str, field: &str) -> Self {
        Self { endpoint: endpoint_of(path).to_owned(), field: field.to_owned() }
    }
}

/// The marks of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Marks {
    /// Fields that the service no longer sends, by endpoint and field.
    pub(crate) fields: BTreeMap<String, BTreeMap<String, FieldMark>>,
    /// Fields of the catalogue that no record has ever had, by endpoint and field.
    #[serde(default)]
    pub(crate) unsent: BTreeMap<String, BTreeMap<String, FieldMark>>,
    /// Damaged files with rows that could not be salvaged.
    pub(crate) lost: Vec<LostMark>,
}

/// A field that a whole response does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FieldMark {
    /// The time of the run that has noticed it.
    pub(crate) since: Option<Timestamp>,
    /// Fields of the same responses that are not in the catalogue; if the field had values before, only new ones.
    pub(crate) new: BTreeSet<String>,
    /// The series without the field. Empty after the service has sent it again.
    pub(crate) series: BTreeSet<String>,
    /// The time at which a user has acknowledged the mark.
    pub(crate) acknowledged: Option<Timestamp>,
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
    /// Notes a field that a series no longer has. Returns `true` if no other series has reported the field.
    pub(crate) fn note_field(&mut self, path: &str, field: &str, new: BTreeSet<String>, now: Timestamp) -> bool {
        let mark = self.fields.entry(endpoint_of(path).to_owned()).or_default().entry(field.to_owned()).or_default();
        let is_first = mark.series.is_empty();
        if is_first {
            mark.since = Some(now);
            mark.acknowledged = None;
        }
        mark.series.insert(path.to_owned());
        mark.new.extend(new);
        is_first
    }

    /// Notes a field that a series has. A mark that a user has acknowledged ends when all series have the field again.
    pub(crate) fn note_sent(&mut self, path: &str, field: &str) {
        let endpoint = endpoint_of(path);
        let Some(fields) = self.fields.get_mut(endpoint) else { return };
        let Some(mark) = fields.get_mut(field) else { return };
        mark.series.remove(path);
        if mark.series.is_empty() && mark.acknowledged.is_some() {
            fields.remove(field);
        }
        if fields.is_empty() {
            self.fields.remove(endpoint);
        }
    }

    /// Notes a field of the catalogue that no record of a series has ever had. Returns `true` if no other series has
    /// reported the field.
    pub(crate) fn note_unsent(&mut self, path: &str, field: &str, unknown: &BTreeSet<String>, now: Timestamp) -> bool {
        let mark = self.unsent.entry(endpoint_of(path).to_owned()).or_default().entry(field.to_owned()).or_default();
        let is_first = mark.series.is_empty();
        mark.since.get_or_insert(now);
        mark.series.insert(path.to_owned());
        mark.new.extend(unknown.iter().cloned());
        is_first
    }

    /// Notes that a series has had a field. The mark ends with its last series, because nothing was lost.
    pub(crate) fn note_unsent_ended(&mut self, path: &str, field: &str) {
        let endpoint = endpoint_of(path);
        let Some(fields) = self.unsent.get_mut(endpoint) else { return };
        let Some(mark) = fields.get_mut(field) else { return };
        mark.series.remove(path);
        if mark.series.is_empty() {
            fields.remove(field);
        }
        if fields.is_empty() {
            self.unsent.remove(endpoint);
        }
    }

    /// Notes the rows of series. A mark of lost rows ends when all of them were fetched again.
    pub(crate) fn note_present(&mut self, series: &BTreeMap<String, SeriesState>) {
        for mark in self.lost.iter_mut().filter(|mark| mark.is_listed) {
            for (path, rows) in &mut mark.rows {
                if let Some(state) = series.get(path) {
                    *rows = rows.without(&state.rows.present);
                }
            }
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
        for marks in [&mut self.fields, &mut self.unsent] {
            for fields in marks.values_mut() {
                // A mark without series is of a field that is sent again; it stays until it is acknowledged.
                fields.retain(|_, mark| !(mark.series.remove(path) && mark.series.is_empty()));
            }
            marks.retain(|_, fields| !fields.is_empty());
        }
        for mark in &mut self.lost {
            mark.rows.remove(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_reported_once_until_it_is_sent_again() {
        let now = Timestamp::from_unix_seconds(7);
        let mut marks = Marks::default();
        assert!(marks.note_field("e/site=A", "level", BTreeSet::new(), now));
        assert!(!marks.note_field("e/site=B", "level", BTreeSet::from(["height".to_owned()]), now));
        assert!(marks.note_field("f/site=A", "level", BTreeSet::new(), now));
        marks.note_sent("e/site=A", "level");
        assert!(!marks.note_field("e/site=A", "level", BTreeSet::new(), now), "another series still lacks it");
        marks.fields.get_mut("e").unwrap().get_mut("level").unwrap().acknowledged = Some(now);
        marks.note_sent("e/site=A", "level");
        marks.note_sent("e/site=B", "level");
        assert!(!marks.fields.contains_key("e"));
        assert!(marks.note_field("e/site=A", "level", BTreeSet::new(), now));
    }
}
