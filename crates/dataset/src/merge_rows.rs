//! Merges the fetched rows of a series with the existing rows.
//!
//! Both sources are in order of time and have the same columns. The output is batches in order of time. A fetched row
//! replaces the existing row of the same time, but a null or a missing field does not replace a value. Every value that is
//! replaced is passed on as a revision.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_schema::{Field, Schema};
use arrow_select::concat::concat_batches;
use runtime::Value;
use runtime::history::interval_start;
use serde_json::value::RawValue;

use crate::error::Error;
use crate::fetched_at::{fetched_at_of, is_fetched_at};
use crate::merge_rules::MergeRules;
use crate::revisions::Revision;
use crate::saved_state::Known;
use crate::table_schema::{RECORD, UNKNOWN_FIELDS, is_json};
use crate::time_ranges::TimeRanges;
use crate::timestamps::{times, timestamp};
use crate::value_ranges::out_of_range;

/// Batches of rows in order of time.
pub(crate) type Rows<'r> = Box<dyn Iterator<Item = Result<RecordBatch, Error>> + 'r>;

/// The changes that a merge makes to the rows of a series.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// Number of new rows before the first existing row or after the last.
    pub(crate) added: u64,
    /// Number of new rows between existing rows.
    pub(crate) filled: u64,
    /// Number of existing rows whose values changed. A row is not counted if its new value does not fit the column, if it
    /// had no value before, or if the new row has no value.
    pub(crate) revised: u64,
    /// The intervals of these rows.
    pub(crate) revised_times: TimeRanges,
    /// Number of new and changed rows with a value that does not fit its column.
    pub(crate) invalid: u64,
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
}

/// The values of a field in fetched rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FieldChanges {
    /// Number of values.
    pub(crate) sent: u64,
    /// Number of existing values that were kept because the fetched row has none.
    pub(crate) kept: u64,
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

    /// Returns and consumes the next rows before a time, of all batches.
    fn until(&mut self, column: &str, time: i64) -> Result<RecordBatch, Error> {
        let mut parts = Vec::new();
        loop {
            let count = self.before(column, Some(time))?;
            if count == 0 {
                break;
            }
            parts.push(self.take(count)?);
        }
        match parts.as_slice() {
            [] => Ok(RecordBatch::new_empty(self.batch.schema())),
            [one] => Ok(one.clone()),
            [first, ..] => concat_batches(first.schema_ref(), &parts).map_err(Error::invalid_input),
        }
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
    pub(crate) merger: RowMerger,
}

/// Merges rows of a series, and counts the changes.
pub(crate) struct RowMerger {
    pub(crate) rules: MergeRules,
    pub(crate) changes: SharedChanges,
}

/// The changes of several merges that follow each other.
pub(crate) type SharedChanges = Rc<RefCell<Changes>>;

impl<'o, 'n> Merge<'o, 'n> {
    /// Creates the merge of the rows of a series.
    pub(crate) fn new(
        old: Rows<'o>,
        new: Cursor<'n>,
        rules: MergeRules,
        changes: SharedChanges,
    ) -> Result<Self, Error> {
        Ok(Self { old: Cursor::new(old)?, new, merger: RowMerger { rules, changes } })
    }

    /// Returns the next rows; `None` at the end.
    fn step(&mut self) -> Result<Option<RecordBatch>, Error> {
        let rules = &self.merger.rules;
        let next_old = self.old.times(&rules.time)?.first().copied();
        let next_new = self.new.times(&rules.time)?.first().copied();
        let kept = self.old.before(&rules.time, next_new.map(|time| rules.start(time)))?;
        if kept > 0 {
            return self.old.take(kept).map(Some);
        }
        let added = self.new.before(&rules.time, next_old.map(|time| rules.start(time)))?;
        if added > 0 {
            let rows = self.new.take(added)?;
            self.merger.add(&rows)?;
            return Ok(Some(rows));
        }
        let (Some(next_old), Some(next_new)) = (next_old, next_new) else { return Ok(None) };
        let single = rules.single(self.old.times(&rules.time)?, self.new.times(&rules.time)?);
        if single > 0 {
            let old = self.old.take(single)?;
            let new = self.new.take(single)?;
            return self.merger.replaced(&old, &new).map(Some);
        }
        let end = rules.end(next_old.min(next_new));
        let old = self.old.until(&rules.time, end)?;
        let new = self.new.until(&rules.time, end)?;
        self.merger.merge_interval(&old, &new).map(Some)
    }
}

