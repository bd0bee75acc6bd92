//! The worker: the only task of a machine that exchanges shared states with the server.
//!
//! The worker computes the next shared state from the events of requests, sends it, and admits requests once the server
//! has accepted it. If another machine has changed the shared state in the meantime, the worker starts again from the
//! changed state. `SharedState` decides which requests are admitted, and the store hides the connection to the server.

use std::collections::BTreeMap;
use std::time::Duration;

use runtime::rate_limit::rules::LimiterTime;
use runtime::{Error, ErrorKind, RateLimit};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::clock::Clock;
use crate::queue::{Event, Message, Ticket, Waiting};
use crate::server_outage::{Failure, Outage};
use crate::shared_state::{InFlight, SharedState};
use crate::state_proposal::{Known, Proposal};
use crate::state_store::{Offer, Response, StateStore, Stored};
use crate::status::Status;

/// Maximum delay before an event is written. Events that occur during the delay are written together.
const WRITING: Duration = Duration::from_millis(25);

/// A shared state that is older than this is read again before it makes requests wait.
const FRESH: Duration = Duration::from_millis(20);

/// Maximum duration of an exchange with any store.
const MAX_EXCHANGE: Duration = Duration::from_secs(3);

/// The minimum time between the admission of a request and the time at which it may be sent. The exchange with the
/// store happens during this time, so the exchange does not delay the request.
const MIN_AHEAD: Duration = Duration::from_millis(20);

/// The maximum time between the admission of a request and the time at which it may be sent. This time is short,
/// because a pause after a 429 cannot delay requests that are already admitted.
const MAX_AHEAD: Duration = Duration::from_millis(500);

const DELETED: &str = "the server of the shared rate limit has deleted its data: another program deletes keys, or the server \
                       evicts them; set `maxmemory-policy noeviction` there";

pub(crate) struct Worker<S> {
    store: S,
    messages: mpsc::UnboundedReceiver<Message>,
    /// `true` once the rate limiter is dropped and its requests have ended.
    is_closed: bool,
    /// The name of this machine.
    pub(crate) machine: String,
    limit: RateLimit,
    /// A request fails if it has waited for this time and the server cannot be reached.
    pub(crate) fail_after: Duration,
    pub(crate) clock: Clock,
    /// The time between the admission of a request and the time at which it may be sent.
    pub(crate) ahead: Duration,
    /// The last known state of the server.
    pub(crate) known: Option<Known>,
    pub(crate) waiting: BTreeMap<Ticket, Waiting>,
    /// Number of requests that have joined the queue.
    joined: u64,
    /// The channels to the callers that requested the status of the rate limiter.
    questions: Vec<oneshot::Sender<Result<Status, Error>>>,
    /// This machine's requests in flight, as of the last write.
    pub(crate) in_flight: InFlight,
    /// The events since the last write.
    pub(crate) events: Vec<Event>,
    /// The time at which the events must be written.
    pub(crate) write_by: Option<Instant>,
    /// The number of the last proposal.
    pub(crate) proposals: u64,
    /// A proposal that the server may or may not have accepted.
    unsettled: Option<Proposal>,
    pub(crate) outage: Option<Outage>,
}

impl<S: StateStore> Worker<S> {
    pub(crate) fn new(
        store: S,
        messages: mpsc::UnboundedReceiver<Message>,
        machine: String,
        limit: RateLimit,
        fail_after: Duration,
        clock: Clock,
    ) -> Self {
        Self {
            store,
            messages,
            is_closed: false,
            machine,
            limit,
            fail_after,
            clock,
            ahead: MIN_AHEAD,
            known: None,
            waiting: BTreeMap::new(),
            joined: 0,
            questions: Vec::new(),
            in_flight: InFlight::default(),
            events: Vec::new(),
            write_by: None,
            proposals: 0,
            unsettled: None,
            outage: None,
        }
    }

    /// Runs until the rate limiter is dropped and its requests have ended.
    pub(crate) async fn run(mut self) {
        loop {
            let next = if self.outage.is_some() {
                self.work_alone().await
            } else {
                match self.work().await {
                    Ok(next) => next,
                    Err(failure) => {
                        self.lose(failure);
                        continue;
                    }
                }
            };
            // The worker does not wait for an unreachable server: the slots are released when the lease ends.
            if self.is_closed && (self.is_idle() || self.outage.is_some()) {
                return;
            }
            self.wait(next).await;
        }
    }

    /// Receives all messages in the channel.
    pub(crate) fn listen(&mut self) {
        while let Ok(message) = self.messages.try_recv() {
            self.receive(message);
        }
        self.is_closed = self.messages.is_closed() && self.messages.is_empty();
        // Requests whose callers have stopped waiting are removed.
        self.waiting.retain(|_, waiting| !waiting.turn.is_closed());
    }

    fn receive(&mut self, message: Message) {
        let now = Instant::now();
        match message {
            Message::Join(waiting) => {
                self.joined += 1;
                self.waiting.insert((waiting.rank, self.joined), waiting);
            }
            Message::Event(event) => {
                // A 429 is written at once, because it pauses the other machines too.
                let write_by = if matches!(event, Event::RateLimited(..)) { now } else { now + WRITING };
                self.write_by = Some(self.write_by.map_or(write_by, |known| known.min(write_by)));
                self.events.push(event);
            }
            Message::Status(question) => {
                self.questions.push(question);
                // The status has to contain all events, so the events are written at once.
                self.write_by = Some(now).filter(|_| !self.events.is_empty());
            }
        }
    }

