//! The search for the first record of a range whose first pages are empty, by doubling and then by bisection.
//!
//! Pages are numbered. The next page to request depends on which of the requested pages had records.

use std::ops::Range;

use super::time_grid::{Span, TimeGrid};
use crate::values::Timestamp;

/// The search for the first page with a record.
#[derive(Clone, Debug)]
pub(super) struct Search {
    grid: TimeGrid,
    range: Span,
    /// The number of steps of a page.
    steps: usize,
    pages: u64,
    /// The page of the last request.
    page: u64,
    /// The windows of all requests.
    pub(super) requested: Vec<Range<Timestamp>>,
    /// The first page that may have records. All requested pages before it are empty.
    low: u64,
    /// The value of `low` before the last empty page changed it.
    previous: u64,
    /// The upper limit of the search: a page that has records, or the number of pages if every page is empty.
    high: Option<u64>,
    is_confirmed: bool,
}

impl Search {
    pub(super) fn new(grid: TimeGrid, range: Span, steps: usize) -> Self {
        let pages = grid.touched(range).div_ceil(u64::try_from(steps).unwrap_or(u64::MAX));
        let (page, low, previous) = (0, 0, 0);
        Self { grid, range, steps, pages, page, requested: Vec::new(), low, previous, high: None, is_confirmed: false }
    }

    /// Returns the next page to request. After the search, returns the part of the range before the first page that has
    /// records, as `Err`.
    pub(super) fn next(&mut self) -> Result<Span, Span> {
        self.page = match self.high {
            None => (2 * self.low + 1).min(self.pages - 1),
            Some(high) if high > self.low => u64::midpoint(self.low, high),
            // Before the search ends, one more page is requested as a confirmation, halfway between the last two values
            // of `low`.
            Some(_) if !self.is_confirmed && self.low > self.previous + 1 => {
                self.is_confirmed = true;
                u64::midpoint(self.previous, self.low - 1)
            }
            Some(high) => return Err(Span { from: self.range.from, to: self.start(high) }),
        };
        let window = Span { from: self.start(self.page), to: self.start(self.page + 1) };
        self.requested.push(window.range());
        Ok(window)
    }

    /// Continues the search after the response for the last requested page. `is_empty` is true if that page has no
    /// records.
    pub(super) fn received(&mut self, is_empty: bool) {
        let page = self.page;
        if !is_empty {
            // A page before `low` was requested as the confirmation. If it has records, the search continues from
            // `previous`.
            (self.high, self.low) = (Some(page), if page < self.low { self.previous } else { self.low });
        } else if page >= self.low {
            (self.previous, self.low) = (self.low, page + 1);
            if self.low >= self.pages {
                self.high = Some(self.pages);
            }
        }
    }

    fn start(&self, page: u64) -> Timestamp {
        let steps = usize::try_from(page).unwrap_or(usize::MAX).saturating_mul(self.steps);
        self.grid.after(self.range.from, steps).min(self.range.to)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Runs a search, and returns the first page with records and the number of requests.
    fn find(pages: i64, has_records: impl Fn(i64) -> bool) -> (i64, usize) {
        let grid = TimeGrid::new(Duration::from_secs(1));
        let mut search = Search::new(grid, Span { from: 0.into(), to: (2 * pages).into() }, 2);
        loop {
            match search.next() {
                Ok(window) => search.received(!has_records(window.from.unix_seconds() / 2)),
                Err(empty) => return (empty.to.unix_seconds() / 2, search.requested.len()),
            }
            assert!(search.requested.len() < 100);
        }
    }

    #[test]
    fn the_first_page_with_records_is_found() {
        for pages in 1..70 {
            for first in 0..=pages {
                assert_eq!(find(pages, |page| page >= first).0, first, "{first} of {pages}");
            }
        }
        // Seven years of one-minute records are about 7380 pages of 500 records.
        for first in [0, 1, 3690, 7000, 7379, 7380] {
            let (found, requests) = find(7380, |page| page >= first);
            assert!(found == first && requests <= 30, "{first}: {found} after {requests}");
        }
    }

    #[test]
    fn records_before_a_long_gap_are_found() {
        let (found, _) = find(1000, |page| page >= 700 || (400..680).contains(&page));
        assert_eq!(found, 400);
    }
}
