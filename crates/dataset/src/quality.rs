//! Figures about the values of a target, without a verdict: what is unusual depends on the field.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch};
use arrow_schema::Field;
use runtime::Timestamp;
use runtime::registry::Range;

use crate::column_names::UNKNOWN_FIELDS;
use crate::error::Error;
use crate::fetched_at::is_fetched_at;
use crate::missing_fields::MissingField;
use crate::other_members::numbers_of_members;
use crate::row_labels::RowLabels;
use crate::series::endpoint_of;
use crate::series_columns::identifies;
use crate::status::{SeriesStatus, Status};
use crate::stored_rows::StoredRows;
use crate::stored_tables::StoredTables;
use crate::table_schema::is_decimal;
use crate::target::Target;
use crate::timestamps::{times, timestamp};
use crate::value_ranges::{number, range_of};

/// Figures about a target.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Quality {
    /// The state of the target.
    pub status: Status,
    /// The figures of each series that has rows, by path.
    pub series: Vec<SeriesQuality>,
    /// A message for each damaged or missing file, whose rows are left out.
    pub left_out: Vec<String>,
}

/// Figures about a series.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SeriesQuality {
    /// The state of the series.
    pub status: SeriesStatus,
    /// Number of rows that were read; the state also counts those of a damaged file.
    pub rows: u64,
    /// Number of rows with the time of the row before.
    pub repeated_times: u64,
    /// Number of values that later runs have replaced.
    pub revisions: u64,
    /// The figures of each field of the catalogue.
    pub fields: Vec<FieldQuality>,
}

/// Figures about a field of a series.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct FieldQuality {
    /// The field.
    pub field: String,
    /// Number of rows with a value, and without.
    pub values: u64,
    /// Number of rows without a value: null, or an empty text.
    pub nulls: u64,
    /// The smallest number; `None` if no value is a number.
    pub min: Option<f64>,
    /// The time of the first record with the smallest number.
    pub min_at: Option<Timestamp>,
    /// The largest number.
    pub max: Option<f64>,
    /// The time of the first record with the largest number.
    pub max_at: Option<Timestamp>,
    /// The mean of all numbers.
    pub mean: Option<f64>,
    /// Number of values outside of the range in the catalogue.
    pub out_of_range: u64,
    /// The largest number of equal values in a row.
    pub longest_constant: u64,
    /// The largest change from one number to the next, in median absolute deviations of all changes; `None` if most
    /// changes are equal, or for values that are no numbers.
    pub largest_step: Option<f64>,
    /// The time after this change.
    pub largest_step_at: Option<Timestamp>,
    /// Number of values that later runs have replaced.
    pub revisions: u64,
    /// `true` if the service no longer sends the field, as far as no user has acknowledged that.
    pub is_missing: bool,
}

/// The numbers of a field of a series.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SeriesNumbers {
    /// The field.
    pub field: String,
    /// The path that identifies the series.
    pub path: String,
    /// The values of the fields that distinguish records of one time, separated by commas; empty without such fields.
    pub label: String,
    /// The times of the records that have a number, and the numbers.
    pub times: Vec<Timestamp>,
    /// The numbers.
    pub values: Vec<f64>,
}

/// Computes figures about the values of a target. Reads all of its rows.
pub async fn quality(tables: &StoredTables) -> Result<Quality, Error> {
    let status = tables.status()?;
    let mut figures: BTreeMap<String, SeriesFigures> = BTreeMap::new();
    let mut left_out = BTreeSet::new();
    if matches!(tables.target, Target::File { .. }) {
        left_out.extend(figures_of(tables, None, &mut figures).await?);
    } else {
        // The endpoints of a data set may have different columns.
        let endpoints: BTreeSet<&str> = status.series.iter().map(SeriesStatus::endpoint).collect();
        for endpoint in endpoints {
            left_out.extend(figures_of(tables, Some(endpoint), &mut figures).await?);
        }
    }
    let mut all = Vec::new();
    for one in &status.series {
        let of_series = figures.remove(&one.path).unwrap_or_default();
        all.push(of_series.quality(one, &status.missing_fields));
    }
    Ok(Quality { status, series: all, left_out: left_out.into_iter().collect() })
}

/// Adds the figures of the series of an endpoint, by default of all. Returns a message for each damaged or missing file.
async fn figures_of(
    tables: &StoredTables,
    endpoint: Option<&str>,
    figures: &mut BTreeMap<String, SeriesFigures>,
) -> Result<Vec<String>, Error> {
    let endpoints = endpoint.map(|endpoint| BTreeSet::from([endpoint.to_owned()]));
    let stored = tables.rows(endpoints.as_ref(), None)?;
    let is_of_endpoint = |path: &str| endpoint.is_none_or(|endpoint| endpoint_of(path) == endpoint);
    let reading = stored.read(is_of_endpoint, |path, batch| {
        let time = stored.time_of(path).unwrap_or_default();
        figures.entry(path.to_owned()).or_default().add(batch, &time)
    });
    let left_out = reading.await?;
    for revised in stored.revisions(is_of_endpoint).await? {
        // A field that had no value is new, and not revised.
        if revised.value.is_some() {
            *figures.entry(revised.series).or_default().revisions.entry(revised.field).or_default() += 1;
        }
    }
    Ok(left_out)
}

