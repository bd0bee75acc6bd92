//! The order of requests for a range: which window is fetched next, and when each is settled.
//!
//! Responses arrive in any order; windows with their records are returned in order of time. Each window is planned so
//! that its records fit on a page. A response that contradicts the plan is settled by fetching smaller windows. Nothing
//! here waits, sends or reads a clock.

use std::collections::VecDeque;

use super::entry::{Ask, Entry, Part, State};
use super::grid::Span;
use super::learned::Learned;
use super::reply::{Received, Reply};
use super::search::Search;
use super::verdict::{Course, Verdict};
use crate::error::Error;
use crate::platform::Instant;
use crate::values::Timestamp;

/// The windows of a range that were not returned yet.
#[derive(Debug)]
pub(super) struct Walk<R> {
    course: Course,
    /// The start of the next window.
    next: Timestamp,
    entries: VecDeque<Entry<R>>,
    /// True if the last returned window had records; `None` before the first.
    before: Option<bool>,
    learned: Learned,
    asked: u64,
    under_way: usize,
    /// True while the first record is searched for: until there is one, or a search has ended.
    pub(super) may_search: bool,
    search: Option<Searching>,
    /// The number of windows requested in advance if there is only one history.
    alone: usize,
}

/// The number of empty pages at the beginning, and of remaining pages, from which a search pays off.
const FIRST_PAGES: u64 = 4;
const MANY_PAGES: u64 = 16;

/// A search for the first record, whose last page is the last entry.
#[derive(Debug)]
struct Searching {
    search: Search,
    from: Timestamp,
    page: u64,
    requested: Vec<Span>,
}

/// A window with its records, or with the error for which it has none.
#[derive(Debug)]
pub(super) struct Taken<R> {
    pub(super) window: Span,
    pub(super) outcome: Result<Reply<R>, Error>,
}

impl<R> Walk<R> {
    /// The windows from a time of the range to its end.
    pub(super) fn new(course: Course, at: Timestamp) -> Self {
        let learned = Learned::new(course.page_size, course.beside);
        let alone = course.ahead;
        Self {
            course,
            next: at,
            entries: VecDeque::new(),
            before: None,
            learned,
            asked: 0,
            under_way: 0,
            alone,
            may_search: false,
            search: None,
        }
    }

    /// Returns whether every window was returned.
    pub(super) fn is_over(&self) -> bool {
        self.entries.is_empty() && self.next >= self.course.range.to
    }

    /// The number of requests so far.
    pub(super) fn asked(&self) -> u64 {
        self.asked
    }

    /// The number of windows still to be returned, if no more of them are divided.
    pub(super) fn left(&self) -> u64 {
        self.rest().saturating_add(u64::try_from(self.entries.len()).unwrap_or(u64::MAX))
    }

    /// The number of windows still to be planned.
    fn rest(&self) -> u64 {
        let rest = Span { from: self.next, to: self.course.range.to };
        let steps = u64::try_from(self.learned.steps()).unwrap_or(u64::MAX);
        self.course.grid.touched(rest).div_ceil(steps)
    }

    /// Reduces the requests in advance, so that several histories together send as many as one.
    pub(super) fn share(&mut self, among: usize) {
        self.course.ahead = self.alone.div_ceil(among.max(1)).max(2);
    }

    /// The next window to request, and a number for its response.
    pub(super) fn ask(&mut self, now: Instant) -> Option<(u64, Span)> {
        if self.under_way >= self.course.ahead {
            return None;
        }
        if !self.entries.iter_mut().flat_map(Entry::asks).any(|(_, ask)| ask.is_due(now)) {
            self.plan()?;
        }
        let mut asks = self.entries.iter_mut().flat_map(Entry::asks);
        let (window, ask) = asks.find(|(_, ask)| ask.is_due(now))?;
        self.asked += 1;
        self.under_way += 1;
        ask.id = Some(self.asked);
        Some((self.asked, window))
    }

    /// The time at which the next failed window is due again.
    pub(super) fn due(&mut self) -> Option<Instant> {
        if self.under_way >= self.course.ahead {
            return None;
        }
        let asks = self.entries.iter_mut().flat_map(Entry::asks);
        asks.filter(|(_, ask)| ask.id.is_none()).filter_map(|(_, ask)| ask.not_before).min()
    }