impl RowMerger {
    /// Counts new rows.
    fn add(&mut self, rows: &RecordBatch) -> Result<(), Error> {
        let mut changes = self.changes.borrow_mut();
        changes.count(times(rows, &self.rules.time)?, &self.rules.known);
        changes.note_fetched(rows, &self.rules.time)?;
        changes.check(rows);
        Ok(())
    }

    /// Returns the rows that replace rows of the same times.
    fn replaced(&mut self, old: &RecordBatch, new: &RecordBatch) -> Result<RecordBatch, Error> {
        self.changes.borrow_mut().note_fetched(new, &self.rules.time)?;
        if has_same_values(old, new) {
            return Ok(old.clone());
        }
        let mut merged = Vec::with_capacity(new.num_rows());
        for row in 0..new.num_rows() {
            merged.push(self.replaced_row(&old.slice(row, 1), &new.slice(row, 1))?);
        }
        concat_batches(new.schema_ref(), &merged).map_err(Error::invalid_input)
    }

    /// Returns the row that replaces a row. The row keeps the time at which it was fetched if no value changes.
    pub(crate) fn replaced_row(&mut self, old: &RecordBatch, new: &RecordBatch) -> Result<RecordBatch, Error> {
        if has_same_values(old, new) {
            return Ok(old.clone());
        }
        let merged = self.changes.borrow_mut().merged_row(old, new)?;
        if has_same_values(old, &merged) {
            return Ok(old.clone());
        }
        if is_revised(old, &merged) {
            self.note_revised(old)?;
        }
        self.note_revision(old, Some(&merged), fetched_at_of(new))?;
        self.changes.borrow_mut().check(&merged);
        Ok(merged)
    }

    /// Counts a row whose values were replaced.
    pub(crate) fn note_revised(&mut self, old: &RecordBatch) -> Result<(), Error> {
        let time = times(old, &self.rules.time)?.first().copied().unwrap_or_default();
        let start = interval_start(timestamp(time), self.rules.step);
        let mut changes = self.changes.borrow_mut();
        changes.revised += 1;
        changes.revised_times.add(start..start + self.rules.step);
        Ok(())
    }

    /// Passes on a row that another row has replaced at a time in microseconds, or that a group of rows without it has
    /// replaced.
    pub(crate) fn note_revision(
        &mut self,
        old: &RecordBatch,
        new: Option<&RecordBatch>,
        replaced_at: Option<i64>,
    ) -> Result<(), Error> {
        let time = times(old, &self.rules.time)?.first().copied().unwrap_or_default();
        self.rules.revisions.push(Revision::of_row(&self.rules.path, time, old, new, replaced_at))
    }
}

impl MergeRules {
    /// Returns the number of next rows of both sources that have the same times, each alone in its interval. The last
    /// row of a batch is not counted, because the next batch may have rows of the same interval.
    fn single(&self, old: &[i64], new: &[i64]) -> usize {
        // Rows of one time may be different records.
        if !self.key.is_empty() {
            return 0;
        }
        let mut count = 0;
        while let (Some([was, next_old]), Some([is, next_new])) = (old.get(count..count + 2), new.get(count..count + 2))
        {
            let end = self.end(*was);
            if was != is || *next_old < end || *next_new < end {
                break;
            }
            count += 1;
        }
        count
    }
}

