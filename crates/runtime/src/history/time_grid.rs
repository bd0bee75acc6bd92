//! Spans of time, and the steps into which they are divided.
//!
//! This module uses only times, not records.

use std::ops::Range;

use crate::values::{Interval, Timestamp};

/// A time interval that does not include its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) from: Timestamp,
    pub(super) to: Timestamp,
}

impl Span {
    pub(super) fn contains(self, time: Timestamp) -> bool {
        self.from <= time && time < self.to
    }

    pub(super) fn is_empty(self) -> bool {
        self.to <= self.from
    }

    /// Returns the part that is in another span.
    pub(super) fn within(self, other: Self) -> Self {
        Self { from: self.from.max(other.from), to: self.to.min(other.to) }
    }

    pub(super) fn range(self) -> std::ops::Range<Timestamp> {
        self.from..self.to
    }
}

/// Time divided into the steps of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimeGrid {
    pub(super) interval: Interval,
    /// Whether records have the time at which their intervals end, so that the interval of a record is the step before
    /// the one that contains its time.
    time_is_end: bool,
}

impl TimeGrid {
    /// The grid of events, which can have any times.
    pub(super) const EVENTS: Self = Self { interval: Interval::EVENTS, time_is_end: false };

    /// Returns whether a record is expected for each step.
    pub(super) fn has_steps(self) -> bool {
        self.interval.has_steps()
    }

    pub(super) fn new(interval: impl Into<Interval>) -> Self {
        Self { interval: interval.into(), time_is_end: false }
    }

    /// Returns the same grid for records that have the time at which their intervals end.
    pub(super) fn of_ends(self) -> Self {
        Self { time_is_end: self.has_steps(), ..self }
    }

    /// Returns the time before which a step must end so that its record is final once the service has reached `time`.
    pub(super) fn final_until(self, time: Timestamp) -> Timestamp {
        if self.time_is_end { self.interval.moved(time, 1) } else { time }
    }

    /// Returns the time that the service must have reached so that the records of all steps before `time` are final.
    pub(super) fn final_at(self, time: Timestamp) -> Timestamp {
        if self.time_is_end { self.interval.moved(time, -1) } else { time }
    }

    /// Returns the start of the step that contains a time.
    pub(super) fn floor(self, time: Timestamp) -> Timestamp {
        self.interval.start_of(time)
    }

    /// Returns the start of the next step, or the time itself if it is the start of a step.
    pub(super) fn ceil(self, time: Timestamp) -> Timestamp {
        if self.floor(time) == time { time } else { self.next(time) }
    }

    /// Returns the end of the step that contains a time.
    pub(super) fn next(self, time: Timestamp) -> Timestamp {
        self.interval.end_of(time)
    }

    /// Returns the step that contains a time. `next` is the start of a step: most records have the start of the step after
    /// the one of the record before them, and that step is found without a division.
    pub(super) fn step(self, time: Timestamp, next: Timestamp) -> Span {
        if time == next {
            return Span { from: next, to: self.interval.moved(next, 1) };
        }
        let from = self.floor(time);
        Span { from, to: self.next(from) }
    }

    /// Returns the start of the step that is `steps` steps after the step that contains `time`.
    pub(super) fn after(self, time: Timestamp, steps: usize) -> Timestamp {
        self.interval.shifted(time, i64::try_from(steps).unwrap_or(i64::MAX))
    }

    /// Returns the start of the step that is `steps` steps before the step that contains `time`.
    pub(super) fn before(self, time: Timestamp, steps: u32) -> Timestamp {
        self.interval.shifted(time, -i64::from(steps))
    }

    /// Divides a span into pieces of at most this many steps.
    pub(super) fn pieces(self, span: Span, steps: usize) -> Vec<Span> {
        let mut pieces = Vec::new();
        let mut from = span.from;
        while from < span.to {
            let to = self.after(from, steps.max(1)).min(span.to);
            pieces.push(Span { from, to });
            from = to;
        }
        pieces
    }

    /// Extends a span to all steps that overlap it, each of which may have a record.
    pub(super) fn outer(self, span: Span) -> Span {
        if span.is_empty() { span } else { Span { from: self.floor(span.from), to: self.ceil(span.to) } }
    }

    /// Returns the number of steps that overlap a span.
    pub(super) fn touched(self, span: Span) -> u64 {
        self.interval.count(&span.range())
    }

    /// Returns the number of steps in spans that begin and end with steps.
    pub(super) fn steps(self, spans: &[Span]) -> u64 {
        spans.iter().map(|span| self.touched(*span)).sum()
    }

    /// Reduces a span to the complete steps in it.
    pub(super) fn whole(self, span: Span) -> Span {
        Span { from: self.ceil(span.from), to: self.floor(span.to) }
    }

    /// Returns the steps that overlap a span and contain none of `times`, which must be increasing. Adjacent steps are
    /// merged.
    pub(super) fn missing(self, span: Span, times: impl Iterator<Item = Timestamp>) -> Vec<Span> {
        let outer = self.outer(span);
        let mut missing = Vec::new();
        let mut next = outer.from;
        for time in times {
            let step = self.step(time.min(outer.to), next);
            push(&mut missing, Span { from: next, to: step.from });
            next = next.max(step.to);
        }
        push(&mut missing, Span { from: next, to: outer.to });
        missing
    }
}