    /// Returns `true` if the worker has nothing to do until the next message.
    fn is_idle(&self) -> bool {
        self.events.is_empty()
            && self.in_flight == InFlight::default()
            && self.waiting.is_empty()
            && self.questions.is_empty()
    }

    /// Does all current work, and returns the time of the next check.
    async fn work(&mut self) -> Result<Option<Instant>, Failure> {
        loop {
            self.listen();
            let waits = self.known.as_ref().is_some_and(|known| known.shared.waits(&self.machine));
            if self.is_idle() && !waits {
                return Ok(None);
            }
            if self.known.is_none() || !self.questions.is_empty() && self.events.is_empty() {
                self.read().await?;
            }
            let Some(known) = &self.known else { continue };
            let (base, age) = (known.shared.clone(), known.at.elapsed());
            if self.events.is_empty() {
                self.answer(&Ok(base.status(self.now())));
            }
            let proposal = self.proposal(&base);
            if proposal.is_due {
                self.offer(proposal).await?;
            } else if age >= FRESH {
                self.read().await?;
            } else {
                return Ok(Some(proposal.next_check));
            }
        }
    }

    /// Sends the status, or an error, to the callers that requested it.
    pub(crate) fn answer(&mut self, status: &Result<Status, Error>) {
        for question in self.questions.drain(..) {
            // The caller may have stopped waiting.
            drop(question.send(status.clone()));
        }
    }

    /// Reads the shared state from the server.
    pub(crate) async fn read(&mut self) -> Result<(), Failure> {
        self.exchange(None).await
    }

    /// Sends a proposal, which replaces the known shared state if the server accepts it.
    async fn offer(&mut self, proposal: Proposal) -> Result<(), Failure> {
        let next = Stored { version: proposal.version.clone(), text: proposal.shared.text()? };
        self.unsettled = Some(proposal);
        self.exchange(Some(next)).await
    }

    async fn exchange(&mut self, next: Option<Stored>) -> Result<(), Failure> {
        let known = self.known.as_ref().map(|known| known.version.clone()).unwrap_or_default();
        let begun = Instant::now();
        let response = tokio::time::timeout(MAX_EXCHANGE, self.store.exchange(Offer { known, next })).await;
        let silent = Error::retryable(ErrorKind::Queue, "the server of the shared rate limit does not respond");
        self.settle(begun, response.unwrap_or_else(|_| Err(Failure::Transient(silent)))?)
    }

    /// Processes the store's response, which may also show whether an earlier proposal was accepted.
    fn settle(&mut self, begun: Instant, response: Response) -> Result<(), Failure> {
        let now = Instant::now();
        self.clock.learn(begun, now, response.now);
        self.ahead = (4 * now.saturating_duration_since(begun)).clamp(MIN_AHEAD, MAX_AHEAD);
        let unsettled = self.unsettled.take();
        let is_empty = response.version.ends_with(':');
        if is_empty && self.known.as_ref().is_some_and(|known| known.is_kept(&response.run)) {
            // This is an error, because a new shared state would delay all requests after each deletion.
            return Err(Failure::Permanent(Error::retryable(ErrorKind::Queue, DELETED)));
        }
        let known = self.known.as_ref().filter(|known| known.version == response.version);
        let shared = match (&response.text, &unsettled, known) {
            (None, Some(proposal), _) if !is_empty => proposal.shared.clone(),
            (None, None, Some(known)) => known.shared.clone(),
            (text, ..) => SharedState::read(text.as_deref(), &self.limit, &response.run, response.now)?,
        };
        // If the response to a proposal was lost, the number in the lease shows that the proposal was accepted.
        let is_accepted = |proposal: &Proposal| {
            response.version == format!("{}:{}", response.run, proposal.version)
                || shared.exchange(&self.machine) == Some(proposal.number)
        };
        let accepted = unsettled.filter(is_accepted);
        // The clock may have been set while the proposal was in transit, so the time is checked even in a state that
        // this machine has just written.
        let lost = || SharedState::lost(self.limit.clone(), &response.run, response.now);
        let shared = if shared.is_ahead_of(response.now) { lost() } else { shared };
        self.known = Some(Known { version: response.version, shared, at: now });
        if let Some(proposal) = accepted {
            self.accept(proposal);
            // The status is sent here too, because under load there are always new events and `work` never sends it.
            // The accepted proposal contained all events that occurred before the status was requested.
            if let Some(status) = self.known.as_ref().map(|known| known.shared.status(response.now)) {
                self.answer(&Ok(status));
            }
        }
        Ok(())
    }

    /// Applies an accepted proposal: admits its requests and removes its events.
    fn accept(&mut self, proposal: Proposal) {
        self.in_flight = proposal.shared.in_flight(&self.machine);
        // Events that are newer than the proposal are kept for the next proposal.
        self.events.drain(..proposal.events);
        for (ticket, weight, at) in proposal.turns {
            match self.waiting.remove(&ticket) {
                Some(waiting) => waiting.admit(at),
                // The caller has stopped waiting since the proposal was made.
                None => self.events.push(Event::Unsent(weight)),
            }
        }
        self.write_by = (!self.events.is_empty()).then(|| Instant::now() + WRITING);
    }

    /// Returns the earliest time that the server's clock may show.
    pub(crate) fn now(&self) -> LimiterTime {
        self.clock.earliest(Instant::now())
    }

    /// Waits for the next message or until a time.
    async fn wait(&mut self, until: Option<Instant>) {
        let time = async {
            match until {
                Some(until) => tokio::time::sleep_until(until).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            // A closed channel is not polled, because it is always ready.
            message = self.messages.recv(), if !self.is_closed => message.into_iter().for_each(|one| self.receive(one)),
            () = time => {}
        }
    }
}
