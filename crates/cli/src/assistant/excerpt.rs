//! The first and the last rows of a file, for an answer.

use std::collections::VecDeque;

use dataset::{RecordBatch, TextWriter};

use super::answer::compact_csv;
use crate::failure::{Failure, Result};

/// Keeps the first and the last rows of those that are added.
#[derive(Debug, Default)]
pub(crate) struct Excerpt {
    max_first: usize,
    max_last: usize,
    first: Vec<RecordBatch>,
    first_count: usize,
    /// Rows after the first ones.
    last: VecDeque<RecordBatch>,
    last_count: usize,
    pub(crate) count: usize,
}

impl Excerpt {
    pub(crate) fn new(max_first: usize, max_last: usize) -> Self {
        Self { max_first, max_last, ..Self::default() }
    }

    pub(crate) fn add(&mut self, batch: &RecordBatch) {
        self.count += batch.num_rows();
        let missing = (self.max_first - self.first_count).min(batch.num_rows());
        if missing > 0 {
            self.first.push(batch.slice(0, missing));
            self.first_count += missing;
        }
        let rest = batch.num_rows() - missing;
        let kept = rest.min(self.max_last);
        if kept > 0 {
            self.last.push_back(batch.slice(batch.num_rows() - kept, kept));
            self.last_count += kept;
        }
        while let Some(oldest) = self.last.front()
            && self.last_count > self.max_last
        {
            let surplus = (self.last_count - self.max_last).min(oldest.num_rows());
            let rest = oldest.slice(surplus, oldest.num_rows() - surplus);
            self.last.pop_front();
            self.last_count -= surplus;
            if rest.num_rows() > 0 {
                self.last.push_front(rest);
            }
        }
    }

    /// The rows as CSV, without the time at which each was fetched.
    pub(crate) fn csv(excerpts: &[Self]) -> Result<String> {
        let mut writer = TextWriter::csv(Vec::new());
        for excerpt in excerpts {
            for batch in excerpt.first.iter().chain(&excerpt.last) {
                // The last column of every file has that time.
                let columns: Vec<usize> = (0..batch.num_columns().saturating_sub(1)).collect();
                let rows = batch.project(&columns).map_err(Failure::machine)?;
                writer.write(&rows).map_err(Failure::machine)?;
            }
        }
        compact_csv(&writer.into_inner().map_err(Failure::machine)?)
    }
}
