//! The schedule of a follower decides when to request which range, and which records of a response to deliver.
//!
//! The decisions depend on the times of earlier responses and failures. Nothing here waits, sends or reads a clock.

use std::time::Duration;

use super::gaps;
use super::time_grid::{Span, TimeGrid};
use crate::platform::Instant;
use crate::values::Timestamp;

/// The time from the end of an interval to the request for that interval, and the time between two requests for a
/// missing record.
const DELAY: Duration = Duration::from_secs(2);

/// The maximum number of times that a missing record is requested again before the next interval is over.
const MAX_REPEATS: u32 = 2;

/// The shortest and the longest pause after a failure. Between these limits, a pause is as long as the time since the
/// first of the consecutive failures.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(20));

/// The resolution of the header `Date`. A time that is estimated from that header can be wrong by this much.
const RESOLUTION: Duration = Duration::from_secs(1);

/// The limit on repeated requests for records that were not published in time. Each repeated request costs `COST`
/// credits, and each interval earns `EARNED` credits, so that there are at most six repeated requests for every hundred
/// intervals.
const COST: u32 = 100;
const EARNED: u32 = 6;
const MAX_CREDIT: u32 = 3 * COST;

/// The learned delay grows by this time after an interval whose record was not published in time, and shrinks by a
/// fortieth of this time after any other interval.
const DELAY_STEP: Duration = Duration::from_secs(1);

/// The settings of a follower.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// The number of later intervals after which a missing record is no longer requested.
    pub(super) allowed_lateness: u32,
    /// The time for which all requests must fail before an outage is reported.
    pub(super) outage_after: Duration,
}

/// The position of a follower. Everything before `next` was delivered or reported, except the intervals in `missing`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) next: Timestamp,
    /// In order of time.
    pub(super) missing: Vec<Timestamp>,
}

/// The next action of a follower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Request(Span),
    Wait(Duration),
}

/// The decision about a received record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Not delivered, because the interval of the record is not closed, or because the record was delivered before.
    Skipped,
    /// Delivered after a record with a later time.
    Late,
    New,
}

/// The decisions about a page.
pub(super) struct Delivery {
    /// The decision about each record of the page.
    pub(super) kinds: Vec<Kind>,
    /// The position after the late records are delivered, and before the new records are delivered.
    pub(super) after_late: Position,
    /// Intervals without a record, which are no longer requested.
    pub(super) gaps: Vec<Span>,
}

/// The schedule of a follower.
pub(super) struct Schedule {
    grid: TimeGrid,
    /// The maximum number of steps of one request.
    page_steps: u32,
    settings: Settings,
    pub(super) position: Position,
    /// The last received `Date`, and the time at which it was received.
    clock: Option<(Timestamp, Instant)>,
    /// The end of the last requested range.
    requested_until: Timestamp,
    round: Option<Round>,
    repeat_at: Option<Instant>,
    repeated: u32,
    credit: u32,
    learned_delay: Duration,
    outage: Option<Outage>,
    /// True after the first round. The first round begins immediately, because its responses can contain the `Date` of
    /// the service.
    has_begun: bool,
    is_silent: bool,
}

/// The requests for one range.
struct Round {
    window: Span,
    /// The time of the last response; before the first response, the time at which the round began.
    responded: Instant,
    /// The earliest time of a response so far, by the clock of the service; `None` before the first response.
    time: Option<Timestamp>,
    /// The time to assume for a response without a `Date`.
    estimate: Timestamp,
    /// True if the round only checks whether a silent series has new records.
    is_probe: bool,
}

struct Outage {
    since: Instant,
    /// The end of the pause after the last failure.
    until: Instant,
    is_reported: bool,
}

impl Schedule {
    pub(super) fn new(grid: TimeGrid, page_steps: usize, settings: Settings, position: Position) -> Self {
        Self {
            grid,
            page_steps: u32::try_from(page_steps).unwrap_or(u32::MAX),
            settings,
            requested_until: grid.ceil(position.next),
            position,
            clock: None,
            round: None,
            repeat_at: None,
            repeated: 0,
            credit: MAX_CREDIT,
            learned_delay: Duration::ZERO,
            outage: None,
            has_begun: false,
            is_silent: false,
        }
    }

