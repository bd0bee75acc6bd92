//! Detects whether one side of a market is crowded.
//!
//! If market orders lean to one side while open interest grows, new positions accumulate on that side, and later many
//! of them may have to be closed at once. If open interest shrinks, positions are being closed, so no side is crowded.

use std::collections::HashMap;

use generated_client::Timestamp;
use generated_client::open_interest::OpenInterestRecord;
use generated_client::orderflow::VolumeRatioRecord;

/// The crowding at the end of a span of intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crowding {
    /// The start of the last interval of the span.
    pub open_date: Timestamp,
    /// The growth of open interest in percent, multiplied by the average volume ratio, which is from -1 to 1. The score
    /// is positive if longs are crowded, negative if shorts are, and zero if neither side is.
    pub score: f64,
}

/// Returns the crowding at the end of every `span` consecutive intervals.
///
/// Both series have to be in ascending order of time. Intervals that are missing in one series, or whose open interest
/// is unknown, are omitted.
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