    /// Adds the window that follows the last one.
    fn plan(&mut self) -> Option<()> {
        let end = self.course.range.to;
        if self.next >= end || self.entries.len() >= self.course.ahead || self.search.is_some() {
            return None;
        }
        if self.may_search && self.asked >= FIRST_PAGES && self.rest() >= MANY_PAGES {
            let is_empty = |entry: &Entry<R>| matches!(entry.state, State::Empty(_));
            if !self.entries.iter().all(is_empty) {
                return None;
            }
            let search = Search::new(self.rest());
            self.search = Some(Searching { search, from: self.next, page: 0, requested: Vec::new() });
            self.search_on();
            return Some(());
        }
        let to = self.course.grid.after(self.next, self.learned.steps()).min(end);
        self.entries.push_back(Entry::new(Span { from: self.next, to }));
        self.next = to;
        Some(())
    }

    /// Requests the next page of a search, or ends it: the part before the first page with records has none.
    fn search_on(&mut self) {
        let Some(searching) = &mut self.search else { return };
        let (grid, steps, end) = (self.course.grid, self.learned.steps(), self.course.range.to);
        let start = |page: u64| {
            grid.after(searching.from, usize::try_from(page).unwrap_or(usize::MAX).saturating_mul(steps)).min(end)
        };
        match searching.search.next() {
            Ok(page) => {
                let window = Span { from: start(page), to: start(page + 1) };
                searching.page = page;
                searching.requested.push(window);
                self.entries.push_back(Entry::new(window));
            }
            Err(first) => {
                let window = Span { from: searching.from, to: start(first) };
                let missing = grid.missing(window, std::iter::empty());
                let searched = std::mem::take(&mut searching.requested);
                if !window.is_empty() {
                    let state = State::Settled(Reply { missing, searched, ..Reply::nothing() });
                    self.entries.push_back(Entry { window, state });
                }
                (self.next, self.search, self.may_search) = (window.to, None, false);
            }
        }
    }

    /// Takes the response to a page of a search. After a failure every page is requested.
    fn searched(&mut self, outcome: Result<bool, ()>) {
        self.entries.pop_back();
        if let (Ok(is_empty), Some(searching)) = (outcome, &mut self.search) {
            searching.search.received(searching.page, is_empty);
            self.search_on();
        } else {
            (self.search, self.may_search) = (None, false);
        }
    }

    /// Processes the response to the request with a number, or its failure.
    pub(super) fn received(&mut self, id: u64, outcome: Result<Received<R>, Error>, now: Instant) {
        self.under_way = self.under_way.saturating_sub(1);
        let Some(index) = self.entries.iter_mut().position(|entry| entry.asks().any(|(_, ask)| ask.id == Some(id)))
        else {
            return;
        };
        let Course { grid, margin, attempts, .. } = self.course;
        let is_search = self.search.is_some() && index + 1 == self.entries.len();
        let Some(entry) = self.entries.get_mut(index) else { return };
        match &mut entry.state {
            State::Asked(ask) => match outcome {
                Ok(received) => {
                    let reply = Reply::new(grid, entry.window, margin, received);
                    if is_search {
                        return self.searched(Ok(reply.is_empty()));
                    }
                    self.may_search &= reply.is_empty();
                    self.admit(index, reply);
                }
                Err(error) => {
                    if let Some(error) = ask.failed(error, attempts, now) {
                        if is_search {
                            return self.searched(Err(()));
                        }
                        self.fail(index, error);
                    }
                }
            },
            State::Doubted(_, parts) => {
                let Some(part) = parts.iter_mut().find(|part| part.is_asked_as(id)) else { return };
                let window = part.window;
                part.received(outcome.map(|received| Reply::new(grid, window, margin, received)), attempts, now);
                if parts.iter().all(Part::is_over) {
                    self.compare(index);
                }
            }
            State::Empty(_) | State::Settled(_) | State::Failed(_) => {}
        }
    }

    /// The next window in order of time, if it is settled or has failed.
    pub(super) fn take(&mut self) -> Option<Taken<R>> {
        self.judge_empty();
        if !matches!(self.entries.front()?.state, State::Settled(_) | State::Failed(_)) {
            return None;
        }
        let Entry { window, state } = self.entries.pop_front()?;
        let outcome = match state {
            State::Settled(reply) => Ok(reply),
            State::Failed(error) => Err(error),
            State::Asked(_) | State::Empty(_) | State::Doubted(..) => return None,
        };
        self.before = Some(outcome.as_ref().is_ok_and(|reply| !reply.is_empty()));
        Some(Taken { window, outcome })
    }

    /// Stores the response of a window, or divides the window if the response was truncated.
    fn admit(&mut self, index: usize, reply: Reply<R>) {
        let Some(entry) = self.entries.get_mut(index) else { return };
        entry.state = match self.course.verdict(&self.learned, entry.window, &reply) {
            Verdict::Believed => {
                if reply.missing.is_empty() {
                    self.learned.whole(reply.came);
                }
                State::Settled(reply)
            }
            Verdict::Empty => State::Empty(reply),
            Verdict::Doubted(parts) => State::Doubted(reply, parts.into_iter().map(Part::new).collect()),
            Verdict::Cut => {
                self.learned.cut(reply.places.len());
                return self.divide(index);
            }
        };
    }

