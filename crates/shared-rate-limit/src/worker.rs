//! The worker: the only task of a process that exchanges shared states with the store.
//!
//! The worker computes the next shared state from the events of requests, sends it, and admits requests once the store
//! has accepted it. If another process has changed the shared state in the meantime, the worker starts again from the
//! changed state. `SharedState` decides which requests are admitted.

use std::time::Duration;

use runtime::rate_limit::rules::State;
use runtime::{Error, RateLimit};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::clock::MAX_TIME;
use crate::event::Event;
use crate::failure::Failure;
use crate::known_state::KnownState;
use crate::outage::Outage;
use crate::participant::Participant;
use crate::proposal::Proposal;
use crate::queue::Message;
use crate::state_store::{Offer, Response, StateStore, Stored};
use crate::status::Status;

/// A shared state that is older than this is read again before it makes requests wait.
const FRESH: Duration = Duration::from_millis(20);

/// Maximum duration of an exchange with any store.
const MAX_EXCHANGE: Duration = Duration::from_secs(3);

/// Interval at which the waiting requests are checked during an outage.
const STEP: Duration = Duration::from_millis(250);

/// The minimum interval between two searches for processes that have ended.
const SEARCH: Duration = Duration::from_millis(100);

/// A store that rejects this many proposals in a row is broken, since other processes cannot be that fast.
const MAX_REJECTED: u32 = 1000;

/// A sent request counts for at most this multiple of the longest window: the window, which the learned margin extends by
/// up to five times the shortest window.
const MAX_COUNTED_WINDOWS: u32 = 6;

pub(crate) struct Worker<S> {
    store: S,
    messages: mpsc::UnboundedReceiver<Message>,
    /// `true` once the rate limiter is dropped and its requests have ended.
    is_closed: bool,
    process: Participant,
    limit: RateLimit,
    /// The maximum time for which a sent request is counted.
    memory: Duration,
    /// A request fails if it has waited for this time and the store cannot be used.
    fail_after: Duration,
    /// The last known state of the store.
    known: Option<KnownState>,
    /// The channels to the callers that requested the status of the rate limiter.
    questions: Vec<oneshot::Sender<Result<Status, Error>>>,
    /// A proposal that the store may or may not have accepted.
    unsettled: Option<Proposal>,
    /// Number of rejected proposals since the last accepted one.
    rejected: u32,
    outage: Option<Outage>,
    /// The time of the first failure since a proposal was accepted. A server that refuses writes, such as a replica, can
    /// still be read, so a read ends an outage, but not this time.
    failing_since: Option<Instant>,
    /// The time of the last search for processes that have ended.
    searched: Option<Instant>,
}

impl<S: StateStore> Worker<S> {
    pub(crate) fn new(
        store: S,
        messages: mpsc::UnboundedReceiver<Message>,
        process: Participant,
        limit: RateLimit,
        fail_after: Duration,
    ) -> Self {
        let memory = State::new(limit.clone()).memory(Duration::ZERO).saturating_mul(MAX_COUNTED_WINDOWS);
        Self {
            store,
            messages,
            is_closed: false,
            process,
            limit,
            memory,
            fail_after,
            known: None,
            questions: Vec::new(),
            unsettled: None,
            rejected: 0,
            outage: None,
            failing_since: None,
            searched: None,
        }
    }

    /// Runs until the rate limiter is dropped and its requests have ended.
    pub(crate) async fn run(mut self) {
        loop {
            self.listen();
            let next = match self.outage.take() {
                Some(outage) => self.work_alone(outage).await,
                None => match self.work().await {
                    Ok(next) => next,
                    Err(failure) => {
                        self.lose(failure);
                        continue;
                    }
                },
            };
            // The worker does not wait for an unreachable store: the slots are released when the lease ends.
            if self.is_closed && (self.is_idle() || self.outage.is_some()) {
                return;
            }
            self.wait(next).await;
        }
    }

    /// Receives all messages in the channel.
    fn listen(&mut self) {
        while let Ok(message) = self.messages.try_recv() {
            self.receive(message);
        }
        self.is_closed = self.messages.is_closed() && self.messages.is_empty();
        self.process.remove_cancelled();
    }

    fn receive(&mut self, message: Message) {
        match message {
            Message::Join(waiting) => self.process.join(waiting),
            Message::Event(event) => self.process.note(event),
            Message::Status(question) => {
                self.questions.push(question);
                // The status has to contain all events.
                self.process.hurry();
            }
        }
    }

    /// `true` if the worker has nothing to do until the next message.
    fn is_idle(&self) -> bool {
        self.process.is_idle() && self.questions.is_empty()
    }

    /// Does all current work, and returns the time of the next check.
    async fn work(&mut self) -> Result<Option<Instant>, Failure> {
        loop {
            self.listen();
            let waits = self.known.as_ref().is_some_and(|known| known.shared.waits(&self.process.name));
            if self.is_idle() && !waits {
                return Ok(None);
            }
            let is_asked = !self.questions.is_empty() && self.process.events.is_empty();
            if self.known.is_none() || is_asked {
                self.read().await?;
            }
            let Some(known) = &self.known else { continue };
            let age = known.at.elapsed();
            let proposal = Proposal::new(&mut self.process, &known.shared);
            if self.process.events.is_empty() {
                let status = known.shared.status(self.process.now());
                self.answer(&Ok(status));
            }
            if proposal.is_delayed && age < FRESH && self.find_ended() {
                continue;
            }
            if proposal.is_due {
                self.offer(proposal).await?;
            } else if age >= FRESH {
                self.read().await?;
            } else {
                return Ok(Some(proposal.next_check));
            }
        }
    }

