//! A draft: the next ledger, as one machine would have it.
//!
//! The ledger that the server held goes in, with all events at this machine since and the requests that wait. The
//! ledger to offer comes out, with the requests that pass if it is taken, whether it is worth an exchange, and when to
//! look again.

use std::time::Duration;

use runtime::gate::rules::{Closed, Moment};
use tokio::time::Instant;

use crate::ledger::{Ledger, UnderWay};
use crate::line::Ticket;
use crate::store::{KEPT, Store};
use crate::worker::Worker;

/// What the server held at a point in time.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) version: String,
    pub(crate) ledger: Ledger,
    pub(crate) at: Instant,
}

impl Known {
    /// Whether a server in this run has to have a ledger still.
    pub(crate) fn is_kept(&self, run: &str) -> bool {
        let written = self.version.strip_prefix(run).and_then(|rest| rest.strip_prefix(':'));
        written.is_some_and(|version| !version.is_empty()) && self.at.elapsed() < KEPT
    }
}

/// A ledger to offer, and what follows if it is taken.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) number: u64,
    pub(crate) version: String,
    pub(crate) ledger: Ledger,
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
    /// Drafts the ledger that follows a ledger.
    pub(crate) fn draft(&mut self, base: &Ledger) -> Draft {
        self.drafts += 1;
        let now = self.now();
        let mut ledger = base.clone();
        ledger.open(&self.machine, self.under_way, now);
        for event in &self.noted {
            ledger.note(&self.machine, *event, &self.clock, now);
        }
        if self.was_alone {
            ledger.close(now);
        }
        let tickets = self.line.first(AT_ONCE);
        let (mut turns, mut closed) = (Vec::new(), None);
        for (ticket, weight) in &tickets {
            match ledger.pass(&self.machine, *weight, now, self.ahead) {
                Ok(at) => turns.push((*ticket, *weight, self.clock.instant(at))),
                Err(why) => {
                    closed = Some(why);
                    break;
                }
            }
        }
        ledger.finish(&self.machine, turns.len() < tickets.len(), self.drafts, now);
        Draft {
            number: self.drafts,
            version: format!("{}-{}", self.machine, self.drafts),
            is_due: self.is_due(base, &ledger, now) || !turns.is_empty(),
            look: self.look(&ledger, closed, now),
            notes: self.noted.len(),
            closes: self.was_alone,
            ledger,
            turns,
        }
    }

    /// Whether it is time to write, although no request passes.
    fn is_due(&self, base: &Ledger, ledger: &Ledger, now: Moment) -> bool {
        let has_lease = ledger.waits(&self.machine) || ledger.under_way(&self.machine) != UnderWay::default();
        self.was_alone
            || base.waits(&self.machine) != ledger.waits(&self.machine)
            || self.write_by.is_some_and(|write_by| write_by <= Instant::now())
            || has_lease && base.renewal(&self.machine).is_none_or(|renewal| renewal <= now)
    }

    /// When to look again, if no event comes before.
    fn look(&self, ledger: &Ledger, closed: Option<Closed>, now: Moment) -> Instant {
        let ahead = if ledger.is_next(&self.machine, now) { self.ahead } else { Duration::ZERO };
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
        let renewal = ledger.renewal(&self.machine).map(|renewal| self.clock.instant(renewal));
        opening.into_iter().chain(renewal).chain(self.write_by).min().unwrap_or(now + OTHERS)
    }
}