    /// Stores the error of a window, or divides the window if the response was larger than allowed.
    fn fail(&mut self, index: usize, error: Error) {
        let Some(entry) = self.entries.get_mut(index) else { return };
        if error.is_body_too_large() && self.course.grid.touched(entry.window) > 1 {
            self.learned.cut(self.course.half(entry.window));
            return self.divide(index);
        }
        entry.state = State::Failed(error);
    }

    /// Replaces a window by windows of half the size, or of the learned size if that is smaller.
    fn divide(&mut self, index: usize) {
        let Some(window) = self.entries.get(index).map(|entry| entry.window) else { return };
        let steps = self.learned.steps().min(self.course.half(window));
        self.replace(index, self.course.grid.pieces(window, steps).into_iter().map(Entry::new).collect());
    }

    /// Decides whether the first window is believed if it has no records. Between two windows with records it is
    /// doubted; between two without, it is believed; between one of each, it is doubted until such responses have
    /// proved right.
    fn judge_empty(&mut self) {
        let Some(Entry { window, state: State::Empty(_) }) = self.entries.front() else { return };
        let window = *window;
        let after = match self.entries.get(1).map(|entry| &entry.state) {
            None if self.next >= self.course.range.to => false,
            None | Some(State::Asked(_)) => return,
            Some(State::Empty(_) | State::Failed(_)) => false,
            Some(State::Doubted(reply, _) | State::Settled(reply)) => !reply.is_empty(),
        };
        let is_doubted = match (self.before == Some(true), after) {
            (true, true) => true,
            (false, false) => false,
            _ => !self.course.is_tail(window) && !self.learned.is_trusted(0),
        };
        let Some(entry) = self.entries.front_mut() else { return };
        if let State::Empty(reply) = &mut entry.state {
            let reply = std::mem::replace(reply, Reply::nothing());
            entry.state = if is_doubted {
                State::Doubted(reply, self.course.halves(window).into_iter().map(Part::new).collect())
            } else {
                State::Settled(reply)
            };
        }
    }

    /// Compares a doubted window with the parts that were fetched again.
    fn compare(&mut self, index: usize) {
        let Some(entry) = self.entries.get_mut(index) else { return };
        let window = entry.window;
        let State::Doubted(reply, parts) = std::mem::replace(&mut entry.state, State::Asked(Ask::default())) else {
            return;
        };
        let parts: Vec<_> = parts.into_iter().filter_map(Part::into_outcome).collect();
        let replies = parts.iter().filter_map(|(_, part)| part.as_ref().ok());
        match replies.filter(|part| !part.is_empty()).map(|part| part.came).max() {
            Some(most) => self.learned.refuted(reply.came, most),
            None if parts.iter().all(|(_, part)| part.is_ok()) => {
                self.learned.confirmed(reply.came);
                entry.state = State::Settled(reply);
                return;
            }
            // The parts have failed, so the response is neither confirmed nor refuted.
            None => {}
        }
        self.replace(index, parts.iter().map(|(part, _)| *part).map(Entry::new).collect());
        if let Some(rest) = around(window, parts.iter().map(|(part, _)| *part)) {
            // The rest is between two parts, or next to the only one.
            let index = index + usize::from(parts.first().is_some_and(|(part, _)| part.from == window.from));
            self.entries.insert(index, Entry { window: rest, state: State::Settled(reply.within(rest)) });
        }
        for (window, outcome) in parts {
            // Those before it may have been divided.
            let Some(index) = self.entries.iter().position(|entry| entry.window == window) else { continue };
            match outcome {
                Ok(reply) => self.admit(index, reply),
                Err(error) => self.fail(index, error),
            }
        }
    }

    /// Replaces a window by others.
    fn replace(&mut self, index: usize, entries: Vec<Entry<R>>) {
        self.entries.remove(index);
        for entry in entries.into_iter().rev() {
            self.entries.insert(index, entry);
        }
    }
}

/// The remainder of a window without the parts that were fetched again.
fn around(window: Span, parts: impl Iterator<Item = Span>) -> Option<Span> {
    let mut rest = window;
    for part in parts {
        if part.from == rest.from {
            rest.from = part.to;
        } else {
            rest.to = rest.to.min(part.from);
        }
    }
    (!rest.is_empty()).then_some(rest)
}

#[cfg(test)]
mod tests;