    /// Searches for processes that have ended and delay this one; returns `true` if there are any.
    ///
    /// The first process in the order of turns searches among those with requests in flight. Every other process only
    /// checks the process directly before it, so the number of checks is independent of the number of processes.
    fn find_ended(&mut self) -> bool {
        let Some(known) = &mut self.known else { return false };
        if self.searched.is_some_and(|searched| searched.elapsed() < SEARCH) {
            return false;
        }
        self.searched = Some(Instant::now());
        let now = self.process.now();
        let mut suspects = known.shared.ahead_of(&self.process.name, now);
        suspects.truncate(1);
        if suspects.is_empty() {
            suspects = known.shared.others_in_flight(&self.process.name);
        }
        let mut ended = Vec::new();
        for suspect in suspects {
            if self.store.has_ended(suspect) {
                ended.push(suspect.to_owned());
            }
        }
        known.shared.bury(&ended, now);
        !ended.is_empty()
    }

    /// Sends the status, or an error, to the callers that requested it.
    fn answer(&mut self, status: &Result<Status, Error>) {
        for question in self.questions.drain(..) {
            // The caller may have stopped waiting.
            drop(question.send(status.clone()));
        }
    }

    /// Reads the shared state from the store.
    async fn read(&mut self) -> Result<(), Failure> {
        self.exchange(None).await
    }

    /// Sends a proposal, which replaces the known shared state if the store accepts it.
    async fn offer(&mut self, proposal: Proposal) -> Result<(), Failure> {
        let text =
            proposal.shared.text().map_err(|error| Failure::permanent("cannot write the state").with_source(error))?;
        let next = Stored { version: proposal.version.clone(), text };
        self.unsettled = Some(proposal);
        self.exchange(Some(next)).await
    }

    async fn exchange(&mut self, next: Option<Stored>) -> Result<(), Failure> {
        let known = self.known.as_ref().map(|known| known.version.clone()).unwrap_or_default();
        let begun = Instant::now();
        match tokio::time::timeout(MAX_EXCHANGE, self.store.exchange(Offer { known, next })).await {
            Ok(response) => self.settle(begun, response?),
            Err(_) => Err(Failure::transient(format!("{} of the shared rate limit does not respond", S::NAME))),
        }
    }

    /// Processes the store's response, which may also show whether an earlier proposal was accepted.
    fn settle(&mut self, begun: Instant, response: Response) -> Result<(), Failure> {
        if response.now > MAX_TIME {
            return Err(Failure::permanent(format!("the clock of {} of the shared rate limit is wrong", S::NAME)));
        }
        self.process.learn_time(begun, response.now);
        let unsettled = self.unsettled.take();
        let now = response.now;
        let run = response.run.clone();
        let known = KnownState::from_response::<S>(response, self.known.as_ref(), unsettled.as_ref(), &self.limit)?;
        let status = known.shared.status(now);
        let is_accepted = unsettled.as_ref().is_some_and(|one| known.contains(one, &run, &self.process.name));
        self.known = Some(known);
        match unsettled {
            Some(proposal) if is_accepted => {
                self.rejected = 0;
                self.failing_since = None;
                self.accept(proposal);
                // The status is sent here too, because under load there are always new events and `work` never sends it.
                // The accepted proposal contained all events that occurred before the status was requested.
                self.answer(&Ok(status));
            }
            Some(_) => self.rejected += 1,
            None => {}
        }
        if self.rejected > MAX_REJECTED {
            self.rejected = 0;
            return Err(Failure::transient(format!("{} of the shared rate limit accepts no state", S::NAME)));
        }
        Ok(())
    }

    /// Applies an accepted proposal: admits its requests and removes its events.
    fn accept(&mut self, proposal: Proposal) {
        self.process.in_flight = proposal.shared.in_flight(&self.process.name);
        // Events that are newer than the proposal are kept for the next proposal.
        self.process.forget_events(proposal.noted);
        for turn in proposal.turns {
            match self.process.waiting.remove(&turn.ticket) {
                Some(waiting) => waiting.admit(turn.at),
                // The caller has stopped waiting since the proposal was made.
                None => self.process.note(Event::Unsent(turn.weight)),
            }
        }
    }

    /// Starts an outage.
    fn lose(&mut self, failure: Failure) {
        tracing::debug!(error = %failure.error(), "the shared rate limit cannot be used");
        // Other processes may change the shared state during the outage, so the state is read again after it.
        self.known = None;
        let since = *self.failing_since.get_or_insert_with(Instant::now);
        self.outage = Some(Outage::new(failure, since));
    }

    /// Does the work during an outage, and returns the time of the next check. The outage ends when the store responds.
    async fn work_alone(&mut self, mut outage: Outage) -> Option<Instant> {
        self.answer(&Err(outage.error().clone()));
        if let Some(joined) = outage.fails_joined_by(self.fail_after) {
            self.process.fail_joined_by(joined, outage.error());
        }
        let now = Instant::now();
        if let Some(oldest) = now.checked_sub(self.memory) {
            self.process.forget_events_before(oldest);
        }
        let mut next = outage.next;
        if next <= now {
            next = now;
            if let Err(failure) = self.read().await {
                self.known = None;
                outage.repeat(failure);
            } else {
                return Some(next);
            }
        } else if !self.process.waiting.is_empty() {
            next = next.min(now + STEP);
        }
        self.outage = Some(outage);
        Some(next)
    }

    /// Waits for the next message or until a time.
    async fn wait(&mut self, until: Option<Instant>) {
        let time = async {
            match until {
                Some(until) if until <= Instant::now() => {}
                Some(until) => tokio::time::sleep_until(until).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            // A closed channel is not polled, because it is always ready.
            message = self.messages.recv(), if !self.is_closed => {
                if let Some(message) = message {
                    self.receive(message);
                }
            }
            () = time => {}
        }
    }
}
