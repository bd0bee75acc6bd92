//! Merges the fetched rows of a series with the existing rows.
//!
//! Both sources are in order of time and have the same columns. The output is batches in order of time. A fetched row
//! replaces the existing row of the same time.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{FieldRef, Schema};
use runtime::Value;

use crate::error::Error;
use crate::saved_state::Known;
use crate::table_schema::UNKNOWN_FIELDS;
use crate::timestamps::Timestamps;

/// Batches of rows in order of time.
pub(crate) type Rows<'r> = Box<dyn Iterator<Item = Result<RecordBatch, Error>> + 'r>;

/// The changes that a merge makes to the rows of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// Number of new rows before the first existing row or after the last.
    pub(crate) added: u64,
    /// Number of new rows between existing rows.
    pub(crate) filled: u64,
    /// Number of existing rows whose values changed. A row is not counted if its new value does not fit the column.
    pub(crate) revised: u64,
    /// Number of new and changed rows with a value that does not fit its column.
    pub(crate) invalid: u64,
}

/// A source and its next row.
struct Cursor<'r> {
    rows: Rows<'r>,
    batch: RecordBatch,
    next: usize,
}

impl<'r> Cursor<'r> {
    fn new(rows: Rows<'r>, batch: RecordBatch) -> Result<Self, Error> {
        let mut this = Self { rows, next: batch.num_rows(), batch };
        this.advance(0)?;
        Ok(this)
    }

    fn is_over(&self) -> bool {
        self.next >= self.batch.num_rows()
    }

    /// Returns and consumes the next rows.
    fn take(&mut self, rows: usize) -> Result<RecordBatch, Error> {
        let taken = self.batch.slice(self.next, rows);
        self.advance(rows)?;
        Ok(taken)
    }

    /// Skips rows. At the end of a batch, loads the next batch that is not empty.
    fn advance(&mut self, rows: usize) -> Result<(), Error> {
        self.next += rows;
        while self.is_over() {
            let Some(batch) = self.rows.next() else { break };
            (self.batch, self.next) = (batch?, 0);
        }
        Ok(())
    }

    fn left(&self) -> usize {
        self.batch.num_rows() - self.next
    }
}

/// Merges two sources of rows of a series. The rows of both sources have the same columns.
pub(crate) struct Merge<'r> {
    old: Cursor<'r>,
    new: Cursor<'r>,
    /// The time column.
    time: String,
    known: Known,
    pub(crate) changes: Changes,
    ready: VecDeque<RecordBatch>,
}

impl<'r> Merge<'r> {
    pub(crate) fn new([old, new]: [Rows<'r>; 2], empty: &RecordBatch, time: &str, known: Known) -> Result<Self, Error> {
        let (old, new) = (Cursor::new(old, empty.clone())?, Cursor::new(new, empty.clone())?);
        Ok(Self { old, new, time: time.to_owned(), known, changes: Changes::default(), ready: VecDeque::new() })
    }

    /// Adds the next rows to the batches that are ready. Returns `false` at the end.
    fn step(&mut self) -> Result<bool, Error> {
        let Self { old, new, time, changes, ready, known } = self;
        if new.is_over() {
            let has_more = !old.is_over();
            if has_more {
                ready.push_back(old.take(old.left())?);
            }
            return Ok(has_more);
        }
        let new_batch = new.batch.clone();
        let new_times = Timestamps::in_batch(&new_batch, time)?;
        let first = new_times.get(new.next);
        if old.is_over() {
            let rows = new.left();
            changes.count(&new_times, new.next, rows, known);
            ready.push_back(changes.checked(new.take(rows)?));
            return Ok(true);
        }
        let old_batch = old.batch.clone();
        let old_times = Timestamps::in_batch(&old_batch, time)?;
        let before = old_times.before(old.next, first);
        if before > 0 {
            ready.push_back(old.take(before)?);
            return Ok(true);
        }
        let ahead = new_times.before(new.next, old_times.get(old.next));
        if ahead > 0 {
            changes.count(&new_times, new.next, ahead, known);
            ready.push_back(changes.checked(new.take(ahead)?));
            return Ok(true);
        }
        // The next rows of both sources have the same times. The fetched rows are written; existing values replace the
        // fetched values that do not fit their columns.
        let is_same = |row: &usize| old_times.get(old.next + row) == new_times.get(new.next + row);
        let same = (0..old.left().min(new.left())).take_while(is_same).count();
        let (was, is) = (old.take(same)?, new.take(same)?);
        changes.replace(&was, &is, ready)?;
        Ok(true)
    }
}

impl Iterator for Merge<'_> {
    type Item = Result<RecordBatch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() {
            match self.step() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
        self.ready.pop_front().map(Ok)
    }
}

