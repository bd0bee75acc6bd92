//! Pages that cannot be continued at their last or first record, because all of their records have one time.
//!
//! Such a page is either complete or cut within the records of that time. Its window is requested again from the next
//! time that can be sent, until a response has other records or none. If there are other records, the page was cut, and
//! the records of its time cannot be read.

use std::time::Duration;

use super::planned_page::{ContinuedPage, HeldPage, LongerRequests, PageState, PlannedPage, Side};
use super::windows::Windows;
use crate::error::{Error, ErrorKind};
use crate::history::account::count;
use crate::history::page_response::PageResponse;
use crate::history::pager_options::PagerOptions;
use crate::history::time_grid::{Span, TimeGrid};
use crate::values::Timestamp;

/// The number of steps whose records fit on a page of any service: two years of months, for params that are years.
const STEPS_OF_ANY_PAGE: u64 = 25;

/// The maximum number of requests with an earlier start, of which each has twice the length of the one before.
const MAX_LONGER_REQUESTS: u8 = 4;

/// What is left to do with a response.
pub(super) enum OneTime<R> {
    Nothing,
    /// The response is like any other.
    Extend(PageResponse<R>),
    /// A part of the window has failed. The response is for the rest, which is the window at this index.
    ExtendRest(usize, PageResponse<R>),
}

impl<R> Windows<R> {
    /// Handles a response for a window whose page cannot be continued, or for the times beyond such a page.
    pub(super) fn pass_one_time(&mut self, index: usize, response: PageResponse<R>) -> OneTime<R> {
        let Some(page) = self.pages.get_mut(index) else { return OneTime::Nothing };
        let held = page.held.take();
        let Some(page) = self.pages.get(index) else { return OneTime::Nothing };
        let stuck = self.stuck_side(page, &response);
        let window = page.window;
        match (held, stuck) {
            (None, None) => OneTime::Extend(response),
            (None, Some(side)) => {
                self.request_beyond(index, side, response);
                OneTime::Nothing
            }
            (Some(held), _) if is_beyond(window, held.side, &response) => self.read_on(index, held, response),
            (Some(held), stuck) => {
                self.choose_page(index, held, stuck, response);
                OneTime::Nothing
            }
        }
    }

    /// Keeps the better one of two pages of one time, and requests the times beyond it again if the second page is full
    /// too.
    fn choose_page(&mut self, index: usize, held: HeldPage<R>, stuck: Option<Side>, response: PageResponse<R>) {
        let Some(page) = self.pages.get(index) else { return };
        let HeldPage { side, response: known } = held;
        let of_time = records_at_end(page.window, side, &response);
        if known.len() < of_time {
            self.observed.cut = self.observed.cut.max(known.received);
        }
        // Without a record at the end of the window, a response says nothing about the page before it.
        let has_known = of_time > 0 && known.len() <= of_time;
        let is_complete = has_known && !self.may_be_cut(&response);
        self.count_distant(index, side, &response);
        let (best, other) = if has_known { (response, known) } else { (known, response) };
        self.set_aside(&other);
        if stuck == Some(side) {
            self.request_beyond(index, side, best);
        } else {
            self.end_one_time(index, best, is_complete);
        }
    }

    /// Counts the records that are far before the start of their request, if no record is after it. Such a service ignores
    /// the start, so the response does not show whether there are later records.
    fn count_distant(&mut self, index: usize, side: Side, response: &PageResponse<R>) {
        let Some(page) = self.pages.get(index) else { return };
        let [start, _] = self.sent(page.requested);
        if side == Side::Before || response.all_times().any(|time| start <= time) {
            return;
        }
        let PagerOptions { grid, range, units: [unit, _], .. } = self.options;
        let far = Span { from: range.from, to: grid.before(start - unit.grain(), 1) };
        self.set_aside.distant += count(response.all_times().filter(|time| far.contains(*time)).count());
    }

