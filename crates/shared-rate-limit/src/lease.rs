//! The lease of a process: its part of the shared state.

use std::time::Duration;

use runtime::rate_limit::rules::LimiterTime;
use serde::{Deserialize, Serialize};

use crate::event::Event;

/// A process that does not renew its lease for this many renewals counts as dead, and loses its slots.
const RENEWALS: u32 = 8;

/// A process that does not renew its lease for this many renewals, for example because it is suspended, is not waited
/// for.
const PATIENCE: u32 = 3;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Lease {
    /// The time of the last renewal.
    renewed: LimiterTime,
    #[serde(flatten)]
    pub(crate) requests: InFlight,
    /// The time since which the requests of the process have waited without an admission; `None` if no request waits.
    pub(crate) waiting_since: Option<LimiterTime>,
    /// The sequence number of the last state that the process has written.
    pub(crate) exchange: u64,
}

/// The requests in flight of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct InFlight {
    pub(crate) in_flight: usize,
    /// The weight of the requests in flight that are not known to have been sent.
    pub(crate) unsent: usize,
}

impl Lease {
    pub(crate) fn renew(&mut self, now: LimiterTime) {
        self.renewed = now;
    }

    /// The time at which the process should renew the lease.
    pub(crate) fn renewal(&self, interval: Duration) -> LimiterTime {
        self.renewed + interval
    }

    pub(crate) fn is_valid(&self, interval: Duration, now: LimiterTime) -> bool {
        now < self.renewed + RENEWALS * interval
    }

    /// The time since which the process waits, if it would use a turn now.
    pub(crate) fn ready_since(&self, interval: Duration, now: LimiterTime) -> Option<LimiterTime> {
        let is_responsive = now < self.renewed + PATIENCE * interval;
        self.waiting_since.filter(|_| is_responsive)
    }

    /// Moves times that another process has written, and that have not come yet, to the present.
    pub(crate) fn restrict(&mut self, now: LimiterTime) {
        self.renewed = self.renewed.min(now);
        self.waiting_since = self.waiting_since.map(|since| since.min(now));
    }
}

impl InFlight {
    pub(crate) fn admit(&mut self, weight: usize) {
        self.in_flight = self.in_flight.saturating_add(1);
        self.unsent = self.unsent.saturating_add(weight);
    }

    fn settle(&mut self, weight: usize) {
        self.unsent = self.unsent.saturating_sub(weight);
    }

    fn end(&mut self) {
        self.in_flight = self.in_flight.saturating_sub(1);
    }

    /// Applies an event of a request.
    pub(crate) fn note(&mut self, event: Event) {
        match event {
            Event::Admitted(_, weight) => self.admit(weight),
            Event::Sent(_, weight) => self.settle(weight),
            Event::Unsent(weight) => {
                self.settle(weight);
                self.end();
            }
            Event::Ended => self.end(),
            Event::SentLate(..) | Event::RateLimited(..) | Event::Exhausted(..) => {}
        }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.in_flight = self.in_flight.saturating_add(other.in_flight);
        self.unsent = self.unsent.saturating_add(other.unsent);
    }
}
