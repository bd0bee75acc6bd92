//! The progress of series that are printed one after the other, summed over all of them.

use std::collections::VecDeque;
use std::time::Instant;

use runtime::history::Progress;

/// Adds the series that have ended, the current one, and the planned requests of the others.
pub(crate) struct StreamProgress {
    begun: Instant,
    /// The progress of the series that have ended.
    ended: Progress,
    /// The number of requests of each series that was not begun yet.
    planned: VecDeque<u64>,
}

impl StreamProgress {
    /// Begins before the first of the series, which need so many requests each.
    pub(crate) fn new(planned: VecDeque<u64>) -> Self {
        Self { begun: Instant::now(), ended: Progress::default(), planned }
    }

    /// Begins the next series.
    pub(crate) fn begin_series(&mut self) {
        self.planned.pop_front();
    }

    /// The progress of all series during the current one.
    pub(crate) fn with(&self, current: &Progress) -> Progress {
        let mut all = self.ended.clone();
        add(&mut all, current);
        all.pages_left = current.pages_left + self.planned.iter().sum::<u64>();
        all.elapsed = self.begun.elapsed();
        all
    }

    /// Ends the current series, of which nothing more is requested.
    pub(crate) fn end_series(&mut self, current: &Progress) {
        add(&mut self.ended, current);
    }
}

fn add(all: &mut Progress, one: &Progress) {
    all.records += one.records;
    all.pages += one.pages;
    all.requests += one.requests;
    all.waited += one.waited;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(pages: u64, pages_left: u64) -> Progress {
        let mut progress = Progress::default();
        (progress.records, progress.pages, progress.pages_left) = (pages * 100, pages, pages_left);
        progress
    }

    #[test]
    fn a_further_series_continues_the_progress() {
        let mut all = StreamProgress::new(VecDeque::from([8, 8, 4]));
        let mut seen = Vec::new();
        // The second series ends with an error after its first page.
        for pages in [vec![progress(1, 7), progress(8, 0)], vec![progress(1, 7)], vec![progress(2, 2), progress(4, 0)]]
        {
            all.begin_series();
            for current in &pages {
                let sum = all.with(current);
                seen.push((sum.records, sum.pages, sum.pages + sum.pages_left));
            }
            all.end_series(pages.last().unwrap());
        }
        assert_eq!(seen, [(100, 1, 20), (800, 8, 20), (900, 9, 20), (1100, 11, 13), (1300, 13, 13)]);
    }
}
