//! Gaps: steps for which the service has no record.
//!
//! Missing steps that follow one another are merged into one gap, even across windows. A gap is returned as soon as its
//! end is known; until then, its start is part of the checkpoint.

use std::ops::Range;

use super::time_grid::Span;
use crate::values::Timestamp;

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
