//! What the records of a printed series have of the fields of the catalogue. Runs that write files note the same.

use std::collections::BTreeSet;

use dataset::{SeriesReport, UnsentField, contradicted_params};
use runtime::record::AnyRecord;
use runtime::registry::FieldSource;

use crate::endpoint_names::{Endpoint, full_name};
use crate::record_columns::{fields, time_field};
use crate::requested_series::RequestedSeries;

/// Number of records without a value that are evidence.
const MIN_RECORDS: u64 = 10;

/// The fields of the records of one series.
pub(crate) struct SentFields {
    endpoint: Endpoint,
    /// The params of the series, with their values.
    params: Vec<(String, Option<String>)>,
    /// The number of fields of the catalogue, without the time.
    fields: usize,
    /// Those that no record has had.
    unsent: Vec<&'static str>,
    /// The fields that are not in the catalogue and that all records have.
    always_unknown: BTreeSet<String>,
    /// Whether a record has had a field that is not in the catalogue.
    has_unknown: bool,
    records: u64,
}

impl SentFields {
    pub(crate) fn new(series: &RequestedSeries) -> Self {
        let params = series.identity();
        let time = time_field(series.endpoint);
        let mut unsent = Vec::new();
        for field in fields(series.endpoint) {
            let is_param = params.iter().any(|(param, _)| param == field.wire_name);
            let is_value = !is_param && Some(field.wire_name) != time;
            if is_value && field.source != FieldSource::Others {
                unsent.push(field.wire_name);
            }
        }
        Self {
            endpoint: series.endpoint,
            params,
            fields: unsent.len(),
            unsent,
            always_unknown: BTreeSet::new(),
            has_unknown: false,
            records: 0,
        }
    }

    /// Notes a record, and counts it in the report if it does not fit the catalogue or the request.
    pub(crate) fn add(&mut self, record: &AnyRecord, report: &mut SeriesReport) {
        report.invalid += u64::from(has_invalid(self.endpoint, record));
        for param in contradicted_params(&self.params, record) {
            *report.contradicted.entry(param.to_owned()).or_default() += 1;
        }
        self.unsent.retain(|field| !has_value(record, field));
        self.has_unknown |= record.unknown_fields().is_some_and(|unknown| !unknown.is_empty());
        let mut unknown = BTreeSet::new();
        // If one record has none, they are not needed.
        if self.records == 0 || !self.always_unknown.is_empty() {
            unknown = unknown_names(record);
        }
        if self.records == 0 {
            self.always_unknown = unknown;
        } else {
            self.always_unknown.retain(|name| unknown.contains(name));
        }
        self.records += 1;
    }

    /// Whether no record has a value, also not of a field that is not in the catalogue.
    pub(crate) fn has_no_value(&self) -> bool {
        let is_unsent = self.fields > 0 && self.unsent.len() == self.fields;
        is_unsent && !self.has_unknown && self.records >= MIN_RECORDS
    }

    /// The fields that no record has had, if the records have fields that are not in the catalogue.
    pub(crate) fn unsent(&self, report: &SeriesReport) -> Vec<UnsentField> {
        let mut unsent = Vec::new();
        let is_valid = report.invalid == 0 && report.contradicted.is_empty();
        if self.always_unknown.is_empty() || !is_valid || self.records < MIN_RECORDS {
            return unsent;
        }
        for field in &self.unsent {
            let mut one = UnsentField::default();
            one.endpoint = full_name(self.endpoint);
            (*field).clone_into(&mut one.field);
            one.unknown_fields = self.always_unknown.iter().cloned().collect();
            unsent.push(one);
        }
        unsent
    }
}

fn has_value(record: &AnyRecord, field: &str) -> bool {
    record.value(field).is_some_and(|value| !value.is_null())
}

fn unknown_names(record: &AnyRecord) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    if let Some(unknown) = record.unknown_fields() {
        names.extend(unknown.iter_raw().map(|(name, _)| name.into_owned()));
    }
    names
}

/// `true` if a value of a record does not fit its field; the value is then among the unknown fields.
pub(crate) fn has_invalid(endpoint: Endpoint, record: &AnyRecord) -> bool {
    let Some(unknown) = record.unknown_fields() else { return false };
    for (name, _) in unknown.iter_raw() {
        if fields(endpoint).any(|field| field.wire_name == name) {
            return true;
        }
    }
    false
}
