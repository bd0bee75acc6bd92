//! A source of rows in order of time, read in batches.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use arrow_select::concat::concat_batches;

use crate::error::Error;
use crate::timestamps::times;

/// Batches of rows in order of time.
pub(crate) type Rows<'r> = Box<dyn Iterator<Item = Result<RecordBatch, Error>> + 'r>;

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
    pub(crate) fn take(&mut self, rows: usize) -> Result<RecordBatch, Error> {
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
    pub(crate) fn until(&mut self, column: &str, time: i64) -> Result<RecordBatch, Error> {
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

    /// The times of the remaining rows of the batch.
    pub(crate) fn times(&self, column: &str) -> Result<&[i64], Error> {
        if self.left() == 0 {
            return Ok(&[]);
        }
        Ok(times(&self.batch, column)?.get(self.next..).unwrap_or_default())
    }

    /// The number of next rows before a time; all rows of the batch if there is no such time.
    pub(crate) fn before(&self, column: &str, time: Option<i64>) -> Result<usize, Error> {
        Ok(self.times(column)?.partition_point(|next| time.is_none_or(|time| *next < time)))
    }
}
