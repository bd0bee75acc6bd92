//! The state shared by all processes: the state of the rate limit and the lease of each process.
//!
//! A process writes its events and the requests that it admits into a copy of the state, and sends the copy to the
//! store, which accepts it unless another process has changed the state in the meantime. So the processes apply the
//! rules of the built-in rate limiter one after the other. All times are from the store's clock. This module never waits,
//! sends or reads a clock.
//!
//! A text from the store is not trusted: `read` limits every value to what the rules can produce.

use std::collections::BTreeMap;
use std::time::Duration;

use runtime::RateLimit;
use runtime::rate_limit::rules::{Closed, LimiterTime, State};
use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::event::Event;
use crate::lease::{InFlight, Lease};
use crate::status::{Process, Status};

/// A clock that has gone back by more than this time was set to an earlier time.
const SET_BACK: Duration = Duration::from_secs(1);

/// The maximum time for which an exhausted limit blocks requests.
const MAX_PAUSE: Duration = Duration::from_secs(24 * 60 * 60);

/// The version of the format in which the state is written.
pub(crate) const FORMAT: u32 = 2;

/// The maximum length of a text. Longer texts are not parsed.
const MAX_TEXT: usize = 1 << 20;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SharedState {
    format: u32,
    /// The run of the store in which the state was written.
    run: String,
    /// The time of the last write.
    written: LimiterTime,
    state: State,
    leases: BTreeMap<String, Lease>,
    /// The interval at which processes renew their leases. It is a property of the store.
    #[serde(skip)]
    renewal: Duration,
}

/// What a process knows about the store when it reads or creates a state.
#[derive(Clone, Copy)]
pub(crate) struct Origin<'a> {
    pub(crate) limit: &'a RateLimit,
    pub(crate) run: &'a str,
    pub(crate) now: LimiterTime,
    pub(crate) renewal: Duration,
}

/// The reason why a text of the store is not a state.
#[derive(Debug)]
pub(crate) enum Unreadable {
    TooLong,
    OtherFormat(u32),
    NotAState(serde_json::Error),
}

impl SharedState {
    /// Creates the state if the store has none. Requests before `since` are unknown, so nothing is admitted for the
    /// duration of the longest window that may count them. In that time, all processes write their requests in flight
    /// again.
    pub(crate) fn new(origin: Origin<'_>, since: LimiterTime) -> Self {
        let mut shared = Self {
            format: FORMAT,
            run: origin.run.to_owned(),
            written: origin.now,
            state: State::new(origin.limit.clone()),
            leases: BTreeMap::new(),
            renewal: origin.renewal,
        };
        shared.close(since);
        shared
    }

    /// Creates the state after the loss of an earlier one.
    pub(crate) fn lost(origin: Origin<'_>) -> Self {
        Self::new(origin, origin.now)
    }

    /// Parses the text in the store. If an earlier run of the store wrote the text, the state is closed for a while: no
    /// request is admitted.
    pub(crate) fn read(text: &str, origin: Origin<'_>) -> Result<Self, Unreadable> {
        #[derive(Deserialize)]
        struct Format {
            format: u32,
        }

        if text.len() > MAX_TEXT {
            return Err(Unreadable::TooLong);
        }
        // The format is parsed first, because other formats have other fields.
        let Format { format } = serde_json::from_str(text).map_err(Unreadable::NotAState)?;
        if format != FORMAT {
            return Err(Unreadable::OtherFormat(format));
        }
        let mut shared: Self = serde_json::from_str(text).map_err(Unreadable::NotAState)?;
        shared.renewal = origin.renewal;
        if shared.is_ahead_of(origin.now) {
            return Ok(Self::lost(origin));
        }
        shared.restrict(origin);
        if shared.run != origin.run {
            // A server that was restarted may have an outdated state.
            origin.run.clone_into(&mut shared.run);
            shared.close(origin.now);
        }
        Ok(shared)
    }

    /// Limits the values of a text to what the rules can produce.
    fn restrict(&mut self, origin: Origin<'_>) {
        self.state.restrict(origin.limit.clone(), origin.now);
        for lease in self.leases.values_mut() {
            lease.restrict(origin.now);
        }
        self.end_leases(origin.now, "");
        self.count_in_flight();
    }

