//! Fields of the catalogue that no record of a series has ever had, although its records have fields that are not in the
//! catalogue.
//!
//! The service may send such a field under another name. Nothing that is stored is affected, so it is no failure. If all
//! fields of the records are known, a field without a value is no news: it may be null for years.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use runtime::Timestamp;
use runtime::registry::BodyInfo;

use crate::changes::Changes;
use crate::column_names::ENDPOINT;
use crate::field_marks::{EndpointField, FieldReports};
use crate::missing_fields::{Earlier, MIN_ROWS};
use crate::row_facts::RowFacts;
use crate::section::Section;
use crate::series::{SeriesRequest, endpoint_of};
use crate::series_state::SeriesState;
use crate::table_state::TableState;

/// The time for which the records of a series must be without any value.
const DAY: Duration = Duration::from_secs(86_400);

/// A field of the catalogue that no record of an endpoint has, although the records have fields that are not in the
/// catalogue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnsentField {
    /// The endpoint, such as `weather.levels`.
    pub endpoint: String,
    /// The field.
    pub field: String,
    /// The fields that are not in the catalogue. One of them may be the field under another name.
    pub unknown_fields: Vec<String>,
    /// The time of the run that has noticed it.
    pub since: Option<Timestamp>,
    /// `true` if this run has noticed it, and no earlier one.
    pub is_new: bool,
}

impl UnsentField {
    pub(crate) fn all(reports: FieldReports) -> Vec<Self> {
        let mut all = Vec::new();
        for (EndpointField { endpoint, field }, report) in reports.0 {
            all.push(Self {
                endpoint,
                field,
                unknown_fields: report.new.into_iter().collect(),
                since: report.since,
                is_new: report.is_new,
            });
        }
        all
    }
}

/// The fields of the records of each endpoint in the catalogue.
#[derive(Clone, Debug, Default)]
pub(crate) struct CatalogueFields(BTreeMap<String, BTreeSet<&'static str>>);

impl CatalogueFields {
    pub(crate) fn of(series: &[SeriesRequest]) -> Self {
        let mut all: BTreeMap<String, BTreeSet<&'static str>> = BTreeMap::new();
        for one in series {
            let BodyInfo::Series { record: Some(record), .. } = one.endpoint().body else { continue };
            let names = all.entry(endpoint_of(one.path()).to_owned()).or_default();
            for field in record.fields {
                names.insert(field.wire_name);
            }
        }
        Self(all)
    }

    /// The fields of the endpoint of a series.
    fn of_series(&self, path: &str) -> impl Iterator<Item = &'static str> {
        self.0.get(endpoint_of(path)).into_iter().flatten().copied()
    }
}

impl TableState {
    /// Marks the fields of the catalogue that no row of these sections, and no earlier row of their series, has. Returns
    /// those that no run has marked.
    pub(crate) fn note_unsent_fields(
        &mut self,
        sections: &[Section],
        catalogue: &CatalogueFields,
        earlier: &Earlier,
        now: Timestamp,
    ) -> BTreeSet<EndpointField> {
        let mut noticed = BTreeSet::new();
        for section in sections {
            let Some(changes) = &section.changes else { continue };
            let Some(series) = self.series.get(&section.path) else { continue };
            let is_evidence = is_evidence(series, changes) && earlier.knows_fields(&section.path);
            for field in catalogue.of_series(&section.path) {
                if series.sent.contains(field) {
                    // Nothing was lost, so the mark ends with its last series.
                    self.marks.unsent.note_sent(&section.path, field, |_| true);
                } else if is_evidence && self.marks.unsent.note(&section.path, field, &changes.always_unknown, now) {
                    noticed.insert(EndpointField::of_series(&section.path, field));
                }
            }
        }
        noticed
    }

    /// Notes whether the records of these series have ever had a valid value.
    pub(crate) fn note_values(&mut self, series: &[SeriesRequest]) {
        for one in series {
            if let Some(state) = self.series.get_mut(one.path()) {
                state.has_no_value = has_no_value(state, one);
            }
        }
    }
}

/// Whether a series has rows of a longer time, and no field of any of them has ever had a valid value, also no field that is
/// not in the catalogue.
fn has_no_value(state: &SeriesState, series: &SeriesRequest) -> bool {
    let BodyInfo::Series { record: Some(record), .. } = series.endpoint().body else { return false };
    let is_identity = |name: &str| name == series.time() || series.params.iter().any(|(param, _)| param == name);
    let has_fields = record.fields.iter().any(|field| !is_identity(field.wire_name));
    // Every merged row has a time. Without it, the state does not know which fields its rows have.
    let is_known = state.sent.contains(series.time());
    let is_empty = state.sent.iter().all(|name| is_identity(name) || name == ENDPOINT);
    let RowFacts { first, last, .. } = state.row_facts;
    has_fields && is_known && is_empty && is_long_enough(state.row_count(), first, last)
}

/// Whether so many records, from the first to the last, are enough to call a field that is null in all of them missing: some
/// fields are null until an event.
pub(crate) fn is_long_enough(records: u64, first: Option<Timestamp>, last: Option<Timestamp>) -> bool {
    let (Some(first), Some(last)) = (first, last) else { return false };
    records >= MIN_ROWS && last - first >= DAY
}

/// Whether fetched rows show that a field has another name: each has a field that is not in the catalogue, and every value
/// fits its column, so that no value of a known field is among the unknown ones.
fn is_evidence(series: &SeriesState, changes: &Changes) -> bool {
    let is_valid = changes.invalid == 0 && changes.contradicted.is_empty();
    is_valid && !changes.always_unknown.is_empty() && series.row_count() >= MIN_ROWS
}
