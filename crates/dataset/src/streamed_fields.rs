//! What records that are passed on, instead of being written to a target, have of the fields of the catalogue. A table notes the
//! same about its rows.

use std::collections::{BTreeMap, BTreeSet};

use runtime::Value;
use runtime::record::AnyRecord;
use runtime::registry::{BodyInfo, FieldSource};

use crate::backfill::SeriesReport;
use crate::missing_fields::{MIN_ROWS, MissingField};
use crate::series::{SeriesRequest, endpoint_of};
use crate::series_columns::{contradicted_params, unknown_fields};
use crate::unsent_fields::{UnsentField, is_long_enough};

/// The fields of the records of one series that are passed on as they arrive.
#[derive(Clone, Debug)]
pub struct StreamedFields {
    endpoint: String,
    /// The params of the series, with their values.
    params: Vec<(String, Option<String>)>,
    /// Whether the catalogue has fields with the names of params.
    has_param_fields: bool,
    /// The fields of the catalogue, without the time.
    fields: Vec<&'static str>,
    /// Those that no record has had.
    unsent: Vec<&'static str>,
    /// The fields that are not in the catalogue and that all records have.
    always_unknown: BTreeSet<String>,
    /// The fields that are not in the catalogue and that the first record has.
    first_unknown: BTreeSet<String>,
    /// The fields that are not in the catalogue, that the last record has and that the first one did not have.
    new_unknown: BTreeSet<String>,
    /// For each field of the catalogue that is absent beside these, the number of such records up to the last one.
    renamed: BTreeMap<&'static str, u64>,
    /// Whether a record has had a field without a column of its own.
    has_others: bool,
    records: u64,
    invalid: u64,
    contradicted: BTreeMap<String, u64>,
}

impl StreamedFields {
    /// Begins with the first record of a series.
    pub fn new(series: &SeriesRequest) -> Self {
        let mut fields = Vec::new();
        let mut has_param_fields = false;
        if let BodyInfo::Series { record: Some(record), .. } = series.endpoint().body {
            for field in record.fields {
                let is_param = series.params.iter().any(|(param, _)| param == field.wire_name);
                has_param_fields |= is_param;
                let is_value = !is_param && field.wire_name != series.time();
                if is_value && field.source != FieldSource::Others {
                    fields.push(field.wire_name);
                }
            }
        }
        Self {
            endpoint: endpoint_of(series.path()).to_owned(),
            params: series.params.clone(),
            has_param_fields,
            unsent: fields.clone(),
            fields,
            always_unknown: BTreeSet::new(),
            first_unknown: BTreeSet::new(),
            new_unknown: BTreeSet::new(),
            renamed: BTreeMap::new(),
            has_others: false,
            records: 0,
            invalid: 0,
            contradicted: BTreeMap::new(),
        }
    }

    /// Notes a record.
    pub fn add(&mut self, record: &AnyRecord) {
        let mut unknown = BTreeSet::new();
        // Most records have nothing but fields of the catalogue, and reading the others takes longer.
        if self.has_param_fields || record.unknown_fields().is_some_and(|unknown| !unknown.is_empty()) {
            unknown = self.kept_names(record);
            for param in contradicted_params(&self.params, record) {
                *self.contradicted.entry(param.to_owned()).or_default() += 1;
            }
        }
        let misfits: BTreeSet<_> = self.fields.iter().copied().filter(|field| unknown.contains(*field)).collect();
        self.invalid += u64::from(!misfits.is_empty());
        unknown.retain(|name| !self.is_column(name));
        self.has_others |= !unknown.is_empty();
        self.note_renamed(record, &unknown, &misfits);
        self.unsent.retain(|field| !has_value(record, field));
        if self.records == 0 {
            self.first_unknown.clone_from(&unknown);
            self.always_unknown = unknown;
        } else {
            self.always_unknown.retain(|name| unknown.contains(name));
        }
        self.records += 1;
    }

    /// Notes the fields that a record does not have beside fields that the first record did not have: they may have been
    /// renamed.
    fn note_renamed(&mut self, record: &AnyRecord, unknown: &BTreeSet<String>, misfits: &BTreeSet<&str>) {
        if self.records == 0 || unknown.is_subset(&self.first_unknown) {
            self.renamed.clear();
            return;
        }
        self.new_unknown = unknown - &self.first_unknown;
        for field in &self.fields {
            if has_value(record, field) || misfits.contains(field) {
                self.renamed.remove(field);
            } else {
                *self.renamed.entry(field).or_default() += 1;
            }
        }
    }

    /// The number of records with a value that does not fit its field.
    pub fn invalid(&self) -> u64 {
        self.invalid
    }

    /// For each param, the number of records that state another value of it than the request.
    pub fn contradicted(&self) -> &BTreeMap<String, u64> {
        &self.contradicted
    }

    /// Adds what was noted to the report of the series, whose first and last record are known.
    pub fn end(&self, report: &mut SeriesReport) {
        report.invalid += self.invalid;
        report.contradicted.clone_from(&self.contradicted);
        let is_unsent = !self.fields.is_empty() && self.unsent.len() == self.fields.len();
        report.has_no_value = is_unsent && !self.has_others && is_long_enough(self.records, report.first, report.last);
    }

    /// The fields that no record has had, if all records have fields that are not in the catalogue.
    pub fn unsent(&self) -> Vec<UnsentField> {
        let mut unsent = Vec::new();
        let is_valid = self.invalid == 0 && self.contradicted.is_empty();
        if self.always_unknown.is_empty() || !is_valid || self.records < MIN_ROWS {
            return unsent;
        }
        for field in &self.unsent {
            unsent.push(UnsentField {
                endpoint: self.endpoint.clone(),
                field: (*field).to_owned(),
                unknown_fields: self.always_unknown.iter().cloned().collect(),
                ..UnsentField::default()
            });
        }
        unsent
    }

    /// The fields that earlier records have had and the last ones have not, beside fields that are not in the catalogue.
    pub fn missing(&self) -> Vec<MissingField> {
        let mut missing = Vec::new();
        for (field, records) in &self.renamed {
            if *records >= MIN_ROWS && !self.unsent.contains(field) {
                missing.push(MissingField {
                    endpoint: self.endpoint.clone(),
                    field: (*field).to_owned(),
                    new_fields: self.new_unknown.iter().cloned().collect(),
                    series: 1,
                    since: None,
                    is_new: true,
                });
            }
        }
        missing
    }

    /// Whether a table has a column of this name.
    fn is_column(&self, name: &str) -> bool {
        self.fields.contains(&name) || self.params.iter().any(|(param, _)| param == name)
    }

    /// The names of fields that a table keeps in the column of unknown fields and that have a value.
    fn kept_names(&self, record: &AnyRecord) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let Some(text) = unknown_fields(&self.params, record) else { return names };
        if let Ok(Value::Object(unknown)) = serde_json::from_str(&text) {
            for (name, value) in unknown {
                if !value.is_null() {
                    names.insert(name);
                }
            }
        }
        names
    }
}

fn has_value(record: &AnyRecord, field: &str) -> bool {
    record.value(field).is_some_and(|value| !value.is_null())
}
