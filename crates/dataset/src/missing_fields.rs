//! Fields that had values, and that the service no longer sends. Those that never had a value are in `unsent_fields.rs`.
//!
//! A field is missing if no fetched row of a series has it, although stored rows do; an invalid value is a value. A few
//! new rows without a value are no evidence, because a field may be null for some time; a stored value that the service
//! has replaced by null is, and so is a new field that may be the old one under another name. A service may have
//! renamed a field only in its newer records: then the newest rows have another field instead.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use runtime::Timestamp;

use crate::changes::Changes;
use crate::field_marks::{EndpointField, FieldMark, FieldReports};
use crate::section::Section;
use crate::table_state::TableState;
use crate::timestamps::timestamp;

/// Number of rows without a value that are evidence.
pub(crate) const MIN_ROWS: u64 = 10;

/// A field that had values, and that the service no longer sends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissingField {
    /// The endpoint, such as `weather.levels`.
    pub endpoint: String,
    /// The field.
    pub field: String,
    /// Fields that are not in the catalogue and were new in the same responses. One of them may be the field under
    /// another name.
    pub new_fields: Vec<String>,
    /// Number of series without the field.
    pub series: u64,
    /// The time of the run that has noticed it.
    pub since: Option<Timestamp>,
    /// `true` if this run has noticed it, and no earlier one.
    pub is_new: bool,
}

impl MissingField {
    pub(crate) fn all(reports: FieldReports) -> Vec<Self> {
        let mut all = Vec::new();
        for (EndpointField { endpoint, field }, report) in reports.0 {
            all.push(Self {
                endpoint,
                field,
                new_fields: report.new.into_iter().collect(),
                series: report.series,
                since: report.since,
                is_new: report.is_new,
            });
        }
        all
    }
}

/// What was known about the series of a table when it was opened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Earlier {
    /// The range from the first to the last record of each series, without the journal.
    pub(crate) extents: BTreeMap<String, Option<Range<Timestamp>>>,
    /// The fields of each series that have had a value.
    pub(crate) sent: BTreeMap<String, BTreeSet<String>>,
}

impl Earlier {
    pub(crate) fn of(state: &TableState) -> Self {
        let mut earlier = Self::default();
        for (path, series) in &state.series {
            earlier.extents.insert(path.clone(), series.row_facts.extent());
            earlier.sent.insert(path.clone(), series.sent.clone());
        }
        earlier
    }

    /// Whether it is known which fields of a series have had a value. Earlier versions did not note that.
    pub(crate) fn knows_fields(&self, path: &str) -> bool {
        let has_rows = self.extents.get(path).is_some_and(Option::is_some);
        !has_rows || self.sent.get(path).is_some_and(|sent| !sent.is_empty())
    }
}

impl TableState {
    /// Marks the fields that are missing in the fetched rows of these sections. Returns those that no run has marked.
    pub(crate) fn note_missing_fields(
        &mut self,
        sections: &[Section],
        earlier: &Earlier,
        now: Timestamp,
    ) -> BTreeSet<EndpointField> {
        let mut noticed = BTreeSet::new();
        for section in sections {
            let Some(changes) = &section.changes else { continue };
            let none = BTreeSet::new();
            let sent_before = earlier.sent.get(&section.path).unwrap_or(&none);
            let extent = earlier.extents.get(&section.path).cloned().flatten();
            let new_fields = changes.new_unknown(sent_before);
            let renamed_to = new_at_end(changes, extent.as_ref());
            for (field, column) in &changes.fields {
                let is_absent_at_end = column.rows_since >= MIN_ROWS && !column.has_misfit;
                let is_renamed = column.sent > 0 && is_absent_at_end && !renamed_to.is_empty();
                let is_sent = column.sent > 0 || column.has_misfit;
                if is_sent && !is_renamed {
                    // A mark stays until a user has acknowledged it.
                    self.marks.missing.note_sent(&section.path, field, FieldMark::is_acknowledged);
                    continue;
                }
                let is_contradicted = column.kept > 0;
                let is_absent = sent_before.contains(field)
                    && is_newer(changes, extent.as_ref().map(|extent| extent.end))
                    && (changes.rows >= MIN_ROWS || !new_fields.is_empty());
                let new_fields = if is_renamed { &renamed_to } else { &new_fields };
                let is_missing = is_renamed || is_contradicted || is_absent;
                if is_missing && self.marks.missing.note(&section.path, field, new_fields, now) {
                    noticed.insert(EndpointField::of_series(&section.path, field));
                }
            }
        }
        noticed
    }
}

/// The fields that are not in the catalogue, and that only the newer ones of the fetched rows have; none if no row was
/// fetched that is as new as the last known record.
fn new_at_end(changes: &Changes, extent: Option<&Range<Timestamp>>) -> BTreeSet<String> {
    if changes.newest.map(timestamp) < extent.map(|extent| extent.end) {
        return BTreeSet::new();
    }
    changes.unknown_at_end()
}

/// `true` if a row was fetched that is newer than the last known record. Older rows may be from a time before the
/// service had the field.
fn is_newer(changes: &Changes, last: Option<Timestamp>) -> bool {
    changes.newest.map(timestamp) > last
}
