//! Handles the responses for windows that are planned so that their records fit on a page.
//!
//! If a page is full and records are missing, its window is requested again in parts. If a page is not full, but has no
//! records at the start or end of its window, that part is requested once more.

use super::planned_page::{PageState, PlannedPage};
use super::windows::Windows;
use crate::error::{Error, ErrorKind};
use crate::history::account::count;
use crate::history::page_response::PageResponse;
use crate::history::time_grid::{Span, TimeGrid};

/// The maximum number of times that a window without a readable time is requested again, each time in two parts. Together
/// with the first request, these are seven requests.
const MAX_UNREADABLE: u8 = 3;

impl<R> Windows<R> {
    /// Decides what to do after a response: accept it, divide the window, or request the start or end of the window
    /// again.
    pub(super) fn received_page(&mut self, index: usize, mut response: PageResponse<R>) {
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
        let has_several_per_step =
            count(response.len()) > self.covered(window, &response) && self.options.all_pages_of.is_none();
        let is_complete = response.without_record(self.options.grid, window).is_empty();
        if steps > 1 && (has_several_per_step || !is_complete) {
            return self.received_incomplete(index, response, has_several_per_step, has_nothing_new);
        }
        if has_several_per_step && self.limits.is_full(received) {
            return self.give_up_step(index, &response);
        }
        if is_complete {
            self.limits.complete(received);
        }
        self.settle(index, Ok(response));
    }

    /// Decides what to do after a response that lacks records of some steps, or has several of some.
    fn received_incomplete(
        &mut self,
        index: usize,
        response: PageResponse<R>,
        has_several_per_step: bool,
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
            return self.request_missing_ends(index, response, has_several_per_step);
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

    /// Accepts a response. A truncated page omits records at its start or at its end, so a gap there is requested
    /// again, unless its records may still be published. A gap between two records is final. If steps have several
    /// records, the page may have been cut between those of its first or its last step, so that this step is requested
    /// again with the gap, or alone if it has fewer records than another step.
    fn request_missing_ends(&mut self, index: usize, mut response: PageResponse<R>, has_several_per_step: bool) {
        let Some(PlannedPage { window, .. }) = self.pages.get(index) else { return };
        let window = *window;
        let grid = self.options.grid;
        let unsettled = self.options.unsettled;
        let mut rest = self.between_outer_gaps(window, &response);
        let mut known_first = 0;
        let mut known_last = 0;
        if has_several_per_step {
            let steps = response.filled_steps(grid);
            let largest = steps.iter().map(|step| step.records).max().unwrap_or_default();
            if let [first, .., last] = steps.as_slice() {
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
        let grid = self.options.grid;
        let outer = grid.outer(window);
        let mut rest = window;
        for gap in response.without_record(grid, window) {
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

    /// Replaces a window with windows of half its size, or of the learned maximum size if that is smaller.
    pub(super) fn divide(&mut self, index: usize) {
        let Some(PlannedPage { window, .. }) = self.pages.get(index) else { return };
        let grid = self.options.grid;
        let pieces = grid.pieces(*window, self.limits.steps().min(half(grid, *window)));
        self.replace(index, pieces.into_iter().map(PlannedPage::new));
    }
}

/// Half the steps of a window, rounded up.
pub(super) fn half(grid: TimeGrid, window: Span) -> usize {
    usize::try_from(grid.touched(window).div_ceil(2)).unwrap_or(usize::MAX)
}
