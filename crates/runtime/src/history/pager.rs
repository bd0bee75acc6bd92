//! Decides which window of a range is requested next, and when the response for a window is accepted.
//!
//! Responses arrive in any order, but windows are returned with their records in order of time. Each window is planned
//! so that its records fit on a page. If a page is full and records are missing, its window is requested again in
//! parts. If a page is not full, but has no records at the start or end of its window, that part is requested once
//! more. Nothing here waits, sends or reads a clock.

mod one_time;
mod planned_page;

use std::collections::VecDeque;
use std::time::Duration;

use super::account::count;
use super::page::{FirstRecordSearch, PageResponse, Received, Report};
use super::page_limits::PageLimits;
use super::search::Search;
use super::strays::SetAside;
use super::time_grid::{Span, TimeGrid};
use crate::error::{Error, ErrorKind};
use crate::registry::TimeUnit;
use crate::values::Timestamp;

use one_time::{HeldPage, PageSizes, Side, after, is_at_end, is_beyond, too_many};
use planned_page::{ContinuedPage, PageState, PlannedPage};

/// The settings for fetching a range.
#[derive(Clone, Debug)]
pub(super) struct PagerOptions {
    pub(super) grid: TimeGrid,
    pub(super) range: Span,
    /// The maximum number of records on a page, as set in the request.
    pub(super) page_size: usize,
    /// The maximum number of records on a page that are outside of its window.
    pub(super) outside: usize,
    /// `None` if a window can be requested whose records fit on a page. Otherwise, each page begins where another page
    /// ended, and these values are true if the part before a page can be requested, and the part after it.
    pub(super) ends: Option<[bool; 2]>,
    /// The time units of the params for the start and the end of a range.
    pub(super) units: [TimeUnit; 2],
    /// The maximum number of windows that are requested or stored before the first of them is returned.
    pub(super) ahead: usize,
    /// The time after which missing records may still be published. If no missing record is expected to be published,
    /// this time is after the end of the range.
    pub(super) unsettled: Timestamp,
    /// The maximum number of steps of a window, if each response has all records of its window because all of its pages
    /// were followed; such a response is never cut.
    pub(super) all_pages_of: Option<usize>,
    /// True if the pager may search for the first record.
    pub(super) may_search: bool,
}

/// The windows of a range whose records have not been returned yet.
#[derive(Debug)]
pub(super) struct Pager<R> {
    pub(super) options: PagerOptions,
    /// The start of the first window.
    start: Timestamp,
    /// The start of the next window.
    next: Timestamp,
    pages: VecDeque<PlannedPage<R>>,
    /// True if the last returned window had records.
    has_records_before: bool,
    limits: PageLimits,
    /// The number of requests so far.
    pub(super) requests: u64,
    /// The number of records in all responses so far.
    pub(super) received: u64,
    /// The records of responses that were not accepted.
    pub(super) set_aside: SetAside,
    /// A search for the first record; its current page is the last element of `pages`.
    search: Option<Search>,
    /// The times of the page that the service has returned for a window of one step, none of which is in that window. If a
    /// larger window has the same page, its parts would have the same page too.
    page_of_any_window: Option<Span>,
    /// What is known about the sizes of pages, if each page begins where another page ended.
    sizes: PageSizes,
    /// The start of the last returned window that had records or has failed.
    last_taken: Option<Timestamp>,
}

/// A search for the first record begins only after this many requests for empty pages. For fewer empty pages, a search
/// needs more requests than it saves.
const FIRST_PAGES: u64 = 4;
/// A search for the first record begins only if at least this many pages are left.
const MANY_PAGES: u64 = 16;

/// The maximum number of times that a window without a readable time is requested again, each time in two parts. Together
/// with the first request, these are seven requests.
const MAX_UNREADABLE: u8 = 3;

/// A window with its records, or with the error of its last attempt.
pub(super) type Accepted<R> = (Span, Result<PageResponse<R>, Error>);