    /// Reads on at the records beyond a page of one time. Unless these include the known records of that time, the page was
    /// cut, and the times that no request can read have failed.
    fn read_on(&mut self, index: usize, held: HeldPage<R>, response: PageResponse<R>) -> OneTime<R> {
        let Some(page) = self.pages.get(index) else { return OneTime::Nothing };
        let HeldPage { side, response: known } = held;
        let is_read = !known.is_empty() && known.len() <= records_at_end(page.window, side, &response);
        self.set_aside(&known);
        if is_read {
            return OneTime::Extend(response);
        }
        self.observed.cut = self.observed.cut.max(known.received);
        match self.unread(index, side, known.is_empty()) {
            Some(unread) => self.fail_one_time(index, unread, known.received, response),
            None => OneTime::Extend(response),
        }
    }

    /// The side on which a window continues although its page has nothing there, because the page may be full of records
    /// at or outside of its other end.
    fn stuck_side(&self, page: &PlannedPage<R>, response: &PageResponse<R>) -> Option<Side> {
        let [can_go_back, can_go_on] = self.options.ends?;
        if !self.may_be_cut(response) {
            return None;
        }
        let Span { from, to } = page.window;
        let first = response.all_times().min()?;
        let last = response.all_times().max()?;
        let [start, end] = self.sent(page.requested);
        if can_go_on && !response.has_later && last <= from && start <= last {
            return Some(Side::After);
        }
        let is_before = can_go_back && !response.has_earlier && to <= after(first) && first <= end;
        is_before.then_some(Side::Before)
    }

