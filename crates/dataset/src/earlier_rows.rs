//! The rows of a table that were visible at an earlier time and that later rows have replaced.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
    UInt64Array, new_null_array,
};
use arrow_schema::{DataType, SchemaRef};
use arrow_select::concat::concat_batches;
use arrow_select::filter::filter_record_batch;
use arrow_select::take::take_record_batch;
use runtime::Timestamp;

use crate::error::Error;
use crate::fetched_at::{fetched_times, is_fetched_at};
use crate::revisions::Revision;
use crate::timestamps::{microseconds, times};

/// The replaced rows of a table, by series and in the order of their times.
#[derive(Debug, Default)]
pub(crate) struct EarlierRows {
    as_of: i64,
    left: BTreeMap<String, VecDeque<Revision>>,
}

impl EarlierRows {
    /// Creates the source of the rows that were visible at a time in microseconds.
    pub(crate) fn new(revisions: BTreeSet<Revision>, as_of: i64) -> Self {
        let mut left: BTreeMap<String, VecDeque<Revision>> = BTreeMap::new();
        // The revisions are in the order of series and time.
        for revision in revisions {
            left.entry(revision.series.clone()).or_default().push_back(revision);
        }
        Self { as_of, left }
    }

    /// The rows that were visible instead of these rows of a series, which are in order of time: those that were
    /// fetched later are omitted, and the replaced rows up to the last of their times are inserted.
    pub(crate) fn instead_of(&mut self, rows: &RecordBatch, series: &str, time: &str) -> Result<RecordBatch, Error> {
        let Some(last) = times(rows, time)?.last().copied() else { return Ok(rows.clone()) };
        let visible = self.visible(rows)?;
        let mut replaced = Vec::new();
        if let Some(left) = self.left.get_mut(series) {
            while left.front().is_some_and(|next| next.time <= last) {
                replaced.extend(left.pop_front());
            }
        }
        replaced.retain(|revision| revision.is_visible(self.as_of));
        if replaced.is_empty() {
            return Ok(visible);
        }
        let schema = rows.schema();
        let all = concat_batches(&schema, [&visible, &batch_of(&replaced, &schema)?]).map_err(Error::invalid_input)?;
        in_order(&all, time)
    }

    /// The paths of the series that have further replaced rows.
    pub(crate) fn series(&self) -> Vec<String> {
        self.left.keys().cloned().collect()
    }

    /// The replaced rows after the last rows of a series.
    pub(crate) fn rest(&mut self, series: &str, schema: &SchemaRef) -> Result<RecordBatch, Error> {
        let mut rest = Vec::from(self.left.remove(series).unwrap_or_default());
        rest.retain(|revision| revision.is_visible(self.as_of));
        batch_of(&rest, schema)
    }

    /// Omits the rows that were fetched later. Rows of an earlier format, which have no such time, are kept.
    fn visible(&self, rows: &RecordBatch) -> Result<RecordBatch, Error> {
        let Some(fetched) = fetched_times(rows) else { return Ok(rows.clone()) };
        let mut is_visible = Vec::with_capacity(rows.num_rows());
        for row in 0..rows.num_rows() {
            is_visible.push(fetched.is_null(row) || fetched.value(row) <= self.as_of);
        }
        if !is_visible.contains(&false) {
            return Ok(rows.clone());
        }
        filter_record_batch(rows, &BooleanArray::from(is_visible)).map_err(Error::invalid_input)
    }
}

/// Sorts rows by their time. Rows of one time keep their order.
fn in_order(rows: &RecordBatch, time: &str) -> Result<RecordBatch, Error> {
    let times = times(rows, time)?;
    let mut order: Vec<(&i64, u64)> = times.iter().zip(0..).collect();
    order.sort_by_key(|(time, _)| **time);
    let order = UInt64Array::from_iter_values(order.into_iter().map(|(_, row)| row));
    take_record_batch(rows, &order).map_err(Error::invalid_input)
}

fn batch_of(revisions: &[Revision], schema: &SchemaRef) -> Result<RecordBatch, Error> {
    let mut columns = Vec::with_capacity(schema.fields().len());
    for field in schema.fields() {
        let column = if is_fetched_at(field) {
            let fetched: TimestampMicrosecondArray = revisions.iter().map(|revision| revision.fetched_at).collect();
            Arc::new(fetched.with_timezone("UTC")) as ArrayRef
        } else {
            let texts: Vec<_> = revisions.iter().map(|revision| revision.value(field.name())).collect();
            column_of(field.data_type(), &texts)?
        };
        columns.push(column);
    }
    RecordBatch::try_new(schema.clone(), columns).map_err(Error::invalid_input)
}

/// A column of values that are written as in CSV.
fn column_of(ty: &DataType, texts: &[Option<&str>]) -> Result<ArrayRef, Error> {
    Ok(match ty {
        DataType::Int64 => Arc::new(Int64Array::from(parsed(ty, texts)?)),
        DataType::Float64 => Arc::new(Float64Array::from(parsed(ty, texts)?)),
        DataType::Boolean => Arc::new(BooleanArray::from(parsed(ty, texts)?)),
        DataType::Utf8 => Arc::new(StringArray::from(texts.to_vec())),
        DataType::Timestamp(..) => {
            let times: Vec<Option<Timestamp>> = parsed(ty, texts)?;
            let times: TimestampMicrosecondArray = times.into_iter().map(|time| time.and_then(microseconds)).collect();
            Arc::new(times.with_timezone("UTC"))
        }
        _ if texts.iter().all(Option::is_none) => new_null_array(ty, texts.len()),
        _ => return Err(Error::invalid_input(format!("the revisions have values for a column of the type {ty}"))),
    })
}

fn parsed<T: std::str::FromStr>(ty: &DataType, texts: &[Option<&str>]) -> Result<Vec<Option<T>>, Error> {
    let mut values = Vec::with_capacity(texts.len());
    for text in texts {
        let Some(text) = text else {
            values.push(None);
            continue;
        };
        let Ok(value) = text.parse() else {
            return Err(Error::invalid_input(format!("{text:?} in the revisions is not a value of the type {ty}")));
        };
        values.push(Some(value));
    }
    Ok(values)
}
