//! What the replies of one series tell of the service: how many records a page can have, and how far a page that looks
//! cut is to be believed.
//!
//! Counts of records come in; how many steps the next window may have goes out. Which window a reply answers is not
//! known here.

/// How often pages have to be found whole that looked cut before one of them is believed at once.
const CONFIRMATIONS: u32 = 3;

/// What has been learned of the service.
#[derive(Clone, Debug)]
pub(super) struct Learned {
    /// The most records that a page has: the page size, or fewer where the service was seen to give no more.
    cap: usize,
    /// How many steps a window had whose page was filled by other records too.
    steps: usize,
    /// The most records of a page that is known to be whole.
    proven: usize,
    confirmed: u32,
}

impl Learned {
    pub(super) fn new(page_size: usize) -> Self {
        Self { cap: page_size, steps: page_size, proven: 0, confirmed: 0 }
    }

    /// How many steps a window may have, so that no more records can come than a page has: one less than that, since a
    /// window is asked for with the points right before and after it, of which one may have a record.
    pub(super) fn steps(&self) -> usize {
        self.cap.saturating_sub(1).min(self.steps).max(1)
    }

    /// Whether there may be records that had no place on a page.
    pub(super) fn is_full(&self, came: usize) -> bool {
        came >= self.cap
    }

    /// Whether a page that lacks its first or its last record is believed: such pages were, and longer ones too.
    pub(super) fn is_trusted(&self, came: usize) -> bool {
        self.confirmed >= CONFIRMATIONS && came < self.proven
    }

    /// A page was whole.
    pub(super) fn whole(&mut self, came: usize) {
        self.proven = self.proven.max(came);
    }

    /// A page was full, and had so many records of its window.
    pub(super) fn cut(&mut self, kept: usize) {
        self.steps = self.steps.min(kept.max(1));
    }

    /// A page that looked cut was whole.
    pub(super) fn confirmed(&mut self, came: usize) {
        self.confirmed = self.confirmed.saturating_add(1);
        self.whole(came);
    }

    /// A page was cut; the halves of its window had so many records at most.
    pub(super) fn refuted(&mut self, came: usize, halves: usize) {
        self.confirmed = 0;
        // Where a longer page came before or came now, it was an accident and no bound.
        if came > 0 && came >= self.proven && came >= halves {
            self.cap = self.cap.min(came);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_learned_where_pages_have_the_same_length() {
        let mut learned = Learned::new(1000);
        learned.refuted(100, 100);
        assert_eq!((learned.steps(), learned.is_full(100), learned.is_full(99)), (99, true, false));
        // A page that was cut by accident is no bound.
        let mut learned = Learned::new(1000);
        learned.refuted(7, 500);
        assert_eq!(learned.steps(), 999);
        learned.whole(1000);
        learned.refuted(300, 300);
        assert_eq!(learned.steps(), 999);
    }

    #[test]
    fn pages_are_believed_once_they_were_found_whole() {
        let mut learned = Learned::new(1000);
        for _ in 0..3 {
            assert!(!learned.is_trusted(300));
            learned.confirmed(400);
        }
        assert!(learned.is_trusted(300));
        assert!(!learned.is_trusted(400), "the service may give no more than that");
        learned.refuted(400, 400);
        assert!(!learned.is_trusted(300));
    }

    #[test]
    fn a_window_leaves_room_for_what_comes_beside_it() {
        let mut learned = Learned::new(1000);
        learned.cut(990);
        assert_eq!(learned.steps(), 990);
        learned.cut(0);
        assert_eq!(learned.steps(), 1);
    }
}
