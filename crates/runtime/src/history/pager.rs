//! Decides which window of a range is requested next, and when the response for a window is accepted.
//!
//! Responses arrive in any order, but windows are returned with their records in order of time. Windows are planned so
//! that their records fit on a page (`fitting_pages`), or each page begins where another page ended (`continued_pages`).
//! Nothing here waits, sends or reads a clock.

mod planned_page;

mod windows;

mod fitting_pages;

mod one_time;

mod continued_pages;

use super::account::count;
use super::page::{FirstRecordSearch, Report};
use super::page_response::{PageResponse, Received};
use super::pager_options::PagerOptions;
use super::search::Search;
use super::strays::SetAside;
use super::time_grid::Span;
use crate::error::Error;
use crate::values::Timestamp;

use fitting_pages::half;
use planned_page::{PageState, PlannedPage};
use windows::Windows;

/// Fetches a range in windows.
#[derive(Debug)]
pub(super) struct Pager<R> {
    windows: Windows<R>,
    /// The start of the next window.
    next: Timestamp,
    /// True if the last returned window had records.
    has_records_before: bool,
    /// The number of requests so far.
    pub(super) requests: u64,
    /// The number of records in all responses so far.
    pub(super) received: u64,
    /// A search for the first record; its current page is the last window.
    search: Option<Search>,
}

/// A search for the first record begins only after this many requests for empty pages. For fewer empty pages, a search
/// needs more requests than it saves.
const FIRST_PAGES: u64 = 4;
/// A search for the first record begins only if at least this many pages are left.
const MANY_PAGES: u64 = 16;

/// An empty window is requested again in at most this many parts.
const MAX_PARTS: u64 = 16;

/// A window with its records, or with the error of its last attempt.
pub(super) type Accepted<R> = (Span, Result<PageResponse<R>, Error>);

impl<R> Pager<R> {
    /// Creates a pager for the windows from `at` to the end of the range.
    pub(super) fn new(options: PagerOptions, at: Timestamp) -> Self {
        Self {
            windows: Windows::new(options, at),
            next: at,
            has_records_before: false,
            requests: 0,
            received: 0,
            search: None,
        }
    }

    /// The end of the range.
    pub(super) fn end(&self) -> Timestamp {
        self.windows.options.range.to
    }

    /// Moves the end of the range.
    pub(super) fn set_end(&mut self, end: Timestamp) {
        self.windows.options.range.to = end;
    }

    /// Sets the maximum number of windows that are requested in advance.
    pub(super) fn set_ahead(&mut self, windows: usize) {
        self.windows.options.ahead = windows;
    }

    /// Takes the records of responses that were not accepted since the last call.
    pub(super) fn take_set_aside(&mut self) -> SetAside {
        std::mem::take(&mut self.windows.set_aside)
    }

    pub(super) fn is_over(&self) -> bool {
        self.windows.pages.is_empty() && self.next >= self.windows.options.range.to
    }

    /// Ends the range at the windows that were returned.
    pub(super) fn stop(&mut self) {
        for page in std::mem::take(&mut self.windows.pages) {
            self.windows.set_aside_page(page);
        }
        self.next = self.windows.options.range.to;
    }

    /// The number of windows still to be returned, if no further window is divided.
    pub(super) fn pages_left(&self) -> u64 {
        self.unplanned().saturating_add(u64::try_from(self.windows.pages.len()).unwrap_or(u64::MAX))
    }

    /// The number of windows still to be planned.
    fn unplanned(&self) -> u64 {
        let rest = Span { from: self.next, to: self.windows.options.range.to };
        if self.windows.options.ends.is_some() {
            return u64::from(!rest.is_empty());
        }
        let steps = u64::try_from(self.windows.limits.steps()).unwrap_or(u64::MAX);
        self.windows.options.grid.touched(rest).div_ceil(steps)
    }

