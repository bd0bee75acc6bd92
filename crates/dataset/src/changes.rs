//! The changes that a merge makes to the rows of a series.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use arrow_array::{Array, RecordBatch};
use runtime::{Timestamp, Value};
use serde::{Deserialize, Serialize};

use crate::column_names::UNKNOWN_FIELDS;
use crate::error::Error;
use crate::fetched_at::is_fetched_at;
use crate::series_columns::identifies;
use crate::time_ranges::TimeRanges;
use crate::timestamps::{times, timestamp};
use crate::unknown_values::{is_object, merged_object, misfit_names, misfits, unknown_fields, unknown_names};
use crate::value_ranges::out_of_range;

/// The changes that a merge makes to the rows of a series.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Changes {
    /// Number of new rows before the first existing row or after the last.
    pub(crate) added: u64,
    /// Number of new rows between existing rows.
    pub(crate) filled: u64,
    /// The times of new rows in the ranges of lost rows.
    pub(crate) found: Vec<Timestamp>,
    /// Number of existing rows whose values changed. A row is not counted if its new value does not fit the column, if
    /// it had no value before, or if the new row has no value.
    pub(crate) revised: u64,
    /// The intervals of these rows.
    pub(crate) revised_times: TimeRanges,
    /// Number of existing rows that got a value that they did not have, and whose other values are the same.
    #[serde(default)]
    pub(crate) completed: u64,
    /// Number of new and changed rows with a value that does not fit its column.
    pub(crate) invalid: u64,
    /// Number of new and changed rows with another value of each param than the request.
    #[serde(default)]
    pub(crate) contradicted: BTreeMap<String, u64>,
    /// Number of new and changed rows with a value outside of the range in the catalogue.
    pub(crate) out_of_range: u64,
    /// Number of fetched rows, and the time of the newest, in microseconds.
    pub(crate) rows: u64,
    pub(crate) newest: Option<i64>,
    /// What the fetched rows have in the column of each field of the catalogue.
    pub(crate) fields: BTreeMap<String, FieldChanges>,
    /// Fields that are not in the catalogue, of some fetched rows and of some existing rows.
    pub(crate) unknown: BTreeSet<String>,
    pub(crate) known_unknown: BTreeSet<String>,
    /// Those fields that are not in the catalogue and that the fetched rows always have.
    pub(crate) always_unknown: BTreeSet<String>,
    /// Those of the first and of the last fetched row.
    first_unknown: BTreeSet<String>,
    last_unknown: BTreeSet<String>,
}

/// The values of a field in fetched rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FieldChanges {
    /// Number of values.
    pub(crate) sent: u64,
    /// Number of fetched rows after the last one with a value.
    pub(crate) rows_since: u64,
    /// Number of existing values that were kept because the fetched row has none.
    pub(crate) kept: u64,
    /// Whether a fetched row has a value that does not fit the column. Of each batch, the first and the last row are examined.
    #[serde(default)]
    pub(crate) has_misfit: bool,
}

/// The changes of several merges that follow each other.
pub(crate) type SharedChanges = Rc<RefCell<Changes>>;

impl Changes {
    /// Counts the rows of a batch of new or revised rows that do not fit the catalogue.
    pub(crate) fn check(&mut self, rows: &RecordBatch) {
        for columns in misfits(rows, rows.schema_ref()) {
            let (params, fields): (Vec<_>, Vec<_>) = columns.into_iter().partition(|column| identifies(column));
            self.invalid += u64::from(!fields.is_empty());
            for param in params {
                *self.contradicted.entry(param.name().clone()).or_default() += 1;
            }
        }
        self.out_of_range += out_of_range(rows).len() as u64;
    }

    /// Counts the values of fetched rows, and notes their unknown fields. A response rarely has rows with different
    /// fields, so the first row and the last row are enough.
    pub(crate) fn note_fetched(&mut self, rows: &RecordBatch, time: &str) -> Result<(), Error> {
        let is_first = self.rows == 0;
        self.rows += rows.num_rows() as u64;
        self.newest = self.newest.max(times(rows, time)?.last().copied());
        for (field, column) in rows.schema_ref().fields().iter().zip(rows.columns()) {
            if is_object(field) || is_fetched_at(field) {
                continue;
            }
            let sent = rows.num_rows() - column.null_count();
            // The name is cloned only for the first rows.
            if !self.fields.contains_key(field.name()) {
                self.fields.insert(field.name().clone(), FieldChanges::default());
            }
            if let Some(known) = self.fields.get_mut(field.name()) {
                known.sent += sent as u64;
                known.rows_since = match (0..column.len()).rfind(|row| column.is_valid(*row)) {
                    Some(last) => (column.len() - 1 - last) as u64,
                    None => known.rows_since + column.len() as u64,
                };
            }
        }
        let last_row = rows.num_rows().saturating_sub(1);
        for name in &misfit_names(rows, 0) | &misfit_names(rows, last_row) {
            self.fields.entry(name).or_default().has_misfit = true;
        }
        let of_first = unknown_names(rows, 0);
        let of_last = unknown_names(rows, last_row);
        let of_both = &of_first & &of_last;
        self.always_unknown = if is_first { of_both } else { &self.always_unknown & &of_both };
        if is_first {
            self.first_unknown.clone_from(&of_first);
        }
        self.last_unknown.clone_from(&of_last);
        self.unknown.extend(of_first);
        self.unknown.extend(of_last);
        Ok(())
    }