    /// Returns the time after which missing records of a range that ends at `end` may still be published.
    pub(super) fn unsettled(&self, end: Timestamp) -> Timestamp {
        end - self.span(self.settings.allowed_lateness.saturating_add(1))
    }

    /// Returns the end of the interval of a record.
    pub(super) fn end(&self, time: Timestamp) -> Timestamp {
        self.grid.floor(time) + self.grid.step
    }

    /// Returns the next request, or the pause before it. `wall` is the time of this machine, which is used before the
    /// first `Date`.
    pub(super) fn action(&mut self, now: Instant, wall: Timestamp) -> Action {
        if let Some(outage) = self.outage.as_ref().filter(|outage| outage.until > now) {
            return Action::Wait(outage.until.saturating_duration_since(now));
        }
        let time = self.clock.map_or(wall, |(date, at)| date + now.saturating_duration_since(at));
        let delay = DELAY + self.learned_delay;
        let closed = self.grid.floor(time - delay);
        // The wall clock may have been set back, so that the last requested range ends in the future.
        self.requested_until = self.requested_until.min(self.grid.floor(time));
        let next = self.grid.ceil(self.position.next);
        if !self.has_begun {
            return Action::Request(self.begin(closed.max(next + self.grid.step), time, now));
        }
        let due = self.requested_until.max(next) + self.span(self.intervals_between_requests());
        if closed >= due || self.repeat_at.is_some_and(|at| at <= now) {
            return Action::Request(self.begin(closed.max(self.requested_until), time, now));
        }
        let repeat = self.repeat_at.map_or(Duration::MAX, |at| at.saturating_duration_since(now));
        Action::Wait((due + delay - time).min(repeat).max(Duration::from_millis(1)))
    }

    fn begin(&mut self, end: Timestamp, time: Timestamp, now: Instant) -> Span {
        let is_probe = self.silence() > u64::from(self.page_steps.max(self.settings.allowed_lateness));
        let Position { next, missing } = &self.position;
        // A probe of a silent series requests only as many of the latest intervals as fit on a page.
        let from = if is_probe { end - self.span(self.page_steps) } else { *missing.first().unwrap_or(next).min(next) };
        // The wall clock may have been set back to a time before the position.
        let window = Span { from, to: end.max(from) };
        self.repeat_at = None;
        self.round = Some(Round { window, responded: now, time: None, estimate: time - RESOLUTION, is_probe });
        window
    }

    /// Processes the next page of the range, given the times of its records in order, and the `Date` of its response.
    pub(super) fn received(&mut self, date: Option<Timestamp>, times: &[Timestamp], now: Instant) -> Delivery {
        self.outage = None;
        let had_clock = self.clock.is_some();
        self.clock = date.map(|date| (date, now)).or(self.clock);
        let mut delivery =
            Delivery { kinds: vec![Kind::Skipped; times.len()], after_late: self.position.clone(), gaps: Vec::new() };
        let Some(round) = &mut self.round else { return delivery };
        round.responded = now;
        if let Some(date) = date.filter(|_| !had_clock) {
            // From the first `Date` on, the wall clock is not used.
            round.estimate = date - RESOLUTION;
        }
        let time = date.unwrap_or(round.estimate);
        let (closed, earliest) = (self.grid.floor(time), round.time.map_or(time, |earlier| earlier.min(time)));
        round.time = Some(earliest);
        if round.is_probe {
            if times.iter().any(|time| self.position.next <= *time && *time < closed) {
                // The series has records again, so the next request fetches all of them.
                (self.requested_until, self.round) = (self.grid.ceil(self.position.next), None);
            }
            return delivery;
        }
        for (kind, time) in delivery.kinds.iter_mut().zip(times) {
            *kind = match *time < self.position.next {
                false if *time < closed => Kind::New,
                true if self.position.missing.contains(&self.grid.floor(*time)) => Kind::Late,
                _ => Kind::Skipped,
            };
        }
        let of = |wanted| times.iter().zip(&delivery.kinds).filter(move |(_, kind)| **kind == wanted).map(|(t, _)| *t);
        for time in of(Kind::Late) {
            self.position.missing.retain(|from| *from != self.grid.floor(time));
        }
        delivery.after_late = self.position.clone();
        let new: Vec<Timestamp> = of(Kind::New).collect();
        delivery.gaps = self.advance(&new, self.grid.floor(earliest - self.span(self.settings.allowed_lateness)));
        delivery
    }

