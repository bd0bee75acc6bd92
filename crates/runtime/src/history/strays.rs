//! Records whose time is outside of the window of their response, until the window that contains the time has ended.
//!
//! Such a record is repeated if another response has delivered a record of the same step. Otherwise it is outside of the
//! range, or in a part of it that has failed. Only times are kept, because the other response has the records.

use std::collections::BTreeMap;

use super::account::Account;
use super::time_grid::{Span, TimeGrid, push};
use crate::values::Timestamp;

/// The maximum number of spans that are kept. A series with more spans has many gaps, or no fixed steps.
const MAX_SPANS: usize = 100_000;

#[derive(Debug)]
pub(super) struct Strays {
    grid: TimeGrid,
    /// The steps that have a record, of all windows that have ended. The steps between the oldest ones count as having a
    /// record, if there are more than [`MAX_SPANS`] spans.
    covered: Vec<Span>,
    /// The number of records at each time after these windows.
    waiting: BTreeMap<Timestamp, u64>,
    /// The end of the last window that has ended.
    ended: Timestamp,
    /// The requested range.
    range: Span,
    /// The requested range with the times around it of which a response may have records.
    surroundings: Span,
    /// The end of the part of the range whose intervals have ended.
    pub(super) final_until: Timestamp,
}

impl Strays {
    /// `surroundings` is the range with the times around it of which a response may have records.
    pub(super) fn new(grid: TimeGrid, range: Span, surroundings: Span, final_until: Timestamp) -> Self {
        let covered = Vec::new();
        let waiting = BTreeMap::new();
        Self { grid, covered, waiting, ended: range.from, range, surroundings, final_until }
    }

    /// Notes that a request began at this time, so that records from then on are not far from the range.
    pub(super) fn note_start(&mut self, start: Timestamp) {
        self.surroundings.from = self.surroundings.from.min(start);
    }

    /// Ends the next window, whose records have these times, in order. Counts in `account` what is known about the
    /// records outside of the window, which have the times `others`.
    pub(super) fn end_window(
        &mut self,
        window: Span,
        times: impl Iterator<Item = Timestamp>,
        others: impl IntoIterator<Item = Timestamp>,
        account: &mut Account,
    ) {
        for time in times {
            let last = self.covered.last().map(|last| last.to);
            let step = self.grid.step(time, last.unwrap_or_else(|| self.grid.floor(window.from)));
            if last.is_none_or(|last| last <= step.from) {
                push(&mut self.covered, step);
            }
        }
        if self.covered.len() > MAX_SPANS {
            self.join_oldest();
        }
        self.ended = self.ended.max(window.to);
        for time in others {
            *self.waiting.entry(time).or_default() += 1;
        }
        let later = self.waiting.split_off(&self.ended);
        let decided = std::mem::replace(&mut self.waiting, later);
        self.decide(decided, account);
    }

    /// Joins the older half of the spans to one, so that a long history does not fill the memory.
    fn join_oldest(&mut self) {
        let half = self.covered.len() / 2;
        let joined = Span { from: self.covered[0].from, to: self.covered[half - 1].to };
        self.covered.splice(..half, [joined]);
    }

    /// Counts the records that no window has decided, after the last window.
    pub(super) fn end(&mut self, account: &mut Account) {
        let rest = std::mem::take(&mut self.waiting);
        self.decide(rest, account);
    }

    fn decide(&self, records: BTreeMap<Timestamp, u64>, account: &mut Account) {
        for (time, records) in records {
            if self.is_covered(time) {
                account.repeated += records;
            } else if self.final_until <= time && self.range.contains(time) {
                account.not_final += records;
            } else {
                account.outside += records;
                if !self.surroundings.contains(time) {
                    account.distant += records;
                }
            }
        }
    }

    fn is_covered(&self, time: Timestamp) -> bool {
        let next = self.covered.partition_point(|span| span.to <= time);
        self.covered.get(next).is_some_and(|span| span.contains(time))
    }
}

/// The responses that were not accepted, because their windows are requested again in parts.
#[derive(Debug, Default)]
pub(super) struct SetAside {
    /// The times of their records.
    pub(super) times: Vec<Timestamp>,
    /// The number of their records without a time, if the parts return these again.
    pub(super) repeated: u64,
    /// The number of their other records without a time.
    pub(super) without_time: u64,
    /// The number of their records in the range that are far before the start of their request.
    pub(super) distant: u64,
    /// The earliest start of the requests that begin before their window on purpose.
    pub(super) earliest: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn spans_are_limited() {
        let grid = TimeGrid::new(Duration::from_secs(10));
        let range = Span { from: 0.into(), to: 100_000_000.into() };
        let mut strays = Strays::new(grid, range, range, range.to);
        let mut account = Account::default();
        for window in 0..300 {
            let from = window * 20_000;
            // Every second step has a record.
            let times = (0..1000).map(|step| Timestamp::from(from + 20 * step));
            let window = Span { from: from.into(), to: (from + 20_000).into() };
            strays.end_window(window, times, [], &mut account);
        }
        assert!(strays.covered.len() <= MAX_SPANS + 1000, "{}", strays.covered.len());
        let of_first_and_last = [0.into(), (300 * 20_000 - 20).into(), (300 * 20_000 - 10).into()];
        strays.end_window(Span { from: range.to, to: range.to }, std::iter::empty(), of_first_and_last, &mut account);
        assert_eq!((account.repeated, account.outside), (2, 1));
    }

    #[test]
    fn a_record_is_repeated_if_its_step_has_a_record() {
        let grid = TimeGrid::new(Duration::from_secs(10));
        let times = |times: &[i64]| times.iter().map(|time| Timestamp::from(*time)).collect::<Vec<_>>();
        let range = Span { from: 0.into(), to: 100.into() };
        let surroundings = Span { from: (-10).into(), to: 110.into() };
        let mut strays = Strays::new(grid, range, surroundings, 90.into());
        let mut account = Account::default();
        let first = Span { from: 0.into(), to: 40.into() };
        strays.end_window(first, times(&[0, 10, 30]).into_iter(), times(&[-10, 40, 50]), &mut account);
        assert_eq!((account.outside, account.repeated), (1, 0));
        let second = Span { from: 40.into(), to: 80.into() };
        strays.end_window(second, times(&[40]).into_iter(), times(&[31, 20, 90, 100]), &mut account);
        assert_eq!((account.outside, account.repeated), (3, 2));
        strays.end(&mut account);
        assert_eq!((account.outside, account.repeated, account.not_final, account.distant), (4, 2, 1, 0));
        strays.end_window(Span { from: range.to, to: range.to }, std::iter::empty(), times(&[-11, 110]), &mut account);
        strays.end(&mut account);
        assert_eq!((account.outside, account.distant), (6, 2));
    }
}
