//! Facts that are learned from the responses of a series: the maximum number of records on a page, and whether a page
//! is complete if it has no records at the start or end of its window.
//!
//! The maximum number of steps of a window is computed from these facts. This module uses numbers of records, not their
//! times.

/// Facts learned about the service.
#[derive(Clone, Debug)]
pub(super) struct PageLimits {
    /// The maximum number of records on a page: the page size, or a smaller number that the service was found to use.
    cap: usize,
    /// The maximum number of records on a page that are outside of its window.
    outside: usize,
    /// The maximum number of steps of a window, learned from windows whose records did not fit on a page.
    steps: usize,
    /// The number of records on the largest page that is known to be complete.
    complete: usize,
    /// True if a page without records at its first or last steps was found to be complete, and no page was found to be
    /// truncated since then.
    is_confirmed: bool,
    /// The number of records on the page that was last found to be truncated. If a second request for the other end of
    /// that page returns no record, this is not evidence that the page was complete.
    truncated: Option<usize>,
}

impl PageLimits {
    pub(super) fn new(page_size: usize, outside: usize) -> Self {
        Self { cap: page_size, outside, steps: page_size, complete: 0, is_confirmed: false, truncated: None }
    }

    /// Returns the maximum number of steps of a window whose records fit on a page.
    pub(super) fn steps(&self) -> usize {
        self.cap.saturating_sub(self.outside).min(self.steps).max(1)
    }

    /// Returns whether a page has the maximum number of records, so that further records may have been cut off.
    pub(super) fn is_full(&self, received: usize) -> bool {
        received >= self.cap
    }

    /// Returns whether a page without records at the start or end of its window is accepted without a second request.
    /// The page is accepted if an earlier page of this kind, and a page with more records than this page, were found to
    /// be complete.
    pub(super) fn is_trusted(&self, received: usize) -> bool {
        self.is_confirmed && received < self.complete
    }

    /// Notes that a page with this many records was complete.
    pub(super) fn complete(&mut self, received: usize) {
        self.complete = self.complete.max(received);
    }

    /// Limits later windows to `kept` steps, because more records did not fit on a page.
    pub(super) fn cut(&mut self, kept: usize) {
        self.steps = self.steps.min(kept.max(1));
    }

    /// Learns from a second request, which was for the start or the end of a page's window. `page` is the number of
    /// records on the page, and `part` the number of records in the second response. `is_empty` is true if the
    /// second response has no record that the page did not have.
    pub(super) fn confirm(&mut self, page: usize, part: usize, is_empty: bool) {
        if is_empty && self.truncated == Some(page) {
            return;
        }
        self.is_confirmed = is_empty;
        if is_empty {
            self.complete(page);
            return;
        }
        self.truncated = Some(page);
        // The length of a truncated page is the service's maximum only if every page received so far had at most this
        // length.
        if page >= self.complete.max(part) {
            self.cap = self.cap.min(page);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cap_is_learned_from_pages_of_equal_length() {
        let mut limits = PageLimits::new(1000, 1);
        limits.confirm(100, 100, false);
        assert_eq!((limits.steps(), limits.is_full(100), limits.is_full(99)), (99, true, false));
        // The length of a page that was truncated by chance is not the service's maximum.
        let mut limits = PageLimits::new(1000, 1);
        limits.confirm(7, 500, false);
        assert_eq!(limits.steps(), 999);
        limits.complete(1000);
        limits.confirm(300, 300, false);
        assert_eq!(limits.steps(), 999);
    }

    #[test]
    fn pages_are_trusted_after_one_proved_complete() {
        let mut limits = PageLimits::new(1000, 1);
        limits.complete(400);
        assert!(!limits.is_trusted(300));
        limits.confirm(350, 0, true);
        assert!(limits.is_trusted(300));
        assert!(!limits.is_trusted(400), "400 may be the maximum of the service");
        limits.confirm(300, 20, false);
        assert!(!limits.is_trusted(300));
        // The page of 300 was truncated at one end. It is therefore not complete, even though no records are missing at
        // its other end.
        limits.confirm(300, 0, true);
        assert!(!limits.is_trusted(200));
    }

    #[test]
    fn a_window_leaves_room_for_records_from_outside() {
        let mut limits = PageLimits::new(1000, 1);
        limits.cut(990);
        assert_eq!(limits.steps(), 990);
        limits.cut(0);
        assert_eq!(limits.steps(), 1);
    }
}
