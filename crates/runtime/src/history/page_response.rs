//! The part of a response that belongs to its window.
//!
//! The records of the window are sorted by time, as positions in the response. The times of all other records are kept, so
//! that each record is counted. `pager` decides whether the response is accepted.

use std::any::Any;

use super::page::Report;
use super::time_grid::{Span, TimeGrid};
use crate::send::TimedRecords;
use crate::values::Timestamp;

/// The records of one response, without their static type.
pub(super) type Batch = Box<dyn Any + Send>;

/// The records of a response in their original order, and a time that the service had reached when it created the
/// response.
pub(super) type Received<R> = (TimedRecords<R>, Timestamp);

/// The records of a window, by their positions in the response.
#[derive(Debug)]
pub(super) struct PageResponse<R> {
    /// The records in order of time: the time, and the index in `records`. Records of equal times are in the order of
    /// the response.
    pub(super) sorted: Vec<(Timestamp, usize)>,
    /// `None` for a window without a response.
    pub(super) records: Option<R>,
    /// The times of the invalid records of the window, in order.
    pub(super) invalid: Vec<Timestamp>,
    /// The times of all records outside of the window, in any order.
    pub(super) others: Vec<Timestamp>,
    /// The number of records without a time, also of invalid ones.
    pub(super) without_time: usize,
    /// The steps that overlap the window and have no record, not even an invalid one.
    pub(super) missing: Vec<Span>,
    /// The total number of records received.
    pub(super) received: usize,
    /// Whether there were records before the window.
    pub(super) has_earlier: bool,
    /// Whether there were records after the window.
    pub(super) has_later: bool,
    /// A time that the service had reached when it created the response.
    pub(super) reached: Timestamp,
    /// The report on the response, without gaps and account.
    pub(super) report: Report,
}

/// A step with records.
#[derive(Clone, Copy, Debug)]
pub(super) struct FilledStep {
    pub(super) start: Timestamp,
    pub(super) records: usize,
}

impl<R> PageResponse<R> {
    /// Creates the result for a window without a response.
    pub(super) fn none(report: Report) -> Self {
        Self {
            sorted: Vec::new(),
            records: None,
            invalid: Vec::new(),
            others: Vec::new(),
            without_time: 0,
            missing: Vec::new(),
            received: 0,
            has_earlier: false,
            has_later: false,
            reached: Timestamp::MAX,
            report,
        }
    }

    /// Selects the part of a response that belongs to its window, which was requested with a margin on both sides.
    pub(super) fn new(grid: TimeGrid, window: Span, (series, reached): Received<R>) -> Self {
        let TimedRecords { times, records, bad, metadata } = series;
        let mut response = Self::none(Report { metadata: Vec::from_iter(metadata), ..Report::default() });
        response.received = times.len() + bad.len();
        response.reached = reached;
        for (index, time) in times.into_iter().enumerate() {
            match time {
                None => response.without_time += 1,
                Some(time) if window.contains(time) => response.sorted.push((time, index)),
                Some(time) => response.others.push(time),
            }
        }
        for record in bad {
            match record.time {
                None => response.without_time += 1,
                Some(time) if window.contains(time) => response.invalid.push(time),
                Some(time) => {
                    response.others.push(time);
                    continue;
                }
            }
            response.report.bad_records.push(record);
        }
        response.has_earlier = response.others.iter().any(|time| *time < window.from);
        response.has_later = response.others.iter().any(|time| *time >= window.to);
        response.records = Some(records);
        response.sorted.sort_unstable();
        response.invalid.sort_unstable();
        if grid.has_steps() {
            response.missing = grid.missing(window, response.times());
        }
        response
    }

    /// Returns the missing steps of a window, without a first step whose record is before the window.
    pub(super) fn without_record(&self, grid: TimeGrid, window: Span) -> Vec<Span> {
        let first = Span { from: grid.floor(window.from), to: window.from };
        let is_before = self.others.iter().any(|time| first.contains(*time));
        let from = if is_before { grid.next(first.from) } else { first.from };
        let steps = self.missing.iter().map(|gap| Span { from: gap.from.max(from), to: gap.to });
        steps.filter(|gap| !gap.is_empty()).collect()
    }

    /// Removes everything from this time on.
    pub(super) fn end_at(&mut self, end: Timestamp) {
        self.sorted.truncate(self.sorted.partition_point(|(time, _)| *time < end));
        self.invalid.truncate(self.invalid.partition_point(|time| *time < end));
        self.missing.retain(|gap| gap.from < end);
        self.report.bad_records.retain(|bad| bad.time.is_none_or(|time| time < end));
    }

    /// Returns whether the window has no record, not even an invalid one.
    pub(super) fn is_empty(&self) -> bool {
        self.sorted.is_empty() && self.invalid.is_empty()
    }

