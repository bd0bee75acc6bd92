//! Merges the fetched rows of a series with the existing rows.
//!
//! Both sources are in order of time and have the same columns. The output is batches in order of time. A fetched row
//! replaces the existing row of the same time.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, FieldRef, Schema};
use arrow_select::concat::concat_batches;
use runtime::Value;

use crate::error::Error;
use crate::saved_state::Known;
use crate::table_schema::UNKNOWN_FIELDS;
use crate::timestamps::{times, timestamp};

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

/// A source of rows, and its next row.
pub(crate) struct Cursor<'r> {
    rows: Rows<'r>,
    batch: RecordBatch,
    next: usize,
}

impl<'r> Cursor<'r> {
    pub(crate) fn new(rows: Rows<'r>) -> Result<Self, Error> {
        let mut this = Self { rows, batch: RecordBatch::new_empty(Arc::new(Schema::empty())), next: 0 };
        this.take(0)?;
        Ok(this)
    }

    /// Returns and consumes the next rows of the batch. At the end of a batch, loads the next batch that is not empty.
    fn take(&mut self, rows: usize) -> Result<RecordBatch, Error> {
        let taken = self.batch.slice(self.next, rows);
        self.next += rows;
        while self.left() == 0 {
            let Some(batch) = self.rows.next() else { break };
            (self.batch, self.next) = (batch?, 0);
        }
        Ok(taken)
    }

    /// Returns and consumes the next `count` rows of all batches.
    pub(crate) fn part(&mut self, mut count: usize) -> impl Iterator<Item = Result<RecordBatch, Error>> {
        std::iter::from_fn(move || {
            let rows = self.left().min(count);
            count -= rows;
            (rows > 0).then(|| self.take(rows))
        })
    }

    fn left(&self) -> usize {
        self.batch.num_rows() - self.next
    }

    /// Returns the times of the remaining rows of the batch.
    fn times(&self, column: &str) -> Result<&[i64], Error> {
        if self.left() == 0 {
            return Ok(&[]);
        }
        Ok(times(&self.batch, column)?.get(self.next..).unwrap_or_default())
    }

    /// Returns the number of next rows before a time; all rows of the batch if there is no such time.
    fn before(&self, column: &str, time: Option<i64>) -> Result<usize, Error> {
        Ok(self.times(column)?.partition_point(|next| time.is_none_or(|time| *next < time)))
    }
}

/// Merges two sources of rows of a series. The rows of both sources have the same columns.
pub(crate) struct Merge<'o, 'n> {
    old: Cursor<'o>,
    new: Cursor<'n>,
    /// The time column.
    time: String,
    known: Known,
    pub(crate) changes: Changes,
}

impl<'o, 'n> Merge<'o, 'n> {
    pub(crate) fn new(old: Rows<'o>, new: Cursor<'n>, time: &str, known: Known) -> Result<Self, Error> {
        let (old, time) = (Cursor::new(old)?, time.to_owned());
        Ok(Self { old, new, time, known, changes: Changes::default() })
    }

    /// Returns the next rows; `None` at the end.
    fn step(&mut self) -> Result<Option<RecordBatch>, Error> {
        let Self { old, new, time, known, changes } = self;
        let (was, is) = (old.times(time)?.first().copied(), new.times(time)?.first().copied());
        let (kept, added) = (old.before(time, is)?, new.before(time, was)?);
        if kept > 0 {
            return old.take(kept).map(Some);
        }
        if added > 0 {
            let rows = new.take(added)?;
            changes.count(times(&rows, time)?, known);
            return Ok(Some(changes.checked(rows)));
        }
        // The next rows of both sources have the same times.
        let pairs = old.times(time)?.iter().zip(new.times(time)?);
        let same = pairs.take_while(|(was, is)| was == is).count();
        if same == 0 { Ok(None) } else { changes.replaced(&old.take(same)?, new.take(same)?).map(Some) }
    }
}

impl Iterator for Merge<'_, '_> {
    type Item = Result<RecordBatch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}

impl Changes {
    /// Counts the invalid rows of a batch of new or revised rows, and returns the batch.
    fn checked(&mut self, rows: RecordBatch) -> RecordBatch {
        self.invalid += invalid(&rows, rows.schema_ref()).filter(|is| *is).count() as u64;
        rows
    }

    /// Returns the fetched rows that replace rows of the same times. Existing values replace the fetched values that do
    /// not fit their columns.
    fn replaced(&mut self, was: &RecordBatch, fetched: RecordBatch) -> Result<RecordBatch, Error> {
        if *was == fetched {
            return Ok(fetched);
        }
        let row = |row| {
            let (was, fetched) = (was.slice(row, 1), fetched.slice(row, 1));
            if was == fetched {
                return Ok(fetched);
            }
            let kept = keep_valid(&was, &fetched)?;
            self.revised += u64::from(values(&kept) != values(&was));
            Ok(if kept == was { kept } else { self.checked(kept) })
        };
        let rows = (0..fetched.num_rows()).map(row).collect::<Result<Vec<_>, _>>();
        rows.and_then(|rows| concat_batches(fetched.schema_ref(), &rows)).map_err(Error::invalid_input)
    }

    /// Counts new rows. Rows within the range `known` count as filled, all other rows as added.
    fn count(&mut self, times: &[i64], known: &Known) {
        let is_known =
            |time: &&i64| known.as_ref().is_some_and(|known| (known.start..=known.end).contains(&timestamp(**time)));
        let filled = times.iter().filter(is_known).count();
        self.filled += filled as u64;
        self.added += (times.len() - filled) as u64;
    }
}

/// Returns a fetched row in which existing values replace the values that do not fit their columns.
fn keep_valid(was: &RecordBatch, fetched: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let (unknown, schema) = (unknown_fields(fetched, 0), fetched.schema());
    let column = |(index, field): (usize, &FieldRef)| {
        if unknown.get(field.name()).is_some() { was.column(index).clone() } else { fetched.column(index).clone() }
    };
    let columns = schema.fields().iter().enumerate().map(column).collect();
    RecordBatch::try_new(schema.clone(), columns)
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
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Int64Type, TimestampMicrosecondType};
    use arrow_array::{Int64Array, TimestampMicrosecondArray};
    use runtime::Timestamp;

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
        let mut merge = Merge::new(rows(old), Cursor::new(rows(new)).unwrap(), "at", known).unwrap();
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