impl Iterator for Merge<'_, '_> {
    type Item = Result<RecordBatch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}

impl Changes {
    /// Counts the rows of a batch of new or revised rows that do not fit the catalogue.
    pub(crate) fn check(&mut self, rows: &RecordBatch) {
        self.invalid += invalid(rows, rows.schema_ref()).filter(|is| *is).count() as u64;
        self.out_of_range += out_of_range(rows).len() as u64;
    }

    /// Counts the values of fetched rows, and notes their unknown fields. A response rarely has rows with different
    /// fields, so the first row and the last row are enough.
    pub(crate) fn note_fetched(&mut self, rows: &RecordBatch, time: &str) -> Result<(), Error> {
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
            }
        }
        for row in [0, rows.num_rows().saturating_sub(1)] {
            self.unknown.extend(unknown_names(rows, row));
        }
        Ok(())
    }

    /// Returns the noted fields that are not in the catalogue and that no earlier row had.
    pub(crate) fn new_unknown(&self, seen: &BTreeSet<String>) -> BTreeSet<String> {
        let is_new = |name: &&String| !seen.contains(*name) && !self.known_unknown.contains(*name);
        self.unknown.iter().filter(is_new).cloned().collect()
    }

    /// Returns the columns that have a value in a fetched row, and the noted unknown fields.
    pub(crate) fn sent(&self) -> impl Iterator<Item = String> {
        let fields = self.fields.iter().filter(|(_, field)| field.sent > 0 || field.kept > 0);
        fields.map(|(name, _)| name).chain(&self.unknown).chain(&self.known_unknown).cloned()
    }

    /// Returns the number of existing values that were kept because the service no longer sends them.
    pub(crate) fn kept(&self) -> u64 {
        self.fields.values().map(|field| field.kept).sum()
    }

    /// Merges two rows of the same time. Existing values replace values that do not fit their columns, and nulls.
    fn merged_row(&mut self, old: &RecordBatch, new: &RecordBatch) -> Result<RecordBatch, Error> {
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

    /// Counts new rows. Rows within the range `known` count as filled, all other rows as added.
    pub(crate) fn count(&mut self, times: &[i64], known: &Known) {
        let is_known =
            |time: &&i64| known.as_ref().is_some_and(|known| (known.start..=known.end).contains(&timestamp(**time)));
        let filled = times.iter().filter(is_known).count();
        self.filled += filled as u64;
        self.added += (times.len() - filled) as u64;
    }
}

/// Returns whether the rows of two batches have the same values, whenever they were fetched.
pub(crate) fn has_same_values(old: &RecordBatch, new: &RecordBatch) -> bool {
    let columns = old.schema_ref().fields().iter().zip(old.columns()).zip(new.columns());
    columns.into_iter().all(|((field, was), is)| is_fetched_at(field) || was == is)
}

/// Returns whether a value of a row was replaced by another value, rather than added.
fn is_revised(old: &RecordBatch, new: &RecordBatch) -> bool {
    let invalid = unknown_fields(old, 0);
    for (index, field) in old.schema_ref().fields().iter().enumerate() {
        let was = old.column(index);
        let is = new.column(index);
        if is_fetched_at(field) || was == is {
            continue;
        }
        let is_revised = if is_object(field) {
            let is_column = |name: &str| field.name() == UNKNOWN_FIELDS && old.schema_ref().index_of(name).is_ok();
            has_other_value(&object(was), &object(is), is_column)
        } else {
            was.is_valid(0) || invalid.get(field.name()).is_some_and(|value| !value.is_null())
        };
        if is_revised {
            return true;
        }
    }
    false
}

/// A JSON object whose values are as the service wrote them.
type Object = BTreeMap<String, Box<RawValue>>;

/// Returns whether a column has the fields of a record: those that are not in the catalogue, or all of them.
fn is_object(field: &Field) -> bool {
    field.name() == UNKNOWN_FIELDS || field.name() == RECORD && is_json(field)
}

