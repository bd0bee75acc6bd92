//! The order of requests for a range: which window is requested next, and when each is settled.
//!
//! Responses arrive in any order; windows with their records are returned in order of time. Each window is planned so
//! that its records fit on a page. A full page with missing records is requested again in smaller windows; a missing
//! end of a page that is not full is requested once more. Nothing here waits, sends or reads a clock.

use std::collections::VecDeque;
use std::time::Duration;

use super::page_limits::PageLimits;
use super::page_response::{Dropped, PageResponse, Received};
use super::page_state::{PageState, PlannedPage};
use super::search::Search;
use super::time_grid::{Span, TimeGrid};
use crate::error::Error;
use crate::platform::Instant;
use crate::values::Timestamp;

/// The settings for fetching a range.
#[derive(Clone, Debug)]
pub(super) struct PagerOptions {
    pub(super) grid: TimeGrid,
    pub(super) range: Span,
    /// The margin by which a request extends beyond its window.
    pub(super) margin: Duration,
    /// The maximum number of records on a page, as set in the request.
    pub(super) page_size: usize,
    /// The maximum number of records on a page that are outside of its window.
    pub(super) beside: usize,
    /// The maximum number of windows that are requested or stored before the first of them is returned.
    pub(super) ahead: usize,
    /// The maximum number of requests for a window that fails.
    pub(super) attempts: u32,
    /// The time from which the service may still publish records; after the range if all are published.
    pub(super) unsettled: Timestamp,
    /// True if the first record may be searched for.
    pub(super) may_search: bool,
}

/// The windows of a range that were not returned yet.
#[derive(Debug)]
pub(super) struct Pager<R> {
    options: PagerOptions,
    /// The start of the next window.
    next: Timestamp,
    pages: VecDeque<PlannedPage<R>>,
    /// True if the last returned window had records.
    has_records_before: bool,
    limits: PageLimits,
    requests: u64,
    /// A search for the first record; its current page is the last one in `pages`.
    search: Option<Search>,
    /// The number of windows requested in advance if there is only one history.
    alone: usize,
}

/// The minimum number of empty pages at the beginning, and of remaining pages, for which a search saves requests.
const FIRST_PAGES: u64 = 4;
const MANY_PAGES: u64 = 16;

/// A window with its records, or with the error of its last attempt.
#[derive(Debug)]
pub(super) struct Accepted<R> {
    pub(super) window: Span,
    pub(super) outcome: Result<PageResponse<R>, Error>,
}

impl<R> Pager<R> {
    /// Creates a pager for the windows from `at` to the end of the range.
    pub(super) fn new(options: PagerOptions, at: Timestamp) -> Self {
        Self {
            next: at,
            pages: VecDeque::new(),
            has_records_before: false,
            limits: PageLimits::new(options.page_size, options.beside),
            requests: 0,
            search: None,
            alone: options.ahead,
            options,
        }
    }

    /// Returns whether every window was returned.
    pub(super) fn is_over(&self) -> bool {
        self.pages.is_empty() && self.next >= self.options.range.to
    }

    /// The number of requests so far.
    pub(super) fn requests(&self) -> u64 {
        self.requests
    }

    /// The number of windows still to be returned, if no further window is divided.
    pub(super) fn pages_left(&self) -> u64 {
        self.unplanned().saturating_add(u64::try_from(self.pages.len()).unwrap_or(u64::MAX))
    }

    /// The number of windows still to be planned.
    fn unplanned(&self) -> u64 {
        let rest = Span { from: self.next, to: self.options.range.to };
        let steps = u64::try_from(self.limits.steps()).unwrap_or(u64::MAX);
        self.options.grid.touched(rest).div_ceil(steps)
    }

    /// Reduces the requests in advance, so that `among` histories together send as many as one.
    pub(super) fn share(&mut self, among: usize) {
        self.options.ahead = self.alone.div_ceil(among.max(1)).max(2);
    }

    /// The next window to request, and a number for its response.
    pub(super) fn next_request(&mut self, now: Instant) -> Option<(u64, Span)> {
        if self.is_busy() {
            return None;
        }
        let due = |pager: &Self| pager.pages.iter().position(|page| page.is_due(now));
        if due(self).is_none() {
            self.plan()?;
        }
        let index = due(self)?;
        let page = self.pages.get_mut(index)?;
        self.requests += 1;
        page.state = PageState::Sent(self.requests);
        Some((self.requests, page.window))
    }

    /// Returns whether the maximum number of requests is in flight.
    fn is_busy(&self) -> bool {
        let sent = self.pages.iter().filter(|page| matches!(page.state, PageState::Sent(_)));
        sent.count() >= self.options.ahead
    }

