//! Merges the rows of one interval of a series: the existing rows with the fetched rows.
//!
//! A row is identified by its time and by the fields that the catalogue declares as the key of the series. Without a
//! key, the fetched rows of a time replace the existing rows of that time together. An existing row whose time was not
//! fetched again is replaced if its time was corrected, or if it was the row of an interval that was still open.

use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;

use crate::error::Error;
use crate::fetched_at::fetched_at_of;
use crate::merge_rows::{RowMerger, has_same_values};
use crate::timestamps::times;

impl RowMerger {
    /// Merges the rows of one interval. The rows of both sources are in order of time.
    pub(crate) fn merge_interval(&mut self, old: &RecordBatch, new: &RecordBatch) -> Result<RecordBatch, Error> {
        if new.num_rows() > 0 {
            self.changes.borrow_mut().note_fetched(new, &self.rules.time)?;
        }
        let old = Row::all(old, &self.rules.time)?;
        let new = Row::all(new, &self.rules.time)?;
        let mut merged = Vec::new();
        let mut left = Vec::new();
        for row in &old {
            if new.iter().all(|new| new.time != row.time) {
                left.push(row.clone());
            }
        }
        let mut added = Vec::new();
        for of_time in new.chunk_by(|one, next| one.time == next.time) {
            let known: Vec<_> = old.iter().filter(|row| row.time == of_time[0].time).cloned().collect();
            if known.is_empty() {
                added.extend_from_slice(of_time);
            } else {
                merged.extend(self.merge_time(known, of_time)?);
            }
        }
        merged.extend(self.replace_corrected(&mut left, &mut added, old.len() == 1)?);
        self.add_rows(&added);
        merged.append(&mut added);
        merged.append(&mut left);
        merged.sort_by_key(|row| row.time);
        Row::joined(&merged)
    }

    /// Removes the existing rows that a fetched row of another time replaces, and returns these fetched rows.
    /// `is_alone` is true if the interval had one row.
    fn replace_corrected(
        &mut self,
        left: &mut Vec<Row>,
        added: &mut Vec<Row>,
        is_alone: bool,
    ) -> Result<Vec<Row>, Error> {
        let mut merged = Vec::new();
        for row in std::mem::take(left) {
            let index = if self.rules.is_fetched(row.time) {
                added.iter().position(|new| self.is_corrected(&row, new, is_alone))
            } else {
                None
            };
            let Some(index) = index else {
                left.push(row);
                continue;
            };
            let new = added.remove(index);
            self.note_revised(&row.row)?;
            self.note_revision(&row.row, Some(&new.row), fetched_at_of(&new.row))?;
            self.changes.borrow_mut().check(&new.row);
            merged.push(new);
        }
        Ok(merged)
    }

    /// `true` if a fetched row is an existing row with another time.
    fn is_corrected(&self, old: &Row, new: &Row, is_alone: bool) -> bool {
        let is_near = is_alone || self.rules.is_correction(old.time, new.time);
        is_near && (self.rules.key.is_empty() || self.is_same_record(old, new))
    }

    /// Merges the rows of one time.
    fn merge_time(&mut self, mut known: Vec<Row>, new: &[Row]) -> Result<Vec<Row>, Error> {
        if let ([old], [new]) = (known.as_slice(), new)
            && self.rules.key.is_empty()
        {
            return Ok(vec![Row { time: new.time, row: self.replace_row(&old.row, &new.row)? }]);
        }
        let mut merged = Vec::with_capacity(new.len());
        let mut unmatched = Vec::new();
        for new in new {
            match known.iter().position(|old| self.is_same_record(old, new)) {
                Some(index) => {
                    let old = known.remove(index);
                    merged.push(Row { time: new.time, row: self.replace_row(&old.row, &new.row)? });
                }
                None => unmatched.push(new.clone()),
            }
        }
        if !self.rules.key.is_empty() {
            self.add_rows(&unmatched);
            merged.append(&mut unmatched);
            merged.append(&mut known);
            return Ok(merged);
        }
        // The group is replaced as a whole.
        let replaced = known.len().min(unmatched.len());
        let replaced_at = new.iter().filter_map(|row| fetched_at_of(&row.row)).max();
        for (index, row) in known.iter().enumerate() {
            let new = unmatched.get(index).map(|new| &new.row);
            self.note_revised(&row.row)?;
            self.note_revision(&row.row, new, replaced_at)?;
        }
        for row in &unmatched[..replaced] {
            self.changes.borrow_mut().check(&row.row);
        }
        self.add_rows(&unmatched[replaced..]);
        merged.append(&mut unmatched);
        Ok(merged)
    }

    /// `true` if two rows of one time are the same record: by the key or, without a key, by all values.
    fn is_same_record(&self, one: &Row, other: &Row) -> bool {
        if self.rules.key.is_empty() {
            return has_same_values(&one.row, &other.row);
        }
        self.rules.key.iter().all(|name| one.row.column_by_name(name) == other.row.column_by_name(name))
    }

    /// Counts new rows.
    fn add_rows(&mut self, rows: &[Row]) {
        for row in rows {
            self.count_new(&[row.time]);
            self.changes.borrow_mut().check(&row.row);
        }
    }
}

/// A row and its time.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    time: i64,
    pub(crate) row: RecordBatch,
}

impl Row {
    fn all(rows: &RecordBatch, time: &str) -> Result<Vec<Self>, Error> {
        let times = if rows.num_rows() == 0 { &[] } else { times(rows, time)? };
        let mut all = Vec::with_capacity(times.len());
        for (index, time) in times.iter().enumerate() {
            all.push(Self { time: *time, row: rows.slice(index, 1) });
        }
        Ok(all)
    }

    fn joined(rows: &[Self]) -> Result<RecordBatch, Error> {
        let Some(first) = rows.first() else {
            return Err(Error::invalid_input("an interval without rows"));
        };
        concat_batches(first.row.schema_ref(), rows.iter().map(|row| &row.row)).map_err(Error::invalid_input)
    }
}
