//! Gaps: steps for which the service has no record.
//!
//! The missing steps of each window are merged in order of time; a gap is returned as soon as its end is known. A gap
//! that is still open is part of the checkpoint.

use std::ops::Range;

use super::time_grid::Span;
use crate::values::Timestamp;

/// A part of the range for which the service has no records, although the step implies some.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Gap {
    /// The start of the first step without a record, and the end of the last one.
    pub range: Range<Timestamp>,
}

impl Gap {
    pub(super) fn new(span: Span) -> Self {
        Self { range: span.range() }
    }
}

/// The gaps of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Gaps {
    /// All complete steps of the range.
    range: Span,
    /// The gap that ends at the current position.
    open: Option<Span>,
}

impl Gaps {
    /// Creates the gaps from position `at` on; `open_since` is the start of the gap that ends there, if any.
    pub(super) fn new(range: Span, open_since: Option<Timestamp>, at: Timestamp) -> Self {
        let open = open_since.map(|from| Span { from, to: at }).filter(|open| !open.is_empty());
        Self { range, open }
    }

    /// The end of the last complete step.
    pub(super) fn end(&self) -> Timestamp {
        self.range.to
    }

    /// The start of the gap that ends at the current position.
    pub(super) fn open_since(&self) -> Option<Timestamp> {
        self.open.map(|open| open.from)
    }

    /// Adds the missing steps of the next window; returns the gaps that have ended.
    pub(super) fn window(&mut self, end: Timestamp, missing: &[Span]) -> Vec<Gap> {
        let mut ended = Vec::new();
        for gap in missing {
            // A step that is only partly in the range is not a gap: its record may be outside.
            let gap = Span { from: gap.from.max(self.range.from), to: gap.to.min(self.range.to) };
            if gap.is_empty() {
                continue;
            }
            match &mut self.open {
                Some(open) if open.to == gap.from => open.to = gap.to,
                _ => ended.extend(self.open.replace(gap).map(Gap::new)),
            }
        }
        let end = end.min(self.range.to);
        // The gap is complete if it ends before the window does, or at the end of the range.
        if self.open.is_some_and(|open| open.to < end || open.to == self.range.to) {
            ended.extend(self.close());
        }
        ended
    }

    /// Ends the open gap, because the records after it are unknown.
    pub(super) fn close(&mut self) -> Option<Gap> {
        self.open.take().map(Gap::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(from: i64, to: i64) -> Span {
        Span { from: from.into(), to: to.into() }
    }

    /// Checks windows of four steps each, given the missing steps of each.
    fn check(windows: &[&[(i64, i64)]]) -> Vec<(i64, i64)> {
        let mut gaps = Gaps::new(span(0, 4 * i64::try_from(windows.len()).unwrap()), None, 0.into());
        let mut gaps_found = Vec::new();
        for (index, missing) in windows.iter().enumerate() {
            let missing: Vec<_> = missing.iter().map(|(from, to)| span(*from, *to)).collect();
            let end = Timestamp::from(4 * (i64::try_from(index).unwrap() + 1));
            // An open gap can be saved in a checkpoint and resumed.
            gaps = Gaps::new(gaps.range, gaps.open_since(), end - std::time::Duration::from_secs(4));
            gaps_found.extend(gaps.window(end, &missing));
        }
        assert_eq!(gaps.open_since(), None);
        let seconds = |time: Timestamp| time.unix_seconds();
        gaps_found.iter().map(|gap| (seconds(gap.range.start), seconds(gap.range.end))).collect()
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