    /// Adds what the next rows have in each field. All of these rows are new.
    pub(crate) fn add_new(&mut self, next: &Self) {
        if self.rows == 0 {
            self.first_unknown.clone_from(&next.first_unknown);
            self.always_unknown.clone_from(&next.always_unknown);
        } else {
            self.always_unknown.retain(|name| next.always_unknown.contains(name));
        }
        self.last_unknown.clone_from(&next.last_unknown);
        self.unknown.extend(next.unknown.iter().cloned());
        self.added += next.rows;
        self.rows += next.rows;
        self.newest = self.newest.max(next.newest);
        self.invalid += next.invalid;
        for (param, rows) in &next.contradicted {
            *self.contradicted.entry(param.clone()).or_default() += rows;
        }
        self.out_of_range += next.out_of_range;
        for (name, field) in &next.fields {
            let known = self.fields.entry(name.clone()).or_default();
            let is_absent = field.sent == 0;
            known.rows_since = if is_absent { known.rows_since + field.rows_since } else { field.rows_since };
            known.sent += field.sent;
            known.has_misfit |= field.has_misfit;
        }
    }

    /// The noted fields that are not in the catalogue, and that the last fetched row has and the first has not.
    pub(crate) fn unknown_at_end(&self) -> BTreeSet<String> {
        &self.last_unknown - &self.first_unknown
    }

    /// The noted fields that are not in the catalogue and that no earlier row had.
    pub(crate) fn new_unknown(&self, sent_before: &BTreeSet<String>) -> BTreeSet<String> {
        let mut new = BTreeSet::new();
        for name in &self.unknown {
            if !sent_before.contains(name) && !self.known_unknown.contains(name) {
                new.insert(name.clone());
            }
        }
        new
    }

    /// The columns that have a value in a fetched row, and the noted unknown fields.
    pub(crate) fn sent(&self) -> BTreeSet<String> {
        let mut sent = &self.unknown | &self.known_unknown;
        for (name, field) in &self.fields {
            if field.sent > 0 || field.kept > 0 {
                sent.insert(name.clone());
            }
        }
        sent
    }

    /// The number of existing values that were kept because the service no longer sends them.
    pub(crate) fn kept(&self) -> u64 {
        self.fields.values().map(|field| field.kept).sum()
    }

    /// Merges two rows of the same time. Existing values replace values that do not fit their columns, and nulls.
    pub(crate) fn merged_row(&mut self, old: &RecordBatch, new: &RecordBatch) -> Result<RecordBatch, Error> {
        let schema = new.schema();
        let unknown = unknown_fields(new, 0);
        self.known_unknown.extend(unknown_names(old, 0));
        let mut columns = Vec::with_capacity(new.num_columns());
        for (index, field) in schema.fields().iter().enumerate() {
            let was = old.column(index);
            let is = new.column(index);
            let merged = if is_object(field) {
                merged_object(was, is, |name| field.name() == UNKNOWN_FIELDS && schema.index_of(name).is_ok())
            } else if is.is_null(0) && was.is_valid(0) && !is_fetched_at(field) {
                // A value that does not fit its column is among the unknown fields.
                if unknown.get(field.name()).is_none_or(Value::is_null) {
                    self.fields.entry(field.name().clone()).or_default().kept += 1;
                }
                was.clone()
            } else {
                is.clone()
            };
            columns.push(merged);
        }
        RecordBatch::try_new(schema, columns).map_err(Error::invalid_input)
    }

    /// Notes the new rows in the ranges of lost rows.
    pub(crate) fn note_found(&mut self, times: &[i64], lost: &TimeRanges) {
        if lost.is_empty() {
            return;
        }
        for time in times {
            if lost.contains(timestamp(*time)) {
                self.found.push(timestamp(*time));
            }
        }
    }

    /// Counts new rows. Rows between the first and the last existing row count as filled, all other rows as added.
    pub(crate) fn count(&mut self, times: &[i64], existing: Option<&Range<Timestamp>>) {
        let Some(existing) = existing else {
            self.added += times.len() as u64;
            return;
        };
        for time in times {
            let time = timestamp(*time);
            if existing.start <= time && time <= existing.end {
                self.filled += 1;
            } else {
                self.added += 1;
            }
        }
    }
}