/// Returns the object in the first row of a column.
fn object(column: &ArrayRef) -> Object {
    let Some(texts) = column.as_string_opt::<i32>().filter(|texts| texts.is_valid(0)) else { return Object::new() };
    serde_json::from_str(texts.value(0)).unwrap_or_default()
}

/// Returns whether a field that is not a column has another value in the second object.
fn has_other_value(old: &Object, new: &Object, is_column: impl Fn(&str) -> bool) -> bool {
    let mut common = old.iter().filter(|(name, _)| !is_column(name));
    common.any(|(name, was)| new.get(name).is_some_and(|is| was.get() != "null" && is.get() != was.get()))
}

/// Adds the fields of an old object that the new object lacks, unless they have a column of their own. The text of the
/// new object is not changed otherwise.
fn merged_object(old: &ArrayRef, new: &ArrayRef, is_column: impl Fn(&str) -> bool) -> ArrayRef {
    let is = object(new);
    let mut missing = object(old);
    missing.retain(|name, value| {
        let is_absent = is.get(name).is_none_or(|value| value.get() == "null");
        is_absent && value.get() != "null" && !is_column(name)
    });
    if missing.is_empty() {
        return new.clone();
    }
    let mut all = is;
    all.extend(missing);
    if has_same_fields(&object(old), &all) {
        return old.clone();
    }
    let text = serde_json::to_string(&all).ok();
    Arc::new(StringArray::from(vec![text]))
}

fn has_same_fields(old: &Object, new: &Object) -> bool {
    let mut fields = old.iter().map(|(name, value)| (name, value.get()));
    old.len() == new.len() && fields.all(|(name, value)| new.get(name).is_some_and(|other| other.get() == value))
}

/// Returns the names of the unknown fields of a row that have a value and no column of their own.
fn unknown_names(rows: &RecordBatch, row: usize) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    if row < rows.num_rows() {
        for (name, value) in unknown_fields(rows, row).as_object().into_iter().flatten() {
            if !value.is_null() && rows.schema_ref().index_of(name).is_err() {
                names.insert(name.clone());
            }
        }
    }
    names
}

/// Returns the unknown fields of a row, as a JSON object or null.
fn unknown_fields(rows: &RecordBatch, row: usize) -> Value {
    let column = rows.column_by_name(UNKNOWN_FIELDS).and_then(|column| column.as_string_opt::<i32>());
    let text = column.filter(|column| column.is_valid(row)).map(|column| column.value(row));
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

/// Returns for each row whether a value did not fit its column. Such a value is among the unknown fields, under the
/// name of the column. `schema` has all columns of the file; the rows may have only some of these columns.
pub(crate) fn invalid<'r>(rows: &'r RecordBatch, schema: &'r Schema) -> impl Iterator<Item = bool> + 'r {
    // Fast path: few rows have unknown fields, and reading them takes longer than writing the row.
    let column = rows.column_by_name(UNKNOWN_FIELDS);
    (0..rows.num_rows()).map(move |row| {
        if column.is_none_or(|column| column.is_null(row)) {
            return false;
        }
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
        let step = std::time::Duration::from_secs(1);
        let rules = MergeRules { time: "at".to_owned(), step, known, ..MergeRules::default() };
        let all_changes = SharedChanges::default();
        let merge = Merge::new(rows(old), Cursor::new(rows(new)).unwrap(), rules, all_changes.clone()).unwrap();
        for batch in merge.map(Result::unwrap) {
            let times = batch.column(0).as_primitive::<TimestampMicrosecondType>().values();
            let values = batch.column(1).as_primitive::<Int64Type>().values();
            merged.extend(times.iter().map(|time| time / 1_000_000).zip(values.iter().copied()));
        }
        let Changes { added, filled, revised, .. } = all_changes.take();
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
