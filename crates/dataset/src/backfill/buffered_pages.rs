//! Adds the rows of fetched pages to those that are not in the journal yet, and decides when they are written.

use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;

use arrow_array::RecordBatch;
use runtime::Timestamp;
use runtime::history::Page;
use runtime::record::AnyRecord;
use tokio::time::Instant;

use super::event::unsupported_values;
use super::job_tables::JobTables;
use super::readable::ReadableRecords;
use super::repeated_rows::Distinct;
use crate::columns::converted;
use crate::error::Error;
use crate::fetched_at::stamped;
use crate::partition::period;
use crate::series::SeriesRequest;
use crate::table::Table;
use crate::table_journal::WritingRun;
use crate::table_schema::TableSchema;

/// Number of rows that triggers a write, so that a killed run loses few rows. If they are of one series, they are a row group
/// of a data file.
pub(super) const ROWS: usize = 65_536;

/// Size that triggers a write earlier, so that wide rows do not fill the memory.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// Rows are also written when the oldest has this age, because a slow service takes long to send [`ROWS`] rows. The
/// first rows of a run are written earlier, so that a run that is killed in its first seconds has kept some.
const MAX_AGE: Duration = Duration::from_secs(60);
const FIRST_AGE: Duration = Duration::from_secs(2);

/// Identifies a range that a run fetches.
#[derive(Clone, Copy, Debug)]
pub(super) struct RangeId {
    /// The index of the series.
    pub(super) series: usize,
    /// The number of the range among all ranges of the run.
    pub(super) number: usize,
}

/// The records of a page that are not in its buffered rows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LeftOut {
    /// The records that cannot be read and that no earlier run has reported, or whose range is requested again.
    pub(super) unreadable: u64,
    /// The records that the page has twice.
    pub(super) repeated: u64,
}

impl JobTables {
    /// Adds the rows of a page to the buffered rows, also those of invalid records that can be read and whose times are
    /// `within` a range.
    pub(super) fn buffer_page(
        &mut self,
        range: RangeId,
        page: &Page<AnyRecord>,
        within: &Range<Timestamp>,
    ) -> Result<LeftOut, Error> {
        let service_time = self.service_time;
        let mut left_out = LeftOut::default();
        let Some((table, series)) = self.table(range.series) else { return Ok(left_out) };
        debug_assert_eq!(page.report.account.delivered, page.records.len() as u64, "{}", series.path());
        let readable = ReadableRecords::new(series, page, within);
        // Without a regular step, no gap shows that a record is missing, so the range of the page remains unfetched.
        let is_incomplete = !series.interval().has_steps() && page.report.account.without_time > 0;
        for checksum in &readable.unreadable {
            let is_new = table.note_unreadable(series, *checksum);
            left_out.unreadable += u64::from(is_new || is_incomplete);
        }
        if page.report.failed_pages.is_empty() {
            let fetched_at = service_time.unwrap_or_else(|| series.request().service_time());
            let rows = table.to_rows(series, &readable, fetched_at)?;
            let rows = Distinct::of(&readable.times, rows, &series.key())?;
            left_out.repeated = (readable.times.len() - rows.times.len()) as u64;
            table.buffer_rows(series, range.number, &rows.times, &rows.rows);
            if !is_incomplete {
                table.note_fetched(series, range.number, &page.range);
            }
            let unsupported = unsupported_values(&page.report);
            if !unsupported.is_empty() {
                table.note_unsupported(series, range.number, &page.range, unsupported);
            }
            self.buffered_rows += rows.times.len();
            self.buffered_bytes += rows.rows.get_array_memory_size();
            self.buffered_since.get_or_insert_with(Instant::now);
        }
        Ok(left_out)
    }

    /// `true` if it is time to write the buffered rows.
    pub(super) fn is_write_due(&self) -> bool {
        let max_age = FIRST_AGE.saturating_mul(1 << self.writes.min(5)).min(MAX_AGE);
        let is_full = self.buffered_rows >= ROWS || self.buffered_bytes >= MAX_BYTES;
        is_full || self.buffered_since.is_some_and(|since| since.elapsed() >= max_age)
    }

    /// Writes all buffered rows to the journals.
    pub(super) async fn write_journals(&mut self, run: &WritingRun) -> Result<(), Error> {
        self.buffered_rows = 0;
        self.buffered_bytes = 0;
        self.buffered_since = None;
        self.writes += 1;
        for table in self.tables.values_mut() {
            table.write_journal(run).await?;
        }
        Ok(())
    }
}

impl Table {
    /// Converts records to rows of this table.
    fn to_rows(
        &self,
        series: &SeriesRequest,
        records: &ReadableRecords<'_>,
        fetched_at: Timestamp,
    ) -> Result<RecordBatch, Error> {
        let times: Vec<_> = records.times.iter().copied().map(Some).collect();
        let rows = TableSchema::of_series(series).batch(&records.records, &times)?;
        stamped(&converted(&rows, &self.columns)?, fetched_at)
    }

    /// Notes that a range was fetched, of which all records are known.
    fn note_fetched(&mut self, series: &SeriesRequest, range_number: usize, range: &Range<Timestamp>) {
        let period = period(self.state.partition, range.start);
        let buffered = self.buffered.section(series, range_number, period.start);
        buffered.section.fetched.add(range.clone());
    }

    /// Notes values that the endpoint of a series does not support, by the response for a range.
    fn note_unsupported(
        &mut self,
        series: &SeriesRequest,
        range_number: usize,
        range: &Range<Timestamp>,
        values: BTreeSet<String>,
    ) {
        let period = period(self.state.partition, range.start);
        let buffered = self.buffered.section(series, range_number, period.start);
        buffered.section.unsupported.extend(values);
    }

    /// Adds rows to the buffered rows of their periods. `times` are the times of the rows.
    fn buffer_rows(&mut self, series: &SeriesRequest, range_number: usize, times: &[Timestamp], rows: &RecordBatch) {
        let partition = self.state.partition;
        let mut left = times;
        while let Some(first) = left.first() {
            let period = period(partition, *first);
            let (of_period, later) = left.split_at(left.partition_point(|time| *time < period.end));
            let rows = rows.slice(times.len() - left.len(), of_period.len());
            self.buffered.section(series, range_number, period.start).batches.push(rows);
            left = later;
        }
    }
}