/// The numbers of several series.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Numbers {
    /// The series that have a number, by field and path. The fields have the order in which they were requested.
    pub series: Vec<SeriesNumbers>,
    /// A message for each damaged or missing file, whose rows are left out.
    pub left_out: Vec<String>,
}

/// Reads the numbers of some fields of the selected series. Records of one series with different labels are apart. The rows
/// are read once, and all of these numbers are in memory.
pub async fn numbers(
    stored: &StoredRows<'_>,
    fields: &[&str],
    is_selected: impl Fn(&str) -> bool,
) -> Result<Numbers, Error> {
    // By field, series and label.
    let mut all: BTreeMap<(usize, String, String), SeriesNumbers> = BTreeMap::new();
    let reading = stored.read(is_selected, |path, batch| {
        let labels = RowLabels::new(batch, stored.key_of(path));
        let time = stored.time_of(path).unwrap_or_default();
        let times = times(batch, &time)?;
        for (field, column) in columns_of(batch, fields) {
            for (row, time) in times.iter().enumerate() {
                if let Some(value) = number(&column, row) {
                    let of_label = all.entry((field, path.to_owned(), labels.of(row))).or_default();
                    of_label.times.push(timestamp(*time));
                    of_label.values.push(value);
                }
            }
        }
        Ok::<(), Error>(())
    });
    let left_out = reading.await?;
    let mut series = Vec::new();
    for ((field, path, label), numbers) in all {
        series.push(SeriesNumbers { field: fields[field].to_owned(), path, label, ..numbers });
    }
    Ok(Numbers { series, left_out })
}

/// The columns of those fields that the rows have, with the index of the field. A field can be a member that the catalogue
/// does not list by name.
fn columns_of(rows: &RecordBatch, fields: &[&str]) -> Vec<(usize, ArrayRef)> {
    let is_member = |field: &&str| rows.column_by_name(field).is_none();
    let mut members = if fields.iter().any(is_member) { numbers_of_members(rows) } else { BTreeMap::new() };
    let mut columns = Vec::with_capacity(fields.len());
    for (index, field) in fields.iter().enumerate() {
        let column = match rows.schema_ref().column_with_name(field) {
            Some((at, info)) => Some(with_numbers(info, rows.column(at))),
            None => members.remove(*field),
        };
        columns.extend(column.map(|column| (index, column)));
    }
    columns
}

/// A column, with the digits of decimals as numbers.
fn with_numbers(field: &Field, column: &ArrayRef) -> ArrayRef {
    match column.as_string_opt::<i32>() {
        Some(digits) if is_decimal(field) => {
            let numbers = digits.iter().map(|digits| digits?.parse().ok());
            Arc::new(numbers.collect::<Float64Array>())
        }
        _ => column.clone(),
    }
}

/// The rows of a series so far.
#[derive(Default)]
struct SeriesFigures {
    rows: u64,
    last: Option<i64>,
    repeated_times: u64,
    fields: BTreeMap<String, Values>,
    /// Number of replaced values, by field.
    revisions: BTreeMap<String, u64>,
}

/// The values of a field so far.
#[derive(Default)]
struct Values {
    values: u64,
    out_of_range: u64,
    numbers: Vec<f64>,
    times: Vec<i64>,
    last: Option<RowValue>,
    constant: u64,
    longest_constant: u64,
}

/// A value of any type, as an array of one row.
type RowValue = ArrayRef;

impl SeriesFigures {
    fn quality(mut self, status: &SeriesStatus, missing: &[MissingField]) -> SeriesQuality {
        let revisions = self.revisions.values().sum();
        let mut fields = Vec::new();
        for (field, values) in self.fields {
            let is_missing = missing.iter().any(|mark| mark.endpoint == status.endpoint() && mark.field == field);
            let revisions = self.revisions.remove(&field).unwrap_or_default();
            // Some rows may be older than a member that the catalogue does not list by name.
            let nulls = self.rows - values.values;
            fields.push(FieldQuality { nulls, revisions, is_missing, ..values.figures(field) });
        }
        SeriesQuality {
            status: status.clone(),
            rows: self.rows,
            repeated_times: self.repeated_times,
            revisions,
            fields,
        }
    }

    fn add(&mut self, batch: &RecordBatch, time: &str) -> Result<(), Error> {
        let times = times(batch, time)?;
        self.rows += times.len() as u64;
        for time in times {
            self.repeated_times += u64::from(self.last == Some(*time));
            self.last = Some(*time);
        }
        for (field, column) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            if identifies(field) || is_fetched_at(field) || field.name() == time || field.name() == UNKNOWN_FIELDS {
                continue;
            }
            let values = self.fields.entry(field.name().clone()).or_default();
            let column = with_numbers(field, column);
            for (row, time) in times.iter().enumerate() {
                values.add(&column, row, *time, range_of(field));
            }
        }
        for (member, column) in numbers_of_members(batch) {
            let values = self.fields.entry(member).or_default();
            for (row, time) in times.iter().enumerate() {
                values.add(&column, row, *time, Range::ALL);
            }
        }
        Ok(())
    }
}

