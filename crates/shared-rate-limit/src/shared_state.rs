//! The state shared by all machines: the state of the rate limit and the lease of each machine.
//!
//! A machine writes its events and the requests that it admits into a copy of the state, and sends the copy to the
//! store, which accepts it unless another machine has changed the state in the meantime. So the machines apply the
//! rules of the built-in rate limiter one after the other. All times are from the server's clock. This module never waits,
//! sends or reads a clock.

use std::collections::BTreeMap;
use std::time::Duration;

use runtime::rate_limit::rules::{Closed, LimiterTime, State};
use runtime::{Error, ErrorKind, RateLimit};
use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::queue::Event;
use crate::server_outage::Failure;
use crate::status::{Machine, Status};

/// A machine that does not renew its lease for this long counts as dead, and loses its slots.
pub(crate) const LEASE: Duration = Duration::from_secs(8);

/// Interval at which a machine renews its lease.
pub(crate) const RENEWAL: Duration = Duration::from_secs(1);

/// A clock that has gone back by more than this time was set to an earlier time.
const SET_BACK: Duration = Duration::from_secs(1);

/// The version of the format in which the state is written.
const FORMAT: u32 = 1;

/// The part of the text that every format has.
#[derive(Deserialize)]
struct Format {
    format: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SharedState {
    format: u32,
    /// The run of the server in which the state was written.
    run: String,
    /// The time of the last write.
    written: LimiterTime,
    state: State,
    leases: BTreeMap<String, Lease>,
}

/// The lease of a machine: its requests in flight.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Lease {
    /// The end of the lease, unless it is renewed.
    until: LimiterTime,
    #[serde(flatten)]
    requests: InFlight,
    /// The time since which the machine's requests have waited without an admission; `None` if no request waits.
    waiting_since: Option<LimiterTime>,
    /// The sequence number of the last state that the machine has written.
    exchange: u64,
}

/// The requests in flight of a machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct InFlight {
    in_flight: usize,
    /// The weight of the requests in flight that are not known to have been sent.
    unsent: usize,
}

impl SharedState {
    /// Creates the shared state if the server has none, because it was never written or has been lost. Earlier requests
    /// are unknown, so nothing is admitted for the duration of the longest window that may count them. In that time,
    /// all machines write their requests in flight again.
    pub(crate) fn lost(limit: RateLimit, run: &str, now: LimiterTime) -> Self {
        let (run, state) = (run.to_owned(), State::new(limit));
        let mut shared = Self { format: FORMAT, run, written: now, state, leases: BTreeMap::new() };
        shared.close(now);
        shared
    }

    /// Parses the text in the store. If an earlier run of the store wrote the text, the state is closed for a while: no
    /// request is admitted.
    pub(crate) fn read(text: Option<&str>, limit: &RateLimit, run: &str, now: LimiterTime) -> Result<Self, Failure> {
        let Some(text) = text else { return Ok(Self::lost(limit.clone(), run, now)) };
        let foreign = |error| {
            let message = "the shared state on the server was written by another version or program; choose another name for the shared state";
            Failure::Permanent(Error::retryable(ErrorKind::Queue, message).with_source(error))
        };
        // The format is parsed first, because other formats have other fields.
        let Format { format } = serde_json::from_str(text).map_err(foreign)?;
        if format != FORMAT {
            let message = format!("the state on the server has format {format}, expected {FORMAT}; use another name");
            return Err(Failure::Permanent(Error::retryable(ErrorKind::Queue, message)));
        }
        let mut stored: Self = serde_json::from_str(text).map_err(foreign)?;
        stored.end_leases(now, "");
        let is_alike = stored.state.is_like(&State::new(limit.clone()));
        if !is_alike && !stored.leases.is_empty() {
            let message =
                format!("other machines use this rate limiter with another limit than {limit}; use another name");
            return Err(Failure::Permanent(Error::retryable(ErrorKind::Queue, message)));
        }
        if !is_alike || stored.is_ahead_of(now) {
            return Ok(Self::lost(limit.clone(), run, now));
        }
        if stored.run != run {
            // A server that was restarted may have an outdated state.
            run.clone_into(&mut stored.run);
            stored.close(now);
        }
        Ok(stored)
    }

