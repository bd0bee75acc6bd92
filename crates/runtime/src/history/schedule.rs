//! The schedule of a follower decides when to request which range, and which records of a response to deliver.
//!
//! The decisions depend on the times of earlier responses and failures. Nothing here waits, sends or reads a clock.

mod lateness;
#[cfg(test)]
mod simulation;

use std::time::Duration;

use lateness::{DELAY, Lateness};

use super::time_grid::{self, Span, TimeGrid};
use crate::platform::Instant;
use crate::send::Estimate;
use crate::values::Timestamp;

/// The first pause before an interval is requested again. Each later pause is as long as the record is late.
const FIRST_PAUSE: Duration = Duration::from_secs(4);

/// The longest pause between two requests for a missing record, if the step is not shorter and the series is not silent
/// for longer than `PATIENCE` times this pause.
const MAX_PAUSE: Duration = Duration::from_secs(840);
const PATIENCE: u32 = 100;

/// The page after the last record is requested after the first of this many probes.
const PROBES: u32 = 8;

/// The shortest and the longest pause after a failure. In between, a pause is as long as the time since the first of the
/// consecutive failures.
const SHORTEST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(8);

/// The settings of a follower.
#[derive(Clone, Debug)]
pub(super) struct ScheduleSettings {
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
    pub(super) grid: TimeGrid,
    /// The maximum number of steps of one request.
    page_steps: u32,
    settings: ScheduleSettings,
    pub(super) position: Position,
    lateness: Lateness,
    round: Option<Round>,
    /// The next interval is not requested again before this time.
    retry: Instant,
    /// The time at which an interval before the next one is requested again, even if the next one is not due.
    recheck: Option<Instant>,
    dispute: Dispute,
    outage: Option<Outage>,
    /// True after the first round. The first round begins immediately, because its responses can contain the `Date` of
    /// the service, and requests a single page, because the time may be far in the future until then.
    has_begun: bool,
    is_silent: bool,
    /// The number of probes since the last new record.
    probes: u32,
    /// True if the page after the last record is requested next, instead of another probe.
    has_probed: bool,
}

/// The requests that decide which time of the service is right, if its responses disagree.
struct Dispute {
    /// The time of the next request that may decide.
    next: Instant,
    /// The number of consecutive requests that have not decided.
    undecided: u32,
}

/// The requests for one range.
struct Round {
    window: Span,
    /// The position at the beginning.
    next: Timestamp,
    begun: Instant,
    /// The time of the last response; before the first response, the time at which the round began.
    responded: Instant,
    /// The earliest time of a response so far, by the clock of the service; `None` before the first response.
    reached: Option<Timestamp>,
    /// True if the round only checks whether a silent series has new records.
    is_probe: bool,
}

/// A failure of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// The time for which requests have failed.
    pub(super) elapsed: Duration,
    /// True for the first failure after a response.
    pub(super) is_first: bool,
    /// True if requests have just failed for long enough to report an outage.
    pub(super) is_outage: bool,
}

/// The end of consecutive failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Recovery {
    /// The time for which requests had failed.
    pub(super) elapsed: Duration,
    /// True if an outage was reported.
    pub(super) was_outage: bool,
}

struct Outage {
    since: Instant,
    /// The end of the pause after the last failure.
    until: Instant,
    is_reported: bool,
}

impl Schedule {
    pub(super) fn new(
        grid: TimeGrid,
        page_steps: usize,
        settings: ScheduleSettings,
        position: Position,
        now: Instant,
    ) -> Self {
        Self {
            grid,
            page_steps: u32::try_from(page_steps).unwrap_or(u32::MAX),
            settings,
            position,
            lateness: Lateness::new(),
            round: None,
            retry: now,
            recheck: None,
            dispute: Dispute { next: now, undecided: 0 },
            outage: None,
            has_begun: false,
            is_silent: false,
            probes: 0,
            has_probed: false,
        }
    }

    /// Returns the time after which missing records of a range that ends at `end` may still be published.
    pub(super) fn unsettled(&self, end: Timestamp) -> Timestamp {
        let oldest = self.grid.before(end, self.settings.allowed_lateness.saturating_add(1));
        let settled = oldest - self.lateness.learned();
        self.lateness.in_vain.map_or(settled, |_| settled.min(self.position.next))
    }

    /// Returns the end of the interval of a record.
    pub(super) fn end(&self, time: Timestamp) -> Timestamp {
        self.grid.next(time)
    }

    /// Returns the end of the next interval.
    fn next_end(&self) -> Timestamp {
        self.grid.next(self.grid.ceil(self.position.next))
    }

    /// Returns the time at which the next interval is requested.
    fn due(&self) -> Timestamp {
        self.next_end() + DELAY + self.lateness.expected()
    }