impl<R> Pager<R> {
    /// Creates a pager for the windows from `at` to the end of the range.
    pub(super) fn new(options: PagerOptions, at: Timestamp) -> Self {
        let mut limits = PageLimits::new(options.page_size, options.outside);
        if let Some(steps) = options.all_pages_of {
            limits.cut(steps);
        }
        Self {
            start: at,
            next: at,
            pages: VecDeque::new(),
            has_records_before: false,
            limits,
            requests: 0,
            received: 0,
            set_aside: SetAside::default(),
            search: None,
            page_of_any_window: None,
            sizes: PageSizes::default(),
            last_taken: None,
            options,
        }
    }

    /// Returns whether every window was returned.
    pub(super) fn is_over(&self) -> bool {
        self.pages.is_empty() && self.next >= self.options.range.to
    }

    /// Returns no further windows.
    pub(super) fn stop(&mut self) {
        for page in std::mem::take(&mut self.pages) {
            self.set_aside_page(page);
        }
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

    /// Returns the span of the next request, and a number that identifies its response.
    pub(super) fn next_request(&mut self) -> Option<(u64, Span)> {
        let sent = self.pages.iter().filter(|page| matches!(page.state, PageState::Sent(_))).count();
        if sent >= self.options.ahead {
            return None;
        }
        if !self.pages.iter().any(PlannedPage::is_waiting) {
            self.plan();
        }
        let page = self.pages.iter_mut().find(|page| page.is_waiting())?;
        self.requests += 1;
        page.state = PageState::Sent(self.requests);
        Some((self.requests, page.requested))
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
        let Some(search) = &mut self.search else { return };
        match search.next() {
            Ok(window) => self.pages.push_back(PlannedPage::new(window)),
            Err(window) => {
                let requested = std::mem::take(&mut search.requested);
                self.search = None;
                if !window.is_empty() {
                    let searches = vec![FirstRecordSearch { range: window.range(), requested }];
                    let missing = self.options.grid.missing(window, std::iter::empty());
                    let report = Report { searches, ..Report::default() };
                    let response = PageResponse { missing, ..PageResponse::none(report) };
                    self.pages.push_back(PlannedPage::settled(window, response));
                }
                self.next = window.to;
                self.options.may_search = false;
            }
        }
    }

    /// Processes the response to the request with the number `id`, or the failure of that request.
    pub(super) fn received(&mut self, id: u64, outcome: Result<Received<R>, Error>) {
        let mut states = self.pages.iter().map(|page| &page.state);
        let Some(index) = states.position(|state| matches!(state, PageState::Sent(sent) if *sent == id)) else {
            return;
        };
        let is_last = index + 1 == self.pages.len();
        let Some(page) = self.pages.get(index) else { return };
        let grid = self.options.grid;
        let window = page.window;
        let outcome = outcome.map(|received| PageResponse::new(grid, window, received));
        if let Ok(response) = &outcome {
            self.received += count(response.received);
        }
        if is_last && self.search.is_some() {
            return self.received_in_search(outcome);
        }
        match outcome {
            Ok(response) if self.options.ends.is_some() => self.extend(index, response),
            Ok(response) => {
                // A search is useful only if the range begins with empty pages.
                self.options.may_search &= response.is_empty();
                self.received_page(index, response);
            }
            Err(error) if error.is_body_too_large() && self.options.ends.is_none() && grid.touched(window) > 1 => {
                // The bodies of later windows of the same size would be too large as well.
                self.limits.cut(half(grid, window));
                self.divide(index);
            }
            Err(error) => self.settle(index, Err(error)),
        }
    }

    /// Processes the response for the current page of the search.
    fn received_in_search(&mut self, outcome: Result<PageResponse<R>, Error>) {
        self.pages.pop_back();
        let Some(search) = &mut self.search else { return };
        let Ok(response) = outcome else {
            // If a request of the search fails, the search ends, and all pages are requested instead.
            self.search = None;
            self.options.may_search = false;
            return;
        };
        search.received(response.is_empty());
        self.set_aside.without_time += count(response.without_time);
        self.set_aside_times(&response);
        self.continue_search();
    }

    /// Returns the next window in order of time, if its response is accepted or its requests have failed.
    pub(super) fn take(&mut self) -> Option<Accepted<R>> {
        self.judge_one_time();
        let front = self.pages.front()?;
        if front.is_doubted && self.is_suspicious()? {
            let window = front.window;
            let halves = self.options.grid.pieces(window, half(self.options.grid, window)).into_iter();
            self.replace(0, halves.map(|half| PlannedPage { confirms: Some(0), ..PlannedPage::new(half) }));
            return None;
        }
        let has_records = front.has_records()?;
        let is_empty_end = front.is_empty_end();
        let PlannedPage { window, state: PageState::Settled(outcome), .. } = self.pages.pop_front()? else {
            return None;
        };
        if !is_empty_end {
            self.has_records_before = has_records;
        }
        if has_records || outcome.is_err() {
            self.last_taken = Some(window.from);
        }
        Some((window, outcome))
    }

    /// Decides what to do after a response: accept it, divide the window, or request the start or end of the window
    /// again.
    fn received_page(&mut self, index: usize, mut response: PageResponse<R>) {
        let received = response.received;
        let Some(page) = self.pages.get(index) else { return };
        let window = page.window;
        let is_confirming = page.confirms.is_some();
        let has_nothing_new = is_confirming && response.len() <= page.known;
        let lacks_known = response.len() < page.known;
        let steps = self.options.grid.touched(window);
        if let Some(doubted) = page.confirms {
            self.confirm(doubted, has_nothing_new, &mut response);
        }
        if lacks_known {
            return self.repeat(index, &response);
        }
        if !is_confirming && response.is_unreadable() {
            return self.received_unreadable(index, response, steps);
        }
        if steps == 1 && response.is_empty() {
            self.page_of_any_window = response.times_of_others();
        }
        // If a step has several records, they may have displaced the records of other steps from the page.
        let has_groups = count(response.len()) > self.covered(window, &response) && self.options.all_pages_of.is_none();
        if steps > 1 && (has_groups || !response.missing.is_empty()) {
            return self.received_incomplete(index, response, has_groups, has_nothing_new);
        }
        if has_groups && self.limits.is_full(received) {
            return self.give_up_step(index, &response);
        }
        if response.missing.is_empty() {
            self.limits.complete(received);
        }
        self.settle(index, Ok(response));
    }

    /// Decides what to do after a response that lacks records of some steps, or has several of some.
    fn received_incomplete(
        &mut self,
        index: usize,
        response: PageResponse<R>,
        has_groups: bool,
        has_nothing_new: bool,
    ) {
        let received = response.received;
        let is_empty = response.is_empty();
        if self.limits.is_full(received) && !self.is_page_of_any_window(&response) {
            return self.divide_full(index, &response);
        }
        let Some(page) = self.pages.get_mut(index) else { return };
        page.is_doubted = is_empty && page.confirms.is_none();
        let is_cut = !self.limits.is_trusted(received) && self.options.all_pages_of.is_none();
        if !is_empty && !has_nothing_new && is_cut {
            return self.request_missing_ends(index, response, has_groups);
        }
        self.settle(index, Ok(response));
    }

    /// `true` if a window of one step had the same page, with none of its records.
    fn is_page_of_any_window(&self, response: &PageResponse<R>) -> bool {
        let unrelated_page = if response.is_empty() { response.times_of_others() } else { None };
        unrelated_page.is_some() && unrelated_page == self.page_of_any_window
    }

    /// The number of steps of a window with a record.
    fn covered(&self, window: Span, response: &PageResponse<R>) -> u64 {
        let grid = self.options.grid;
        grid.touched(window).saturating_sub(grid.steps(&response.missing))
    }

    /// Counts a window of one step as failed, because the records of the step do not fit on a page.
    fn give_up_step(&mut self, index: usize, response: &PageResponse<R>) {
        self.set_aside(response);
        let message = format!("one step has at least as many records as fit on a page ({})", response.received);
        let error = Error::new(ErrorKind::Incomplete, message);
        self.settle(index, Err(error.with_hint("increase the page size or reduce the step")));
    }

    fn settle(&mut self, index: usize, outcome: Result<PageResponse<R>, Error>) {
        let Some(page) = self.pages.get_mut(index) else { return };
        page.state = PageState::Settled(outcome);
        if let Some(held) = page.held.take() {
            self.set_aside(&held.response);
        }
    }

    /// Learns from the second response for the start or end of a window, whose first page had `doubted` records.
    fn confirm(&mut self, doubted: usize, has_nothing_new: bool, response: &mut PageResponse<R>) {
        self.limits.confirm(doubted, response.received, has_nothing_new);
        if doubted > 0 && has_nothing_new {
            // This window is part of a larger window, and the report on the page of the larger window already includes
            // its records without a time.
            self.set_aside.repeated += count(response.without_time);
            response.without_time = 0;
            response.report.bad_records.retain(|bad| bad.time.is_some());
        }
    }

    /// Divides a window whose page is full, so that its remaining records did not fit on the page.
    fn divide_full(&mut self, index: usize, response: &PageResponse<R>) {
        let Some(page) = self.pages.get(index) else { return };
        if !response.is_empty() {
            let covered = self.covered(page.window, response);
            self.limits.cut(usize::try_from(covered).unwrap_or(usize::MAX));
        }
        self.set_aside(response);
        self.divide(index);
    }

    /// Requests a window again whose response lacks records that an earlier response had, or counts it as failed.
    fn repeat(&mut self, index: usize, response: &PageResponse<R>) {
        self.set_aside(response);
        let Some(page) = self.pages.get_mut(index) else { return };
        if !page.is_repeated {
            page.is_repeated = true;
            page.state = PageState::Waiting;
            return;
        }
        let message =
            format!("{} of {} records of an earlier response are missing", page.known - response.len(), page.known);
        let error = Error::new(ErrorKind::Incomplete, message);
        page.state = PageState::Settled(Err(error.with_hint("request the range again")));
    }

    /// Divides a window without a readable time, or accepts it if the records of a smaller window would be unreadable too.
    fn received_unreadable(&mut self, index: usize, response: PageResponse<R>, steps: u64) {
        if count(response.received) < steps {
            self.divide_unreadable(index, &response);
        } else {
            self.settle(index, Ok(response));
        }
    }

    /// Requests a window in two parts, because none of the records on its page has a readable time: the steps that these
    /// records can be for, if the page was cut, and the rest. Counts the window as failed if it is such a rest for the
    /// third time.
    fn divide_unreadable(&mut self, index: usize, response: &PageResponse<R>) {
        let Some(page) = self.pages.get_mut(index) else { return };
        let received = response.received;
        let unreadable = page.unreadable + 1;
        if unreadable <= MAX_UNREADABLE {
            let window = page.window;
            let middle = self.options.grid.after(window.from, received).min(window.to);
            let first = Span { from: window.from, to: middle };
            let rest = Span { from: middle, to: window.to };
            self.set_aside(response);
            let first = PlannedPage { unreadable: MAX_UNREADABLE, ..PlannedPage::new(first) };
            let rest = PlannedPage { unreadable, ..PlannedPage::new(rest) };
            return self.replace(index, [first, rest]);
        }
        self.set_aside.without_time += count(response.without_time);
        let message = format!("none of the {received} records of the response has a readable time");
        let error = Error::new(ErrorKind::Incomplete, message);
        let error = match response.report.bad_records.first() {
            Some(bad) => error.with_hint(format!("the first of them: {bad}")),
            None => error.with_hint("compare the field of the time with the catalogue"),
        };
        page.state = PageState::Settled(Err(error));
    }

    /// Accepts a page of a window of any length, and requests the parts of the window before and after the page. The
    /// records of its first and last times are requested again, because the page may have been cut between records of
    /// equal times. If the page has no other records and cannot have been cut, there is nothing beyond it.
    fn extend(&mut self, index: usize, response: PageResponse<R>) {
        self.observe(index, &response);
        let Some(mut response) = self.pass_one_time(index, response) else { return };
        let (Some([can_go_back, can_go_on]), Some(page)) = (self.options.ends, self.pages.get(index)) else {
            return;
        };
        let Span { from, to } = page.window;
        let is_back = can_go_back && !response.has_earlier;
        let is_on = can_go_on && !response.has_later;
        let (Some(first), Some(last)) = (response.times().next(), response.times().last()) else {
            if page.is_anchored {
                return self.give_up(index, &response);
            }
            return self.settle(index, Ok(response));
        };
        // A full page that begins with the range may lack records of its first time.
        let is_cut_at_start = is_back && from == self.start && first == from && self.may_be_cut(&response);
        // A request for this time alone can have more of its records only if the page also has other records.
        if is_cut_at_start && last == from && response.others.is_empty() && self.has_start() {
            return self.end_one_time(index, response, false);
        }
        let has_back = is_back && from < first || is_cut_at_start;
        let has_on = is_on && from < last && after(last) < to;
        if has_back && has_on && first == last && self.may_be_cut(&response) {
            return self.divide_one_time(index, first, response);
        }
        let mut pages = Vec::new();
        let mut rest = Span { from, to };
        if has_back && after(first) < to {
            rest.from = after(first);
            pages.push(PlannedPage::anchored(Span { from, to: rest.from }, Side::Before, &response));
        }
        let mut on = None;
        if has_on {
            rest.to = last.max(rest.from);
            let window = Span { from: rest.to, to };
            on = Some(if last < rest.from {
                PlannedPage::new(window)
            } else {
                PlannedPage::anchored(window, Side::After, &response)
            });
        }
        response.keep_within(rest);
        if rest.is_empty() {
            self.set_aside(&response);
        } else {
            pages.push(PlannedPage::settled(rest, response));
        }
        pages.extend(on);
        self.replace(index, pages);
    }

    /// Learns from the size of a page and that of the page which it continues, and from the times of its records.
    fn observe(&mut self, index: usize, response: &PageResponse<R>) {
        let Some(page) = self.pages.get(index) else { return };
        let [start, end] = self.sent(page.requested);
        let [_, end_unit] = self.options.units;
        for time in response.times().chain(response.others.iter().copied()) {
            self.sizes.includes_start |= time == start;
            self.sizes.includes_end |= time == end;
            self.sizes.has_fine_times |= end_unit.floor(time) != time;
        }
        self.sizes.largest = self.sizes.largest.max(response.received);
        let Some(ContinuedPage { side, received }) = page.continues else { return };
        let has_further = match side {
            Side::Before => response.has_earlier,
            Side::After => response.has_later,
        };
        if has_further || page.known < response.len() {
            self.sizes.cut = self.sizes.cut.max(received);
        }
    }

    /// `true` if a page may have been cut: no other page had more records. A page of one record is never taken for cut.
    fn may_be_cut(&self, response: &PageResponse<R>) -> bool {
        response.received > 1 && response.received >= self.options.page_size.min(self.sizes.largest)
    }

    /// The side on which a window continues although its page has nothing there, because the page may be full of records
    /// at or outside of its other end.
    fn stuck_side(&self, page: &PlannedPage<R>, response: &PageResponse<R>) -> Option<Side> {
        let [can_go_back, can_go_on] = self.options.ends?;
        if !self.may_be_cut(response) {
            return None;
        }
        let Span { from, to } = page.window;
        let times = || response.times().chain(response.others.iter().copied());
        let first = times().min()?;
        let last = times().max()?;
        let [start, end] = self.sent(page.requested);
        if can_go_on && !response.has_later && last <= from && start <= last {
            return Some(Side::After);
        }
        let is_before = can_go_back && !response.has_earlier && to <= after(first) && first <= end;
        is_before.then_some(Side::Before)
    }

    /// `true` if requests have the start of their span, so that they find no records before it.
    fn has_start(&self) -> bool {
        self.options.ends.is_none_or(|[_, has_start]| has_start)
    }

    /// `true` if requests have the end of their span, so that they find no records after it.
    fn has_end(&self) -> bool {
        self.options.ends.is_none_or(|[has_end, _]| has_end)
    }

    /// The start and the end that the request for a span has.
    fn sent(&self, span: Span) -> [Timestamp; 2] {
        let [from, to] = self.options.units;
        let before = Duration::from_nanos(1);
        [from.floor(span.from - before), to.after(to.floor(span.to - before))]
    }

    /// Requests a window again from the next time that can be sent, if it has such a time.
    fn request_beyond(&mut self, index: usize, side: Side, response: PageResponse<R>) {
        let Some(page) = self.pages.get(index) else { return };
        let [start, end] = self.sent(page.requested);
        let [from, to] = self.options.units;
        let window = page.window;
        let mut requested = page.requested;
        // Without the other end of the range, a request can also find records outside of it, which show that the page was
        // cut.
        let is_over = match side {
            Side::After => {
                let next = from.after(start);
                requested.from = after(next);
                self.has_end() && window.to <= next
            }
            Side::Before => {
                requested.to = to.floor(end - Duration::from_nanos(1));
                self.has_start() && requested.to < window.from
            }
        };
        if is_over {
            // Nothing else in a range of one time can show that the page is complete.
            let is_range = window.from == self.start && window.to == self.options.range.to;
            if is_range {
                return self.give_up(index, &response);
            }
            return self.end_one_time(index, response, false);
        }
        let Some(page) = self.pages.get_mut(index) else { return };
        page.requested = requested;
        page.state = PageState::Waiting;
        page.held = Some(HeldPage { side, response });
    }

    /// Handles a response for a window whose page cannot be continued, or for the times beyond such a page. Returns the
    /// response if it is like any other.
    fn pass_one_time(&mut self, index: usize, response: PageResponse<R>) -> Option<PageResponse<R>> {
        let page = self.pages.get_mut(index)?;
        let held = page.held.take();
        let page = self.pages.get(index)?;
        let stuck = self.stuck_side(page, &response);
        let window = page.window;
        let Some(HeldPage { side, response: known }) = held else {
            let Some(side) = stuck else { return Some(response) };
            self.request_beyond(index, side, response);
            return None;
        };
        let of_time = response.times().filter(|time| is_at_end(window, side, *time)).count();
        if !is_beyond(window, side, &response) {
            if known.len() < of_time {
                self.sizes.cut = self.sizes.cut.max(known.received);
            }
            // Without a record at the end of the window, a response says nothing about the page before it.
            let has_known = of_time > 0 && known.len() <= of_time;
            let is_complete = has_known && !self.may_be_cut(&response);
            let (best, other) = if has_known { (response, known) } else { (known, response) };
            self.set_aside(&other);
            match stuck.filter(|stuck| *stuck == side) {
                Some(side) => self.request_beyond(index, side, best),
                None => self.end_one_time(index, best, is_complete),
            }
            return None;
        }
        let is_read = !known.is_empty() && known.len() <= of_time;
        self.set_aside(&known);
        if is_read {
            return Some(response);
        }
        self.sizes.cut = self.sizes.cut.max(known.received);
        match self.unread(index, side, known.is_empty()) {
            Some(unread) => self.fail_one_time(index, unread, known.received, response),
            None => Some(response),
        }
    }

    /// Divides a window whose page has records of one time within it: the part before them, and the part from them on.
    fn divide_one_time(&mut self, index: usize, time: Timestamp, response: PageResponse<R>) {
        let Some(page) = self.pages.get(index) else { return };
        let Span { from, to } = page.window;
        let mut back = PlannedPage::new(Span { from, to: time });
        back.continues = Some(ContinuedPage { side: Side::Before, received: response.received });
        let mut on = PlannedPage::anchored(Span { from: time, to }, Side::After, &response);
        on.one_time_since = Some(from);
        self.replace(index, [back, on]);
        self.request_beyond(index + 1, Side::After, response);
    }

    /// Accepts a page of one time behind which there is nothing. If the page `is_complete`, no other response shows that
    /// it was cut.
    fn end_one_time(&mut self, index: usize, response: PageResponse<R>, is_complete: bool) {
        let Some(page) = self.pages.get_mut(index) else { return };
        if response.is_empty() && page.is_anchored {
            return self.give_up(index, &response);
        }
        if is_complete {
            page.one_time_since = None;
        } else {
            page.one_time_since.get_or_insert(page.window.from);
        }
        self.settle(index, Ok(response));
    }

    /// Counts the first window as failed if its page of one time was cut: other pages were cut at this size, or the span
    /// in which the page had only this time has other records.
    fn judge_one_time(&mut self) {
        let Some(PlannedPage { one_time_since: Some(since), state, .. }) = self.pages.front_mut() else { return };
        let PageState::Settled(Ok(response)) = state else { return };
        let cut = self.sizes.cut;
        let is_cut = cut > 0 && cut <= response.received || self.options.page_size <= response.received;
        if !is_cut && self.last_taken.is_none_or(|last| last < *since) {
            return;
        }
        let error = too_many(response.received);
        let PageState::Settled(Ok(response)) = std::mem::replace(state, PageState::Settled(Err(error))) else { return };
        self.set_aside(&response);
    }

    /// The part of a window that no request can read, if the current response does not have it. `is_empty` is true if
    /// the page of one time had no record in the window.
    fn unread(&self, index: usize, side: Side, is_empty: bool) -> Option<Span> {
        let page = self.pages.get(index)?;
        let Span { from, to } = page.window;
        let [start, end] = self.sent(page.requested);
        let [start_unit, end_unit] = self.options.units;
        // Records between two times that can be sent are out of reach, and those at a time that was sent, if the service
        // excludes it.
        let is_in_reach = match side {
            Side::After => self.sizes.includes_start && start_unit.floor(from) == from,
            Side::Before => !self.sizes.has_fine_times && end_unit.floor(to) == to,
        };
        if is_empty && is_in_reach {
            return None;
        }
        Some(match side {
            Side::After => {
                let read_from = if self.sizes.includes_start { start } else { after(start) };
                Span { from, to: after(from).max(read_from).min(to) }
            }
            Side::Before => {
                let read_until = if self.sizes.includes_end { after(end) } else { end };
                let last = to - Duration::from_nanos(1);
                Span { from: last.min(read_until).max(from), to }
            }
        })
    }

    /// Counts a part of a window as failed, and returns the response for the rest, which takes the place of the window.
    fn fail_one_time(
        &mut self,
        index: usize,
        unread: Span,
        received: usize,
        mut response: PageResponse<R>,
    ) -> Option<PageResponse<R>> {
        let window = self.pages.get(index)?.window;
        let mut failed = PlannedPage::new(unread);
        failed.state = PageState::Settled(Err(too_many(received)));
        let is_start = unread.from == window.from;
        let rest = if is_start {
            Span { from: unread.to, to: window.to }
        } else {
            Span { from: window.from, to: unread.from }
        };
        if rest.is_empty() {
            self.set_aside(&response);
            self.replace(index, [failed]);
            return None;
        }
        response.keep_within(rest);
        // The service cuts pages on the side of the rest, so it has no further records next to the failed part.
        response.has_earlier |= is_start;
        response.has_later |= !is_start;
        let rest = PlannedPage::new(rest);
        self.replace(index, if is_start { [failed, rest] } else { [rest, failed] });
        self.extend(index + usize::from(is_start), response);
        None
    }

    /// Counts a window as failed whose page cannot be continued, because its records have the same time.
    fn give_up(&mut self, index: usize, response: &PageResponse<R>) {
        self.set_aside(response);
        self.settle(index, Err(too_many(response.received)));
    }

    /// Accepts a response. A truncated page omits records at its start or at its end, so a gap there is requested
    /// again, unless its records may still be published. A gap between two records is final. If steps have several
    /// records, the page may have been cut between those of its first or its last step, so that this step is requested
    /// again with the gap, or alone if it has fewer records than another step.
    fn request_missing_ends(&mut self, index: usize, mut response: PageResponse<R>, has_groups: bool) {
        let Some(PlannedPage { window, .. }) = self.pages.get(index) else { return };
        let window = *window;
        let grid = self.options.grid;
        let unsettled = self.options.unsettled;
        let mut rest = self.between_outer_gaps(window, &response);
        let mut known_first = 0;
        let mut known_last = 0;
        if has_groups {
            let groups = response.groups(grid);
            let largest = groups.iter().map(|group| group.records).max().unwrap_or_default();
            if let [first, .., last] = groups.as_slice() {
                if rest.from > window.from || first.records < largest {
                    rest.from = grid.next(first.start);
                    known_first = first.records;
                }
                if last.start < unsettled && (rest.to < window.to || last.records < largest) {
                    rest.to = last.start.max(rest.from);
                    known_last = last.records;
                }
            }
        }
        let received = response.received;
        let confirming =
            |window: Span, known| PlannedPage { confirms: Some(received), known, ..PlannedPage::new(window) };
        let first = Span { from: window.from, to: rest.from };
        let last = Span { from: rest.to, to: window.to };
        response.keep_within(rest);
        let mut pages = Vec::new();
        if !first.is_empty() {
            pages.push(confirming(first, known_first));
        }
        pages.push(PlannedPage::settled(rest, response));
        if !last.is_empty() {
            pages.push(confirming(last, known_last));
        }
        self.replace(index, pages);
    }

    /// The part of a window between the gaps at its start and its end whose records cannot be published anymore.
    fn between_outer_gaps(&self, window: Span, response: &PageResponse<R>) -> Span {
        let outer = self.options.grid.outer(window);
        let mut rest = window;
        for gap in &response.missing {
            if gap.from >= self.options.unsettled {
                continue;
            }
            if gap.from == outer.from {
                rest.from = gap.to;
            } else if gap.to == outer.to {
                rest.to = gap.from;
            }
        }
        rest
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
    fn divide(&mut self, index: usize) {
        let Some(PlannedPage { window, .. }) = self.pages.get(index) else { return };
        let grid = self.options.grid;
        let pieces = grid.pieces(*window, self.limits.steps().min(half(grid, *window)));
        self.replace(index, pieces.into_iter().map(PlannedPage::new));
    }

    fn replace(&mut self, index: usize, pages: impl IntoIterator<Item = PlannedPage<R>>) {
        let after = self.pages.split_off(index + 1);
        if let Some(page) = self.pages.pop_back() {
            self.set_aside_page(page);
        }
        self.pages.extend(pages.into_iter().chain(after));
    }

    /// Keeps the times of the records of a window that is not returned.
    fn set_aside_page(&mut self, page: PlannedPage<R>) {
        if let PageState::Settled(Ok(response)) = page.state {
            self.set_aside(&response);
        }
        if let Some(held) = page.held {
            self.set_aside(&held.response);
        }
    }

    /// Keeps the times of the records of a response that other responses return again.
    fn set_aside(&mut self, response: &PageResponse<R>) {
        self.set_aside.repeated += count(response.without_time);
        self.set_aside_times(response);
    }

    fn set_aside_times(&mut self, response: &PageResponse<R>) {
        self.set_aside.times.extend(response.times());
        self.set_aside.times.extend(&response.others);
    }
}

/// Half the steps of a window, rounded up.
fn half(grid: TimeGrid, window: Span) -> usize {
    usize::try_from(grid.touched(window).div_ceil(2)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod event_services;

#[cfg(test)]
mod tests;
