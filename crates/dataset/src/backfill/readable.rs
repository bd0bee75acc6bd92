//! The records of a page that can be stored: the valid ones, and the invalid ones that can be read in part.

use std::borrow::Cow;
use std::ops::Range;

use runtime::Timestamp;
use runtime::history::Page;
use runtime::record::AnyRecord;
use runtime::registry::BodyInfo;

use crate::series::SeriesRequest;

/// The records of a page that can be stored, in order of time.
///
/// An invalid record has null for each value that does not fit its column.
#[derive(Debug)]
#[non_exhaustive]
pub struct ReadableRecords<'p> {
    /// The time of each record.
    pub times: Cow<'p, [Timestamp]>,
    /// The records.
    pub records: Cow<'p, [AnyRecord]>,
    /// The checksums of records that have no time or cannot be parsed at all.
    pub unreadable: Vec<u32>,
}

impl<'p> ReadableRecords<'p> {
    /// Reads the records of a page, with the invalid ones whose times are `within` a range, usually that of the page.
    pub fn new(series: &SeriesRequest, page: &'p Page<AnyRecord>, within: &Range<Timestamp>) -> Self {
        let mut readable =
            Self { times: Cow::Borrowed(&page.times), records: Cow::Borrowed(&page.records), unreadable: Vec::new() };
        let table = match series.endpoint().body {
            BodyInfo::Series { record, .. } => record,
            _ => None,
        };
        for bad in &page.report.bad_records {
            let record = table.and_then(|table| AnyRecord::lenient(table, &bad.text));
            match (bad.time, record) {
                (Some(time), Some(record)) if within.contains(&time) => readable.insert(time, record),
                // The record of an open interval is requested again.
                (Some(_), Some(_)) => {}
                _ => readable.unreadable.push(crc32fast::hash(bad.text.as_bytes())),
            }
        }
        // A record that can be decoded and has no time is not in the report, so its checksum is that of a counter.
        let reported = readable.unreadable.len() as u64;
        for index in 0..page.report.account.without_time.saturating_sub(reported) {
            readable.unreadable.push(crc32fast::hash(&index.to_be_bytes()));
        }
        readable
    }

    fn insert(&mut self, time: Timestamp, record: AnyRecord) {
        let index = self.times.partition_point(|other| *other <= time);
        self.times.to_mut().insert(index, time);
        self.records.to_mut().insert(index, record);
    }
}
