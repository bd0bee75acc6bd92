//! Fetched rows that are not in the journal yet.

use std::ops::Range;
use std::time::Duration;

use runtime::Timestamp;
use runtime::history::Page;
use runtime::record::AnyRecord;
use runtime::registry::BodyInfo;
use tokio::time::Instant;

use crate::columns::converted;
use crate::content::Content;
use crate::error::Error;
use crate::fetched_at::stamped;
use crate::partition::period;
use crate::saved_state::{RowFacts, Section};
use crate::series::SeriesRequest;
use crate::table::{Table, WritingRun};
use crate::table_schema::TableSchema;

/// Number of rows that triggers a write, so that a killed run loses few rows.
pub(super) const ROWS: usize = 50_000;

/// Rows are also written when the oldest has this age, because a slow service takes long to send [`ROWS`] rows.
const MAX_AGE: Duration = Duration::from_secs(60);

impl Content {
    /// Adds the rows of a page of a series to the buffer, also those of invalid records that can be read, which are
    /// added to the page if their times are `within` a range. `item` identifies the range of the page. Returns the
    /// number of records that cannot be read and that no earlier run has reported.
    pub(super) fn add(
        &mut self,
        (series, item): (usize, usize),
        page: &mut Page<AnyRecord>,
        within: &Range<Timestamp>,
    ) -> Result<u64, Error> {
        // Rows of a damaged table would be kept without end. The next run requests them again.
        let fetched_at = self.fetched_at;
        let intact = self.table(series).filter(|(table, _)| table.damaged.is_empty());
        let Some((table, series)) = intact else { return Ok(0) };
        debug_assert_eq!(page.report.account.delivered, page.records.len() as u64, "{}", series.path());
        let mut unreadable = 0;
        for checksum in read_invalid(series, page, within) {
            unreadable += u64::from(table.note_unreadable(series, checksum));
        }
        if page.report.failed_pages.is_empty() {
            let fetched_at = fetched_at.unwrap_or_else(|| series.request().service_time());
            table.add(series, item, page, fetched_at)?;
            self.rows += page.times.len();
            self.since.get_or_insert_with(Instant::now);
        }
        Ok(unreadable)
    }

    /// Returns `true` if it is time to write the buffered rows.
    pub(super) fn is_due(&self) -> bool {
        self.rows >= ROWS || self.since.is_some_and(|since| since.elapsed() >= MAX_AGE)
    }

    /// Writes all buffered rows to the journals.
    pub(super) async fn write(&mut self, run: &WritingRun) -> Result<(), Error> {
        (self.rows, self.since) = (0, None);
        for table in self.tables.values_mut() {
            table.journal(run).await?;
        }
        Ok(())
    }
}

impl Table {
    /// Adds the rows and the range of a page to the buffer.
    fn add(
        &mut self,
        series: &SeriesRequest,
        item: usize,
        page: &Page<AnyRecord>,
        fetched_at: Timestamp,
    ) -> Result<(), Error> {
        let times: Vec<_> = page.times.iter().copied().map(Some).collect();
        let rows = converted(&TableSchema::of_series(series).batch(&page.records, &times)?, &self.columns)?;
        let rows = stamped(&rows, fetched_at)?;
        let (path, facts) = (series.path().to_owned(), RowFacts::new(series));
        let empty = Section { path, rows: facts, ..Section::default() };
        let (partition, new) = (self.state.partition, || (empty.clone(), Vec::new()));
        let start = period(partition, page.range.start).start;
        self.buffer.entry((start, item)).or_insert_with(new).0.fetched.add(page.range.clone());
        let mut left = &*page.times;
        while let Some(first) = left.first() {
            let period = period(partition, *first);
            let (times, later) = left.split_at(left.partition_point(|time| *time < period.end));
            let of_period = rows.slice(page.times.len() - left.len(), times.len());
            self.buffer.entry((period.start, item)).or_insert_with(new).1.push(of_period);
            left = later;
        }
        Ok(())
    }
}

/// Adds the invalid records of a page to its valid records, if their times are `within` a range, usually that of the
/// page, with null for each value that does not fit its column. Returns the checksums of records that have no time or
/// cannot be parsed at all.
pub fn read_invalid(series: &SeriesRequest, page: &mut Page<AnyRecord>, within: &Range<Timestamp>) -> Vec<u32> {
    let table = match series.endpoint().body {
        BodyInfo::Series { record, .. } => record,
        _ => None,
    };
    let mut unreadable = Vec::new();
    for bad in &page.report.bad_records {
        let record = table.and_then(|table| AnyRecord::lenient(table, &bad.text));
        match (bad.time, record) {
            (Some(time), Some(record)) if within.contains(&time) => {
                let index = page.times.partition_point(|other| *other <= time);
                page.times.insert(index, time);
                page.records.insert(index, record);
            }
            // The record of an open interval is requested again.
            (Some(_), Some(_)) => {}
            _ => unreadable.push(crc32fast::hash(bad.text.as_bytes())),
        }
    }
    // A record that can be decoded and has no time is not in the report, so its checksum is that of a counter.
    let decoded = page.report.account.without_time.saturating_sub(unreadable.len() as u64);
    unreadable.extend((0..decoded).map(|index| crc32fast::hash(&index.to_be_bytes())));
    unreadable
}
