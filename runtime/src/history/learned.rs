//! Facts learned from the responses of a series: the maximum number of records on a page, and whether a page without
//! records at an end is complete.
//!
//! Counts of records determine the number of steps of the next window. Windows are not known here.

/// The number of doubted pages that have to prove complete before a similar page is believed at once.
const CONFIRMATIONS: u32 = 3;

/// Facts learned about the service.
#[derive(Clone, Debug)]
pub(super) struct Learned {
    /// The most records on a page: the page size, or fewer if the service was seen to return fewer.
    cap: usize,
    /// The maximum number of records from outside of its window on a page.
    beside: usize,
    /// The most steps of a window: fewer than `cap` if records from outside of the window use room on its page.
    steps: usize,
    /// The most records of a page that is known to be complete.
    proven: usize,
    confirmed: u32,
}

impl Learned {
    pub(super) fn new(page_size: usize, beside: usize) -> Self {
        Self { cap: page_size, beside, steps: page_size, proven: 0, confirmed: 0 }
    }

    /// The maximum number of steps of a window whose records fit on a page.
    pub(super) fn steps(&self) -> usize {
        self.cap.saturating_sub(self.beside).min(self.steps).max(1)
    }

    /// Returns whether a page has the most records possible, so that other records may be cut off.
    pub(super) fn is_full(&self, came: usize) -> bool {
        came >= self.cap
    }

    /// Returns whether a page without its first or last records is believed at once: similar pages proved complete, and
    /// so did a longer one.
    pub(super) fn is_trusted(&self, came: usize) -> bool {
        self.confirmed >= CONFIRMATIONS && came < self.proven
    }

    /// A page was complete.
    pub(super) fn whole(&mut self, came: usize) {
        self.proven = self.proven.max(came);
    }

    /// A page was full, with this many records of its window.
    pub(super) fn cut(&mut self, kept: usize) {
        self.steps = self.steps.min(kept.max(1));
    }

    /// A doubted page proved complete.
    pub(super) fn confirmed(&mut self, came: usize) {
        self.confirmed = self.confirmed.saturating_add(1);
        self.whole(came);
    }

    /// A doubted page was truncated; the largest of the parts that were fetched again had `halves` records.
    pub(super) fn refuted(&mut self, came: usize, halves: usize) {
        self.confirmed = 0;
        // If a longer page was received before or now, the length of this one is not the limit of the service.
        if came >= self.proven.max(halves) {
            self.cap = self.cap.min(came);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_learned_where_pages_have_the_same_length() {
        let mut learned = Learned::new(1000, 1);
        learned.refuted(100, 100);
        assert_eq!((learned.steps(), learned.is_full(100), learned.is_full(99)), (99, true, false));
        // A page that was truncated by chance is not the limit of the service.
        let mut learned = Learned::new(1000, 1);
        learned.refuted(7, 500);
        assert_eq!(learned.steps(), 999);
        learned.whole(1000);
        learned.refuted(300, 300);
        assert_eq!(learned.steps(), 999);
    }

    #[test]
    fn pages_are_believed_once_they_were_found_whole() {
        let mut learned = Learned::new(1000, 1);
        for _ in 0..3 {
            assert!(!learned.is_trusted(300));
            learned.confirmed(400);
        }
        assert!(learned.is_trusted(300));
        assert!(!learned.is_trusted(400), "the service may never return more than that");
        learned.refuted(400, 400);
        assert!(!learned.is_trusted(300));
    }

    #[test]
    fn a_window_leaves_room_for_what_comes_beside_it() {
        let mut learned = Learned::new(1000, 1);
        learned.cut(990);
        assert_eq!(learned.steps(), 990);
        learned.cut(0);
        assert_eq!(learned.steps(), 1);
    }
}
