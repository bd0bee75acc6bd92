//! Omits the revisions of merges that did not complete.
//!
//! A merge writes its revisions before its data file. If it is stopped in between, the revisions say that rows were
//! replaced which the data file still has, or which a later merge replaces.

use arrow_array::{Array, RecordBatch};

use crate::error::Error;
use crate::fetched_at::{fetched_times, is_fetched_at};
use crate::revisions::Revision;
use crate::text_writer::Cell;
use crate::timestamps::times;

/// The revisions of merges that completed. All are of one series and in order of time, as are its rows in the file.
///
/// A row that is in the file or in a later revision, although another row of its time has replaced it, was not replaced
/// if there is no trace of that other row. A row that vanished or whose time was corrected may be one of several equal
/// rows, so it is kept.
pub(crate) fn completed(revisions: &[Revision], rows: &RecordBatch, time: &str) -> Result<Vec<Revision>, Error> {
    let times = if rows.num_rows() == 0 { &[] } else { times(rows, time)? };
    let mut all = Vec::with_capacity(revisions.len());
    for of_time in revisions.chunk_by(|one, next| one.time == next.time) {
        let Some(first) = of_time.first() else { continue };
        let start = times.partition_point(|time| *time < first.time);
        let end = times.partition_point(|time| *time <= first.time);
        let visible = VisibleRows::new(rows.slice(start, end - start));
        for revision in of_time {
            let is_in_place = !revision.old.contains_key(time);
            if !is_in_place || visible.have_replaced(revision, of_time) || !visible.repeat(revision, of_time) {
                all.push(revision.clone());
            }
        }
    }
    Ok(all)
}

/// The rows of one time in a file.
struct VisibleRows {
    rows: RecordBatch,
    /// The time at which each was fetched.
    fetched: Vec<Option<i64>>,
}

impl VisibleRows {
    fn new(rows: RecordBatch) -> Self {
        let fetched = match fetched_times(&rows) {
            Some(times) => times.iter().collect(),
            None => vec![None; rows.num_rows()],
        };
        Self { rows, fetched }
    }

    /// `true` if a row was fetched when this row was replaced.
    fn have_replaced(&self, revision: &Revision, of_time: &[Revision]) -> bool {
        let is_later = |fetched: Option<i64>| fetched.is_some() && fetched == revision.replaced_at;
        self.fetched.iter().any(|fetched| is_later(*fetched)) || of_time.iter().any(|other| is_later(other.fetched_at))
    }

    /// `true` if a later revision or a row of the file is the same row.
    fn repeat(&self, revision: &Revision, of_time: &[Revision]) -> bool {
        let is_later = |other: &Revision| {
            other.replaced_at > revision.replaced_at
                && other.fetched_at == revision.fetched_at
                && self.has_same_values(revision, other)
        };
        of_time.iter().any(is_later) || (0..self.rows.num_rows()).any(|row| self.is_row(row, revision))
    }

    fn has_same_values(&self, one: &Revision, other: &Revision) -> bool {
        let schema = self.rows.schema_ref();
        let mut fields = schema.fields().iter().filter(|field| !is_fetched_at(field));
        fields.all(|field| one.value(field.name()) == other.value(field.name()))
    }

    fn is_row(&self, row: usize, revision: &Revision) -> bool {
        if self.fetched.get(row).copied().flatten() != revision.fetched_at {
            return false;
        }
        for (field, column) in self.rows.schema_ref().fields().iter().zip(self.rows.columns()) {
            if is_fetched_at(field) {
                continue;
            }
            let text = column.is_valid(row).then(|| Cell::new(field, column, row).text());
            if text.as_deref() != revision.value(field.name()) {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use arrow_array::{Int64Array, TimestampMicrosecondArray};
    use arrow_schema::{DataType, Field, Schema, TimeUnit};
    use runtime::Timestamp;

    use super::*;
    use crate::fetched_at::{stamped, with_fetched_at};

    const SECOND: i64 = 1_000_000;

    /// The row of the file at second 1, with its value, which was fetched at a second.
    fn row(value: i64, fetched: i64) -> RecordBatch {
        let ty = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
        let schema = Schema::new(vec![Field::new("at", ty, true), Field::new("n", DataType::Int64, true)]);
        let times = TimestampMicrosecondArray::from(vec![SECOND]).with_timezone("UTC");
        let empty = TimestampMicrosecondArray::from(vec![None]).with_timezone("UTC");
        let values = Int64Array::from(vec![value]);
        let columns: Vec<arrow_array::ArrayRef> = vec![Arc::new(times), Arc::new(values), Arc::new(empty)];
        let row = RecordBatch::try_new(with_fetched_at(&schema), columns).unwrap();
        stamped(&row, Timestamp::from_unix_seconds(fetched)).unwrap()
    }

    /// The revision of the row at second 1 that replaced its value.
    fn revision(value: i64, fetched: i64, replaced: i64) -> Revision {
        Revision {
            series: "e".to_owned(),
            time: SECOND,
            fetched_at: Some(fetched * SECOND),
            replaced_at: Some(replaced * SECOND),
            old: BTreeMap::from([("n".to_owned(), Some(value.to_string()))]),
            same: BTreeMap::from([("at".to_owned(), Timestamp::from_unix_seconds(1).to_string())]),
            number: 0,
        }
    }

    #[test]
    fn a_row_that_a_stopped_merge_did_not_replace_is_no_earlier_row() {
        let (stopped, later, next) = (revision(7, 10, 20), revision(7, 10, 30), revision(8, 20, 30));
        let mut vanished = stopped.clone();
        vanished.old.insert("at".to_owned(), vanished.same.get("at").cloned());
        for (revisions, row, expected) in [
            // The file still has the row, or a later merge has replaced it.
            (vec![stopped.clone()], row(7, 10), vec![]),
            (vec![stopped.clone(), later.clone()], row(9, 30), vec![later.clone()]),
            // The merge completed.
            (vec![stopped.clone()], row(8, 20), vec![stopped.clone()]),
            (vec![stopped.clone(), next.clone()], row(9, 30), vec![stopped.clone(), next.clone()]),
            // The row came back later.
            (vec![stopped.clone(), next.clone()], row(7, 30), vec![stopped.clone(), next.clone()]),
            // One of two equal rows has vanished.
            (vec![vanished.clone()], row(7, 10), vec![vanished.clone()]),
        ] {
            assert_eq!(completed(&revisions, &row, "at").unwrap(), expected);
        }
        assert_eq!(completed(&[stopped, later.clone()], &row(0, 0).slice(0, 0), "at").unwrap(), [later]);
    }
}
