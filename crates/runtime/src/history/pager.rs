//! Decides which window of a range is requested next, and when the response for a window is accepted.
//!
//! Responses arrive in any order, but windows are returned with their records in order of time. Each window is planned
//! so that its records fit on a page. If a page is full and records are missing, its window is requested again in
//! parts. If a page is not full, but has no records at the start or end of its window, that part is requested once
//! more. Nothing here waits, sends or reads a clock.

mod planned_page;

use std::collections::VecDeque;
use std::time::Duration;

use super::page::{Dropped, FirstRecordSearch, PageResponse, Received, Report};
use super::page_limits::PageLimits;
use super::search::Search;
use super::time_grid::{Span, TimeGrid};
use crate::error::{Error, ErrorKind};
use crate::values::Timestamp;

use planned_page::{PageState, PlannedPage};

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
    pub(super) outside: usize,
    /// `None` if a window can be requested whose records fit on a page. Otherwise, each page begins where another page
    /// ended, and these values are true if the part before a page can be requested, and the part after it.
    pub(super) ends: Option<[bool; 2]>,
    /// The maximum number of windows that are requested or stored before the first of them is returned.
    pub(super) ahead: usize,
    /// The time after which missing records may still be published. If no missing record is expected to be published,
    /// this time is after the end of the range.
    pub(super) unsettled: Timestamp,
    /// True if the pager may search for the first record.
    pub(super) may_search: bool,
}

/// The windows of a range whose records have not been returned yet.
#[derive(Debug)]
pub(super) struct Pager<R> {
    pub(super) options: PagerOptions,
    /// The start of the next window.
    next: Timestamp,
    pages: VecDeque<PlannedPage<R>>,
    /// True if the last returned window had records.
    has_records_before: bool,
    limits: PageLimits,
    /// The number of requests so far.
    pub(super) requests: u64,
    /// A search for the first record; its current page is the last element of `pages`.
    search: Option<Search>,
}

/// A search for the first record begins only after this many requests for empty pages. For fewer empty pages, a search
/// needs more requests than it saves.
const FIRST_PAGES: u64 = 4;
/// A search for the first record begins only if at least this many pages are left.
const MANY_PAGES: u64 = 16;

/// A window with its records, or with the error of its last attempt.
pub(super) type Accepted<R> = (Span, Result<PageResponse<R>, Error>);

impl<R> Pager<R> {
    /// Creates a pager for the windows from `at` to the end of the range.
    pub(super) fn new(options: PagerOptions, at: Timestamp) -> Self {
        Self {
            next: at,
            pages: VecDeque::new(),
            has_records_before: false,
            limits: PageLimits::new(options.page_size, options.outside),
            requests: 0,
            search: None,
            options,
        }
    }

    /// Returns whether every window was returned.
    pub(super) fn is_over(&self) -> bool {
        self.pages.is_empty() && self.next >= self.options.range.to
    }

    /// Returns no further windows.
    pub(super) fn stop(&mut self) {
        self.pages.clear();
        self.next = self.options.range.to;
    }

    /// Returns the number of windows still to be returned, if no further window is divided.
    pub(super) fn pages_left(&self) -> u64 {
        self.unplanned().saturating_add(u64::try_from(self.pages.len()).unwrap_or(u64::MAX))
    }

    /// Returns the number of windows still to be planned.
    fn unplanned(&self) -> u64 {
        let rest = Span { from: self.next, to: self.options.range.to };
        if self.options.ends.is_some() {
            return u64::from(!rest.is_empty());
        }
        let steps = u64::try_from(self.limits.steps()).unwrap_or(u64::MAX);
        self.options.grid.touched(rest).div_ceil(steps)
    }

    /// Returns the next window to request, and a number that identifies its response.
    pub(super) fn next_request(&mut self) -> Option<(u64, Span)> {
        let is_sent = |page: &&PlannedPage<R>| matches!(page.state, PageState::Sent(_));
        if self.pages.iter().filter(is_sent).count() >= self.options.ahead {
            return None;
        }
        let is_waiting = |page: &PlannedPage<R>| matches!(page.state, PageState::Waiting);
        if !self.pages.iter().any(is_waiting) {
            self.plan();
        }
        let page = self.pages.iter_mut().find(|page| is_waiting(page))?;
        self.requests += 1;
        page.state = PageState::Sent(self.requests);
        Some((self.requests, page.window))
    }

