//! A proposal: the next shared state as computed by one process.
//!
//! A proposal is computed from the shared state in the store, the events of this process since then, and its waiting
//! requests. It contains the next shared state, the requests that are admitted if the store accepts this state,
//! whether the proposal should be sent to the store, and the time of the next check.

use std::time::Duration;

use runtime::rate_limit::rules::{Closed, LimiterTime};
use tokio::time::Instant;

use crate::lease::InFlight;
use crate::participant::Participant;
use crate::queue::Ticket;
use crate::shared_state::SharedState;

/// The next shared state, and its consequences if the store accepts it.
#[derive(Debug)]
pub(crate) struct Proposal {
    pub(crate) number: u64,
    pub(crate) version: String,
    pub(crate) shared: SharedState,
    pub(crate) turns: Vec<Turn>,
    /// Number of all events of the process when the proposal was made, which has them.
    pub(crate) noted: usize,
    /// `true` if the proposal should be sent to the store now.
    pub(crate) is_due: bool,
    /// `true` if requests may be delayed by processes that have ended: a request waits, or was admitted although other
    /// processes have waited for longer.
    pub(crate) is_delayed: bool,
    /// The time of the next check if the proposal is not due.
    pub(crate) next_check: Instant,
}

/// An admitted request.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) ticket: Ticket,
    pub(crate) weight: usize,
    /// The earliest time to send the request, on this machine's clock, because the store's clock may be changed before
    /// the store accepts the proposal.
    pub(crate) at: Instant,
}

/// Maximum number of requests that one exchange admits.
const AT_ONCE: usize = 64;

/// Maximum delay until a process notices a slot that another process has released.
const SLOTS: Duration = Duration::from_millis(25);

/// Maximum delay until a process reads the changes of other processes.
const OTHERS: Duration = Duration::from_millis(200);

/// The time that a process has to take its turn. Then the process after it may take the turn.
const GRACE: Duration = Duration::from_millis(15);

/// The minimum interval between two checks.
const TICK: Duration = Duration::from_millis(1);

impl Proposal {
    /// Computes the next shared state from a known state, the events since then, and the waiting requests.
    pub(crate) fn new(process: &mut Participant, base: &SharedState) -> Self {
        process.proposals += 1;
        let now = process.now();
        let mut shared = base.clone();
        shared.open(&process.name, process.in_flight, now);
        for event in &process.events {
            shared.note(&process.name, *event, &process.clock, now);
        }
        let has_others_ahead = !shared.ahead_of(&process.name, now).is_empty();
        let mut turns = Vec::new();
        let mut closed = None;
        for (ticket, waiting) in process.waiting.iter().take(AT_ONCE) {
            match shared.pass(&process.name, waiting.weight, now, process.ahead) {
                Ok(time) => {
                    let at = process.clock.instant(time);
                    turns.push(Turn { ticket: *ticket, weight: waiting.weight, at });
                }
                // The order of the queue is kept: if a request has to wait, all later requests wait too.
                Err(why) => {
                    closed = Some(why);
                    break;
                }
            }
        }
        let waits = closed.is_some() || process.waiting.len() > AT_ONCE;
        shared.finish(&process.name, waits, process.proposals, now);
        Self {
            number: process.proposals,
            version: format!("{}-{}", process.name, process.proposals),
            is_due: !turns.is_empty() || is_due(process, base, &shared, now),
            is_delayed: waits || has_others_ahead && !turns.is_empty(),
            next_check: next_check(process, &shared, closed, now),
            noted: process.noted(),
            shared,
            turns,
        }
    }
}

/// `true` if the state must be written even if no request is admitted.
fn is_due(process: &Participant, base: &SharedState, shared: &SharedState, now: LimiterTime) -> bool {
    let name = &process.name;
    if base.waits(name) != shared.waits(name) {
        return true;
    }
    if process.write_by.is_some_and(|write_by| write_by <= Instant::now()) {
        return true;
    }
    let has_lease = shared.waits(name) || shared.in_flight(name) != InFlight::default();
    has_lease && base.renewal(name).is_none_or(|renewal| renewal <= now)
}

/// The time of the next check if no event occurs before.
///
/// Waiting processes take turns. The next process checks just before its turn. Every other process checks just after
/// the turn of the process before it, and takes that turn if that process has ended. So the number of checks is
/// independent of the number of waiting processes.
fn next_check(process: &Participant, shared: &SharedState, closed: Option<Closed>, now: LimiterTime) -> Instant {
    let before = u32::try_from(shared.ahead_of(&process.name, now).len()).unwrap_or(u32::MAX);
    let turns = before.saturating_add(1);
    let gap = shared.gap(now);
    let present = Instant::now();
    let opening = match closed {
        None => None,
        Some(Closed::Full) => {
            let slot = SLOTS.saturating_mul(turns).max(gap.saturating_mul(before));
            Some(present + random(slot.min(OTHERS.saturating_mul(turns))))
        }
        Some(Closed::Until(later)) => {
            let turn = match before {
                0 => process.clock.instant(later).checked_sub(random(process.ahead)).unwrap_or(present),
                _ => process.clock.instant(later + gap.saturating_mul(before - 1)) + GRACE,
            };
            Some(turn.min(present + random(OTHERS.saturating_mul(turns))))
        }
    };
    let renewal = shared.renewal(&process.name).map(|renewal| process.clock.instant(renewal));
    let mut next = present + OTHERS;
    if let Some(first) = [opening, renewal, process.write_by].into_iter().flatten().min() {
        next = first;
    }
    next.max(present + TICK)
}

/// A random time of this order. Processes that wait for the same event check at different times.
fn random(time: Duration) -> Duration {
    time.mul_f64(0.5 + fastrand::f64() / 2.0)
}
