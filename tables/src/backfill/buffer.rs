//! Fetched rows that are not in the journal yet.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use arrow_array::RecordBatch;
use runtime::Timestamp;
use runtime::history::Page;
use runtime::record::{AnyRecord, FieldValue};
use runtime::registry::BodyInfo;
use tokio::time::Instant;

use crate::content::Content;
use crate::error::Error;
use crate::partition::period;
use crate::saved_state::{RowFacts, Section};
use crate::series::SeriesRequest;

/// Number of rows that triggers a write, so that a killed run loses few rows.
pub(super) const ROWS: usize = 50_000;

/// Rows are also written when the oldest has this age, because a slow service takes long to send [`ROWS`] rows.
const MAX_AGE: Duration = Duration::from_secs(60);

/// Sections and their rows, by period and by the number of a range of a series. The pages of a range are in order of
/// time, unlike those of different ranges.
type Sections = BTreeMap<(Timestamp, usize), (Section, Vec<RecordBatch>)>;

/// The rows of all series of a run.
pub(super) struct Buffer {
    /// The sections of each table.
    sections: BTreeMap<usize, Sections>,
    rows: usize,
    since: Instant,
}

impl Buffer {
    pub(super) fn new() -> Self {
        Self { sections: BTreeMap::new(), rows: 0, since: Instant::now() }
    }

    /// Adds the rows of a page of a series, also those of invalid records that can be read, which are added to the page
    /// if their times are `within` a range. `item` identifies the range of the page. Returns the number of records that
    /// cannot be read.
    pub(super) fn add(
        &mut self,
        content: &mut Content,
        (series, item): (usize, usize),
        page: &mut Page<AnyRecord>,
        within: &Range<Timestamp>,
    ) -> Result<u64, Error> {
        let Some((of, index)) = content.of_series.get(series).copied() else { return Ok(0) };
        let Some(table) = content.tables.get_mut(of) else { return Ok(0) };
        let Some(request) = table.series.get(index).cloned() else { return Ok(0) };
        let dropped = read_invalid(&request, page, within);
        let dropped = dropped.into_iter().filter(|sum| table.note_dropped(&request, *sum)).count() as u64;
        if !page.report.failed_pages.is_empty() {
            return Ok(dropped);
        }
        if self.sections.is_empty() {
            self.since = Instant::now();
        }
        let times: Vec<_> = page.times.iter().copied().map(Some).collect();
        let rows = table.columns.batch(index, &page.records, &times)?;
        let (path, facts) = (request.path().to_owned(), RowFacts::new(&request));
        let empty = Section { path, rows: facts, ..Section::default() };
        let (sections, mut from) = (self.sections.entry(of).or_default(), 0);
        loop {
            let left = page.times.get(from..).unwrap_or_default();
            let period = period(table.state.partition, left.first().copied().unwrap_or(page.range.start));
            let count = left.partition_point(|time| *time < period.end);
            let new = || (empty.clone(), Vec::new());
            let (known, batches) = sections.entry((period.start, item)).or_insert_with(new);
            if from == 0 {
                known.fetched.add(page.range.clone());
            }
            batches.extend((count > 0).then(|| rows.slice(from, count)));
            from += count;
            if from >= page.times.len() {
                break;
            }
        }
        self.rows += from;
        Ok(dropped)
    }

    /// Returns `true` if it is time to write the rows.
    pub(super) fn is_due(&self) -> bool {
        self.rows >= ROWS || !self.sections.is_empty() && self.since.elapsed() >= MAX_AGE
    }

    /// Writes all rows to the journals of their tables. `run` is the start of the run, and its refetch time.
    pub(super) async fn write(&mut self, content: &mut Content, run: (Timestamp, Duration)) -> Result<(), Error> {
        self.rows = 0;
        for (table, sections) in std::mem::take(&mut self.sections) {
            if let Some(table) = content.tables.get_mut(table) {
                table.journal(sections.into_values().collect(), run).await?;
            }
        }
        Ok(())
    }
}

/// Adds the invalid records of a page to its valid records, if their times are `within` a range, usually that of the
/// page, with null for each value that does not fit its column.
/// Returns the checksums of records that have no time or cannot be parsed at all.
pub fn read_invalid(series: &SeriesRequest, page: &mut Page<AnyRecord>, within: &Range<Timestamp>) -> Vec<u32> {
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
            Some((time, record)) if within.contains(&time) => {
                // If the page has a valid record of the same time, that record is kept.
                if let Err(index) = page.times.binary_search(&time) {
                    page.times.insert(index, time);
                    page.records.insert(index, record);
                }
            }
            // A record outside the range, such as that of an open interval, is ignored.
            Some(_) => {}
            None => dropped.push(crc32fast::hash(bad.text.as_bytes())),
        }
    }
    dropped
}
