//! This process as a participant of the shared rate limit: its waiting requests, and its events that are not yet written.

use std::collections::BTreeMap;
use std::time::Duration;

use runtime::Error;
use runtime::rate_limit::rules::LimiterTime;
use tokio::time::Instant;

use crate::clock::Clock;
use crate::event::Event;
use crate::lease::InFlight;
use crate::queue::{Ticket, Waiting};

/// Maximum delay before an event is written. Events that occur during the delay are written together.
const WRITING: Duration = Duration::from_millis(25);

/// The minimum time between the admission of a request and the time at which it may be sent. The exchange with the
/// store happens during this time, so the exchange does not delay the request.
const MIN_AHEAD: Duration = Duration::from_millis(20);

/// The maximum time between the admission of a request and the time at which it may be sent. This time is short,
/// because a pause after a 429 cannot delay requests that are already admitted.
const MAX_AHEAD: Duration = Duration::from_millis(500);

pub(crate) struct Participant {
    /// The name of this process.
    pub(crate) name: String,
    pub(crate) clock: Clock,
    /// The time between the admission of a request and the time at which it may be sent.
    pub(crate) ahead: Duration,
    pub(crate) waiting: BTreeMap<Ticket, Waiting>,
    /// Number of requests that have joined the queue.
    joined: u64,
    /// The requests in flight, as of the last write.
    pub(crate) in_flight: InFlight,
    /// The events since the last write.
    pub(crate) events: Vec<Event>,
    /// Number of events before them, which were written or removed.
    forgotten: usize,
    /// The time at which the events must be written.
    pub(crate) write_by: Option<Instant>,
    /// The number of the last proposal.
    pub(crate) proposals: u64,
}

impl Participant {
    pub(crate) fn new(name: String) -> Self {
        Self {
            name,
            clock: Clock::new(Instant::now()),
            ahead: MIN_AHEAD,
            waiting: BTreeMap::new(),
            joined: 0,
            in_flight: InFlight::default(),
            events: Vec::new(),
            forgotten: 0,
            write_by: None,
            proposals: 0,
        }
    }

    pub(crate) fn join(&mut self, waiting: Waiting) {
        self.joined += 1;
        self.waiting.insert((waiting.rank, self.joined), waiting);
    }

    pub(crate) fn note(&mut self, event: Event) {
        self.events.push(event);
        // A pause is written at once, because it applies to the other processes too.
        let delay = if event.pause_end().is_some() { Duration::ZERO } else { WRITING };
        let write_by = Instant::now() + delay;
        self.write_by = Some(self.write_by.unwrap_or(write_by).min(write_by));
    }

    /// Writes the events at once, if there are any.
    pub(crate) fn hurry(&mut self) {
        self.write_by = (!self.events.is_empty()).then(Instant::now);
    }

    /// The number of all events so far.
    pub(crate) fn noted(&self) -> usize {
        self.forgotten + self.events.len()
    }

    /// Removes the events that a proposal has written, which are all that were noted up to a number. An outage may have
    /// removed some of them since the proposal was made.
    pub(crate) fn forget_events(&mut self, noted: usize) {
        let written = noted.saturating_sub(self.forgotten).min(self.events.len());
        self.events.drain(..written);
        self.forgotten += written;
        self.write_by = (!self.events.is_empty()).then(|| Instant::now() + WRITING);
    }

    /// Removes the events of requests that no window counts any more, so that a long outage does not fill the memory.
    /// Of these requests, only those in flight are kept.
    pub(crate) fn forget_events_before(&mut self, oldest: Instant) {
        let first_recent = self.events.iter().position(|event| event.counted_at().is_some_and(|at| at >= oldest));
        let count = first_recent.unwrap_or(self.events.len());
        let now = Instant::now();
        let mut kept = Vec::new();
        for event in self.events.drain(..count) {
            self.in_flight.note(event);
            if event.pause_end().is_some_and(|end| end > now) {
                kept.push(event);
            }
        }
        self.forgotten += count - kept.len();
        self.events.splice(..0, kept);
    }

    /// Removes requests whose callers have stopped waiting.
    pub(crate) fn remove_cancelled(&mut self) {
        self.waiting.retain(|_, waiting| !waiting.turn.is_closed());
    }

    /// Ends the wait of requests that joined the queue at this time or before.
    pub(crate) fn fail_joined_by(&mut self, joined: Instant, error: &Error) {
        let mut kept = BTreeMap::new();
        for (ticket, waiting) in std::mem::take(&mut self.waiting) {
            if waiting.since > joined {
                kept.insert(ticket, waiting);
            } else {
                // The caller may have stopped waiting.
                drop(waiting.turn.send(Err(error.clone())));
            }
        }
        self.waiting = kept;
    }

    /// `true` if the process has no requests and no events.
    pub(crate) fn is_idle(&self) -> bool {
        self.events.is_empty() && self.in_flight == InFlight::default() && self.waiting.is_empty()
    }

    /// Updates the clock from an exchange with the store, whose clock showed this time.
    pub(crate) fn learn_time(&mut self, begun: Instant, shown: LimiterTime) {
        let ended = Instant::now();
        self.clock.learn(begun, ended, shown);
        let exchange = ended.saturating_duration_since(begun);
        self.ahead = (4 * exchange).clamp(MIN_AHEAD, MAX_AHEAD);
    }

    /// The earliest time that the store's clock may show.
    pub(crate) fn now(&self) -> LimiterTime {
        self.clock.earliest(Instant::now())
    }
}