    /// Returns the next request, or the pause before it.
    pub(super) fn action(&mut self, now: Instant, estimate: Estimate) -> Action {
        let time = self.grid.final_until(estimate.time());
        let next = self.next_request(now, time, estimate.is_disputed());
        if next > now {
            return Action::Wait(next.saturating_duration_since(now));
        }
        let Position { next, missing } = &self.position;
        let mut to = self.grid.floor(time).max(self.next_end());
        // A probe of a silent series requests only as many of the latest intervals as fit on a page. The page after the
        // last record follows some of the probes, because a series may be later than a page.
        let longest = self.span(self.page_steps.max(self.settings.allowed_lateness));
        let is_silent = self.lateness.in_vain.is_some_and(|age| age > longest);
        let is_probe = is_silent && !self.has_probed;
        let from =
            if is_probe { self.grid.before(to, self.page_steps) } else { *missing.first().unwrap_or(next).min(next) };
        if !self.has_begun || is_silent && !is_probe {
            let page = usize::try_from(self.page_steps).unwrap_or(usize::MAX);
            to = to.min(self.grid.after(if self.has_begun { *next } else { from }, page));
        }
        let window = Span { from, to };
        self.round = Some(Round { window, next: *next, begun: now, responded: now, reached: None, is_probe });
        Action::Request(window)
    }

    /// The time of the next request. `time` is the time up to which intervals of the service are final.
    fn next_request(&self, now: Instant, time: Timestamp, is_disputed: bool) -> Instant {
        let mut at = now;
        if self.has_begun {
            let due = now + (self.due() - time).min(Duration::from_secs(86_400));
            at = due.max(self.retry);
            if let Some(recheck) = self.recheck {
                at = at.min(recheck);
            }
            if is_disputed {
                at = at.min(self.dispute.next);
            }
        }
        match &self.outage {
            Some(outage) => at.max(outage.until),
            None => at,
        }
    }

    /// Ends the outage because of a response; `None` if there was none.
    pub(super) fn recovered(&mut self, now: Instant) -> Option<Recovery> {
        let outage = self.outage.take()?;
        Some(Recovery { elapsed: now.saturating_duration_since(outage.since), was_outage: outage.is_reported })
    }

    /// Returns for how long requests have failed; `None` if the last request got a response.
    pub(super) fn failing_for(&self, now: Instant) -> Option<Duration> {
        self.outage.as_ref().map(|outage| now.saturating_duration_since(outage.since))
    }

    /// Returns the interval whose record is requested next.
    pub(super) fn next_interval(&self) -> Span {
        let from = self.grid.ceil(self.position.next);
        Span { from, to: self.grid.next(from) }
    }

    /// Processes the next page of the range: the times of its records in order, and a time that the service had reached
    /// when it created the response.
    pub(super) fn received(&mut self, times: &[Timestamp], reached: Timestamp, now: Instant) -> Delivery {
        self.outage = None;
        let reached = self.grid.final_until(reached);
        let mut delivery =
            Delivery { kinds: vec![Kind::Skipped; times.len()], after_late: self.position.clone(), gaps: Vec::new() };
        let Some(round) = &mut self.round else { return delivery };
        round.responded = now;
        round.reached = Some(round.reached.map_or(reached, |earlier| earlier.min(reached)));
        let closed = self.grid.floor(reached);
        if round.is_probe {
            if times.iter().any(|time| self.position.next <= *time && *time < closed) {
                // The series has records again, so the next request fetches all of them.
                self.lateness.in_vain = None;
                self.retry = now;
                self.round = None;
            }
            return delivery;
        }
        let mut new = Vec::new();
        let mut late = Vec::new();
        for (kind, time) in delivery.kinds.iter_mut().zip(times) {
            let start = self.grid.floor(*time);
            if *time < self.position.next && self.position.missing.contains(&start) {
                *kind = Kind::Late;
                late.push(start);
            } else if *time >= self.position.next && *time < closed {
                *kind = Kind::New;
                new.push(*time);
            }
        }
        self.position.missing.retain(|start| !late.contains(start));
        delivery.after_late = self.position.clone();
        delivery.gaps = self.advance(&new);
        delivery
    }

    /// Moves the position past new records. Returns the missing intervals that are too old to be requested again, compared
    /// with the newest record.
    fn advance(&mut self, new: &[Timestamp]) -> Vec<Span> {
        let grid = self.grid;
        let mut gaps = Vec::new();
        let Some(last) = new.last() else { return gaps };
        let range = Span { from: self.grid.ceil(self.position.next), to: self.end(*last) };
        let expired = grid.before(range.to, self.settings.allowed_lateness);
        let old = self.position.missing.partition_point(|from| grid.next(*from) <= expired);
        for from in self.position.missing.drain(..old) {
            time_grid::push(&mut gaps, Span { from, to: grid.next(from) });
        }
        for missing in self.grid.missing(range, new.iter().copied()) {
            let middle = expired.clamp(missing.from, missing.to);
            time_grid::push(&mut gaps, Span { from: missing.from, to: middle });
            let recent = self.grid.pieces(Span { from: middle, to: missing.to }, 1);
            self.position.missing.extend(recent.iter().map(|interval| interval.from));
        }
        self.position.next = range.to;
        gaps
    }