    /// The requests in flight are those of the leases.
    fn count_in_flight(&mut self) {
        let mut all = InFlight::default();
        for lease in self.leases.values() {
            all.add(lease.requests);
        }
        self.state.set_in_flight(all.in_flight, all.unsent);
    }

    /// `true` if the state was written at a time that the clock has not reached, so the clock was set back.
    pub(crate) fn is_ahead_of(&self, now: LimiterTime) -> bool {
        self.written > now + SET_BACK
    }

    /// The text for the store.
    pub(crate) fn text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    /// Admits no request until requests that may have been sent before `since` no longer count.
    fn close(&mut self, since: LimiterTime) {
        let memory = self.state.memory(since);
        self.state.close(since + memory.max(self.renewal));
    }

    /// Ends the leases that were not renewed, except the lease of one process.
    fn end_leases(&mut self, now: LimiterTime, except: &str) {
        let mut unsent = 0_usize;
        let renewal = self.renewal;
        self.leases.retain(|process, lease| {
            let is_valid = process == except || lease.is_valid(renewal, now);
            if !is_valid {
                unsent = unsent.saturating_add(lease.requests.unsent);
            }
            is_valid
        });
        // Requests that may have been sent count as sent.
        if unsent > 0 {
            self.state.sent(now, unsent);
        }
        self.count_in_flight();
    }

    /// Ends the leases of processes that have ended.
    pub(crate) fn bury(&mut self, ended: &[String], now: LimiterTime) {
        for process in ended {
            if let Some(lease) = self.leases.remove(process) {
                self.state.sent(now, lease.requests.unsent);
            }
        }
        self.count_in_flight();
    }

    /// Starts the changes of a process: replaces the stored number of its requests in flight by the number that the
    /// process itself has counted.
    pub(crate) fn open(&mut self, process: &str, known: InFlight, now: LimiterTime) {
        self.end_leases(now, process);
        let lease = self.leases.entry(process.to_owned()).or_default();
        let written = std::mem::replace(&mut lease.requests, known);
        let unknown = written.unsent.saturating_sub(known.unsent);
        if unknown > 0 {
            self.state.sent(now, unknown);
        }
        self.count_in_flight();
    }

    /// Applies an event of a process's request to the state.
    pub(crate) fn note(&mut self, process: &str, event: Event, clock: &Clock, now: LimiterTime) {
        let Some(lease) = self.leases.get_mut(process) else { return };
        lease.requests.note(event);
        match event {
            Event::Admitted(at, weight) => self.state.admit(clock.latest(at), weight),
            Event::Sent(at, weight) => self.state.sent(clock.latest(at), weight),
            Event::SentLate(at, weight) => self.state.count(clock.latest(at), weight),
            Event::Unsent(weight) => {
                self.state.unsent(now, weight);
                self.state.ended();
            }
            Event::Ended => self.state.ended(),
            Event::RateLimited(at, pause) => self.state.rate_limited(clock.latest(at), pause),
            Event::Exhausted(at, pause) => self.state.close(clock.latest(at).saturating_add(pause.min(MAX_PAUSE))),
        }
    }

    /// The processes that would use a turn and have waited for longer than this process, the next one last.
    pub(crate) fn ahead_of(&self, process: &str, now: LimiterTime) -> Vec<&str> {
        let own = self.leases.get(process).and_then(|lease| lease.waiting_since);
        let own = (own.unwrap_or(now), process);
        let mut ahead = Vec::new();
        for (name, lease) in &self.leases {
            let Some(since) = lease.ready_since(self.renewal, now) else { continue };
            if name != process && (since, name.as_str()) < own {
                ahead.push((since, name.as_str()));
            }
        }
        ahead.sort_unstable();
        ahead.into_iter().map(|(_, name)| name).rev().collect()
    }

    /// Admits a request of a process, and returns the earliest time to send it: now, or at most `ahead` later.
    pub(crate) fn pass(
        &mut self,
        process: &str,
        weight: usize,
        now: LimiterTime,
        ahead: Duration,
    ) -> Result<LimiterTime, Closed> {
        if self.is_others_turn(process, now) {
            self.state.is_open(now, weight)?;
            return Err(Closed::Until(now));
        }
        if self.leases.values().any(|lease| lease.waiting_since.is_some()) {
            self.state.wait();
        }
        // The process that has waited longest may admit a request before it is due; the others admit a request only when
        // it is due. So processes take turns with any round-trip time to the store, and a dead process whose turn is next
        // does not delay the others.
        let ahead = if self.ahead_of(process, now).is_empty() { ahead } else { Duration::ZERO };
        let time = match self.state.enter(now, weight) {
            Ok(()) => now,
            Err(Closed::Until(later)) if later <= now + ahead => {
                // The request is counted now, with the time at which it may be sent.
                self.state.enter(later, weight)?;
                later
            }
            Err(closed) => return Err(closed),
        };
        if let Some(lease) = self.leases.get_mut(process) {
            lease.requests.admit(weight);
            if lease.waiting_since.is_some() {
                // The process that has waited longest is then next.
                lease.waiting_since = Some(now);
            }
        }
        Ok(time)
    }

