//! Is one side of a market getting crowded?
//!
//! If market orders keep leaning to one side while open interest grows, new positions pile up on that side: many have
//! to exit at once. If open interest shrinks, positions are being closed, whatever the lean.

use std::collections::HashMap;

use generated_client::Timestamp;
use generated_client::open_interest::OpenInterestRecord;
use generated_client::orderflow::VolumeRatioRecord;

/// How crowded the market is at the end of a span of intervals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crowding {
    /// When the last interval of the span begins.
    pub open_date: Timestamp,
    /// Growth of open interest in percent times the average lean of takers, from -1 to 1: positive if longs are
    /// crowded, negative if shorts are, zero if neither.
    pub score: f64,
}

/// The crowding over every span of so many intervals.
///
/// Both series are expected oldest first. An interval that is not in both is left out, and so is one whose open
/// interest is not known.
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
