//! The windows of a range that have not been returned yet, and the facts that their responses have shown.

use std::collections::VecDeque;

use super::planned_page::{PageState, PlannedPage};
use crate::error::Error;
use crate::history::account::count;
use crate::history::page_limits::PageLimits;
use crate::history::page_response::PageResponse;
use crate::history::pager_options::PagerOptions;
use crate::history::strays::SetAside;
use crate::history::time_grid::Span;
use crate::values::Timestamp;

/// The windows of a range that have not been returned yet, in order of time.
#[derive(Debug)]
pub(super) struct Windows<R> {
    pub(super) options: PagerOptions,
    /// The start of the first window.
    pub(super) start: Timestamp,
    pub(super) pages: VecDeque<PlannedPage<R>>,
    pub(super) limits: PageLimits,
    /// The records of responses that were not accepted.
    pub(super) set_aside: SetAside,
    /// The times of the page that the service has returned for a window of one step, none of which is in that window. If a
    /// larger window has the same page, its parts would have the same page too.
    pub(super) page_of_any_window: Option<Span>,
    /// What the pages have shown, if each page begins where another page ended.
    pub(super) observed: ObservedPages,
    /// The start of the last returned window that had records or has failed.
    pub(super) last_taken: Option<Timestamp>,
}

/// What pages have shown whose windows continue at the first or last record.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ObservedPages {
    /// The most records of any page.
    pub(super) largest: usize,
    /// The most records of a page that was cut, because other responses had further records.
    pub(super) cut: usize,
    /// True once a page had a record at the start that was sent.
    pub(super) includes_start: bool,
    /// True once a page had a record at the end that was sent.
    pub(super) includes_end: bool,
    /// True once a page had a time between two times that can be sent as the end.
    pub(super) has_fine_times: bool,
}

impl<R> Windows<R> {
    pub(super) fn new(options: PagerOptions, start: Timestamp) -> Self {
        let mut limits = PageLimits::new(options.page_size, options.outside);
        if let Some(steps) = options.all_pages_of {
            limits.cut(steps);
        }
        Self {
            options,
            start,
            pages: VecDeque::new(),
            limits,
            set_aside: SetAside::default(),
            page_of_any_window: None,
            observed: ObservedPages::default(),
            last_taken: None,
        }
    }

    pub(super) fn settle(&mut self, index: usize, outcome: Result<PageResponse<R>, Error>) {
        let Some(page) = self.pages.get_mut(index) else { return };
        page.state = PageState::Settled(outcome);
        if let Some(held) = page.held.take() {
            self.set_aside(&held.response);
        }
    }

    pub(super) fn replace(&mut self, index: usize, pages: impl IntoIterator<Item = PlannedPage<R>>) {
        let after = self.pages.split_off(index + 1);
        if let Some(page) = self.pages.pop_back() {
            self.set_aside_page(page);
        }
        self.pages.extend(pages.into_iter().chain(after));
    }

    /// Keeps the times of the records of a window that is not returned.
    pub(super) fn set_aside_page(&mut self, page: PlannedPage<R>) {
        if let PageState::Settled(Ok(response)) = page.state {
            self.set_aside(&response);
        }
        if let Some(held) = page.held {
            self.set_aside(&held.response);
        }
    }

    /// Keeps the times of the records of a response that other responses return again.
    pub(super) fn set_aside(&mut self, response: &PageResponse<R>) {
        self.set_aside.repeated += count(response.without_time);
        self.set_aside_times(response);
    }

    pub(super) fn set_aside_times(&mut self, response: &PageResponse<R>) {
        self.set_aside.times.extend(response.times());
        self.set_aside.times.extend(&response.others);
    }
}
