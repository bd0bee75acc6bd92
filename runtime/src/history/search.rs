//! The search for the first record of a range whose first pages are empty: doubling, then bisection.
//!
//! Pages are numbered; whether each has a record determines the number of the next page to request.

/// The search for the first page with a record.
#[derive(Clone, Debug)]
pub(super) struct Search {
    pages: u64,
    /// The first page that may have records: all before are empty, or were not requested.
    low: u64,
    /// The same before the last empty page.
    previous: u64,
    /// A page with records, or the number of pages.
    high: Option<u64>,
    is_confirmed: bool,
}

impl Search {
    pub(super) fn new(pages: u64) -> Self {
        Self { pages, low: 0, previous: 0, high: None, is_confirmed: false }
    }

    /// The next page to request; `Err` with the first page that has records.
    pub(super) fn next(&mut self) -> Result<u64, u64> {
        match self.high {
            None => Ok((2 * self.low + 1).min(self.pages - 1)),
            Some(high) if high > self.low => Ok(u64::midpoint(self.low, high)),
            // One further page on the empty side next to the data, at half the distance.
            Some(_) if !self.is_confirmed && self.low > self.previous + 1 => {
                self.is_confirmed = true;
                Ok(u64::midpoint(self.previous, self.low - 1))
            }
            Some(high) => Err(high),
        }
    }

    /// Takes whether a page has no records.
    pub(super) fn received(&mut self, page: u64, is_empty: bool) {
        if !is_empty {
            (self.high, self.low) = (Some(page), if page < self.low { self.previous } else { self.low });
        } else if page >= self.low {
            (self.previous, self.low) = (self.low, page + 1);
            if self.low >= self.pages {
                self.high = Some(self.pages);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(pages: u64, has_records: impl Fn(u64) -> bool) -> (u64, usize) {
        let (mut search, mut requests) = (Search::new(pages), 0);
        loop {
            match search.next() {
                Ok(page) => search.received(page, !has_records(page)),
                Err(first) => return (first, requests),
            }
            requests += 1;
            assert!(requests < 100);
        }
    }

    #[test]
    fn the_first_page_with_records_is_found() {
        for pages in 1..70 {
            for first in 0..=pages {
                assert_eq!(find(pages, |page| page >= first).0, first, "{first} of {pages}");
            }
        }
        // Seven years of minutes.
        for first in [0, 1, 3690, 7000, 7379, 7380] {
            let (found, requests) = find(7380, |page| page >= first);
            assert!(found == first && requests <= 30, "{first}: {found} after {requests}");
        }
    }

    #[test]
    fn records_before_a_hole_are_found_by_the_confirmation() {
        let (found, _) = find(1000, |page| page >= 700 || (400..680).contains(&page));
        assert_eq!(found, 400);
    }
}
