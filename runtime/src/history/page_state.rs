//! The state of one window: requested, empty, settled or failed.
//!
//! Responses and failures are stored here; `pager` decides what follows from them.

use std::time::Duration;

use super::page_response::PageResponse;
use super::time_grid::Span;
use crate::error::Error;
use crate::platform::Instant;

/// The delay after a failed attempt; each further one takes four times as long.
const FIRST_DELAY: Duration = Duration::from_secs(1);

/// A window of the range.
#[derive(Debug)]
pub(super) struct PlannedPage<R> {
    pub(super) window: Span,
    pub(super) state: PageState<R>,
    /// If the window is requested because a larger page had no records here: the number of records on that page.
    pub(super) confirms: Option<usize>,
}

#[derive(Debug)]
pub(super) enum PageState<R> {
    Requested(PageRequest),
    /// A response without records; the adjacent windows decide whether it is trusted.
    Empty(PageResponse<R>),
    Settled(PageResponse<R>),
    Failed(Error),
}

/// A request for a window without a response yet.
#[derive(Debug, Default)]
pub(super) struct PageRequest {
    /// `None` until it is sent.
    id: Option<u64>,
    failures: u32,
    not_before: Option<Instant>,
}

impl<R> PlannedPage<R> {
    pub(super) fn new(window: Span) -> Self {
        Self { window, state: PageState::Requested(PageRequest::default()), confirms: None }
    }

    /// Returns whether this is an end of a page with records, requested again and empty. It shows nothing about the
    /// windows next to the page.
    pub(super) fn is_empty_end(&self) -> bool {
        self.confirms.is_some_and(|page| page > 0)
            && matches!(&self.state, PageState::Settled(response) if response.is_empty())
    }

    /// The request, until it has a response.
    pub(super) fn request(&self) -> Option<&PageRequest> {
        match &self.state {
            PageState::Requested(request) => Some(request),
            PageState::Empty(_) | PageState::Settled(_) | PageState::Failed(_) => None,
        }
    }

    pub(super) fn sent(&mut self, id: u64) {
        if let PageState::Requested(request) = &mut self.state {
            request.id = Some(id);
        }
    }

    /// Schedules another attempt after a delay; returns the error if no further attempt is made.
    pub(super) fn failed(&mut self, error: Error, attempts: u32, now: Instant) -> Option<Error> {
        match &mut self.state {
            PageState::Requested(request) => request.failed(error, attempts, now),
            PageState::Empty(_) | PageState::Settled(_) | PageState::Failed(_) => Some(error),
        }
    }

    /// Settles the window with its empty response.
    pub(super) fn settle(&mut self) {
        if let PageState::Empty(response) = &mut self.state {
            self.state = PageState::Settled(std::mem::replace(response, PageResponse::nothing()));
        }
    }
}

impl PageRequest {
    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.id.is_none() && self.not_before.is_none_or(|time| time <= now)
    }

    pub(super) fn is_sent_as(&self, id: u64) -> bool {
        self.id == Some(id)
    }

    /// The time at which a request that failed is due again.
    pub(super) fn due(&self) -> Option<Instant> {
        self.not_before.filter(|_| self.id.is_none())
    }

    fn failed(&mut self, error: Error, attempts: u32, now: Instant) -> Option<Error> {
        self.failures += 1;
        if self.failures >= attempts || !(error.is_retryable() || error.is_decode()) {
            return Some(error);
        }
        let delay = FIRST_DELAY.saturating_mul(4_u32.saturating_pow(self.failures - 1));
        (self.id, self.not_before) = (None, now.checked_add(delay));
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
        let (mut request, mut now) = (PageRequest::default(), Instant::now());
        for delay in [1, 4, 16] {
            assert!(request.is_due(now));
            request.id = Some(7);
            assert!(!request.is_due(now));
            assert!(request.failed(error(), 4, now).is_none());
            let due = now + Duration::from_secs(delay);
            assert!(!request.is_due(due - Duration::from_nanos(1)));
            assert_eq!(request.due(), Some(due));
            now = due;
        }
        assert!(request.failed(error(), 4, now).is_some());
    }
}
