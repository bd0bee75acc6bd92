//! A proposal: the next shared state, as one machine would have it.
//!
//! The shared state that the server held goes in, with all events at this machine since and the requests that wait. The
//! shared state to offer comes out, with the requests that pass if it is taken, whether it is worth an exchange, and when to
//! look again.

use std::time::Duration;

use runtime::rate_limit::rules::{Closed, Moment};
use tokio::time::Instant;

use crate::line::Ticket;
use crate::shared_state::{SharedState, UnderWay};
use crate::store::{KEPT, Store};
use crate::worker::Worker;

/// What the server held at a point in time.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) version: String,
    pub(crate) shared: SharedState,
    pub(crate) at: Instant,
}

impl Known {
    /// Whether a server in this run has to have a shared state still.
    pub(crate) fn is_kept(&self, run: &str) -> bool {
        let written = self.version.strip_prefix(run).and_then(|rest| rest.strip_prefix(':'));
        written.is_some_and(|version| !version.is_empty()) && self.at.elapsed() < KEPT
    }
}

/// A shared state to offer, and what follows if it is taken.
#[derive(Debug)]
pub(crate) struct Proposal {
    pub(crate) number: u64,
    pub(crate) version: String,
    pub(crate) shared: SharedState,
    /// The requests that pass, their weights, and when they may leave, by this machine's clock: the server's may be set
    /// before the offer is taken.
    pub(crate) turns: Vec<(Ticket, usize, Instant)>,
    /// How many events it has written.
    pub(crate) notes: usize,
    /// Whether it closes the gate because requests were sent without the server.
    pub(crate) closes: bool,
    /// Whether it is worth an exchange now.
    pub(crate) is_due: bool,
    /// When to look again if it is not.
    pub(crate) look: Instant,
}

/// The most requests that pass with one exchange.
const AT_ONCE: usize = 64;

/// A place that another machine frees is seen within this time.
const PLACES: Duration = Duration::from_millis(25);

/// What other machines write is seen within this time.
const OTHERS: Duration = Duration::from_millis(200);

impl<S: Store> Worker<S> {
    /// Proposes the shared state that follows a shared state.
    pub(crate) fn proposal(&mut self, base: &SharedState) -> Proposal {
        self.proposals += 1;
        let now = self.now();
        let mut shared = base.clone();
        shared.open(&self.machine, self.under_way, now);
        for event in &self.noted {
            shared.note(&self.machine, *event, &self.clock, now);
        }
        if self.was_alone {
            shared.close(now);
        }
        let tickets = self.line.first(AT_ONCE);
        let (mut turns, mut closed) = (Vec::new(), None);
        for (ticket, weight) in &tickets {
            match shared.pass(&self.machine, *weight, now, self.ahead) {
                Ok(at) => turns.push((*ticket, *weight, self.clock.instant(at))),
                Err(why) => {
                    closed = Some(why);
                    break;
                }
            }
        }
        shared.finish(&self.machine, turns.len() < tickets.len(), self.proposals, now);
        Proposal {
            number: self.proposals,
            version: format!("{}-{}", self.machine, self.proposals),
            is_due: self.is_due(base, &shared, now) || !turns.is_empty(),
            look: self.look(&shared, closed, now),
            notes: self.noted.len(),
            closes: self.was_alone,
            shared,
            turns,
        }
    }

    /// Whether it is time to write, although no request passes.
    fn is_due(&self, base: &SharedState, shared: &SharedState, now: Moment) -> bool {
        let has_lease = shared.waits(&self.machine) || shared.under_way(&self.machine) != UnderWay::default();
        self.was_alone
            || base.waits(&self.machine) != shared.waits(&self.machine)
            || self.write_by.is_some_and(|write_by| write_by <= Instant::now())
            || has_lease && base.renewal(&self.machine).is_none_or(|renewal| renewal <= now)
    }

    /// When to look again, if no event comes before.
    fn look(&self, shared: &SharedState, closed: Option<Closed>, now: Moment) -> Instant {
        let ahead = if shared.is_next(&self.machine, now) { self.ahead } else { Duration::ZERO };
        let now = Instant::now();
        // Machines that wait for the same place do not ask at the same time.
        let random = |time: Duration| time.mul_f64(0.5 + fastrand::f64() / 2.0);
        let opening = match closed {
            None => None,
            Some(Closed::Full) => Some(now + random(PLACES)),
            Some(Closed::Until(later)) => {
                let early = self.clock.instant(later).checked_sub(random(ahead));
                Some(early.unwrap_or(now).clamp(now, now + random(OTHERS)))
            }
        };
        let renewal = shared.renewal(&self.machine).map(|renewal| self.clock.instant(renewal));
        opening.into_iter().chain(renewal).chain(self.write_by).min().unwrap_or(now + OTHERS)
    }
}