    /// Moves the position past new records. Returns the missing intervals that ended at or before `expired`.
    fn advance(&mut self, new: &[Timestamp], expired: Timestamp) -> Vec<Span> {
        let step = self.grid.step;
        let mut gaps = Vec::new();
        let old = self.position.missing.partition_point(|from| *from + step <= expired);
        for from in self.position.missing.drain(..old) {
            gaps::push(&mut gaps, Span { from, to: from + step });
        }
        if let Some(last) = new.last() {
            let range = Span { from: self.grid.ceil(self.position.next), to: self.grid.floor(*last) + step };
            for missing in self.grid.missing(range, new.iter().copied()) {
                let middle = expired.clamp(missing.from, missing.to);
                gaps::push(&mut gaps, Span { from: missing.from, to: middle });
                let recent = self.grid.pieces(Span { from: middle, to: missing.to }, 1);
                self.position.missing.extend(recent.iter().map(|interval| interval.from));
            }
            self.position.next = range.to;
        }
        gaps
    }

    /// Ends a round after the last page of its range. If the series has just become silent, returns the end of its last
    /// interval with a record.
    pub(super) fn finished(&mut self, now: Instant) -> Option<Timestamp> {
        self.has_begun = true;
        let round = self.round.take()?;
        // An interval that was still open when the service responded does not count as requested.
        let requested_until = round.window.to.min(self.grid.floor(round.time.unwrap_or(round.estimate)));
        let is_first_request = requested_until > self.requested_until;
        self.requested_until = requested_until;
        let silence = self.silence();
        if is_first_request {
            self.repeated = 0;
            self.credit = MAX_CREDIT.min(self.credit + EARNED);
            self.learned_delay = match silence {
                0 => self.learned_delay.saturating_sub(DELAY_STEP / 40),
                _ => (self.learned_delay + DELAY_STEP).min(self.grid.step / 4),
            };
        }
        let allowed_lateness = u64::from(self.settings.allowed_lateness.max(1));
        let may_repeat = self.repeated < MAX_REPEATS && self.credit >= COST && silence <= allowed_lateness;
        if silence > 0 && may_repeat && !round.is_probe {
            self.repeated += 1;
            self.credit -= COST;
            self.repeat_at = now.checked_add(DELAY);
        }
        let was_silent = std::mem::replace(&mut self.is_silent, silence >= allowed_lateness);
        (self.is_silent && !was_silent).then_some(self.position.next)
    }

    /// Ends a round with a failure, and begins a pause. Returns for how long requests have failed, and whether to
    /// report an outage now. An outage is reported only after a retryable failure.
    pub(super) fn failed(&mut self, now: Instant, is_retryable: bool) -> (Duration, bool) {
        let since = self.round.take().map_or(now, |round| round.responded);
        let outage = self.outage.get_or_insert(Outage { since, until: now, is_reported: false });
        let elapsed = now.saturating_duration_since(outage.since);
        outage.until = now + elapsed.clamp(PAUSES.0, PAUSES.1);
        let is_due = is_retryable && elapsed >= self.settings.outage_after && !outage.is_reported;
        outage.is_reported |= is_due;
        (elapsed, is_due)
    }

    /// Returns the number of requested intervals after the last record.
    fn silence(&self) -> u64 {
        self.grid.steps(self.requested_until - self.grid.ceil(self.position.next))
    }

    /// Returns the number of intervals from one request to the next. The number is one, or greater if the series has
    /// had no records for longer than the allowed lateness. It is at most half the number of steps of a page, so the
    /// ranges of two consecutive probes overlap, and no record is missed.
    fn intervals_between_requests(&self) -> u32 {
        let silence = u32::try_from(self.silence()).unwrap_or(u32::MAX);
        (silence.saturating_sub(self.settings.allowed_lateness) / 10).clamp(1, (self.page_steps / 2).max(1))
    }

    fn span(&self, intervals: u32) -> Duration {
        self.grid.step.saturating_mul(intervals)
    }
}

#[cfg(test)]
mod simulation;