    /// Returns `true` if the state was written at a time that the clock has not reached, so the clock was set back.
    pub(crate) fn is_ahead_of(&self, now: LimiterTime) -> bool {
        self.written > now + SET_BACK
    }

    /// Returns the text for the store.
    pub(crate) fn text(&self) -> Result<String, Failure> {
        let written = serde_json::to_string(self);
        written.map_err(|error| {
            Failure::Permanent(Error::retryable(ErrorKind::Queue, "cannot write the state").with_source(error))
        })
    }

    /// Admits no request until earlier requests, which may have been sent, no longer count.
    pub(crate) fn close(&mut self, now: LimiterTime) {
        self.state.close(now + self.state.memory(now).max(RENEWAL));
    }

    /// Ends the leases that were not renewed, except the lease of one machine.
    fn end_leases(&mut self, now: LimiterTime, except: &str) {
        let Self { state, leases, .. } = self;
        leases.retain(|machine, lease| {
            let is_valid = machine == except || lease.until > now;
            if !is_valid {
                // Requests that may have been sent count as sent.
                state.sent(now, lease.requests.unsent);
                (0..lease.requests.in_flight).for_each(|_| state.ended());
            }
            is_valid
        });
    }

    /// Starts the changes of a machine: replaces the stored number of its requests in flight by the number that the
    /// machine itself has counted.
    pub(crate) fn open(&mut self, machine: &str, known: InFlight, now: LimiterTime) {
        self.end_leases(now, machine);
        let lease = self.leases.entry(machine.to_owned()).or_default();
        let written = std::mem::replace(&mut lease.requests, known);
        let more = |one: usize, other: usize| one.saturating_sub(other);
        self.state.adopt(more(known.in_flight, written.in_flight), more(known.unsent, written.unsent));
        self.state.sent(now, more(written.unsent, known.unsent));
        (known.in_flight..written.in_flight).for_each(|_| self.state.ended());
    }

    /// Applies an event of a machine's request to the state.
    pub(crate) fn note(&mut self, machine: &str, event: Event, clock: &Clock, now: LimiterTime) {
        let Some(Lease { requests, .. }) = self.leases.get_mut(machine) else { return };
        if let Event::Sent(_, weight) | Event::Unsent(weight) = event {
            requests.unsent = requests.unsent.saturating_sub(weight);
        }
        if let Event::Unsent(_) | Event::Ended = event {
            requests.in_flight = requests.in_flight.saturating_sub(1);
        }
        match event {
            Event::Sent(at, weight) => self.state.sent(clock.latest(at), weight),
            Event::SentLate(at, weight) => self.state.count(clock.latest(at), weight),
            Event::Unsent(weight) => {
                self.state.unsent(now, weight);
                self.state.ended();
            }
            Event::Ended => self.state.ended(),
            Event::RateLimited(at, pause) => self.state.rate_limited(clock.latest(at), pause),
        }
    }

    /// Returns `true` if no other machine has waited for longer. The machine that has waited longest may admit a
    /// request before it is due; the others admit a request only when it is due. So machines take turns with any
    /// round-trip time to the server, and a dead machine whose turn is next does not delay the others.
    pub(crate) fn is_next(&self, machine: &str, now: LimiterTime) -> bool {
        let since = |lease: &Lease| lease.waiting_since.unwrap_or(now);
        let own = self.leases.get(machine).map_or(now, since);
        let mut others = self.leases.iter().filter(|(name, lease)| *name != machine && lease.waiting_since.is_some());
        others.all(|(name, lease)| (own, machine) <= (since(lease), name.as_str()))
    }

