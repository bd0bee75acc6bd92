//! Merges the fetched rows of a series with the existing rows.
//!
//! Both sources are in order of time and have the same columns. The output is batches in order of time. A fetched row
//! replaces the existing row of the same time, but a null or a missing field does not replace a value. Every value that is
//! replaced is passed on as a revision.

use arrow_array::{Array, RecordBatch};
use arrow_select::concat::concat_batches;

use crate::changes::SharedChanges;
use crate::column_names::UNKNOWN_FIELDS;
use crate::cursor::{Cursor, Rows};
use crate::error::Error;
use crate::fetched_at::{fetched_at_of, is_fetched_at};
use crate::merge_rules::MergeRules;
use crate::revisions::Revision;
use crate::timestamps::{range_of, times, timestamp};
use crate::unknown_values::{has_other_value, is_object, object, unknown_fields, unknown_names};

/// Merges two sources of rows of a series. The rows of both sources have the same columns.
pub(crate) struct MergedRows<'o, 'n> {
    old: Cursor<'o>,
    new: Cursor<'n>,
    pub(crate) merger: RowMerger,
}

/// Merges rows of a series, and counts the changes.
pub(crate) struct RowMerger {
    pub(crate) rules: MergeRules,
    pub(crate) changes: SharedChanges,
}

impl<'o, 'n> MergedRows<'o, 'n> {
    /// Creates the merge of the rows of a series.
    pub(crate) fn new(
        old: Rows<'o>,
        new: Cursor<'n>,
        rules: MergeRules,
        changes: SharedChanges,
    ) -> Result<Self, Error> {
        Ok(Self { old: Cursor::new(old)?, new, merger: RowMerger { rules, changes } })
    }

    /// The next rows; `None` at the end.
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
            self.merger.note_added(&rows)?;
            return Ok(Some(rows));
        }
        let (Some(next_old), Some(next_new)) = (next_old, next_new) else { return Ok(None) };
        let single = rules.count_single(self.old.times(&rules.time)?, self.new.times(&rules.time)?);
        if single > 0 {
            let old = self.old.take(single)?;
            let new = self.new.take(single)?;
            return self.merger.replace_rows(&old, &new).map(Some);
        }
        let end = rules.end(next_old.min(next_new));
        let old = self.old.until(&rules.time, end)?;
        let new = self.new.until(&rules.time, end)?;
        self.merger.merge_interval(&old, &new).map(Some)
    }
}

impl RowMerger {
    /// Counts new rows.
    fn note_added(&mut self, rows: &RecordBatch) -> Result<(), Error> {
        self.count_new(times(rows, &self.rules.time)?);
        let mut changes = self.changes.borrow_mut();
        changes.note_fetched(rows, &self.rules.time)?;
        changes.check(rows);
        Ok(())
    }

    /// Counts new rows by their times.
    pub(crate) fn count_new(&self, times: &[i64]) {
        let mut changes = self.changes.borrow_mut();
        changes.count(times, self.rules.ranges.existing.as_ref());
        changes.note_found(times, &self.rules.ranges.lost);
    }

    /// The rows that replace rows of the same times.
    fn replace_rows(&mut self, old: &RecordBatch, new: &RecordBatch) -> Result<RecordBatch, Error> {
        self.changes.borrow_mut().note_fetched(new, &self.rules.time)?;
        if has_same_values(old, new) {
            return Ok(old.clone());
        }
        let mut merged = Vec::with_capacity(new.num_rows());
        for row in 0..new.num_rows() {
            merged.push(self.replace_row(&old.slice(row, 1), &new.slice(row, 1))?);
        }
        concat_batches(new.schema_ref(), &merged).map_err(Error::invalid_input)
    }

    /// The row that replaces a row. The row keeps the time at which it was fetched if no value changes.
    pub(crate) fn replace_row(&mut self, old: &RecordBatch, new: &RecordBatch) -> Result<RecordBatch, Error> {
        if has_same_values(old, new) {
            return Ok(old.clone());
        }
        let merged = self.changes.borrow_mut().merged_row(old, new)?;
        if has_same_values(old, &merged) {
            return Ok(old.clone());
        }
        if is_revised(old, &merged) {
            self.note_revised(old)?;
        } else if is_completed(old, &merged) {
            self.changes.borrow_mut().completed += 1;
        }
        self.note_revision(old, Some(&merged), fetched_at_of(new))?;
        self.changes.borrow_mut().check(&merged);
        Ok(merged)
    }

    /// Counts a row whose values were replaced.
    pub(crate) fn note_revised(&mut self, old: &RecordBatch) -> Result<(), Error> {
        let time = times(old, &self.rules.time)?.first().copied().unwrap_or_default();
        let mut changes = self.changes.borrow_mut();
        changes.revised += 1;
        changes.revised_times.add(range_of(timestamp(time), self.rules.interval));
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

impl Iterator for MergedRows<'_, '_> {
    type Item = Result<RecordBatch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}

/// `true` if the rows of two batches have the same values, whenever they were fetched.
pub(crate) fn has_same_values(old: &RecordBatch, new: &RecordBatch) -> bool {
    for (index, field) in old.schema_ref().fields().iter().enumerate() {
        if !is_fetched_at(field) && old.column(index) != new.column(index) {
            return false;
        }
    }
    true
}

/// `true` if a value of a row was replaced by another value, rather than added.
fn is_revised(old: &RecordBatch, new: &RecordBatch) -> bool {
    let invalid = unknown_fields(old, 0);
    for (index, field) in old.schema_ref().fields().iter().enumerate() {
        let was = old.column(index);
        let is = new.column(index);
        if is_fetched_at(field) || was == is {
            continue;
        }
        let is_revised = if is_object(field) {
            let is_unknown = field.name() == UNKNOWN_FIELDS;
            has_other_value(&object(was), &object(is), |name| is_unknown && old.schema_ref().index_of(name).is_ok())
        } else {
            was.is_valid(0) || invalid.get(field.name()).is_some_and(|value| !value.is_null())
        };
        if is_revised {
            return true;
        }
    }
    false
}

/// `true` if a row got a value that it did not have. A value that does not fit its column is none.
fn is_completed(old: &RecordBatch, new: &RecordBatch) -> bool {
    for (index, field) in old.schema_ref().fields().iter().enumerate() {
        if field.name() != UNKNOWN_FIELDS && !is_fetched_at(field) && old.column(index) != new.column(index) {
            return true;
        }
    }
    unknown_names(old, 0) != unknown_names(new, 0)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::changes::Changes;
    use crate::merge_rules::MergeRanges;
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
        let existing = all
            .first()
            .zip(all.last())
            .map(|(first, last)| Timestamp::from_unix_seconds(first.0)..Timestamp::from_unix_seconds(last.0));
        let mut merged = Vec::new();
        let step = std::time::Duration::from_secs(1);
        let ranges = MergeRanges { existing, ..MergeRanges::default() };
        let rules = MergeRules { time: "at".to_owned(), interval: step.into(), ranges, ..MergeRules::default() };
        let all_changes = SharedChanges::default();
        let all_merged =
            MergedRows::new(rows(old), Cursor::new(rows(new)).unwrap(), rules, all_changes.clone()).unwrap();
        for batch in all_merged.map(Result::unwrap) {
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