    /// Plans the next window, or starts a search for the first record, if either is possible now.
    fn plan(&mut self) {
        let PagerOptions { grid, range, ahead, may_search, .. } = self.options;
        if self.next >= range.to || self.pages.len() >= ahead || self.search.is_some() {
            return;
        }
        if self.options.ends.is_some() {
            self.pages.push_back(PlannedPage::new(Span { from: self.next, to: range.to }));
            self.next = range.to;
        } else if !may_search || self.requests < FIRST_PAGES || self.unplanned() < MANY_PAGES {
            let to = grid.after(self.next, self.limits.steps()).min(range.to);
            self.pages.push_back(PlannedPage::new(Span { from: self.next, to }));
            self.next = to;
        } else if self.pages.iter().all(|page| page.is_doubted) {
            // The search begins once all requested pages have a response without records.
            let rest = Span { from: self.next, to: range.to };
            self.search = Some(Search::new(grid, rest, self.limits.steps()));
            self.continue_search();
        }
    }

    /// Plans the next page of a search, or ends the search and adds one empty window for the range up to the first page
    /// with records.
    fn continue_search(&mut self) {
        match self.search.as_mut().map(Search::next) {
            None => {}
            Some(Ok(window)) => self.pages.push_back(PlannedPage::new(window)),
            Some(Err(window)) => {
                let requested = self.search.take().map(|search| search.requested).unwrap_or_default();
                if !window.is_empty() {
                    let searches = vec![FirstRecordSearch { range: window.range(), requested }];
                    let missing = self.options.grid.missing(window, std::iter::empty());
                    let report = Report { searches, ..Report::default() };
                    let response = PageResponse { missing, ..PageResponse::none(report) };
                    self.pages.push_back(PlannedPage::settled(window, response));
                }
                (self.next, self.options.may_search) = (window.to, false);
            }
        }
    }

    /// Processes the response to the request with the number `id`, or the failure of that request.
    pub(super) fn received(&mut self, id: u64, outcome: Result<Received<R>, Error>) {
        let is_sent = |page: &PlannedPage<R>| matches!(page.state, PageState::Sent(sent) if sent == id);
        let Some(index) = self.pages.iter().position(is_sent) else { return };
        let is_last = index + 1 == self.pages.len();
        let Some(page) = self.pages.get_mut(index) else { return };
        let PagerOptions { grid, margin, .. } = self.options;
        let outcome = outcome.map(|received| PageResponse::new(grid, page.window, margin, received));
        if let Some(search) = self.search.as_mut().filter(|_| is_last) {
            self.pages.pop_back();
            if let Ok(response) = outcome {
                search.received(response.is_empty());
                self.continue_search();
            } else {
                // If a request of the search fails, the search ends, and all pages are requested instead.
                (self.search, self.options.may_search) = (None, false);
            }
            return;
        }
        match outcome {
            Ok(response) if self.options.ends.is_some() => self.extend(index, response),
            Ok(response) => {
                // A search is useful only if the range begins with empty pages.
                self.options.may_search &= response.is_empty();
                self.judge(index, response);
            }
            Err(error) if error.is_body_too_large() && self.options.ends.is_none() && grid.touched(page.window) > 1 => {
                let half = half(grid, page.window);
                // The bodies of later windows of the same size would be too large as well.
                self.limits.cut(half);
                self.divide(index, None);
            }
            Err(error) => page.state = PageState::Settled(Err(error)),
        }
    }

