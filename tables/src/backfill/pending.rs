//! Rows that were fetched and are not written yet, all of one partition.

use std::time::Duration;

use arrow_array::RecordBatch;
use runtime::Timestamp;
use runtime::history::Page;
use runtime::record::{AnyRecord, FieldValue};
use runtime::registry::BodyInfo;
use tokio::time::Instant;

use crate::coverage::Coverage;
use crate::partition::Partition;
use crate::series::SeriesRequest;

/// Rows are written after this many; a run that is killed loses no more than those …
const ROWS: usize = 100_000;

/// … and after this time: a slow service sends some pages in it.
const LONGEST: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(super) struct Pending {
    /// The folder of the partition of the rows, if there are any, and where the partition ends.
    partition: Option<(String, Timestamp)>,
    batches: Vec<RecordBatch>,
    /// The ranges of which all rows are here, or written.
    pub(super) fetched: Coverage,
    rows: usize,
    since: Instant,
}

impl Pending {
    pub(super) fn new() -> Self {
        let (batches, fetched) = (Vec::new(), Coverage::default());
        Self { partition: None, batches, fetched, rows: 0, since: Instant::now() }
    }

    /// Returns `true` if rows of a time belong to another partition than those that are here.
    pub(super) fn is_other(&self, time: Timestamp) -> bool {
        self.partition.as_ref().is_some_and(|(_, end)| time >= *end)
    }

    /// Adds rows of one partition, the first of which has this time.
    pub(super) fn add(&mut self, partition: Partition, first: Timestamp, rows: RecordBatch) {
        if self.partition.is_none() {
            (self.partition, self.since) = (Some((partition.folder(first), partition.end(first))), Instant::now());
        }
        self.rows += rows.num_rows();
        self.batches.push(rows);
    }

    /// Returns `true` if it is time to write the rows.
    pub(super) fn is_due(&self) -> bool {
        self.rows >= ROWS || self.rows > 0 && self.since.elapsed() >= LONGEST
    }

    /// The folder of the partition and its rows, which are removed.
    pub(super) fn take(&mut self) -> Option<(String, Vec<RecordBatch>)> {
        self.rows = 0;
        let (folder, _) = self.partition.take()?;
        Some((folder, std::mem::take(&mut self.batches)))
    }
}

/// Reads the invalid records of a page with null for each value that does not fit. Returns a checksum of each that has no
/// time, or is not readable even so.
pub(super) fn read_invalid(series: &SeriesRequest, page: &mut Page<AnyRecord>) -> Vec<u32> {
    let time = series.time().name;
    // Without their text, those are only counted.
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
                // Of two records of one time, the valid one is kept.
                if let Err(index) = page.times.binary_search(&time) {
                    page.times.insert(index, time);
                    page.records.insert(index, record);
                }
            }
            // Its time is outside of the requested window.
            Some(_) => {}
            None => dropped.push(crc32fast::hash(bad.text.as_bytes())),
        }
    }
    dropped
}