    /// `true` if the next free slot belongs to another process.
    ///
    /// The process whose request ends detects the free slot first, and would always take it again. So a process that
    /// has its share of the slots leaves the next slot to a waiting process with less than its share. If there are more
    /// processes than slots, it leaves the slot to a process that has waited for longer.
    fn is_others_turn(&self, process: &str, now: LimiterTime) -> bool {
        let Some(slots) = self.state.slots() else { return false };
        let Some(own) = self.leases.get(process) else { return false };
        let own_since = own.waiting_since.unwrap_or(now);
        let share = slots / self.leases.len().max(1);
        for (name, other) in &self.leases {
            let Some(since) = other.ready_since(self.renewal, now) else { continue };
            let goes_first = if share > 0 {
                own.requests.in_flight >= share && other.requests.in_flight < share
            } else {
                other.requests.in_flight <= own.requests.in_flight && since < own_since
            };
            if name != process && goes_first {
                return true;
            }
        }
        false
    }

    /// Completes the changes of a process: stores whether some of its requests wait, and the number of this exchange.
    pub(crate) fn finish(&mut self, process: &str, waits: bool, exchange: u64, now: LimiterTime) {
        self.written = now;
        let Some(lease) = self.leases.get_mut(process) else { return };
        lease.waiting_since = waits.then(|| lease.waiting_since.unwrap_or(now));
        lease.exchange = exchange;
        lease.renew(now);
        // The slots are divided by the number of leases, so a process without requests keeps no lease.
        if !waits && lease.requests == InFlight::default() {
            self.leases.remove(process);
        }
    }

    /// The requests in flight of a process.
    pub(crate) fn in_flight(&self, process: &str) -> InFlight {
        self.leases.get(process).map(|lease| lease.requests).unwrap_or_default()
    }

    /// The processes with requests in flight, without this process.
    pub(crate) fn others_in_flight(&self, process: &str) -> Vec<&str> {
        let mut others = Vec::new();
        for (name, lease) in &self.leases {
            if name != process && lease.requests != InFlight::default() {
                others.push(name.as_str());
            }
        }
        others
    }

    /// `true` if requests of a process wait according to the shared state.
    pub(crate) fn waits(&self, process: &str) -> bool {
        self.leases.get(process).is_some_and(|lease| lease.waiting_since.is_some())
    }

    /// The interval between evenly spaced requests of all processes.
    pub(crate) fn gap(&self, now: LimiterTime) -> Duration {
        self.state.gap(now)
    }

    /// The time at which a process should renew its lease; `None` if it has no lease.
    pub(crate) fn renewal(&self, process: &str) -> Option<LimiterTime> {
        self.leases.get(process).map(|lease| lease.renewal(self.renewal))
    }

    /// The number of a process's last exchange; `None` if the process has no lease.
    pub(crate) fn exchange(&self, process: &str) -> Option<u64> {
        self.leases.get(process).map(|lease| lease.exchange)
    }

    /// The status at a time, without leases that have ended by then.
    pub(crate) fn status(&self, now: LimiterTime) -> Status {
        let mut current = self.clone();
        current.end_leases(now, "");
        let mut processes = BTreeMap::new();
        for (name, lease) in current.leases {
            let process = Process { in_flight: lease.requests.in_flight, waiting: lease.waiting_since.is_some() };
            processes.insert(name, process);
        }
        let resumes = current.state.paused(now).unwrap_or(now);
        let opens = current.state.opening(now, 1).unwrap_or(now);
        Status {
            processes,
            in_flight: current.state.in_flight(),
            slots: current.state.slots(),
            resumes_in: resumes.saturating_sub(now),
            opens_in: opens.saturating_sub(now),
        }
    }
}
