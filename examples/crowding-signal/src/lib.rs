//! Detects whether one side of a market is crowded.
//!
//! If market orders lean to one side while open interest grows, new positions accumulate on that side, and many have to
//! be closed at once later. If open interest shrinks, positions are being closed, in either direction.

use std::collections::HashMap;

use generated_client::Timestamp;
use generated_client::open_interest::OpenInterestRecord;
use generated_client::orderflow::VolumeRatioRecord;

/// The crowding at the end of a span of intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crowding {
    /// The start of the last interval of the span.
    pub open_date: Timestamp,
    /// Growth of open interest in percent times the average lean of takers, from -1 to 1: positive if longs are
    /// crowded, negative if shorts are, zero if neither.
    pub score: f64,
}

/// The crowding of every span of this number of intervals.
///
/// Both series have to be oldest first. An interval that is missing in one of them, or whose open interest is unknown,
/// is omitted.
pub fn crowding(ratio: &[VolumeRatioRecord], interest: &[OpenInterestRecord], span: usize) -> Vec<Crowding> {
    let interest: HashMap<_, _> = interest.iter().map(|record| (record.open_date, record)).collect();
    let both = ratio.iter().filter_map(|record| {
        let interest = interest.get(&record.open_date)?;
        Some((record, interest.open?, interest.close?))
    });
    let both: Vec<_> = both.collect();
    both.windows(span.max(1)).filter_map(score).collect()
}

fn score(span: &[(&VolumeRatioRecord, f64, f64)]) -> Option<Crowding> {
    let ((_, before, _), (last, _, after)) = (span.first()?, span.last()?);
    let growth = 100.0 * (after - before) / before;
    let lean = span.iter().map(|(record, ..)| record.volume_ratio).sum::<f64>() / span.len() as f64;
    Some(Crowding { open_date: last.open_date, score: growth.max(0.0) * lean })
}