    /// Ends a round after the last page of its range. If the series has just become silent, returns the end of its last
    /// interval with a record.
    pub(super) fn finished(&mut self, now: Instant, estimate: Estimate) -> Option<Timestamp> {
        let time = self.grid.final_until(estimate.time());
        self.has_begun = true;
        self.note_dispute(now, estimate.is_disputed());
        let Round { window, next: begin, begun, reached, is_probe, .. } = self.round.take()?;
        self.probes += u32::from(is_probe);
        self.has_probed = is_probe && self.probes % PROBES == 1;
        // The time of the request, as estimated after its response.
        let asked = time - now.saturating_duration_since(begun);
        let end = self.next_end();
        let next = self.position.next;
        if begin < next {
            self.lateness.published(asked - next);
            self.probes = 0;
        }
        self.retry = now;
        if end <= window.to.min(asked) {
            self.lateness.missing(asked - end);
            let late = time - self.due();
            let silence = time - next;
            let step = self.grid.interval.longest();
            // If only the record before the latest interval is missing, that of the latest interval may still be in time.
            let latest = late.checked_sub(step).unwrap_or(late);
            let pause = self.pause(if latest < step { latest } else { late }, silence);
            // The pause for the record of the latest interval ends when the next interval is due.
            let pause = step.checked_sub(latest).map_or(pause, |until_due| pause.min(until_due));
            self.retry += if self.has_probed { Duration::ZERO } else { pause };
        }
        self.recheck = None;
        // The request for the next interval includes the missing intervals, so only the last one is requested by itself.
        if let Some(from) = self.position.missing.last() {
            let late = time - (self.grid.next(*from) + self.lateness.learned());
            if late < self.grid.interval.longest() {
                self.recheck = Some(now + self.pause(late, late));
            }
        }
        // An interval that was still open when the service responded does not count as requested.
        let silence = window.to.min(reached.unwrap_or(begin)) - (next + self.lateness.learned());
        let was_silent = self.is_silent;
        self.is_silent = silence >= self.span(self.settings.allowed_lateness.max(1));
        if self.is_silent && !was_silent { Some(self.grid.final_at(next)) } else { None }
    }

    fn note_dispute(&mut self, now: Instant, is_disputed: bool) {
        if !is_disputed {
            self.dispute = Dispute { next: now, undecided: 0 };
            return;
        }
        let doublings = 1_u32.checked_shl(self.dispute.undecided).unwrap_or(u32::MAX);
        self.dispute.next = now + DELAY.saturating_mul(doublings).min(MAX_PAUSE);
        self.dispute.undecided += 1;
    }

    /// Returns the pause before the next request for a record that is this late, in a series that has had no record for
    /// the duration `silence`. It is at most half a page, so the ranges of consecutive probes overlap.
    fn pause(&self, late: Duration, silence: Duration) -> Duration {
        let half = self.span((self.page_steps / 2).max(1));
        let longest = self.grid.interval.longest().min(MAX_PAUSE).max(silence / PATIENCE).min(half);
        (late + FIRST_PAUSE).min(longest.max(DELAY))
    }

    /// Ends a round with a failure, and begins a pause. An outage is reported only after a retryable failure, and at once if
    /// the service has requested the pause `requested`.
    pub(super) fn failed(&mut self, now: Instant, is_retryable: bool, requested: Option<Duration>) -> Failure {
        let since = self.round.take().map_or(now, |round| round.responded);
        let mut failure = self.note_failure(now, since, is_retryable);
        if let Some(outage) = &mut self.outage {
            outage.until = now + failure.elapsed.clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
            if let Some(requested) = requested {
                outage.until = outage.until.max(now + requested);
                failure.is_outage |= !outage.is_reported;
                outage.is_reported = true;
            }
        }
        failure
    }

    /// Notes that the requests of other followers have failed since a time. A request of this one would fail too.
    pub(super) fn failed_for_others(&mut self, now: Instant, since: Instant) -> Failure {
        self.note_failure(now, since, true)
    }

    fn note_failure(&mut self, now: Instant, since: Instant, is_retryable: bool) -> Failure {
        let is_first = self.outage.is_none();
        let outage = self.outage.get_or_insert(Outage { since, until: now, is_reported: false });
        let elapsed = now.saturating_duration_since(outage.since);
        let is_outage = is_retryable && elapsed >= self.settings.outage_after && !outage.is_reported;
        outage.is_reported |= is_outage;
        Failure { elapsed, is_first, is_outage }
    }

    /// Returns the longest time that this many intervals take.
    fn span(&self, intervals: u32) -> Duration {
        self.grid.interval.longest().saturating_mul(intervals)
    }
}
