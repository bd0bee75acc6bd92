//! The records of a response that belong to its window, and the steps of the window without a record.
//!
//! The records of the window are sorted by time, with one record per time unless they are events; other records are
//! dropped. `pager` decides whether the response is accepted.

use std::time::Duration;

use super::page::Report;
use super::time_grid::{Span, TimeGrid};
use crate::send::TimedRecords;
use crate::values::Timestamp;

/// The records of a response in their original order, and a time that the service had reached when it created the
/// response.
pub(super) type Received<R> = (TimedRecords<R>, Timestamp);

/// The records of a window, by their positions in the response.
#[derive(Debug)]
pub(super) struct PageResponse<R> {
    /// The records in order of time: the time, and the index in `records`. Only events can have equal times.
    pub(super) sorted: Vec<(Timestamp, usize)>,
    /// `None` for a window without a response.
    pub(super) records: Option<R>,
    /// The steps that overlap the window and have no record.
    pub(super) missing: Vec<Span>,
    /// The total number of records received.
    pub(super) received: usize,
    /// Whether there were records before the window, and after it.
    pub(super) beyond: [bool; 2],
    /// A time that the service had reached when it created the response.
    pub(super) reached: Timestamp,
    /// The report on the response, without gaps.
    pub(super) report: Report,
}

/// The number of received records that are not part of the result, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dropped {
    /// Records with a time outside of the requested window.
    pub out_of_range: u64,
    /// Records with the same time as an earlier record of the response.
    pub duplicate: u64,
    /// Records whose time is missing or cannot be read.
    pub missing_time: u64,
}

impl Dropped {
    /// Returns whether no record was dropped.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

impl<R> PageResponse<R> {
    /// Creates the result for a window without a response.
    pub(super) fn none(report: Report) -> Self {
        let (sorted, missing) = (Vec::new(), Vec::new());
        Self { sorted, records: None, missing, received: 0, beyond: [false; 2], reached: Timestamp::MAX, report }
    }

    /// Selects the part of a response that belongs to its window, which was requested with a margin on both sides.
    pub(super) fn new(grid: TimeGrid, window: Span, margin: Duration, (series, reached): Received<R>) -> Self {
        let TimedRecords { times, records, bad, metadata } = series;
        let received = times.len() + bad.len();
        let mut dropped = Dropped::default();
        let mut sorted = Vec::with_capacity(times.len());
        let beyond = [|time, window: Span| time < window.from, |time, window: Span| time >= window.to]
            .map(|is_beyond: fn(_, _) -> bool| times.iter().flatten().any(|time| is_beyond(*time, window)));
        for (index, time) in times.into_iter().enumerate() {
            match time {
                None => dropped.missing_time += 1,
                Some(time) if time < window.from - margin || window.to + margin < time => dropped.out_of_range += 1,
                // A record in the margin is expected, and belongs to another window.
                Some(time) if !window.contains(time) => {}
                Some(time) => sorted.push((time, index)),
            }
        }
        sorted.sort_unstable();
        let mut missing = Vec::new();
        if grid.has_steps() {
            // Two records with the same time are sorted by their index, so `dedup_by_key` drops the second.
            let all = sorted.len();
            sorted.dedup_by_key(|(time, _)| *time);
            dropped.duplicate += u64::try_from(all - sorted.len()).unwrap_or(u64::MAX);
            missing = grid.missing(window, sorted.iter().map(|(time, _)| *time));
        }
        let report = Report { bad_records: bad, dropped, metadata: Vec::from_iter(metadata), ..Report::default() };
        Self { sorted, records: Some(records), missing, received, beyond, reached, report }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times with positions, the numbers of dropped records, and the missing steps.
    type Checked = (Vec<(i64, usize)>, [u64; 3], Vec<(i64, i64)>);

    fn check(times: &[Option<i64>]) -> Checked {
        let grid = TimeGrid::new(Duration::from_secs(10)).unwrap();
        let window = Span { from: 100.into(), to: 140.into() };
        let times = times.iter().map(|time| time.map(Timestamp::from)).collect();
        let series = TimedRecords { times, records: (), bad: Vec::new(), metadata: None };
        let response = PageResponse::new(grid, window, Duration::from_secs(1), (series, window.to));
        let sorted = response.sorted.iter().map(|(time, index)| (time.unix_seconds(), *index)).collect();
        let Dropped { out_of_range, duplicate, missing_time } = response.report.dropped;
        let missing = response.missing.iter().map(|gap| (gap.from.unix_seconds(), gap.to.unix_seconds())).collect();
        (sorted, [out_of_range, duplicate, missing_time], missing)
    }

    #[test]
    fn records_outside_of_the_window_are_dropped() {
        let some = |times: &[i64]| times.iter().copied().map(Some).collect::<Vec<_>>();
        let whole = vec![(100, 0), (110, 1), (120, 2), (130, 3)];
        assert_eq!(check(&some(&[100, 110, 120, 130])), (whole, [0, 0, 0], vec![]));
        let newest_first = vec![(100, 3), (110, 2), (120, 1), (130, 0)];
        assert_eq!(check(&some(&[130, 120, 110, 100])), (newest_first, [0, 0, 0], vec![]));
        let strange = [Some(90), Some(99), Some(110), None, Some(110), Some(141), Some(142)];
        assert_eq!(check(&strange), (vec![(110, 2)], [2, 1, 1], vec![(100, 110), (120, 140)]));
        assert_eq!(check(&[]), (vec![], [0, 0, 0], vec![(100, 140)]));
    }

    #[test]
    fn dropped_counts_are_summed() {
        let some = Dropped { out_of_range: 1, duplicate: 2, missing_time: 3 };
        let mut report = Report::default();
        for (added, sum) in [(Dropped::default(), [0, 0, 0]), (some, [1, 2, 3]), (some, [2, 4, 6])] {
            report.add(Report { dropped: added, ..Report::default() });
            let [out_of_range, duplicate, missing_time] = sum;
            assert_eq!(report.dropped, Dropped { out_of_range, duplicate, missing_time });
            assert_eq!(report.dropped.is_empty(), sum == [0, 0, 0]);
        }
    }
}