    /// The time at which the next failed window is due again; `None` while the maximum number of requests is in flight.
    pub(super) fn next_retry(&self) -> Option<Instant> {
        let times = self.pages.iter().filter_map(|page| match page.state {
            PageState::Waiting(time) => time,
            _ => None,
        });
        times.min().filter(|_| !self.is_busy())
    }

    /// Plans the next window, or starts a search for the first record; `None` if neither is possible now.
    fn plan(&mut self) -> Option<()> {
        let PagerOptions { grid, range, ahead, may_search, .. } = self.options;
        if self.next >= range.to || self.pages.len() >= ahead || self.search.is_some() {
            return None;
        }
        if may_search && self.requests >= FIRST_PAGES && self.unplanned() >= MANY_PAGES {
            // The search begins when all requested pages have a response.
            if !self.pages.iter().all(|page| page.is_doubted) {
                return None;
            }
            let rest = Span { from: self.next, to: range.to };
            self.search = Some(Search::new(grid, rest, self.limits.steps()));
            self.continue_search();
            return Some(());
        }
        let to = grid.after(self.next, self.limits.steps()).min(range.to);
        self.pages.push_back(PlannedPage::new(Span { from: self.next, to }));
        self.next = to;
        Some(())
    }

    /// Requests the next page of a search, or ends the search: one empty window then covers the range up to the first
    /// page with records.
    fn continue_search(&mut self) {
        match self.search.as_mut().map(Search::next) {
            None => {}
            Some(Ok(window)) => self.pages.push_back(PlannedPage::new(window)),
            Some(Err(window)) => {
                let searched = self.search.take().map(Search::into_requested).unwrap_or_default();
                if !window.is_empty() {
                    let missing = self.options.grid.missing(window, std::iter::empty());
                    let response = PageResponse { missing, searched, ..PageResponse::nothing() };
                    self.pages.push_back(PlannedPage::settled(window, response));
                }
                (self.next, self.options.may_search) = (window.to, false);
            }
        }
    }

    /// Processes the response to the request with the number `id`, or the failure of that request.
    pub(super) fn received(&mut self, id: u64, outcome: Result<Received<R>, Error>, now: Instant) {
        let is_sent = |page: &PlannedPage<R>| matches!(page.state, PageState::Sent(sent) if sent == id);
        let Some(index) = self.pages.iter().position(is_sent) else { return };
        let is_search = self.search.is_some() && index + 1 == self.pages.len();
        let PagerOptions { grid, margin, attempts, .. } = self.options;
        let Some(page) = self.pages.get_mut(index) else { return };
        let outcome = match outcome {
            Ok(received) => Ok(PageResponse::new(grid, page.window, margin, received)),
            Err(error) => match page.failed(error, attempts, now) {
                Some(error) => Err(error),
                // Another attempt is scheduled.
                None => return,
            },
        };
        match (outcome, &mut self.search) {
            (Ok(response), Some(search)) if is_search => {
                self.pages.pop_back();
                search.received(response.is_empty());
                self.continue_search();
            }
            (Err(_), Some(_)) if is_search => {
                // A failed search is given up; all pages are requested instead.
                self.pages.pop_back();
                (self.search, self.options.may_search) = (None, false);
            }
            (Ok(response), _) => {
                // A search is useful only if the range begins with empty pages.
                self.options.may_search &= response.is_empty();
                self.judge(index, response);
            }
            (Err(error), _) => self.fail(index, error),
        }
    }

    /// The next window in order of time, if it is settled or has failed.
    pub(super) fn take(&mut self) -> Option<Accepted<R>> {
        self.judge_empty();
        let front = self.pages.front()?;
        if front.is_doubted || matches!(front.state, PageState::Waiting(_) | PageState::Sent(_)) {
            return None;
        }
        let is_empty_end = front.is_empty_end();
        let PlannedPage { window, state, .. } = self.pages.pop_front()?;
        let outcome = match state {
            PageState::Settled(response) => Ok(response),
            PageState::Failed(error) => Err(error),
            PageState::Waiting(_) | PageState::Sent(_) => return None,
        };
        if !is_empty_end {
            self.has_records_before = outcome.as_ref().is_ok_and(|response| !response.is_empty());
        }
        Some(Accepted { window, outcome })
    }