    /// Admits a request of a machine, and returns the earliest time to send it: now, or at most `ahead` later.
    pub(crate) fn pass(
        &mut self,
        machine: &str,
        weight: usize,
        now: LimiterTime,
        ahead: Duration,
    ) -> Result<LimiterTime, Closed> {
        if self.is_others_turn(machine, now) {
            return Err(Closed::Full);
        }
        if self.leases.values().any(|lease| lease.waiting_since.is_some()) {
            self.state.wait();
        }
        let ahead = if self.is_next(machine, now) { ahead } else { Duration::ZERO };
        let at = match self.state.enter(now, weight) {
            // The request is counted now, with the time at which it may be sent.
            Err(Closed::Until(later)) if later <= now + ahead => self.state.enter(later, weight).map(|()| later),
            entered => entered.map(|()| now),
        }?;
        if let Some(lease) = self.leases.get_mut(machine) {
            lease.requests.in_flight += 1;
            lease.requests.unsent += weight;
            // The waiting time of the machine is reset, so that the machine that has waited longest is next.
            lease.waiting_since = lease.waiting_since.map(|_| now);
        }
        Ok(at)
    }

    /// Returns `true` if the next free slot belongs to another machine.
    ///
    /// The machine whose request ends detects the free slot first, and would always take it again. So a machine that
    /// has its share of the slots leaves the next slot to a waiting machine with less than its share. If there are more
    /// machines than slots, it leaves the slot to a machine that has waited for longer.
    fn is_others_turn(&self, machine: &str, now: LimiterTime) -> bool {
        let Some((slots, own)) = self.state.slots().zip(self.leases.get(machine)) else { return false };
        let share = slots / self.leases.len().max(1);
        let goes_first = |(since, other): (LimiterTime, &Lease)| {
            if share > 0 {
                own.requests.in_flight >= share && other.requests.in_flight < share
            } else {
                other.requests.in_flight <= own.requests.in_flight && since < own.waiting_since.unwrap_or(now)
            }
        };
        let others = self.leases.iter().filter(|(name, _)| *name != machine);
        others.filter_map(|(_, lease)| Some((lease.waiting_since?, lease))).any(goes_first)
    }

    /// Completes the changes of a machine: stores whether some of its requests wait, and the number of this exchange.
    pub(crate) fn finish(&mut self, machine: &str, waits: bool, exchange: u64, now: LimiterTime) {
        self.written = now;
        let Some(lease) = self.leases.get_mut(machine) else { return };
        lease.waiting_since = waits.then(|| lease.waiting_since.unwrap_or(now));
        lease.exchange = exchange;
        lease.until = now + LEASE;
        // The slots are divided by the number of leases, so a machine without requests keeps no lease.
        if !waits && lease.requests == InFlight::default() {
            self.leases.remove(machine);
        }
    }

    /// Returns the requests in flight of a machine.
    pub(crate) fn in_flight(&self, machine: &str) -> InFlight {
        self.leases.get(machine).map(|lease| lease.requests).unwrap_or_default()
    }

    /// Returns `true` if requests of a machine wait according to the shared state.
    pub(crate) fn waits(&self, machine: &str) -> bool {
        self.leases.get(machine).is_some_and(|lease| lease.waiting_since.is_some())
    }

    /// Returns the time at which a machine should renew its lease; `None` if it has no lease.
    pub(crate) fn renewal(&self, machine: &str) -> Option<LimiterTime> {
        self.leases.get(machine)?.until.checked_sub(LEASE.saturating_sub(RENEWAL))
    }

    /// Returns the number of a machine's last exchange; `None` if the machine has no lease.
    pub(crate) fn exchange(&self, machine: &str) -> Option<u64> {
        self.leases.get(machine).map(|lease| lease.exchange)
    }

    /// Returns the status at a time, without leases that have ended by then.
    pub(crate) fn status(&self, now: LimiterTime) -> Status {
        let mut current = self.clone();
        current.end_leases(now, "");
        let Self { state, leases, .. } = current;
        let machine =
            |lease: Lease| Machine { in_flight: lease.requests.in_flight, waiting: lease.waiting_since.is_some() };
        let left = |until: Option<LimiterTime>| until.map_or(Duration::ZERO, |until| until.saturating_sub(now));
        Status {
            in_flight: state.in_flight().0,
            slots: state.slots(),
            resumes_in: left(state.paused(now)),
            opens_in: left(state.opening(now, 1)),
            machines: leases.into_iter().map(|(name, lease)| (name, machine(lease))).collect(),
        }
    }
}