impl Changes {
    /// Counts the invalid rows of a batch of new or revised rows, and returns the batch.
    fn checked(&mut self, rows: RecordBatch) -> RecordBatch {
        self.invalid += u64::try_from(invalid(&rows, rows.schema_ref()).filter(|is| *is).count()).unwrap_or_default();
        rows
    }

    /// Replaces rows by the fetched rows of the same times.
    fn replace(&mut self, was: &RecordBatch, is: &RecordBatch, ready: &mut VecDeque<RecordBatch>) -> Result<(), Error> {
        let (same, mut written) = (is.num_rows(), 0);
        let differing = if was == is { 0..0 } else { 0..same };
        for (row, (was, fetched)) in differing.map(|row| (row, (was.slice(row, 1), is.slice(row, 1)))) {
            if was == fetched {
                continue;
            }
            let kept = keep_valid(&was, &fetched)?;
            self.revised += u64::from(values(&kept) != values(&was));
            let kept = if kept == was { kept } else { self.checked(kept) };
            if kept != fetched {
                ready.push_back(is.slice(written, row - written));
                ready.push_back(kept);
                written = row + 1;
            }
        }
        ready.push_back(is.slice(written, same - written));
        ready.retain(|batch| batch.num_rows() > 0);
        Ok(())
    }

    /// Counts new rows. Rows within the range `known` count as filled, all other rows as added.
    fn count(&mut self, times: &Timestamps<'_>, from: usize, rows: usize, known: &Known) {
        let before = |time| times.before(from, time).min(rows);
        let filled = known
            .as_ref()
            .map_or(0, |known| before(known.end + Duration::from_nanos(1)).saturating_sub(before(known.start)));
        self.filled += u64::try_from(filled).unwrap_or_default();
        self.added += u64::try_from(rows - filled).unwrap_or_default();
    }
}

/// Returns a fetched row in which existing values replace the values that do not fit their columns.
fn keep_valid(was: &RecordBatch, fetched: &RecordBatch) -> Result<RecordBatch, Error> {
    let (unknown, schema) = (unknown_fields(fetched, 0), fetched.schema());
    let column = |(index, field): (usize, &FieldRef)| {
        if unknown.get(field.name()).is_some() { was.column(index).clone() } else { fetched.column(index).clone() }
    };
    let columns = schema.fields().iter().enumerate().map(column).collect();
    RecordBatch::try_new(schema.clone(), columns).map_err(|error| Error::invalid_input(error.to_string()))
}

