//! Rows of one partition that were fetched but not yet written.

use std::time::Duration;

use arrow_array::RecordBatch;
use runtime::Timestamp;
use runtime::history::Page;
use runtime::record::{AnyRecord, FieldValue};
use runtime::registry::BodyInfo;
use tokio::time::Instant;

use crate::partition::Partition;
use crate::series::SeriesRequest;
use crate::time_ranges::TimeRanges;

/// Number of rows that triggers a write, so that a killed run loses few rows.
const ROWS: usize = 100_000;

/// Rows are also written when the oldest has this age, because a slow service takes long to send [`ROWS`] rows.
const MAX_AGE: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(super) struct UnwrittenRows {
    /// The folder and the end time of the partition to which the rows belong; `None` if there are no rows.
    partition: Option<(String, Timestamp)>,
    batches: Vec<RecordBatch>,
    /// The ranges whose rows are all in this buffer or already written.
    pub(super) fetched: TimeRanges,
    rows: usize,
    since: Instant,
}

impl UnwrittenRows {
    pub(super) fn new() -> Self {
        let (batches, fetched) = (Vec::new(), TimeRanges::default());
        Self { partition: None, batches, fetched, rows: 0, since: Instant::now() }
    }

    /// Returns `true` if a row with this time belongs to a later partition than the rows in this buffer.
    pub(super) fn is_other(&self, time: Timestamp) -> bool {
        self.partition.as_ref().is_some_and(|(_, end)| time >= *end)
    }

    /// Adds rows of one partition; `first` is the time of the first row.
    pub(super) fn add(&mut self, partition: Partition, first: Timestamp, rows: RecordBatch) {
        if self.partition.is_none() {
            (self.partition, self.since) = (Some((partition.folder(first), partition.end(first))), Instant::now());
        }
        self.rows += rows.num_rows();
        self.batches.push(rows);
    }

    /// Returns `true` if it is time to write the rows.
    pub(super) fn is_due(&self) -> bool {
        self.rows >= ROWS || self.rows > 0 && self.since.elapsed() >= MAX_AGE
    }

    /// Removes and returns the rows, with the folder of their partition.
    pub(super) fn take(&mut self) -> Option<(String, Vec<RecordBatch>)> {
        self.rows = 0;
        let (folder, _) = self.partition.take()?;
        Some((folder, std::mem::take(&mut self.batches)))
    }
}

/// Adds the invalid records of a page to its valid records, with null for each value that does not fit its column.
/// Returns the checksums of records that have no time or cannot be parsed at all.
pub(super) fn read_invalid(series: &SeriesRequest, page: &mut Page<AnyRecord>) -> Vec<u32> {
    let time = series.time();
    // A record is identified by the checksum of its text. For a record without a time, the report contains no text, so
    // the checksum is that of a counter.
    let mut dropped: Vec<_> =
        (0..page.report.dropped.missing_time).map(|index| crc32fast::hash(&index.to_be_bytes())).collect();
    let table = match series.endpoint().body {
        BodyInfo::Series { record, .. } => record,
        _ => None,
    };
    for bad in &page.report.bad_records {
        let record = table.and_then(|table| AnyRecord::lenient(table, &bad.text));
        match record.and_then(|record| Some((record.value(time).and_then(FieldValue::timestamp)?, record))) {
            Some((time, record)) if page.range.contains(&time) => {
                // If the page has a valid record of the same time, that record is kept.
                if let Err(index) = page.times.binary_search(&time) {
                    page.times.insert(index, time);
                    page.records.insert(index, record);
                }
            }
            // A record outside the requested window is ignored.
            Some(_) => {}
            None => dropped.push(crc32fast::hash(bad.text.as_bytes())),
        }
    }
    dropped
}