impl Values {
    fn add(&mut self, column: &RowValue, row: usize, time: i64, range: Range) {
        if column.is_null(row) || is_empty_text(column, row) {
            return;
        }
        self.values += 1;
        let value = column.slice(row, 1);
        let is_same = self.last.as_ref().is_some_and(|last| **last == *value);
        self.constant = if is_same { self.constant + 1 } else { 1 };
        self.longest_constant = self.longest_constant.max(self.constant);
        self.last = Some(value);
        if let Some(number) = number(column, row) {
            self.out_of_range += u64::from(!range.contains(number));
            self.numbers.push(number);
            self.times.push(time);
        }
    }

    /// The time of the first record with a number.
    fn first_time_of(&self, number: Option<f64>) -> Option<Timestamp> {
        let number = number?;
        let is_equal = |other: &f64| other.partial_cmp(&number).is_some_and(Ordering::is_eq);
        let index = self.numbers.iter().position(is_equal)?;
        self.times.get(index).copied().map(timestamp)
    }

    fn figures(&self, field: String) -> FieldQuality {
        let mut largest_change = None;
        let mut largest_change_at = None;
        if let Some((index, size)) = largest_step(&self.numbers) {
            largest_change = Some(size);
            largest_change_at = self.times.get(index + 1).map(|time| timestamp(*time));
        }
        let min = self.numbers.iter().copied().reduce(f64::min);
        let max = self.numbers.iter().copied().reduce(f64::max);
        FieldQuality {
            field,
            values: self.values,
            nulls: 0,
            min,
            min_at: self.first_time_of(min),
            max,
            max_at: self.first_time_of(max),
            mean: mean(&self.numbers),
            out_of_range: self.out_of_range,
            longest_constant: self.longest_constant,
            largest_step: largest_change,
            largest_step_at: largest_change_at,
            revisions: 0,
            is_missing: false,
        }
    }
}

/// `true` if a value is an empty text, with which some services say that there is no value.
fn is_empty_text(column: &RowValue, row: usize) -> bool {
    column.as_string_opt::<i32>().is_some_and(|texts| texts.value(row).is_empty())
}

/// The index of the largest change between two numbers, and its size in median absolute deviations.
fn largest_step(numbers: &[f64]) -> Option<(usize, f64)> {
    let mut steps = Vec::new();
    for pair in numbers.windows(2) {
        steps.push(pair[1] - pair[0]);
    }
    let middle = median(steps.clone())?;
    let mut sizes = Vec::with_capacity(steps.len());
    for step in steps {
        sizes.push((step - middle).abs());
    }
    let deviation = median(sizes.clone())?;
    if deviation <= 0.0 || !deviation.is_finite() {
        return None;
    }
    let in_deviations = sizes.iter().map(|size| size / deviation);
    in_deviations.enumerate().max_by(|one, other| one.1.total_cmp(&other.1))
}

/// The mean of numbers. If their sum is infinite, each is divided first, which is less exact.
#[allow(clippy::cast_precision_loss)] // No table has as many rows as a float cannot count.
fn mean(numbers: &[f64]) -> Option<f64> {
    if numbers.is_empty() {
        return None;
    }
    let count = numbers.len() as f64;
    let sum: f64 = numbers.iter().sum();
    if sum.is_finite() {
        return Some(sum / count);
    }
    Some(numbers.iter().map(|number| number / count).sum())
}

fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_step_is_relative_to_the_usual_steps() {
        let mut numbers: Vec<f64> = (0..100).map(|index| f64::from(index * index % 101)).collect();
        numbers[50] = 1000.0;
        let (index, size) = largest_step(&numbers).unwrap();
        assert!((49..=50).contains(&index) && size > 10.0, "{index} {size}");
        assert_eq!(largest_step(&[1.0; 50]), None);
        assert_eq!(largest_step(&[1.0]), None);
    }

    #[test]
    fn the_smallest_and_the_largest_number_have_their_first_time() {
        let column: ArrayRef =
            Arc::new(Float64Array::from(vec![Some(f64::NAN), Some(2.0), None, Some(1.0), Some(2.0), Some(1.0)]));
        let mut values = Values::default();
        for (row, time) in (0..6).enumerate() {
            values.add(&column, row, time * 1_000_000, Range::ALL);
        }
        let figures = values.figures("rate".to_owned());
        let at = |seconds| Some(Timestamp::from_unix_seconds(seconds));
        assert_eq!((figures.min, figures.min_at), (Some(1.0), at(3)));
        assert_eq!((figures.max, figures.max_at), (Some(2.0), at(1)));
        assert_eq!(Values::default().figures("rate".to_owned()).max_at, None);
    }

    #[test]
    fn the_mean_of_large_numbers_is_finite() {
        assert_eq!(mean(&[f64::MAX, f64::MAX]), Some(f64::MAX));
        assert_eq!(mean(&[1.0, 2.0, 6.0]), Some(3.0));
        assert_eq!(mean(&[1.5; 90]), Some(1.5));
        assert_eq!(mean(&[]), None);
    }
}
