//! The walk over a range: which windows are asked for next, and what becomes of what comes.
//!
//! Replies come in, in any order; windows to ask for go out, and windows with their records in order of time. Windows
//! are planned so that no more records can come than a page has. What does not fit that is asked for again in smaller
//! windows, or once more in parts, and then believed. Nothing here waits, sends or reads a clock.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use super::entry::{Ask, Entry, Part, State};
use super::grid::{Grid, Span};
use super::learned::Learned;
use super::reply::{Received, Reply};
use crate::error::Error;
use crate::values::Timestamp;

/// What a walk goes by.
#[derive(Clone, Debug)]
pub(super) struct Course {
    pub(super) grid: Grid,
    pub(super) range: Span,
    /// How far beyond its ends a window is asked for.
    pub(super) margin: Duration,
    /// How many records a page has at most, by what is asked for.
    pub(super) page_size: usize,
    /// How many windows are asked for or kept before the first of them is taken.
    pub(super) ahead: usize,
    /// How often a window is asked for that fails.
    pub(super) attempts: u32,
    /// Whether the end of the range may not be there yet, so that nothing follows from its absence.
    pub(super) is_live: bool,
}

/// The windows of a range, from the first that was not taken yet.
#[derive(Debug)]
pub(super) struct Walk<R> {
    course: Course,
    /// Where the next window begins.
    next: Timestamp,
    entries: VecDeque<Entry<R>>,
    /// Whether the window that was taken last had records; `None` before the first.
    before: Option<bool>,
    learned: Learned,
    asked: u64,
    under_way: usize,
}

/// What is to be believed of a reply.
enum Verdict {
    Believed,
    Empty,
    /// These parts of it are asked for once more.
    Doubted(Vec<Span>),
    /// It had more records than there was place for.
    Cut,
}

/// A window that is over.
#[derive(Debug)]
pub(super) struct Taken<R> {
    pub(super) window: Span,
    pub(super) outcome: Result<Reply<R>, Error>,
}

impl<R> Walk<R> {
    /// A walk that begins somewhere in its range.
    pub(super) fn new(course: Course, at: Timestamp) -> Self {
        let learned = Learned::new(course.page_size);
        Self { course, next: at, entries: VecDeque::new(), before: None, learned, asked: 0, under_way: 0 }
    }

    /// Whether every window was taken.
    pub(super) fn is_over(&self) -> bool {
        self.entries.is_empty() && self.next >= self.course.range.to
    }

    /// How many requests there were.
    pub(super) fn asked(&self) -> u64 {
        self.asked
    }

    /// How many windows there are still to take, as far as that can be told.
    pub(super) fn left(&self) -> u64 {
        let rest = Span { from: self.next, to: self.course.range.to };
        let steps = u64::try_from(self.learned.steps()).unwrap_or(u64::MAX);
        let kept = u64::try_from(self.entries.len()).unwrap_or(u64::MAX);
        self.course.grid.touched(rest).div_ceil(steps).saturating_add(kept)
    }

    /// Asks for fewer windows in advance, so that several walks together ask for as many as one.
    pub(super) fn share(&mut self, among: usize) {
        self.course.ahead = self.course.ahead.div_ceil(among.max(1)).max(2);
    }

    /// The next window to ask for, and a number for its reply.
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