    /// Returns whether there are records, and none of them has a readable time. A record that is `null` is not a record.
    pub(super) fn is_unreadable(&self) -> bool {
        let records = self.report.bad_records.iter().filter(|bad| bad.text == "null");
        self.received > 0 && self.without_time == self.received && records.count() < self.received
    }

    /// Returns the first and the last time of the records outside of the window; `None` if there are none.
    pub(super) fn times_of_others(&self) -> Option<Span> {
        let first = self.others.iter().min()?;
        let last = self.others.iter().max()?;
        Some(Span { from: *first, to: *last })
    }

    /// Returns the steps that have records, in order, each with their number.
    pub(super) fn filled_steps(&self, grid: TimeGrid) -> Vec<FilledStep> {
        let mut steps: Vec<FilledStep> = Vec::new();
        for time in self.times() {
            let start = grid.floor(time);
            match steps.last_mut() {
                Some(last) if last.start == start => last.records += 1,
                _ => steps.push(FilledStep { start, records: 1 }),
            }
        }
        steps
    }

    /// Returns the number of records in the window, valid or not.
    pub(super) fn len(&self) -> usize {
        self.sorted.len() + self.invalid.len()
    }

    /// Returns the times of all records in the window, valid or not, in order.
    pub(super) fn times(&self) -> impl Iterator<Item = Timestamp> {
        let mut valid = self.sorted.iter().map(|(time, _)| *time).peekable();
        let mut invalid = self.invalid.iter().copied().peekable();
        std::iter::from_fn(move || match (valid.peek(), invalid.peek()) {
            (Some(one), Some(other)) if other < one => invalid.next(),
            (Some(_), _) => valid.next(),
            (None, _) => invalid.next(),
        })
    }

    /// The times of all records of the response that have one, those of the window first.
    pub(super) fn all_times(&self) -> impl Iterator<Item = Timestamp> {
        self.times().chain(self.others.iter().copied())
    }

    /// Moves the records outside of a part of the window to those of other windows.
    pub(super) fn keep_within(&mut self, part: Span) {
        for (time, _) in &self.sorted {
            if !part.contains(*time) {
                self.others.push(*time);
            }
        }
        self.sorted.retain(|(time, _)| part.contains(*time));
        self.others.extend(self.invalid.iter().filter(|time| !part.contains(**time)));
        self.invalid.retain(|time| part.contains(*time));
        self.report.bad_records.retain(|bad| bad.time.is_none_or(|time| part.contains(time)));
        self.missing.retain(|gap| !gap.within(part).is_empty());
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// The records of a window: times with positions, the times of others, and the missing steps.
    #[derive(Debug, PartialEq, Eq)]
    struct Checked {
        sorted: Vec<(i64, usize)>,
        others: Vec<i64>,
        without_time: usize,
        missing: Vec<(i64, i64)>,
    }

    fn check(times: &[Option<i64>]) -> Checked {
        let grid = TimeGrid::new(Duration::from_secs(10));
        let window = Span { from: 100.into(), to: 140.into() };
        let times = times.iter().map(|time| time.map(Timestamp::from)).collect();
        let series = TimedRecords { times, records: (), bad: Vec::new(), metadata: None };
        let response = PageResponse::new(grid, window, (series, window.to));
        Checked {
            sorted: response.sorted.iter().map(|(time, index)| (time.unix_seconds(), *index)).collect(),
            others: response.others.iter().map(|time| time.unix_seconds()).collect(),
            without_time: response.without_time,
            missing: response.missing.iter().map(|gap| (gap.from.unix_seconds(), gap.to.unix_seconds())).collect(),
        }
    }

    #[test]
    fn every_record_of_a_response_is_kept_or_named() {
        let some = |times: &[i64]| times.iter().copied().map(Some).collect::<Vec<_>>();
        let whole = Checked {
            sorted: vec![(100, 0), (110, 1), (120, 2), (130, 3)],
            others: vec![],
            without_time: 0,
            missing: vec![],
        };
        assert_eq!(check(&some(&[100, 110, 120, 130])), whole);
        let newest_first = Checked { sorted: vec![(100, 3), (110, 2), (120, 1), (130, 0)], ..whole };
        assert_eq!(check(&some(&[130, 120, 110, 100])), newest_first);
        let strange = Checked {
            sorted: vec![(110, 2), (110, 4)],
            others: vec![90, 99, 141, 142],
            without_time: 1,
            missing: vec![(100, 110), (120, 140)],
        };
        assert_eq!(check(&[Some(90), Some(99), Some(110), None, Some(110), Some(141), Some(142)]), strange);
        let nothing = Checked { sorted: vec![], others: vec![], without_time: 0, missing: vec![(100, 140)] };
        assert_eq!(check(&[]), nothing);
    }
}
