//! Marks of fields that series do not have: which fields, of which series, and since when.

use std::collections::{BTreeMap, BTreeSet};

use runtime::Timestamp;
use serde::{Deserialize, Serialize};

use crate::series::endpoint_of;

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

/// A field that a whole response does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FieldMark {
    /// The time of the run that has noticed it.
    since: Option<Timestamp>,
    /// Fields of the same responses that are not in the catalogue; if the field had values before, only new ones.
    new: BTreeSet<String>,
    /// The series without the field. Empty after the service has sent it again.
    series: BTreeSet<String>,
    /// The time at which a user has acknowledged the mark.
    acknowledged: Option<Timestamp>,
}

impl FieldMark {
    pub(crate) fn is_acknowledged(&self) -> bool {
        self.acknowledged.is_some()
    }
}

/// The marks of a table, by endpoint and field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FieldMarks(BTreeMap<String, BTreeMap<String, FieldMark>>);

impl FieldMarks {
    /// Marks a field that a series does not have; `new` are fields of the same responses. Returns `true` if no other
    /// series has reported the field.
    pub(crate) fn note(&mut self, path: &str, field: &str, new: &BTreeSet<String>, now: Timestamp) -> bool {
        let mark = self.0.entry(endpoint_of(path).to_owned()).or_default().entry(field.to_owned()).or_default();
        let is_first = mark.series.is_empty();
        if is_first {
            mark.since = Some(now);
            mark.acknowledged = None;
        }
        mark.series.insert(path.to_owned());
        mark.new.extend(new.iter().cloned());
        is_first
    }

    /// Notes a field that a series has. If all series have it, the mark ends, provided that it `is_over`.
    pub(crate) fn note_sent(&mut self, path: &str, field: &str, is_over: impl Fn(&FieldMark) -> bool) {
        let endpoint = endpoint_of(path);
        let Some(fields) = self.0.get_mut(endpoint) else { return };
        let Some(mark) = fields.get_mut(field) else { return };
        mark.series.remove(path);
        if mark.series.is_empty() && is_over(mark) {
            fields.remove(field);
        }
        if fields.is_empty() {
            self.0.remove(endpoint);
        }
    }

    /// Ends the marks of all fields, or of one. Returns the endpoint and the field of each of them.
    pub(crate) fn acknowledge(&mut self, field: Option<&str>, now: Timestamp) -> Vec<String> {
        let mut ended = Vec::new();
        for (endpoint, fields) in &mut self.0 {
            for (name, mark) in &mut *fields {
                let is_selected = field.is_none_or(|field| field == name);
                if is_selected && mark.acknowledged.replace(now).is_none() {
                    ended.push(format!("{endpoint} {name}"));
                }
            }
            // The service has sent the field again.
            fields.retain(|_, mark| !mark.is_acknowledged() || !mark.series.is_empty());
        }
        self.0.retain(|_, fields| !fields.is_empty());
        ended
    }

    /// Removes a series from all marks.
    pub(crate) fn remove_series(&mut self, path: &str) {
        for fields in self.0.values_mut() {
            // A mark without series is of a field that is sent again; it stays until it is acknowledged.
            fields.retain(|_, mark| !(mark.series.remove(path) && mark.series.is_empty()));
        }
        self.0.retain(|_, fields| !fields.is_empty());
    }
}

/// The marks that no user has acknowledged, of all tables.
#[derive(Debug, Default)]
pub(crate) struct FieldReports(pub(crate) BTreeMap<EndpointField, FieldReport>);

/// The mark of a field, of all tables with its endpoint.
#[derive(Debug, Default)]
pub(crate) struct FieldReport {
    pub(crate) since: Option<Timestamp>,
    pub(crate) new: BTreeSet<String>,
    /// Number of series without the field.
    pub(crate) series: u64,
    /// `true` if this run has noticed it, and no earlier one.
    pub(crate) is_new: bool,
}

impl FieldReports {
    /// Adds the marks of a table; `noticed` are those that this run has noticed.
    pub(crate) fn add(&mut self, marks: &FieldMarks, noticed: &BTreeSet<EndpointField>) {
        for (endpoint, fields) in &marks.0 {
            for (field, mark) in fields {
                if mark.is_acknowledged() {
                    continue;
                }
                let name = EndpointField { endpoint: endpoint.clone(), field: field.clone() };
                let is_new = noticed.contains(&name);
                let report = self.0.entry(name).or_default();
                report.since = report.since.into_iter().chain(mark.since).min();
                report.new.extend(mark.new.iter().cloned());
                report.series += mark.series.len() as u64;
                report.is_new |= is_new;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_reported_once_until_it_is_sent_again() {
        let now = Timestamp::from_unix_seconds(7);
        let mut marks = FieldMarks::default();
        let none = BTreeSet::new();
        assert!(marks.note("e/site=A", "level", &none, now));
        assert!(!marks.note("e/site=B", "level", &BTreeSet::from(["height".to_owned()]), now));
        assert!(marks.note("f/site=A", "level", &none, now));
        marks.note_sent("e/site=A", "level", FieldMark::is_acknowledged);
        assert!(!marks.note("e/site=A", "level", &none, now), "another series still lacks it");
        assert_eq!(marks.acknowledge(Some("level"), now), ["e level", "f level"]);
        marks.note_sent("e/site=A", "level", FieldMark::is_acknowledged);
        marks.note_sent("e/site=B", "level", FieldMark::is_acknowledged);
        assert!(!marks.0.contains_key("e"));
        assert!(marks.note("e/site=A", "level", &none, now));
    }
}
