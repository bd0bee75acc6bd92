//! Handles the responses for windows of any length, each of which begins or ends where another page ended.

use super::one_time::{OneTime, after};
use super::planned_page::{ContinuedPage, PlannedPage, Side};
use super::windows::Windows;
use crate::history::page_response::PageResponse;
use crate::history::time_grid::Span;
use crate::values::Timestamp;

/// The parts of a window beyond a page.
#[derive(Clone, Copy)]
struct Sides {
    /// The first time of the page, if the part before it is requested.
    before: Option<Timestamp>,
    /// The last time of the page, if the part after it is requested.
    after: Option<Timestamp>,
}

impl<R> Windows<R> {
    /// Handles the response for a window of any length.
    pub(super) fn extend(&mut self, index: usize, response: PageResponse<R>) {
        self.observe(index, &response);
        match self.pass_one_time(index, response) {
            OneTime::Nothing => {}
            OneTime::Extend(response) => self.accept(index, response),
            OneTime::ExtendRest(index, response) => self.extend(index, response),
        }
    }

    /// Accepts a page, and requests the parts of its window before and after the page. If the page has no other records
    /// than those of its first and last times and cannot have been cut, there is nothing beyond it.
    fn accept(&mut self, index: usize, response: PageResponse<R>) {
        let Some([can_go_back, can_go_on]) = self.options.ends else { return };
        let Some(page) = self.pages.get(index) else { return };
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
        self.keep_middle(index, Sides { before: has_back.then_some(first), after: has_on.then_some(last) }, response);
    }

    /// Keeps the records of a page, and requests the sides of its window. The records of the first and last times are
    /// requested again with them, because the page may have been cut between records of equal times.
    fn keep_middle(&mut self, index: usize, sides: Sides, mut response: PageResponse<R>) {
        let Some(page) = self.pages.get(index) else { return };
        let Span { from, to } = page.window;
        let mut middle = Span { from, to };
        let mut pages = Vec::new();
        if let Some(first) = sides.before.filter(|first| after(*first) < to) {
            middle.from = after(first);
            pages.push(PlannedPage::anchored(Span { from, to: middle.from }, Side::Before, &response));
        }
        let mut side_after = None;
        if let Some(last) = sides.after {
            middle.to = last.max(middle.from);
            let window = Span { from: middle.to, to };
            let is_new = last < middle.from;
            side_after = Some(if is_new {
                PlannedPage::new(window)
            } else {
                PlannedPage::anchored(window, Side::After, &response)
            });
        }
        response.keep_within(middle);
        if middle.is_empty() {
            self.set_aside(&response);
        } else {
            pages.push(PlannedPage::settled(middle, response));
        }
        pages.extend(side_after);
        self.replace(index, pages);
    }

    /// Learns from the size of a page and that of the page which it continues, and from the times of its records.
    fn observe(&mut self, index: usize, response: &PageResponse<R>) {
        let Some(page) = self.pages.get(index) else { return };
        let [start, end] = self.sent(page.requested);
        let [_, end_unit] = self.options.units;
        for time in response.all_times() {
            self.observed.includes_start |= time == start;
            self.observed.includes_end |= time == end;
            self.observed.has_fine_times |= end_unit.floor(time) != time;
        }
        self.observed.largest = self.observed.largest.max(response.received);
        let Some(ContinuedPage { side, received }) = page.continues else { return };
        let has_further = match side {
            Side::Before => response.has_earlier,
            Side::After => response.has_later,
        };
        if has_further || page.known < response.len() {
            self.observed.cut = self.observed.cut.max(received);
        }
    }
}
