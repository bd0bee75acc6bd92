//! The rows of one series out of several sources, in order of time.
//!
//! Sources whose rows are in order come in, batches in order go out. Sources follow each other as a rule; one that
//! fills a gap of another lies within it. Of two rows of one time the first stays, so no time comes twice.

use std::ops::Range;

use arrow_array::RecordBatch;
use runtime::Timestamp;

use super::Inputs;
use crate::coverage::Coverage;
use crate::error::Error;
use crate::layout;
use crate::parquet_file::{Batches, ParquetInput};

/// The rows of a series.
pub(super) struct Merge {
    /// The column of the time.
    time: String,
    /// Parts that no row was taken of yet, the last first.
    waiting: Vec<(Range<Timestamp>, String)>,
    open: Vec<Source>,
    /// The time of the last row that was given.
    last: Option<Timestamp>,
}

/// A source with rows that are still to come.
struct Source {
    reader: Batches,
    batch: RecordBatch,
    /// How many rows of the batch were taken.
    taken: usize,
    /// The time of the next row.
    head: Timestamp,
    /// Where its rows are left out.
    replaced: Coverage,
}

impl Merge {
    pub(super) fn new(time: &str) -> Self {
        Self { time: time.to_owned(), waiting: Vec::new(), open: Vec::new(), last: None }
    }

    /// Adds `rows` rows of a file, from `skip` on, without those of the replaced ranges.
    pub(super) fn add_base(
        &mut self,
        input: ParquetInput<std::fs::File>,
        skip: usize,
        rows: usize,
        replaced: Coverage,
    ) -> Result<(), Error> {
        self.open(input.batches(skip, rows)?, replaced)
    }

    /// Adds a part.
    pub(super) fn add_part(&mut self, path: String) {
        let Some(range) = layout::read_part(&path).or_else(|| layout::read_open_part(&path)) else { return };
        let index = self.waiting.partition_point(|(other, _)| other.start > range.start);
        self.waiting.insert(index, (range, path));
    }

    /// The next rows.
    pub(super) fn next(&mut self, inputs: &Inputs<'_>) -> Result<Option<RecordBatch>, Error> {
        loop {
            self.open_due(inputs)?;
            let Some((index, _)) = self.open.iter().enumerate().min_by_key(|(_, source)| source.head) else {
                return Ok(None);
            };
            let others =
                self.open.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, source)| source.head);
            let waiting = self.waiting.last().map(|(range, _)| range.start);
            let until = others.chain(waiting).min();
            let Some(rows) = self.take(index, until)? else { continue };
            return Ok(Some(rows));
        }
    }

    /// Opens every part that may have the next row.
    fn open_due(&mut self, inputs: &Inputs<'_>) -> Result<(), Error> {
        loop {
            let head = self.open.iter().map(|source| source.head).min();
            let is_due = |(range, _): &mut (Range<Timestamp>, String)| head.is_none_or(|head| range.start <= head);
            let Some((_, path)) = self.waiting.pop_if(is_due) else { return Ok(()) };
            let input = inputs.part(&path)?;
            let rows = input.rows();
            self.open(input.batches(0, rows)?, Coverage::default())?;
        }
    }

    fn open(&mut self, reader: Batches, replaced: Coverage) -> Result<(), Error> {
        self.open.extend(self.advanced(reader, replaced)?);
        Ok(())
    }

    /// A source at its next batch; `None` after the last.
    fn advanced(&self, mut reader: Batches, replaced: Coverage) -> Result<Option<Source>, Error> {
        for batch in reader.by_ref() {
            let batch = batch?;
            if batch.num_rows() > 0 {
                let head = reader.times(&batch, &self.time)?.get(0);
                return Ok(Some(Source { reader, batch, taken: 0, head, replaced }));
            }
        }
        Ok(None)
    }

    /// Takes the rows of a source that come before a point in time; `None` if all of them were given before or are left
    /// out.
    fn take(&mut self, index: usize, until: Option<Timestamp>) -> Result<Option<RecordBatch>, Error> {
        let mut source = self.open.swap_remove(index);
        let times = source.reader.times(&source.batch, &self.time)?;
        let doubled = self.last.map_or(0, |last| times.before(source.taken, last + std::time::Duration::from_nanos(1)));
        let left = source.batch.num_rows() - source.taken;
        // At least the row that is due; another source may have one of the same time.
        let mut due = until.map_or(left, |until| times.before(source.taken, until).max(1));
        if let Some(range) = source.replaced.ranges().iter().find(|range| range.end > source.head) {
            if range.start <= source.head {
                source.taken += times.before(source.taken, range.end);
                self.go_on(source)?;
                return Ok(None);
            }
            due = due.min(times.before(source.taken, range.start));
        }
        let rows = source.batch.slice(source.taken + doubled.min(due), due.saturating_sub(doubled));
        source.taken += due;
        let last = times.get(source.taken - 1);
        self.last = Some(self.last.map_or(last, |known| known.max(last)));
        self.go_on(source)?;
        Ok((rows.num_rows() > 0).then_some(rows))
    }

    /// Puts a source back, at its next row.
    fn go_on(&mut self, mut source: Source) -> Result<(), Error> {
        if source.taken == source.batch.num_rows() {
            return self.open(source.reader, source.replaced);
        }
        source.head = source.reader.times(&source.batch, &self.time)?.get(source.taken);
        self.open.push(source);
        Ok(())
    }
}
