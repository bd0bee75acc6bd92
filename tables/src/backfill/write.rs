//! Writes the rows of a run: collects the rows of a partition, and merges them with the file of the partition.

use arrow_array::RecordBatch;
use runtime::history::Page;
use runtime::record::AnyRecord;

use super::event::BackfillEvent;
use super::plan::SeriesPlan;
use super::run::Run;
use super::unwritten_rows::UnwrittenRows;
use crate::columns::Columns;
use crate::error::Error;
use crate::existing_content::Inventory;
use crate::merge_rows::{self, Rows};
use crate::parquet_file::{ParquetFile, ParquetInput};
use crate::series_columns::SeriesColumns;
use crate::table_schema::TableSchema;
use crate::timestamps::Timestamps;

/// Maximum number of stored checksums of dropped records per series. Every later run reports the dropped records beyond
/// this number again.
const MAX_DROPPED: usize = 1000;

impl<W: FnMut(&BackfillEvent)> Run<'_, W> {
    /// Rewrites the files of series whose table now has wider types or more columns, so that all files of a series have
    /// the same columns.
    pub(super) async fn widen(&mut self, planned: &[(SeriesPlan, Inventory)]) -> Result<(), Error> {
        let planned = if self.content.single.is_none() { planned } else { &[] };
        for (index, (_, found)) in planned.iter().enumerate() {
            let Some((series, one)) = self.series(index) else { continue };
            let (Some(schema), Some(table)) = (&found.schema, TableSchema::for_endpoint(series.endpoint())) else {
                continue;
            };
            let has_changed = table.schema().fields().iter().any(|field| {
                schema.field_with_name(field.name()).map_or(true, |known| known.data_type() != field.data_type())
            });
            // A run rewrites the files if the columns of the newest file differ from the current columns. That file is
            // rewritten last, so if this run is killed before that, the next run starts the rewrite again.
            let partitions: Vec<_> = one.state.rows.keys().filter(|_| has_changed).cloned().collect();
            for partition in partitions {
                self.rewrite(index, &partition, vec![RecordBatch::new_empty(table.schema())]).await?;
            }
        }
        Ok(())
    }

    /// Adds the ranges that are about to be requested to the state of each series. A file does not show which records
    /// before its first record are missing, so a state with such ranges is written before the first request.
    pub(super) async fn note_planned(&mut self, planned: &[(SeriesPlan, Inventory)]) -> Result<(), Error> {
        for (index, (plan, _)) in planned.iter().enumerate() {
            let Some((_, one)) = self.series(index) else { continue };
            one.state.unfetched.extend(&plan.unsettled.iter().cloned().collect());
            let first = one.state.first;
            if one.state.unfetched().ranges().iter().any(|range| first.is_none_or(|first| range.start < first)) {
                self.put_state(index).await?;
            }
        }
        Ok(())
    }

    async fn begin(&mut self) -> Result<(), Error> {
        if std::mem::replace(&mut self.has_begun, true) { Ok(()) } else { self.content.begin(None).await }
    }

    /// Writes the state of a series if it has changed.
    pub(super) async fn put_state(&mut self, index: usize) -> Result<(), Error> {
        if self.series.get(index).is_none_or(|one| one.state == one.stored) {
            return Ok(());
        }
        self.begin().await?;
        let content = self.content;
        let Some(one) = self.series.get_mut(index) else { return Ok(()) };
        one.stored = one.state.clone();
        content.put_state(&one.state).await
    }

    /// Adds the rows of a page to the unwritten rows. When a row of another partition follows, the unwritten rows are
    /// written first, because they must all be of one partition.
    pub(super) async fn add(
        &mut self,
        index: usize,
        unwritten: &mut UnwrittenRows,
        page: &Page<AnyRecord>,
    ) -> Result<(), Error> {
        let Some(series) = self.job.series.get(index) else { return Ok(()) };
        let times: Vec<_> = page.times.iter().copied().map(Some).collect();
        let batch = match self.content.single {
            Some(_) => SeriesColumns::new(series).batch(&page.records, &times)?,
            None => TableSchema::of_series(series).batch(&page.records, &times)?,
        };
        let (mut from, partition) = (0, self.content.head.partition);
        while let Some(first) = page.times.get(from) {
            if unwritten.is_other(*first) {
                self.flush(index, unwritten).await?;
            }
            let end = partition.end(*first);
            let rows = page.times.get(from..).unwrap_or_default().partition_point(|time| *time < end);
            unwritten.add(partition, *first, batch.slice(from, rows));
            from += rows;
        }
        unwritten.fetched.add(page.range.clone());
        Ok(())
    }

    /// Writes the fetched rows of a range, and the state of its series.
    pub(super) async fn flush(&mut self, index: usize, unwritten: &mut UnwrittenRows) -> Result<(), Error> {
        let refetch = self.job.refetch;
        if let Some((partition, batches)) = unwritten.take() {
            self.rewrite(index, &partition, batches).await?;
        }
        let Some((_, one)) = self.series(index) else { return Ok(()) };
        let fetched = std::mem::take(&mut unwritten.fetched);
        fetched.ranges().iter().for_each(|range| one.state.unfetched.remove(range));
        one.written.extend(&fetched);
        // Dropped records count as gaps, so later runs fetch them again. Their checksums are stored so that no later
        // run reports them again.
        let dropped = std::mem::take(&mut one.dropped);
        one.report.dropped += u64::try_from(dropped.len()).unwrap_or(u64::MAX);
        one.state.dropped.extend(dropped.iter().take(MAX_DROPPED.saturating_sub(one.state.dropped.len())));
        // A range counts as fetched only if it is older than the newest record by the refetch time. In younger ranges,
        // values may still change, and missing records may still be published.
        if let Some(last) = one.state.last {
            one.state.settled.extend(&one.written.until(last - refetch));
        }
        self.put_state(index).await
    }

    /// Merges rows with the existing rows of their partition, and replaces the file of the partition.
    async fn rewrite(&mut self, index: usize, partition: &str, batches: Vec<RecordBatch>) -> Result<(), Error> {
        self.begin().await?;
        let content = self.content;
        let Some(one) = self.series.get_mut(index) else { return Ok(()) };
        let path = content.file(&one.state.path, partition);
        let old = if one.state.rows.contains_key(partition) { Some(content.input(&path).await?) } else { None };
        let new = batches.first().map(RecordBatch::schema);
        let sources: Vec<_> = old.iter().map(ParquetInput::schema).chain(new).collect();
        let columns = Columns::new(&[], &sources).map_err(Error::invalid_input)?;
        let mut file = ParquetFile::new(Vec::new(), columns.schema())?;
        let old: Rows<'_> = match old {
            Some(old) => Box::new(old.all()?),
            None => Box::new(std::iter::empty()),
        };
        let new: Rows<'_> = Box::new(batches.iter().cloned().map(Ok));
        let (rows, changes) = merge_rows::write([old, new], (&one.state, &one.known), &columns, &mut file)?;
        content.storage.put(&path, file.finish()?).await?;
        for batch in batches.iter().filter(|batch| batch.num_rows() > 0) {
            let times = Timestamps::in_batch(batch, &one.state.time)?;
            one.state.extend(times.get(0), times.get(batch.num_rows() - 1));
        }
        one.state.rows.insert(partition.to_owned(), rows);
        if content.single.is_none() {
            one.report.count(changes);
            one.state.revised = one.report.revised;
            let name = content.storage.name(&path);
            if !self.summary.files.contains(&name) {
                self.summary.files.push(name);
            }
        }
        Ok(())
    }
}