    /// Decides on the response of a window: it is settled, was truncated, or lacks an end that is requested again.
    fn judge(&mut self, index: usize, mut response: PageResponse<R>) {
        let Some(page) = self.pages.get_mut(index) else { return };
        let (window, received) = (page.window, response.received);
        if let Some(doubted) = page.confirms {
            self.limits.confirm(doubted, received, response.is_empty());
            if doubted > 0 && response.is_empty() {
                // The larger page, of which this window is a part, has already reported these records.
                (response.bad, response.dropped) = (Vec::new(), Dropped::default());
            }
        }
        let steps = self.options.grid.touched(window);
        // A step with several records may have displaced records of other steps.
        let has_more = u64::try_from(response.sorted.len()).unwrap_or(u64::MAX) > steps;
        if steps > 1 && (has_more || !response.missing.is_empty()) {
            if self.limits.is_full(received) {
                // The remaining records did not fit on the page.
                if !response.is_empty() {
                    self.limits.cut(response.sorted.len());
                }
                return self.divide(index);
            }
            page.is_doubted = response.is_empty() && page.confirms.is_none();
            if !response.is_empty() && !self.limits.is_trusted(received) {
                return self.request_missing_ends(index, response);
            }
        } else if response.missing.is_empty() {
            self.limits.complete(received);
        }
        page.state = PageState::Settled(response);
    }

    /// Settles a response, and requests the ends without records again, because a service that truncates a page omits
    /// records at an end. A gap between two records is trusted.
    fn request_missing_ends(&mut self, index: usize, mut response: PageResponse<R>) {
        let Some(window) = self.pages.get(index).map(|page| page.window) else { return };
        let outer = self.options.grid.outer(window);
        let confirming = |window| PlannedPage { confirms: Some(response.received), ..PlannedPage::new(window) };
        let is_first = |gap: &&Span| gap.from == outer.from && gap.from < self.options.unsettled;
        let first = response.missing.first().filter(is_first).map(|gap| Span { from: window.from, to: gap.to });
        let last = response.missing.last().filter(|gap| gap.to == outer.to && !self.is_tail(window));
        let last = last.map(|gap| Span { from: gap.from, to: window.to });
        let rest =
            Span { from: first.map_or(window.from, |first| first.to), to: last.map_or(window.to, |last| last.from) };
        let (first, last) = (first.map(confirming), last.map(confirming));
        response.missing.retain(|gap| rest.contains(gap.from));
        let rest = PlannedPage::settled(rest, response);
        self.replace(index, first.into_iter().chain([rest]).chain(last));
    }

    /// Decides whether the first window is trusted if its response is empty. Between two windows with records, the
    /// window is requested again. Between two empty windows, it is trusted. Between an empty window and one with
    /// records, it is requested again, until such empty responses have proved right.
    fn judge_empty(&mut self) {
        let Some(PlannedPage { window, is_doubted: true, .. }) = self.pages.front() else { return };
        let window = *window;
        let next = self.pages.iter().skip(1).find(|page| !page.is_empty_end());
        let has_records_after = match next.map(|page| &page.state) {
            None if self.next >= self.options.range.to => false,
            None | Some(PageState::Waiting(_) | PageState::Sent(_)) => return,
            Some(PageState::Failed(_)) => false,
            Some(PageState::Settled(response)) => !response.is_empty(),
        };
        let is_doubted = match (self.has_records_before, has_records_after) {
            (true, true) => true,
            (false, false) => false,
            _ => !self.is_tail(window) && !self.limits.is_trusted(0),
        };
        if is_doubted {
            let halves = self.options.grid.pieces(window, self.half(window)).into_iter();
            self.replace(0, halves.map(|half| PlannedPage { confirms: Some(0), ..PlannedPage::new(half) }));
        } else if let Some(page) = self.pages.front_mut() {
            page.is_doubted = false;
        }
    }

    /// Stores the error of a window, or divides the window if the response was larger than allowed.
    fn fail(&mut self, index: usize, error: Error) {
        let Some(page) = self.pages.get_mut(index) else { return };
        if error.is_body_too_large() && self.options.grid.touched(page.window) > 1 {
            let half = self.half(self.pages.get(index).map_or(self.options.range, |page| page.window));
            // Later windows of the same size would be too large as well.
            self.limits.cut(half);
            return self.divide(index);
        }
        page.state = PageState::Failed(error);
    }

    /// Replaces a window by windows of half the size, or of the learned size if that is smaller.
    fn divide(&mut self, index: usize) {
        let Some(window) = self.pages.get(index).map(|page| page.window) else { return };
        let steps = self.limits.steps().min(self.half(window));
        self.replace(index, self.options.grid.pieces(window, steps).into_iter().map(PlannedPage::new));
    }

    fn replace(&mut self, index: usize, pages: impl IntoIterator<Item = PlannedPage<R>>) {
        let after = self.pages.split_off(index + 1);
        self.pages.truncate(index);
        self.pages.extend(pages.into_iter().chain(after));
    }

    /// Half the steps of a window, rounded up.
    fn half(&self, window: Span) -> usize {
        usize::try_from(self.options.grid.touched(window).div_ceil(2)).unwrap_or(usize::MAX)
    }

    /// Returns whether a window is the last one of a range whose records may be published later.
    fn is_tail(&self, window: Span) -> bool {
        self.options.unsettled < self.options.range.to && window.to == self.options.range.to
    }
}

#[cfg(test)]
mod tests;