    /// The span of the next request, and a number that identifies its response.
    pub(super) fn next_request(&mut self) -> Option<(u64, Span)> {
        let sent = self.windows.pages.iter().filter(|page| matches!(page.state, PageState::Sent(_))).count();
        if sent >= self.windows.options.ahead {
            return None;
        }
        if !self.windows.pages.iter().any(PlannedPage::is_waiting) {
            self.plan();
        }
        let page = self.windows.pages.iter_mut().find(|page| page.is_waiting())?;
        self.requests += 1;
        page.state = PageState::Sent(self.requests);
        Some((self.requests, self.windows.options.whole_first_step(page.requested)))
    }

    /// Plans the next window, or starts a search for the first record, if either is possible now.
    fn plan(&mut self) {
        let PagerOptions { grid, range, ahead, may_search, .. } = self.windows.options;
        if self.next >= range.to || self.windows.pages.len() >= ahead || self.search.is_some() {
            return;
        }
        if self.windows.options.ends.is_some() {
            self.windows.pages.push_back(PlannedPage::new(Span { from: self.next, to: range.to }));
            self.next = range.to;
        } else if !may_search || self.requests < FIRST_PAGES || self.unplanned() < MANY_PAGES {
            let to = grid.after(self.next, self.windows.limits.steps()).min(range.to);
            self.windows.pages.push_back(PlannedPage::new(Span { from: self.next, to }));
            self.next = to;
        } else if self.windows.pages.iter().all(|page| page.is_doubted) {
            // The search begins once all requested pages have a response without records.
            let rest = Span { from: self.next, to: range.to };
            self.search = Some(Search::new(grid, rest, self.windows.limits.steps()));
            self.continue_search();
        }
    }

    /// Plans the next page of a search, or ends the search and adds one empty window for the range up to the first page
    /// with records.
    fn continue_search(&mut self) {
        let Some(search) = &mut self.search else { return };
        match search.next() {
            Ok(window) => self.windows.pages.push_back(PlannedPage::new(window)),
            Err(window) => {
                let requested = std::mem::take(&mut search.requested);
                self.search = None;
                if !window.is_empty() {
                    let searches = vec![FirstRecordSearch { range: window.range(), requested }];
                    let missing = self.windows.options.grid.missing(window, std::iter::empty());
                    let report = Report { searches, ..Report::default() };
                    let response = PageResponse { missing, ..PageResponse::none(report) };
                    self.windows.pages.push_back(PlannedPage::settled(window, response));
                }
                self.next = window.to;
                self.windows.options.may_search = false;
            }
        }
    }

    /// Processes the response to the request with the number `id`, or the failure of that request.
    pub(super) fn received(&mut self, id: u64, outcome: Result<Received<R>, Error>) {
        let mut states = self.windows.pages.iter().map(|page| &page.state);
        let Some(index) = states.position(|state| matches!(state, PageState::Sent(sent) if *sent == id)) else {
            return;
        };
        let is_last = index + 1 == self.windows.pages.len();
        let Some(page) = self.windows.pages.get(index) else { return };
        let grid = self.windows.options.grid;
        let window = page.window;
        let outcome = outcome.map(|received| PageResponse::new(grid, window, received));
        if let Ok(response) = &outcome {
            self.received += count(response.received);
        }
        // A page without which the history ends is no page of a search.
        let is_over = outcome.as_ref().is_err_and(Error::is_long_pause);
        if is_last && self.search.is_some() && !is_over {
            return self.received_in_search(outcome);
        }
        match outcome {
            Ok(response) if self.windows.options.ends.is_some() => self.windows.extend(index, response),
            Ok(response) => {
                // A search is useful only if the range begins with empty pages.
                self.windows.options.may_search &= response.is_empty();
                self.windows.received_page(index, response);
            }
            Err(error)
                if error.is_body_too_large() && self.windows.options.ends.is_none() && grid.touched(window) > 1 =>
            {
                // The bodies of later windows of the same size would be too large as well.
                self.windows.limits.cut(half(grid, window));
                self.windows.divide(index);
            }
            Err(error) => self.windows.settle(index, Err(error)),
        }
    }