/// A part of the range for which the service has no records, although there should be one record per step.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Gap {
    /// The start of the first step without a record, and the end of the last step without a record.
    pub range: Range<Timestamp>,
}

/// Adds a gap to `gaps`. A gap that begins at the end of the last gap extends it; an empty gap is omitted.
pub(super) fn push(gaps: &mut Vec<Span>, gap: Span) {
    match gaps.last_mut() {
        _ if gap.is_empty() => {}
        Some(last) if last.to == gap.from => last.to = gap.to,
        _ => gaps.push(gap),
    }
}

/// Joins `missing`, the missing steps of a window that ends at `end`, with `open`, the gap that ends at the start of
/// the window. Returns the gaps that have ended, and the gap that may continue in the next window. `whole` is the range
/// of all complete steps; no gap continues after the end of `whole`.
pub(super) fn join(open: Option<Span>, missing: &[Span], whole: Span, end: Timestamp) -> (Vec<Span>, Option<Span>) {
    let mut gaps = Vec::from_iter(open);
    for gap in missing {
        // A step that is only partly in the range is not a gap, because its record may be outside the range.
        push(&mut gaps, Span { from: gap.from.max(whole.from), to: gap.to.min(whole.to) });
    }
    let is_open = gaps.last().is_some_and(|gap| gap.to >= end && gap.to != whole.to);
    let open = if is_open { gaps.pop() } else { None };
    (gaps, open)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::registry::Step;

    /// Starts and ends, in seconds.
    type Seconds<'t> = &'t [(i64, i64)];

    fn span(from: i64, to: i64) -> Span {
        Span { from: from.into(), to: to.into() }
    }

    #[test]
    fn steps_of_a_span() {
        let grid = TimeGrid::new(Duration::from_secs(60));
        for (from, to, touched, whole) in
            [(0, 0, 0, 0), (0, 60, 1, 1), (0, 61, 2, 1), (1, 60, 1, 0), (59, 121, 3, 1), (-60, 60, 2, 2), (60, 0, 0, 0)]
        {
            let inner = grid.whole(span(from, to));
            assert_eq!((grid.touched(span(from, to)), grid.touched(inner)), (touched, whole), "{from}..{to}");
        }
    }

    #[test]
    fn missing_times_of_a_grid() {
        let grid = TimeGrid::new(Duration::from_secs(60));
        let table: [(&[i64], Seconds<'_>); 7] = [
            (&[0, 60, 120, 180], &[]),
            (&[], &[(0, 240)]),
            (&[60, 180], &[(0, 60), (120, 180)]),
            (&[0, 61], &[(120, 240)]),
            (&[0, 10, 59, 60, 120, 180], &[]),
            (&[130], &[(0, 120), (180, 240)]),
            (&[240], &[(0, 240)]),
        ];
        for (times, expected) in table {
            let missing = grid.missing(span(10, 230), times.iter().map(|time| Timestamp::from(*time)));
            let expected: Vec<_> = expected.iter().map(|(from, to)| span(*from, *to)).collect();
            assert_eq!(missing, expected, "{times:?}");
        }
    }

    #[test]
    fn the_record_of_a_month_is_final_when_the_month_has_ended() {
        let time = |text: &str| text.parse::<Timestamp>().unwrap();
        let months = TimeGrid::new(Interval::new(Step::Months(1)));
        let [january, february, march] = ["2024-01-01", "2024-02-01", "2024-03-01"].map(time);
        for (grid, until) in [(months, february), (months.of_ends(), march)] {
            assert_eq!((grid.final_until(february), grid.final_at(until)), (until, february));
            assert!(grid.floor(grid.final_until(february - Duration::from_secs(1))) < until);
        }
        // No February has a thirty-first day.
        assert!(months.of_ends().final_until(january + Duration::from_secs(30 * 86_400)) < march);
    }
}

#[cfg(test)]
mod gaps_tests {
    use super::*;

    fn span(from: i64, to: i64) -> Span {
        Span { from: from.into(), to: to.into() }
    }

    /// Joins the missing steps of consecutive windows, each of four steps, and returns the gaps.
    fn check(windows: &[&[(i64, i64)]]) -> Vec<(i64, i64)> {
        let whole = span(0, 4 * i64::try_from(windows.len()).unwrap());
        let (mut found, mut open) = (Vec::new(), None);
        for (index, missing) in windows.iter().enumerate() {
            let missing: Vec<_> = missing.iter().map(|(from, to)| span(*from, *to)).collect();
            let end = Timestamp::from(4 * (i64::try_from(index).unwrap() + 1));
            let ended;
            (ended, open) = join(open, &missing, whole, end);
            found.extend(ended);
        }
        assert_eq!(open, None);
        found.iter().map(|gap| (gap.from.unix_seconds(), gap.to.unix_seconds())).collect()
    }

    #[test]
    fn adjacent_gaps_are_merged() {
        assert_eq!(check(&[&[], &[], &[]]), []);
        assert_eq!(check(&[&[(0, 4)], &[(4, 8)], &[(8, 12)]]), [(0, 12)]);
        assert_eq!(check(&[&[(0, 4)], &[(4, 6)], &[(10, 12)]]), [(0, 6), (10, 12)]);
        assert_eq!(check(&[&[(1, 2), (3, 4)], &[(4, 8)], &[]]), [(1, 2), (3, 8)]);
        assert_eq!(check(&[&[(2, 4)], &[(5, 6)], &[]]), [(2, 4), (5, 6)]);
    }
}