/// Returns the unknown fields of a row, as a JSON object or null.
fn unknown_fields(rows: &RecordBatch, row: usize) -> Value {
    let column = rows.column_by_name(UNKNOWN_FIELDS).and_then(|column| column.as_string_opt::<i32>());
    let text = column.filter(|column| column.is_valid(row)).map(|column| column.value(row));
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

/// Returns the values in the columns of a row, and its unknown fields without the values that do not fit their columns.
fn values(row: &RecordBatch) -> (Vec<&ArrayRef>, BTreeMap<String, Value>) {
    let columns = row.schema_ref().fields().iter().zip(row.columns());
    let columns = columns.filter(|(field, _)| field.name() != UNKNOWN_FIELDS).map(|(_, column)| column);
    let mut unknown: BTreeMap<_, _> = serde_json::from_value(unknown_fields(row, 0)).unwrap_or_default();
    unknown.retain(|name: &String, _| row.schema_ref().field_with_name(name).is_err());
    (columns.collect(), unknown)
}

/// Returns for each row whether a value did not fit its column. Such a value is among the unknown fields, under the
/// name of the column. `schema` has all columns of the file; the rows may have only some of these columns.
pub(crate) fn invalid<'r>(rows: &'r RecordBatch, schema: &'r Schema) -> impl Iterator<Item = bool> + 'r {
    (0..rows.num_rows()).map(move |row| {
        let fields = unknown_fields(rows, row);
        fields.as_object().is_some_and(|fields| fields.keys().any(|name| schema.field_with_name(name).is_ok()))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::cast::AsArray;
    use arrow_array::types::{Int64Type, TimestampMicrosecondType};
    use arrow_array::{Int64Array, TimestampMicrosecondArray};
    use runtime::Timestamp;

    use super::*;

    fn batch(rows: &[(i64, i64)]) -> RecordBatch {
        let times: TimestampMicrosecondArray = rows.iter().map(|(time, _)| Some(time * 1_000_000)).collect();
        let values: Int64Array = rows.iter().map(|(_, value)| Some(*value)).collect();
        RecordBatch::try_from_iter([("at", Arc::new(times) as _), ("n", Arc::new(values) as _)]).unwrap()
    }

    fn rows<'r>(batches: &[&[(i64, i64)]]) -> Rows<'r> {
        Box::new(batches.iter().map(|rows| Ok(batch(rows))).collect::<Vec<_>>().into_iter())
    }

    /// Merges rows, and checks the result and the numbers of added, filled and revised rows.
    fn check(old: &[&[(i64, i64)]], new: &[&[(i64, i64)]], expected: &[(i64, i64)], counts: [u64; 3]) {
        let all = old.concat();
        let known = all
            .first()
            .zip(all.last())
            .map(|(first, last)| Timestamp::from_unix_seconds(first.0)..Timestamp::from_unix_seconds(last.0));
        let mut merged = Vec::new();
        let mut merge = Merge::new([rows(old), rows(new)], &batch(&[]), "at", known).unwrap();
        for batch in merge.by_ref().map(Result::unwrap) {
            let times = batch.column(0).as_primitive::<TimestampMicrosecondType>().values();
            let values = batch.column(1).as_primitive::<Int64Type>().values();
            merged.extend(times.iter().map(|time| time / 1_000_000).zip(values.iter().copied()));
        }
        let Changes { added, filled, revised, .. } = merge.changes;
        assert_eq!((merged.as_slice(), [added, filled, revised]), (expected, counts), "{old:?} {new:?}");
    }

    #[test]
    fn fetched_rows_replace_and_fill() {
        check(&[], &[], &[], [0, 0, 0]);
        check(&[&[(1, 1), (2, 2)]], &[], &[(1, 1), (2, 2)], [0, 0, 0]);
        check(&[], &[&[(1, 1)], &[], &[(2, 2)]], &[(1, 1), (2, 2)], [2, 0, 0]);
        check(&[&[(1, 1), (3, 3)]], &[&[(2, 2), (3, 3), (4, 4)]], &[(1, 1), (2, 2), (3, 3), (4, 4)], [1, 1, 0]);
        check(&[&[(1, 1)], &[(2, 2), (3, 3)]], &[&[(2, 9), (3, 3)]], &[(1, 1), (2, 9), (3, 3)], [0, 0, 1]);
        check(
            &[&[(5, 5), (9, 9)]],
            &[&[(1, 1), (6, 6)], &[(7, 7), (9, 8)]],
            &[(1, 1), (5, 5), (6, 6), (7, 7), (9, 8)],
            [1, 2, 1],
        );
    }
}
