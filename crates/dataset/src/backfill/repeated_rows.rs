//! Rows that a page has twice, because records have moved to another page of the service between two requests.

use std::borrow::Cow;
use std::collections::HashMap;

use arrow_array::{BooleanArray, RecordBatch};
use arrow_select::filter::filter_record_batch;
use runtime::Timestamp;

use crate::error::Error;
use crate::merge_rows::has_same_values;
use crate::row_labels::RowLabels;

/// The distinct rows of a page, and their times, in order of time.
pub(super) struct Distinct<'t> {
    pub(super) times: Cow<'t, [Timestamp]>,
    pub(super) rows: RecordBatch,
}

impl<'t> Distinct<'t> {
    /// Removes each row that is equal to a row before it, if the records have a key. Rows of one record with different
    /// values stay.
    pub(super) fn of(times: &'t [Timestamp], rows: RecordBatch, key: &[String]) -> Result<Self, Error> {
        // Without a key, equal rows may be different records, such as two trades.
        if key.is_empty() {
            return Ok(Self { times: times.into(), rows });
        }
        let is_distinct = are_distinct(times, &rows, key);
        if !is_distinct.contains(&false) {
            return Ok(Self { times: times.into(), rows });
        }
        let mut kept = Vec::with_capacity(times.len());
        for (time, is_distinct) in times.iter().zip(&is_distinct) {
            if *is_distinct {
                kept.push(*time);
            }
        }
        let rows = filter_record_batch(&rows, &BooleanArray::from(is_distinct)).map_err(Error::invalid_input)?;
        Ok(Self { times: kept.into(), rows })
    }
}

/// Whether each row differs from all rows before it.
fn are_distinct(times: &[Timestamp], rows: &RecordBatch, key: &[String]) -> Vec<bool> {
    let mut are_distinct = Vec::with_capacity(times.len());
    let labels = RowLabels::new(rows, key);
    let mut of_time: HashMap<String, Vec<usize>> = HashMap::new();
    let mut last = None;
    for (index, time) in times.iter().enumerate() {
        if last != Some(time) {
            of_time.clear();
        }
        last = Some(time);
        let known = of_time.entry(labels.of(index)).or_default();
        let is_repeated = known.iter().any(|known| has_same_values(&rows.slice(*known, 1), &rows.slice(index, 1)));
        are_distinct.push(!is_repeated);
        known.push(index);
    }
    are_distinct
}
