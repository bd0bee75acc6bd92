//! The worker: the only task of a machine that exchanges shared states with the server.
//!
//! The worker computes the next shared state from the events of requests, offers it, and admits requests once the
//! server has accepted the offer. If another machine was faster, it starts again from that machine's shared state. The
//! shared state decides which requests are admitted; the store hides the connection to the server.

use std::sync::Arc;
use std::time::Duration;

use runtime::RateLimit;
use runtime::rate_limit::RateLimiterError;
use runtime::rate_limit::rules::GateTime;
use tokio::time::Instant;

use crate::clock::Clock;
use crate::line::{Event, Line};
use crate::outage::{Failure, OnUnreachable, Outage};
use crate::proposal::{Known, Proposal};
use crate::shared_state::{SharedState, UnderWay};
use crate::store::{Answer, Held, Offer, Store, Update};

/// Maximum delay of writing an event, in which others are collected.
const WRITING: Duration = Duration::from_millis(25);

/// A shared state that is older than this is read again before requests have to wait because of it.
const FRESH: Duration = Duration::from_millis(20);

/// Maximum duration of an exchange with any store.
const LONGEST_EXCHANGE: Duration = Duration::from_secs(3);

/// Requests are admitted at least this long ahead of time, so that the exchange does not delay them …
const AHEAD: Duration = Duration::from_millis(20);

/// … and at most this long, so that a pause still stops most of them.
const FURTHEST_AHEAD: Duration = Duration::from_millis(500);

const DELETED: &str = "the server of the shared gate has deleted its data: another program deletes keys, or the server \
                       evicts them; set `maxmemory-policy noeviction` there";

pub(crate) struct Worker<S> {
    pub(crate) store: Arc<S>,
    pub(crate) line: Arc<Line>,
    /// The name of this machine.
    pub(crate) machine: String,
    pub(crate) limit: RateLimit,
    pub(crate) on_unreachable: OnUnreachable,
    pub(crate) clock: Clock,
    /// The time by which a request is admitted before it may be sent.
    pub(crate) ahead: Duration,
    /// The last known state of the server.
    pub(crate) known: Option<Known>,
    /// The requests in flight of this machine at the last write.
    pub(crate) under_way: UnderWay,
    /// The events since.
    pub(crate) noted: Vec<Event>,
    /// The time at which the events must be written.
    pub(crate) write_by: Option<Instant>,
    /// The number of the last proposal.
    pub(crate) proposals: u64,
    /// An offer that the server may have accepted.
    pub(crate) unsettled: Option<Proposal>,
    pub(crate) outage: Option<Outage>,
    /// `true` if it has admitted requests without the server, which has not counted them.
    pub(crate) was_alone: bool,
}

impl<S: Store> Worker<S> {
    pub(crate) fn new(
        store: S,
        line: Arc<Line>,
        machine: String,
        limit: RateLimit,
        on_unreachable: OnUnreachable,
        clock: Clock,
    ) -> Self {
        Self {
            store: Arc::new(store),
            line,
            machine,
            limit,
            on_unreachable,
            clock,
            ahead: AHEAD,
            known: None,
            under_way: UnderWay::default(),
            noted: Vec::new(),
            write_by: None,
            proposals: 0,
            unsettled: None,
            outage: None,
            was_alone: false,
        }
    }

    /// Runs until the gate is dropped.
    pub(crate) async fn run(mut self) {
        loop {
            let look = if self.outage.is_some() {
                self.work_alone()
            } else {
                match self.work().await {
                    Ok(look) => look,
                    Err(failure) => {
                        self.lose(failure);
                        continue;
                    }
                }
            };
            if self.noted.is_empty() || self.outage.is_some() {
                self.line.tell_leavers();
            }
            if self.line.is_closed() && (self.is_idle() || self.outage.is_some() && self.under_way.all == 0) {
                return;
            }
            self.wait(look).await;
        }
    }

    /// Collects the events that requests have reported since.
    pub(crate) fn listen(&mut self) {
        let before = self.noted.len();
        self.noted.extend(self.line.take_events());
        let now = Instant::now();
        let is_urgent = self.noted[before..].iter().any(|event| matches!(event, Event::Refused(..)));
        if is_urgent || !self.noted.is_empty() && self.line.is_anybody_leaving() {
            self.write_by = Some(now);
        } else if self.noted.len() > before {
            self.write_by.get_or_insert(now + WRITING);
        }
    }

    /// Returns `true` if there is nothing to do until a request joins the queue.
    fn is_idle(&self) -> bool {
        self.noted.is_empty() && self.under_way == UnderWay::default() && self.line.is_empty() && !self.was_alone
    }

    /// Does all current work, and returns the time of the next check.
    async fn work(&mut self) -> Result<Option<Instant>, Failure> {
        self.answer_questions().await?;
        loop {
            self.listen();
            let waits = self.known.as_ref().is_some_and(|known| known.shared.waits(&self.machine));
            if self.is_idle() && !waits {
                return Ok(None);
            }
            let Some(known) = &self.known else {
                self.read().await?;
                continue;
            };
            let (base, age) = (known.shared.clone(), known.at.elapsed());
            let proposal = self.proposal(&base);
            if proposal.is_due {
                self.offer(proposal).await?;
            } else if age >= FRESH {
                self.read().await?;
            } else {
                return Ok(Some(proposal.look));
            }
        }
    }

