//! A proposal: the next shared state as computed by one machine.
//!
//! A proposal is computed from the shared state on the server, the events of this machine since then, and its waiting
//! requests. It contains the next shared state, the requests that are admitted if the server accepts this state,
//! whether the proposal should be sent to the server, and the time of the next check.

use std::time::Duration;

use runtime::rate_limit::rules::{Closed, LimiterTime};
use tokio::time::Instant;

use crate::queue::Ticket;
use crate::shared_state::{InFlight, SharedState};
use crate::state_store::{LIFETIME, StateStore};
use crate::worker::Worker;

/// The shared state on the server, with its version, as read or written at a local time.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) version: String,
    pub(crate) shared: SharedState,
    pub(crate) at: Instant,
}

impl Known {
    /// Returns `true` if the server should still have this shared state: the server has had the state during its
    /// current run `run`, and the lifetime of the state has not passed.
    pub(crate) fn is_kept(&self, run: &str) -> bool {
        let written = self.version.strip_prefix(run).and_then(|rest| rest.strip_prefix(':'));
        written.is_some_and(|version| !version.is_empty()) && self.at.elapsed() < LIFETIME
    }
}

/// The next shared state, and its consequences if the server accepts it.
#[derive(Debug)]
pub(crate) struct Proposal {
    pub(crate) number: u64,
    pub(crate) version: String,
    pub(crate) shared: SharedState,
    /// The admitted requests with their weights and the earliest times to send them. The times are of this machine's
    /// clock, because the server's clock may be changed before the server accepts the proposal.
    pub(crate) turns: Vec<(Ticket, usize, Instant)>,
    /// Number of events written into the proposal.
    pub(crate) events: usize,
    /// `true` if the proposal should be sent to the server now.
    pub(crate) is_due: bool,
    /// The time of the next check if the proposal is not due.
    pub(crate) next_check: Instant,
}

/// Maximum number of requests that one exchange admits.
const AT_ONCE: usize = 64;

/// Maximum delay until a machine notices a slot that another machine has released.
const SLOTS: Duration = Duration::from_millis(25);

/// Maximum delay until a machine reads the changes of other machines.
const OTHERS: Duration = Duration::from_millis(200);

impl<S: StateStore> Worker<S> {
    /// Computes the next shared state from a known state, the events since then, and the waiting requests.
    pub(crate) fn proposal(&mut self, base: &SharedState) -> Proposal {
        self.proposals += 1;
        let now = self.now();
        let mut shared = base.clone();
        shared.open(&self.machine, self.in_flight, now);
        for event in &self.events {
            shared.note(&self.machine, *event, &self.clock, now);
        }
        let first = self.waiting.iter().take(AT_ONCE);
        let tickets: Vec<_> = first.map(|(ticket, waiting)| (*ticket, waiting.weight)).collect();
        let (mut turns, mut closed) = (Vec::new(), None);
        for (ticket, weight) in &tickets {
            match shared.pass(&self.machine, *weight, now, self.ahead) {
                Ok(at) => turns.push((*ticket, *weight, self.clock.instant(at))),
                // The order of the queue is kept: if a request has to wait, all later requests wait too.
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
            next_check: self.next_check(&shared, closed, now),
            events: self.events.len(),
            shared,
            turns,
        }
    }

    /// Returns `true` if the state must be written even if no request is admitted.
    fn is_due(&self, base: &SharedState, shared: &SharedState, now: LimiterTime) -> bool {
        let has_lease = shared.waits(&self.machine) || shared.in_flight(&self.machine) != InFlight::default();
        base.waits(&self.machine) != shared.waits(&self.machine)
            || self.write_by.is_some_and(|write_by| write_by <= Instant::now())
            || has_lease && base.renewal(&self.machine).is_none_or(|renewal| renewal <= now)
    }

    /// Returns the time of the next check if no event occurs before.
    fn next_check(&self, shared: &SharedState, closed: Option<Closed>, now: LimiterTime) -> Instant {
        let ahead = if shared.is_next(&self.machine, now) { self.ahead } else { Duration::ZERO };
        let now = Instant::now();
        // Machines that wait for the same slot check at different times.
        let random = |time: Duration| time.mul_f64(0.5 + fastrand::f64() / 2.0);
        let opening = match closed {
            None => None,
            Some(Closed::Full) => Some(now + random(SLOTS)),
            Some(Closed::Until(later)) => {
                let early = self.clock.instant(later).checked_sub(random(ahead));
                Some(early.unwrap_or(now).clamp(now, now + random(OTHERS)))
            }
        };
        let renewal = shared.renewal(&self.machine).map(|renewal| self.clock.instant(renewal));
        opening.into_iter().chain(renewal).chain(self.write_by).min().unwrap_or(now + OTHERS)
    }
}
