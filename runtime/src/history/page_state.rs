//! The state of one window: waiting, sent, settled or failed.
//!
//! Responses and failures are stored here; `pager` decides what follows from them.

use std::time::Duration;

use super::page_response::PageResponse;
use super::time_grid::Span;
use crate::error::Error;
use crate::platform::Instant;

/// The delay after the first failed attempt; each further delay is four times as long.
const FIRST_DELAY: Duration = Duration::from_secs(1);

/// A window of the range.
#[derive(Debug)]
pub(super) struct PlannedPage<R> {
    pub(super) window: Span,
    pub(super) state: PageState<R>,
    /// True for a response without records, until the adjacent windows have decided whether it is trusted.
    pub(super) is_doubted: bool,
    /// If the window is requested because a larger page had no records here: the number of records on that page.
    pub(super) confirms: Option<usize>,
    pub(super) failures: u32,
}

#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // Nearly all pages become settled.
pub(super) enum PageState<R> {
    /// Not requested, or to be requested again after a time.
    Waiting(Option<Instant>),
    /// Requested; the number of the request.
    Sent(u64),
    Settled(PageResponse<R>),
    Failed(Error),
}

impl<R> PlannedPage<R> {
    pub(super) fn new(window: Span) -> Self {
        Self { window, state: PageState::Waiting(None), is_doubted: false, confirms: None, failures: 0 }
    }

    pub(super) fn settled(window: Span, response: PageResponse<R>) -> Self {
        Self { state: PageState::Settled(response), ..Self::new(window) }
    }

    /// Returns whether this window is an end of a page with records that was requested again and is empty. Such a
    /// window shows nothing about the windows next to the page.
    pub(super) fn is_empty_end(&self) -> bool {
        self.confirms.is_some_and(|page| page > 0)
            && matches!(&self.state, PageState::Settled(response) if response.is_empty())
    }

    pub(super) fn is_due(&self, now: Instant) -> bool {
        matches!(self.state, PageState::Waiting(time) if time.is_none_or(|time| time <= now))
    }

    /// Schedules another attempt after a delay; returns the error if no further attempt is made.
    pub(super) fn failed(&mut self, error: Error, attempts: u32, now: Instant) -> Option<Error> {
        self.failures += 1;
        if self.failures >= attempts || !(error.is_retryable() || error.is_decode()) {
            return Some(error);
        }
        let delay = FIRST_DELAY.saturating_mul(4_u32.saturating_pow(self.failures - 1));
        self.state = PageState::Waiting(now.checked_add(delay));
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Again;

    #[test]
    fn each_further_attempt_waits_four_times_as_long() {
        let error = || Error::build("any").again(Again::Yes);
        let mut page: PlannedPage<()> = PlannedPage::new(Span { from: 0.into(), to: 1.into() });
        let mut now = Instant::now();
        for delay in [1, 4, 16] {
            assert!(page.is_due(now));
            page.state = PageState::Sent(7);
            assert!(!page.is_due(now));
            assert!(page.failed(error(), 4, now).is_none());
            let due = now + Duration::from_secs(delay);
            assert!(!page.is_due(due - Duration::from_nanos(1)));
            now = due;
        }
        assert!(page.failed(error(), 4, now).is_some());
    }
}