    /// Sends the status of the gate to the callers that requested it.
    async fn answer_questions(&mut self) -> Result<(), Failure> {
        let questions = self.line.take_questions();
        if questions.is_empty() {
            return Ok(());
        }
        let read = self.read().await;
        for question in questions {
            let status = match (&read, &self.known) {
                (Err(failure), _) => Err(failure.error.clone()),
                (Ok(()), None) => Err(RateLimiterError::new("the server has not responded yet")),
                (Ok(()), Some(known)) => Ok(known.shared.status(self.clock.earliest(Instant::now()))),
            };
            // The caller may have stopped waiting.
            drop(question.send(status));
        }
        read
    }

    /// Reads the shared state from the server.
    async fn read(&mut self) -> Result<(), Failure> {
        let known = self.known.as_ref().map(|known| known.version.clone()).unwrap_or_default();
        let (asked, answer) = ask(&*self.store, Offer { known, next: None }).await;
        self.settle(asked, answer?)
    }

    /// Offers a proposal to replace the known shared state.
    async fn offer(&mut self, proposal: Proposal) -> Result<(), Failure> {
        let known = self.known.as_ref().map(|known| known.version.clone()).unwrap_or_default();
        let next = Some(Held { version: proposal.version.clone(), text: proposal.shared.text()? });
        self.unsettled = Some(proposal);
        let (asked, answer) = ask(&*self.store, Offer { known, next }).await;
        self.settle(asked, answer?)
    }

    /// Processes the store's response, which may also settle an earlier offer.
    pub(crate) fn settle(&mut self, asked: Instant, answer: Answer) -> Result<(), Failure> {
        let now = Instant::now();
        let taken = now.saturating_duration_since(asked);
        self.clock.learn(asked, now, answer.now);
        self.ahead = (4 * taken).clamp(AHEAD, FURTHEST_AHEAD);
        let unsettled = self.unsettled.take();
        if answer.update == Update::Other(None) && self.known.as_ref().is_some_and(|known| known.is_kept(&answer.run)) {
            // Waiting for a new shared state to open would repeat with every eviction.
            return Err(Failure::lasting(RateLimiterError::new(DELETED)));
        }
        let shared = match (answer.update, &unsettled, &self.known) {
            (Update::None, Some(proposal), _) => proposal.shared.clone(),
            (Update::None, None, Some(known)) => known.shared.clone(),
            (Update::None, None, None) => SharedState::lost(self.limit.clone(), &answer.run, answer.now),
            (Update::Other(text), _, _) => SharedState::read(text.as_deref(), &self.limit, &answer.run, answer.now)?,
        };
        if let Some(proposal) = unsettled {
            let is_taken = answer.version == format!("{}:{}", answer.run, proposal.version)
                || shared.exchange(&self.machine) == Some(proposal.number);
            if is_taken {
                self.accept(proposal);
            }
        }
        // Checked for the machine's own shared state too: the clock may have been set while the offer was in transit.
        let is_lost = shared.is_ahead_of(answer.now);
        let shared = if is_lost { SharedState::lost(self.limit.clone(), &answer.run, answer.now) } else { shared };
        self.known = Some(Known { version: answer.version, shared, at: now });
        Ok(())
    }

    /// Applies an accepted proposal.
    pub(crate) fn accept(&mut self, proposal: Proposal) {
        self.under_way = proposal.shared.under_way(&self.machine);
        self.noted.drain(..proposal.notes);
        self.write_by = (!self.noted.is_empty()).then(|| Instant::now() + WRITING);
        self.was_alone &= !proposal.closes;
        for (ticket, weight, at) in proposal.turns {
            self.line.call(ticket, weight, at);
        }
    }

    /// The earliest time that the server's clock may show.
    pub(crate) fn now(&self) -> GateTime {
        self.clock.earliest(Instant::now())
    }

    /// Waits for events, until it is time, or until the server can be reached again.
    async fn wait(&mut self, look: Option<Instant>) {
        let later = async {
            match look {
                Some(look) => tokio::time::sleep_until(look).await,
                None => std::future::pending().await,
            }
        };
        let probed = async {
            match &mut self.outage {
                Some(outage) => outage.probed().await,
                None => std::future::pending().await,
            }
        };
        let probed = tokio::select! {
            () = self.line.changed() => None,
            () = later => None,
            probed = probed => Some(probed),
        };
        if let Some((asked, answer)) = probed {
            self.reach(asked, answer);
        }
    }
}

impl<S> Drop for Worker<S> {
    fn drop(&mut self) {
        self.line.abandon();
    }
}

/// Makes an offer, and returns its start time.
pub(crate) async fn ask<S: Store>(store: &S, offer: Offer) -> (Instant, Result<Answer, Failure>) {
    let asked = Instant::now();
    let answer = tokio::time::timeout(LONGEST_EXCHANGE, store.exchange(offer)).await;
    (
        asked,
        answer.unwrap_or_else(|_| {
            Err(Failure::passing(RateLimiterError::new("the server of the shared gate is silent")))
        }),
    )
}
