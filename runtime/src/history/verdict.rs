//! The decision on one response: believed, doubted in parts, or truncated.
//!
//! The decision depends on the window, its response and the facts learned about the service. `walk` fetches again.

use std::time::Duration;

use super::grid::{Grid, Span};
use super::learned::Learned;
use super::reply::Reply;
use crate::values::Timestamp;

/// The settings for fetching a range.
#[derive(Clone, Debug)]
pub(super) struct Course {
    pub(super) grid: Grid,
    pub(super) range: Span,
    /// The margin by which a request extends beyond its window.
    pub(super) margin: Duration,
    /// The maximum number of records on a page, as set in the request.
    pub(super) page_size: usize,
    /// The maximum number of records from outside of its window on a page.
    pub(super) beside: usize,
    /// The maximum number of windows that are requested or stored before the first of them is returned.
    pub(super) ahead: usize,
    /// The maximum number of requests for a window that fails.
    pub(super) attempts: u32,
    /// From here on the service may publish records later; after the range where it has all of them.
    pub(super) unsettled: Timestamp,
}

/// The decision on a response.
pub(super) enum Verdict {
    Believed,
    /// No records; the adjacent windows decide.
    Empty,
    /// Records may be missing in these parts, which are fetched again.
    Doubted(Vec<Span>),
    /// The page is full although records are missing: the rest did not fit.
    Cut,
}

impl Course {
    pub(super) fn verdict<R>(&self, learned: &Learned, window: Span, reply: &Reply<R>) -> Verdict {
        let steps = self.grid.touched(window);
        let kept = u64::try_from(reply.places.len()).unwrap_or(u64::MAX);
        let is_incomplete = !reply.missing.is_empty() || kept > steps;
        if steps <= 1 || !is_incomplete {
            return Verdict::Believed;
        }
        match (learned.is_full(reply.came), reply.is_empty()) {
            (true, true) => Verdict::Doubted(self.halves(window)),
            (true, false) => Verdict::Cut,
            (false, true) => Verdict::Empty,
            (false, false) if learned.is_trusted(reply.came) => Verdict::Believed,
            (false, false) => match self.missing_ends(window, reply) {
                ends if ends.is_empty() => Verdict::Believed,
                ends => Verdict::Doubted(ends),
            },
        }
    }

    /// The ends of a window without records: a service that truncates a page omits records at an end. A gap between two
    /// records is believed.
    fn missing_ends<R>(&self, window: Span, reply: &Reply<R>) -> Vec<Span> {
        let outer = self.grid.outer(window);
        let (first, last) = (reply.missing.first(), reply.missing.last());
        let is_doubted = |gap: &&Span| gap.from == outer.from && gap.from < self.unsettled;
        let first = first.filter(is_doubted).map(|gap| Span { from: window.from, to: gap.to });
        let last = last.filter(|gap| gap.to == outer.to && !self.is_tail(window));
        first.into_iter().chain(last.map(|gap| Span { from: gap.from, to: window.to })).collect()
    }

    /// Returns whether a window is the last one of a range whose records may be published later.
    pub(super) fn is_tail(&self, window: Span) -> bool {
        self.unsettled < self.range.to && window.to == self.range.to
    }

    /// Half the steps of a window, rounded up.
    pub(super) fn half(&self, window: Span) -> usize {
        usize::try_from(self.grid.touched(window).div_ceil(2)).unwrap_or(usize::MAX)
    }

    pub(super) fn halves(&self, window: Span) -> Vec<Span> {
        self.grid.pieces(window, self.half(window))
    }
}

#[cfg(test)]
mod tests {
    use super::super::reply::Received;
    use super::*;

    /// A beginning and an end, in seconds.
    type Ends = (i64, i64);

    const RANGE: Ends = (0, 100);

    fn span((from, to): Ends) -> Span {
        Span { from: from.into(), to: to.into() }
    }

    /// The doubted parts of a window after a response with these times; none if it is believed.
    fn doubted(unsettled: i64, window: Ends, times: &[i64]) -> Vec<Span> {
        let (grid, margin) = (Grid::of(Duration::from_secs(10)).unwrap(), Duration::from_secs(1));
        let range = span(RANGE);
        let course = Course {
            grid,
            range,
            margin,
            page_size: 100,
            beside: 1,
            ahead: 2,
            attempts: 4,
            unsettled: unsettled.into(),
        };
        let times = times.iter().map(|time| Some((*time).into())).collect();
        let received = Received { times, records: (), bad: Vec::new(), envelope: None, date: None };
        let reply = Reply::new(grid, span(window), margin, received);
        match course.verdict(&Learned::new(100, 1), span(window), &reply) {
            Verdict::Believed => Vec::new(),
            Verdict::Doubted(parts) => parts,
            Verdict::Empty | Verdict::Cut => panic!("{window:?}"),
        }
    }

    #[test]
    fn the_newest_records_may_come_later() {
        let (first, last) = ((0, 50), (50, 100));
        let table: [(i64, Ends, &[i64], &[Ends]); 7] = [
            (100, last, &[50, 60, 70], &[(80, 100)]),
            (60, last, &[50, 60, 70], &[]),
            (60, first, &[0, 10, 20], &[(30, 50)]),
            (60, last, &[60, 70], &[(50, 60)]),
            (50, last, &[60, 70], &[]),
            (60, last, &[50, 90], &[]),
            (60, RANGE, &[10, 20, 30, 40, 50, 60, 70], &[(0, 10)]),
        ];
        for (unsettled, window, times, expected) in table {
            let expected: Vec<_> = expected.iter().copied().map(span).collect();
            assert_eq!(doubted(unsettled, window, times), expected, "{unsettled} {window:?} {times:?}");
        }
    }
}
