//! Fetched rows that are not in the journal yet.

use std::collections::BTreeMap;
use std::time::Duration;

use arrow_array::RecordBatch;
use runtime::Timestamp;
use runtime::history::Page;
use runtime::record::{AnyRecord, FieldValue};
use runtime::registry::BodyInfo;
use tokio::time::Instant;

use crate::partition::{Partition, period};
use crate::saved_state::Section;
use crate::series::SeriesRequest;

/// Number of rows that triggers a write, so that a killed run loses few rows.
pub(super) const ROWS: usize = 50_000;

/// Rows are also written when the oldest has this age, because a slow service takes long to send [`ROWS`] rows.
const MAX_AGE: Duration = Duration::from_secs(60);

/// The table, the period, and the number of a range of a series. The pages of a range are in order of time, unlike those
/// of different ranges.
type Key = (usize, Timestamp, usize);

/// The rows of all series of a run.
pub(super) struct Buffer {
    sections: BTreeMap<Key, (Section, Vec<RecordBatch>)>,
    rows: usize,
    since: Instant,
}

impl Buffer {
    pub(super) fn new() -> Self {
        Self { sections: BTreeMap::new(), rows: 0, since: Instant::now() }
    }

    /// Adds the rows of a page. `section` has the series and what the page adds; `item` identifies its range.
    pub(super) fn add(
        &mut self,
        (table, item): (usize, usize),
        partition: Option<Partition>,
        (page, rows): (&Page<AnyRecord>, &RecordBatch),
        section: &Section,
    ) {
        if self.sections.is_empty() {
            self.since = Instant::now();
        }
        let (mut from, mut time) = (0, page.times.first().copied().unwrap_or(page.range.start));
        loop {
            let period = period(partition, time);
            let count = page.times.get(from..).unwrap_or_default().partition_point(|time| *time < period.end);
            let new = || (section.emptied(), Vec::new());
            let (known, batches) = self.sections.entry((table, period.start, item)).or_insert_with(new);
            if from == 0 {
                known.fetched.extend(&section.fetched);
                known.dropped.extend(&section.dropped);
            }
            batches.extend((count > 0).then(|| rows.slice(from, count)));
            from += count;
            let Some(next) = page.times.get(from) else { break };
            time = *next;
        }
        self.rows += from;
    }

    /// Returns `true` if it is time to write the rows.
    pub(super) fn is_due(&self) -> bool {
        self.rows >= ROWS || !self.sections.is_empty() && self.since.elapsed() >= MAX_AGE
    }

    /// Removes and returns the sections of each table.
    pub(super) fn take(&mut self) -> BTreeMap<usize, Vec<(Section, Vec<RecordBatch>)>> {
        self.rows = 0;
        let mut all: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for ((table, ..), section) in std::mem::take(&mut self.sections) {
            all.entry(table).or_default().push(section);
        }
        all
    }
}

/// Adds the invalid records of a page to its valid records, with null for each value that does not fit its column.
/// Returns the checksums of records that have no time or cannot be parsed at all.
pub fn read_invalid(series: &SeriesRequest, page: &mut Page<AnyRecord>) -> Vec<u32> {
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