    /// When there is a window to ask for once more.
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
        if self.next >= end || self.entries.len() >= self.course.ahead {
            return None;
        }
        let to = self.course.grid.after(self.next, self.learned.steps()).min(end);
        self.entries.push_back(Entry::new(Span { from: self.next, to }));
        self.next = to;
        Some(())
    }

    /// Takes the reply to what was asked for under a number, or why there is none.
    pub(super) fn received(&mut self, id: u64, outcome: Result<Received<R>, Error>, now: Instant) {
        self.under_way = self.under_way.saturating_sub(1);
        let Some(index) = self.entries.iter_mut().position(|entry| entry.asks().any(|(_, ask)| ask.id == Some(id)))
        else {
            return;
        };
        let Course { grid, margin, attempts, .. } = self.course;
        let Some(entry) = self.entries.get_mut(index) else { return };
        match &mut entry.state {
            State::Asked(ask) => match outcome {
                Ok(received) => {
                    let reply = Reply::new(grid, entry.window, margin, received);
                    self.admit(index, reply);
                }
                Err(error) => {
                    if let Some(error) = ask.failed(error, attempts, now) {
                        entry.state = State::Failed(error);
                    }
                }
            },
            State::Doubted(_, parts) => {
                let part = parts.iter_mut().find(|part| matches!(&part.reply, Err(ask) if ask.id == Some(id)));
                let Some(part) = part else { return };
                match (outcome, &mut part.reply) {
                    (Ok(received), reply) => *reply = Ok(Reply::new(grid, part.window, margin, received)),
                    (Err(error), Err(ask)) => {
                        // Without it nothing speaks against what came first.
                        if ask.failed(error, attempts, now).is_some() {
                            part.reply = Ok(Reply::nothing());
                        }
                    }
                    (Err(_), Ok(_)) => {}
                }
                if parts.iter().all(|part| part.reply.is_ok()) {
                    self.compare(index);
                }
            }
            State::Empty(_) | State::Settled(_) | State::Failed(_) => {}
        }
    }

    /// The next window in order of time, if it is over.
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

    /// Says what becomes of a reply, and puts it in the place of what was asked for.
    fn admit(&mut self, index: usize, reply: Reply<R>) {
        let Some(entry) = self.entries.get(index) else { return };
        let window = entry.window;
        let state = match self.verdict(window, &reply) {
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
                let pieces = pieces(self.course.grid, window, self.learned.steps().min(self.half(window)));
                return self.replace(index, pieces.into_iter().map(Entry::new).collect());
            }
        };
        if let Some(entry) = self.entries.get_mut(index) {
            entry.state = state;
        }
    }

    fn verdict(&self, window: Span, reply: &Reply<R>) -> Verdict {
        let steps = self.course.grid.touched(window);
        let kept = u64::try_from(reply.places.len()).unwrap_or(u64::MAX);
        let is_incomplete = !reply.missing.is_empty() || kept > steps;
        if steps <= 1 || !is_incomplete {
            return Verdict::Believed;
        }
        match (self.learned.is_full(reply.came), reply.is_empty()) {
            (true, true) => Verdict::Doubted(self.halves(window)),
            (true, false) => Verdict::Cut,
            (false, true) => Verdict::Empty,
            (false, false) if self.learned.is_trusted(reply.came) => Verdict::Believed,
            (false, false) => match self.missing_ends(window, reply) {
                ends if ends.is_empty() => Verdict::Believed,
                ends => Verdict::Doubted(ends),
            },
        }
    }

    /// What a page lacks at its ends, where other records may have had no place. A hole inside is believed.
    fn missing_ends(&self, window: Span, reply: &Reply<R>) -> Vec<Span> {
        let outer = self.course.grid.outer(window);
        let (first, last) = (reply.missing.first(), reply.missing.last());
        let first = first.filter(|gap| gap.from == outer.from).map(|gap| Span { from: window.from, to: gap.to });
        let last = last.filter(|gap| gap.to == outer.to && !self.is_tail(window));
        first.into_iter().chain(last.map(|gap| Span { from: gap.from, to: window.to })).collect()
    }

    /// Whether a window is the last one, whose records may come later.
    fn is_tail(&self, window: Span) -> bool {
        self.course.is_live && window.to == self.course.range.to
    }

    /// Whether the first window, of which nothing came, is believed: an empty one beside others that are not is asked
    /// for once more.
    fn judge_empty(&mut self) {
        let Some(Entry { window, state: State::Empty(_) }) = self.entries.front() else { return };
        let window = *window;
        let is_last = self.entries.len() == 1 && self.next >= self.course.range.to;
        let after = match self.entries.get(1).map(|entry| &entry.state) {
            None if is_last => Some(false),
            None | Some(State::Asked(_)) => None,
            Some(State::Empty(_) | State::Failed(_)) => Some(false),
            Some(State::Doubted(reply, _) | State::Settled(reply)) => Some(!reply.is_empty()),
        };
        let Some(after) = after else { return };
        let before = self.before == Some(true);
        let is_doubted = match (before, after) {
            (true, true) => true,
            (false, false) => false,
            _ => !self.is_tail(window) && !self.learned.is_trusted(0),
        };
        let halves = self.halves(window).into_iter().map(Part::new).collect();
        let Some(entry) = self.entries.front_mut() else { return };
        if let State::Empty(reply) = &mut entry.state {
            let reply = std::mem::replace(reply, Reply::nothing());
            entry.state = if is_doubted { State::Doubted(reply, halves) } else { State::Settled(reply) };
        }
    }

    /// Compares a window that looked cut with the parts that were asked for once more.
    fn compare(&mut self, index: usize) {
        let Some(entry) = self.entries.get_mut(index) else { return };
        let window = entry.window;
        let State::Doubted(reply, parts) = std::mem::replace(&mut entry.state, State::Asked(Ask::default())) else {
            return;
        };
        let parts: Vec<_> = parts.into_iter().filter_map(|part| Some((part.window, part.reply.ok()?))).collect();
        let Some(most) = parts.iter().filter(|(_, part)| !part.is_empty()).map(|(_, part)| part.came).max() else {
            self.learned.confirmed(reply.came);
            entry.state = State::Settled(reply);
            return;
        };
        self.learned.refuted(reply.came, most);
        let believed = around(window, &parts);
        self.replace(index, parts.iter().map(|(window, _)| *window).map(Entry::new).collect());
        if let Some(window) = believed {
            // It stands between two parts, or at the side of the only one.
            let index = index + usize::from(parts.first().is_some_and(|(part, _)| part.from < window.from));
            let state = State::Settled(reply.within(window));
            self.entries.insert(index, Entry { window, state });
        }
        for (window, reply) in parts {
            // Those before may be several windows now.
            if let Some(index) = self.entries.iter().position(|entry| entry.window == window) {
                self.admit(index, reply);
            }
        }
    }

    /// Puts others in the place of a window.
    fn replace(&mut self, index: usize, entries: Vec<Entry<R>>) {
        self.entries.remove(index);
        for entry in entries.into_iter().rev() {
            self.entries.insert(index, entry);
        }
    }

    /// Half the steps of a window, rounded up.
    fn half(&self, window: Span) -> usize {
        usize::try_from(self.course.grid.touched(window).div_ceil(2)).unwrap_or(usize::MAX)
    }

    fn halves(&self, window: Span) -> Vec<Span> {
        pieces(self.course.grid, window, self.half(window))
    }
}

/// What is left of a window between the parts of it that were asked for once more.
fn around<R>(window: Span, parts: &[(Span, Reply<R>)]) -> Option<Span> {
    let mut rest = window;
    for (part, _) in parts {
        if part.from == rest.from {
            rest.from = part.to;
        } else {
            rest.to = rest.to.min(part.from);
        }
    }
    (!rest.is_empty()).then_some(rest)
}

/// A window in pieces of so many steps.
fn pieces(grid: Grid, window: Span, steps: usize) -> Vec<Span> {
    let (mut pieces, mut from) = (Vec::new(), window.from);
    while from < window.to {
        let to = grid.after(from, steps.max(1)).min(window.to);
        pieces.push(Span { from, to });
        from = to;
    }
    pieces
}