    /// Returns the next window in order of time, if its response is accepted or its requests have failed.
    pub(super) fn take(&mut self) -> Option<Accepted<R>> {
        let front = self.pages.front()?;
        if front.is_doubted && self.is_suspicious()? {
            let window = front.window;
            let halves = self.options.grid.pieces(window, half(self.options.grid, window)).into_iter();
            self.replace(0, halves.map(|half| PlannedPage { confirms: Some(0), ..PlannedPage::new(half) }));
            return None;
        }
        let (has_records, is_empty_end) = (front.has_records()?, front.is_empty_end());
        let PlannedPage { window, state: PageState::Settled(outcome), .. } = self.pages.pop_front()? else {
            return None;
        };
        if !is_empty_end {
            self.has_records_before = has_records;
        }
        Some((window, outcome))
    }

    /// Decides what to do after a response: accept it, divide the window, or request the start or end of the window
    /// again.
    fn judge(&mut self, index: usize, mut response: PageResponse<R>) {
        let Some(page) = self.pages.get_mut(index) else { return };
        let (received, is_empty) = (response.received, response.is_empty());
        if let Some(doubted) = page.confirms {
            self.limits.confirm(doubted, received, is_empty);
            if doubted > 0 && is_empty {
                // This window is part of a larger window, and the report on the page of the larger window already
                // includes the bad and the dropped records.
                (response.report.bad_records, response.report.dropped) = (Vec::new(), Dropped::default());
            }
        }
        let steps = self.options.grid.touched(page.window);
        if received > 0 && response.report.bad_records.len() == received {
            let covers_window = u64::try_from(received).unwrap_or(u64::MAX) >= steps;
            let whole = page.bad_half_of;
            if covers_window || whole.is_some_and(|whole| received < whole) {
                // The records of a smaller window would be bad too.
                page.state = PageState::Settled(Ok(response));
                return;
            }
            // The page may have been truncated. If so, each half has as many records as the whole.
            if whole.is_some() {
                self.limits.cut(received);
            }
            return self.divide(index, Some(received));
        }
        // If a step has several records, they may have displaced the records of other steps from the page.
        let has_more = u64::try_from(response.sorted.len()).unwrap_or(u64::MAX) > steps;
        if steps > 1 && (has_more || !response.missing.is_empty()) {
            if self.limits.is_full(received) {
                // The remaining records did not fit on the page.
                if !is_empty {
                    self.limits.cut(response.sorted.len());
                }
                return self.divide(index, None);
            }
            page.is_doubted = is_empty && page.confirms.is_none();
            if !is_empty && !self.limits.is_trusted(received) {
                return self.request_missing_ends(index, response);
            }
        } else if has_more && self.limits.is_full(received) {
            let message = format!("one step has at least as many records as fit on a page ({received})");
            let error = Error::new(ErrorKind::Incomplete, message);
            page.state = PageState::Settled(Err(error.with_hint("increase the page size or reduce the step")));
            return;
        } else if response.missing.is_empty() {
            self.limits.complete(received);
        }
        page.state = PageState::Settled(Ok(response));
    }

    /// Accepts a page of a window of any length, and requests the parts of the window before and after the page. The
    /// records of its first and last times are requested again, because the page may have been cut between records of
    /// equal times. If the page has no other records, there is nothing beyond it.
    fn extend(&mut self, index: usize, mut response: PageResponse<R>) {
        let (Some([can_go_back, can_go_on]), Some(page)) = (self.options.ends, self.pages.get_mut(index)) else {
            return;
        };
        let Span { from, to } = page.window;
        let [is_before, is_after] = response.beyond;
        let (is_back, is_on) = (can_go_back && !is_before, can_go_on && !is_after);
        let after = |time: Timestamp| time + TimeGrid::EVENTS.step;
        let (first, last) = match (response.sorted.first(), response.sorted.last()) {
            (Some((first, _)), Some((last, _))) => (*first, *last),
            _ if !page.is_anchored => return page.state = PageState::Settled(Ok(response)),
            _ => return page.state = PageState::Settled(Err(too_many(response.received))),
        };
        let (has_back, has_on) = (is_back && from < first, is_on && from < last && after(last) < to);
        let is_stuck = has_back && after(first) >= to || is_on && last <= from;
        if is_stuck && response.received >= self.options.page_size {
            return page.state = PageState::Settled(Err(too_many(response.received)));
        }
        let anchored = |from, to| PlannedPage { is_anchored: true, ..PlannedPage::new(Span { from, to }) };
        let back = (has_back && after(first) < to).then(|| anchored(from, after(first)));
        let start = back.as_ref().map_or(from, |back| back.window.to);
        let on = has_on.then(|| match last {
            last if last < start => PlannedPage::new(Span { from: start, to }),
            last => anchored(last, to),
        });
        let window = Span { from: start, to: on.as_ref().map_or(to, |on| on.window.from) };
        response.sorted.retain(|(time, _)| window.contains(*time));
        response.missing.retain(|gap| window.contains(gap.from));
        let rest = (!window.is_empty()).then(|| PlannedPage::settled(window, response));
        self.replace(index, [back, rest, on].into_iter().flatten());
    }