    /// Processes the response for the current page of the search.
    fn received_in_search(&mut self, outcome: Result<PageResponse<R>, Error>) {
        self.windows.pages.pop_back();
        let Some(search) = &mut self.search else { return };
        let Ok(response) = outcome else {
            // If a request of the search fails, the search ends, and all pages are requested instead.
            self.search = None;
            self.windows.options.may_search = false;
            return;
        };
        search.received(response.is_empty());
        self.windows.set_aside.without_time += count(response.without_time);
        self.windows.set_aside_times(&response);
        self.continue_search();
    }

    /// Returns the next window in order of time, if its response is accepted or its requests have failed.
    pub(super) fn take(&mut self) -> Option<Accepted<R>> {
        self.windows.judge_one_time();
        let front = self.windows.pages.front()?;
        if front.is_doubted && self.is_suspicious()? {
            let window = front.window;
            let parts = self.windows.options.grid.pieces(window, self.part_of(window));
            let mut pages = Vec::with_capacity(parts.len());
            for part in parts {
                // A part that is still too long is requested again if it is empty too.
                let confirms = if self.is_wider_than_a_page(part) { None } else { Some(0) };
                pages.push(PlannedPage { confirms, ..PlannedPage::new(part) });
            }
            self.windows.replace(0, pages);
            return None;
        }
        let has_records = front.has_records()?;
        let is_empty_end = front.is_empty_end();
        let PlannedPage { window, state: PageState::Settled(outcome), .. } = self.windows.pages.pop_front()? else {
            return None;
        };
        if !is_empty_end {
            self.has_records_before = has_records;
        }
        if has_records || outcome.is_err() {
            self.windows.last_taken = Some(window.from);
        }
        Some((window, outcome))
    }

    /// The number of steps of each part of an empty window that is requested again.
    fn part_of(&self, window: Span) -> usize {
        let grid = self.windows.options.grid;
        let half = half(grid, window);
        if !self.is_wider_than_a_page(window) {
            return half;
        }
        let least = usize::try_from(grid.touched(window).div_ceil(MAX_PARTS)).unwrap_or(usize::MAX);
        self.windows.limits.steps().max(least).min(half)
    }

    /// Whether later responses have shown that a page has fewer steps than this window. A service that returns only the
    /// newest days of a longer range may then have records in the rest of it.
    fn is_wider_than_a_page(&self, window: Span) -> bool {
        let steps = u64::try_from(self.windows.limits.steps()).unwrap_or(u64::MAX);
        self.windows.options.grid.touched(window) > steps
    }

    /// `true` if the first window, whose response is empty, has to be requested again; `None` while the next
    /// window has no response.
    ///
    /// The window is requested again if the windows before and after it have records, but not if both are empty. If
    /// only one of them has records, the window is requested again, except in two cases: an earlier empty response of
    /// this kind was confirmed, or the records may still be published. A window that is longer than the pages of the service
    /// is always requested again, unless its records may still be published.
    fn is_suspicious(&self) -> Option<bool> {
        let front = self.windows.pages.front()?;
        let has_records_after = match self.windows.pages.iter().skip(1).find(|page| !page.is_empty_end()) {
            Some(next) => next.has_records()?,
            None if self.next < self.windows.options.range.to => return None,
            None => false,
        };
        let may_be_published = self.windows.options.unsettled <= front.window.from;
        Some(match (self.has_records_before, has_records_after) {
            (true, true) => true,
            _ if may_be_published => false,
            _ if self.is_wider_than_a_page(front.window) => true,
            (false, false) => false,
            _ => !self.windows.limits.is_trusted(0),
        })
    }
}

#[cfg(test)]
mod event_services;

#[cfg(test)]
mod tests;