    /// Requests a window again from the next time that can be sent, if it has such a time.
    fn request_beyond(&mut self, index: usize, side: Side, response: PageResponse<R>) {
        let Some(page) = self.pages.get(index) else { return };
        if page.comparison.is_some() {
            return self.request_longer(index, side, response);
        }
        let [start, end] = self.sent(page.requested);
        let PagerOptions { grid, units: [from, to], .. } = self.options;
        let window = page.window;
        let mut requested = page.requested;
        // Without the other end of the range, a request can also find records outside of it, which show that the page was
        // cut.
        let is_over = match side {
            Side::After => {
                // A service that counts times from the start has records at any start, also between two steps.
                let next = if self.options.includes_start { grid.ceil(from.after(start)) } else { from.after(start) };
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
            if is_range && !self.has_few_steps(Span { from: start, to: end }) {
                return self.request_longer(index, side, response);
            }
            return self.end_one_time(index, response, false);
        }
        let Some(page) = self.pages.get_mut(index) else { return };
        page.requested = requested;
        page.state = PageState::Waiting;
        page.held = Some(HeldPage { side, response });
    }

    /// Requests the window of a page of one time with an earlier start, until a page has more records than the first one,
    /// which was then not full.
    fn request_longer(&mut self, index: usize, side: Side, response: PageResponse<R>) {
        let has_start = self.has_start();
        let Some(page) = self.pages.get(index) else { return };
        let [start, end] = self.sent(page.requested);
        let Some(page) = self.pages.get_mut(index) else { return };
        let first = LongerRequests { received: response.received, count: 0 };
        let comparison = page.comparison.get_or_insert(first);
        if comparison.received < response.received {
            return self.end_one_time(index, response, true);
        }
        if side == Side::Before || !has_start || comparison.count == MAX_LONGER_REQUESTS {
            return self.give_up(index, &response);
        }
        comparison.count += 1;
        let earlier = start - end.abs_diff(start);
        page.requested.from = earlier;
        page.state = PageState::Waiting;
        page.held = Some(HeldPage { side, response });
        let [sent, _] = self.sent(Span { from: earlier, to: end });
        self.set_aside.earliest = Some(self.set_aside.earliest.map_or(sent, |earliest| earliest.min(sent)));
    }

    /// `true` if the span of a request has so few steps that their records fit on any page, such as the months of a year.
    fn has_few_steps(&self, sent: Span) -> bool {
        let grid = self.options.grid;
        grid.has_steps() && grid.touched(sent) <= STEPS_OF_ANY_PAGE
    }

    /// Divides a window whose page has records of one time within it: the part before them, and the part from them on.
    pub(super) fn divide_one_time(&mut self, index: usize, time: Timestamp, response: PageResponse<R>) {
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
    pub(super) fn end_one_time(&mut self, index: usize, response: PageResponse<R>, is_complete: bool) {
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
    pub(super) fn judge_one_time(&mut self) {
        let Some(PlannedPage { one_time_since: Some(since), state, .. }) = self.pages.front_mut() else { return };
        let PageState::Settled(Ok(response)) = state else { return };
        let cut = self.observed.cut;
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
            Side::After => self.observed.includes_start && start_unit.floor(from) == from,
            Side::Before => !self.observed.has_fine_times && end_unit.floor(to) == to,
        };
        if is_empty && is_in_reach {
            return None;
        }
        Some(match side {
            Side::After => {
                let read_from = if self.observed.includes_start { start } else { after(start) };
                Span { from, to: after(from).max(read_from).min(to) }
            }
            Side::Before => {
                let read_until = if self.observed.includes_end { after(end) } else { end };
                let last = to - Duration::from_nanos(1);
                Span { from: last.min(read_until).max(from), to }
            }
        })
    }

    /// Counts a part of a window as failed. The rest of the window takes its place.
    fn fail_one_time(
        &mut self,
        index: usize,
        unread: Span,
        received: usize,
        mut response: PageResponse<R>,
    ) -> OneTime<R> {
        let Some(page) = self.pages.get(index) else { return OneTime::Nothing };
        let window = page.window;
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
            return OneTime::Nothing;
        }
        response.keep_within(rest);
        // The service cuts pages on the side of the rest, so it has no further records next to the failed part.
        response.has_earlier |= is_start;
        response.has_later |= !is_start;
        let rest = PlannedPage::new(rest);
        self.replace(index, if is_start { [failed, rest] } else { [rest, failed] });
        OneTime::ExtendRest(index + usize::from(is_start), response)
    }

    /// `true` if a page may have been cut: no other page had more records. A page of one record is never taken for cut.
    pub(super) fn may_be_cut(&self, response: &PageResponse<R>) -> bool {
        response.received > 1 && response.received >= self.options.page_size.min(self.observed.largest)
    }

    /// `true` if requests have the start of their span, so that they find no records before it.
    pub(super) fn has_start(&self) -> bool {
        self.options.ends.is_none_or(|[_, has_start]| has_start)
    }

    /// `true` if requests have the end of their span, so that they find no records after it.
    fn has_end(&self) -> bool {
        self.options.ends.is_none_or(|[has_end, _]| has_end)
    }

    /// The start and the end that the request for a span has.
    pub(super) fn sent(&self, span: Span) -> [Timestamp; 2] {
        let [from, to] = self.options.units;
        let before = Duration::from_nanos(1);
        let start = if self.options.includes_start { span.from } else { span.from - before };
        [from.floor(start), to.after(to.floor(span.to - before))]
    }

    /// Counts a window as failed whose page cannot be continued, because its records have the same time.
    pub(super) fn give_up(&mut self, index: usize, response: &PageResponse<R>) {
        self.set_aside(response);
        self.settle(index, Err(too_many(response.received)));
    }
}

/// `true` if a time is that at which a window continues a page.
fn is_at_end(window: Span, side: Side, time: Timestamp) -> bool {
    match side {
        Side::After => time <= window.from,
        Side::Before => window.to <= after(time),
    }
}

/// The number of records at the time at which a window continues a page.
fn records_at_end<R>(window: Span, side: Side, response: &PageResponse<R>) -> usize {
    response.times().filter(|time| is_at_end(window, side, *time)).count()
}

/// `true` if a response has records beyond the time at which its window continues a page.
fn is_beyond<R>(window: Span, side: Side, response: &PageResponse<R>) -> bool {
    let is_outside = match side {
        Side::After => response.has_later,
        Side::Before => response.has_earlier,
    };
    is_outside || response.times().any(|time| !is_at_end(window, side, time))
}

/// The error for a page of one time that was cut.
fn too_many(received: usize) -> Error {
    let message = format!("one timestamp has at least as many records as fit on a page ({received})");
    Error::new(ErrorKind::Incomplete, message).with_hint("increase the page size")
}

/// The earliest time after the records of a time.
pub(super) fn after(time: Timestamp) -> Timestamp {
    TimeGrid::EVENTS.next(time)
}