    /// Accepts a response. A truncated page omits records at its start or at its end, so a gap there is requested
    /// again, unless its records may still be published. A gap between two records is final.
    fn request_missing_ends(&mut self, index: usize, mut response: PageResponse<R>) {
        let Some(PlannedPage { window, .. }) = self.pages.get(index) else { return };
        let (outer, mut rest, unsettled) = (self.options.grid.outer(*window), *window, self.options.unsettled);
        let confirming = |window| PlannedPage { confirms: Some(response.received), ..PlannedPage::new(window) };
        let mut ends = [None, None];
        for gap in response.missing.iter().filter(|gap| gap.from < unsettled) {
            if gap.from == outer.from {
                ends[0] = Some(confirming(Span { from: rest.from, to: gap.to }));
                rest.from = gap.to;
            } else if gap.to == outer.to {
                ends[1] = Some(confirming(Span { from: gap.from, to: rest.to }));
                rest.to = gap.from;
            }
        }
        response.missing.retain(|gap| rest.contains(gap.from));
        let [first, last] = ends;
        let rest = PlannedPage::settled(rest, response);
        self.replace(index, first.into_iter().chain([rest]).chain(last));
    }

    /// Returns whether the first window, whose response is empty, has to be requested again; `None` while the next
    /// window has no response.
    ///
    /// The window is requested again if the windows before and after it have records, but not if both are empty. If
    /// only one of them has records, the window is requested again, except in two cases: an earlier empty response of
    /// this kind was confirmed, or the records may still be published.
    fn is_suspicious(&self) -> Option<bool> {
        let front = self.pages.front()?;
        let has_records_after = match self.pages.iter().skip(1).find(|page| !page.is_empty_end()) {
            Some(next) => next.has_records()?,
            None if self.next < self.options.range.to => return None,
            None => false,
        };
        Some(match (self.has_records_before, has_records_after) {
            (true, true) => true,
            (false, false) => false,
            _ => front.window.from < self.options.unsettled && !self.limits.is_trusted(0),
        })
    }

    /// Replaces a window with windows of half its size, or of the learned maximum size if that is smaller.
    fn divide(&mut self, index: usize, bad_half_of: Option<usize>) {
        let Some(PlannedPage { window, .. }) = self.pages.get(index) else { return };
        let grid = self.options.grid;
        let pieces = grid.pieces(*window, self.limits.steps().min(half(grid, *window)));
        self.replace(index, pieces.into_iter().map(|window| PlannedPage { bad_half_of, ..PlannedPage::new(window) }));
    }

    fn replace(&mut self, index: usize, pages: impl IntoIterator<Item = PlannedPage<R>>) {
        let after = self.pages.split_off(index + 1);
        self.pages.truncate(index);
        self.pages.extend(pages.into_iter().chain(after));
    }
}

/// Returns the error for a page that cannot be continued, because its records have the same time.
fn too_many(received: usize) -> Error {
    let message = format!("one timestamp has at least as many records as fit on a page ({received})");
    Error::new(ErrorKind::Incomplete, message).with_hint("increase the page size")
}

/// Returns half the steps of a window, rounded up.
fn half(grid: TimeGrid, window: Span) -> usize {
    usize::try_from(grid.touched(window).div_ceil(2)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
