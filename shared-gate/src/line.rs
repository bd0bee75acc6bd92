//! The queue of this machine: waiting requests, and the events of admitted ones.
//!
//! Requests join, leave and report events on any thread; the worker reads the events and admits the next request.
//! Nothing here waits for the server. Token requests are first, then retries, as in the built-in gate.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use runtime::rate_limit::rules::Rank;
use runtime::rate_limit::{Attempt, PermitObserver, PermitOutcome, RateLimiterError};
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use crate::status::Status;

/// The state that this machine's requests share with its worker.
#[derive(Default)]
pub(crate) struct Line {
    inner: Mutex<Inner>,
    changed: Notify,
}

#[derive(Default)]
struct Inner {
    waiting: BTreeMap<Ticket, Waiting>,
    came: u64,
    events: Vec<Event>,
    questions: Vec<Question>,
    /// Callers that wait until all events so far are written.
    leavers: Vec<oneshot::Sender<()>>,
    is_over: bool,
    /// `true` once the worker has ended.
    is_abandoned: bool,
}

/// A position in the queue; the smallest is served first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket {
    rank: Rank,
    number: u64,
}

struct Waiting {
    since: Instant,
    weight: usize,
    turn: oneshot::Sender<Result<Turn, RateLimiterError>>,
}

/// An admitted request, and the earliest time to send it.
struct Turn {
    entered: Entered,
    at: Instant,
}

/// A caller that requests the status of the gate.
pub(crate) type Question = oneshot::Sender<Result<Status, RateLimiterError>>;

/// An event of an admitted request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// It was sent, and has this weight.
    Departed(Instant, usize),
    /// It was sent although it had been counted as unused.
    DepartedAfterAll(Instant, usize),
    /// It will not be sent.
    Stayed(usize),
    /// It has ended.
    Ended,
    /// The service answered 429 and accepts no requests for this long.
    Refused(Instant, Duration),
}

impl Line {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        // A panic leaves the queue valid, so a poisoned lock is used nevertheless.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a turn. Dropping the future leaves the queue.
    pub(crate) async fn turn(self: &Arc<Self>, attempt: Attempt) -> Result<Entered, RateLimiterError> {
        let weight = usize::try_from(attempt.weight()).unwrap_or(usize::MAX);
        let (turn, called) = oneshot::channel();
        let ticket = {
            let mut inner = self.inner();
            if inner.is_abandoned {
                return Err(abandoned());
            }
            inner.came += 1;
            let ticket = Ticket { rank: attempt.into(), number: inner.came };
            inner.waiting.insert(ticket, Waiting { since: Instant::now(), weight, turn });
            ticket
        };
        self.changed.notify_one();
        let place = Place { line: self, ticket };
        let turn = called.await.unwrap_or_else(|_| Err(abandoned()))?;
        drop(place);
        // If this future is dropped here, the permit reports that nothing was sent.
        tokio::time::sleep_until(turn.at).await;
        Ok(turn.entered)
    }

    /// Reports events to the worker.
    pub(crate) fn tell(&self, events: impl IntoIterator<Item = Event>) {
        self.inner().events.extend(events);
        self.changed.notify_one();
    }

    /// Requests the status of the gate from the worker.
    pub(crate) async fn ask(&self) -> Result<Status, RateLimiterError> {
        let (question, answer) = oneshot::channel();
        self.push(|inner| &mut inner.questions, question);
        answer.await.unwrap_or_else(|_| Err(abandoned()))
    }

    /// Waits until the worker has written all events so far, or cannot write them.
    pub(crate) async fn written(&self) {
        let (leaver, told) = oneshot::channel();
        self.push(|inner| &mut inner.leavers, leaver);
        // If the worker has ended, nothing is left to write.
        told.await.unwrap_or_default();
    }

    /// Adds a channel for the worker's response; without a worker it is dropped, which ends the wait for the response.
    fn push<T>(&self, to: impl FnOnce(&mut Inner) -> &mut Vec<T>, one: T) {
        let mut inner = self.inner();
        if !inner.is_abandoned {
            to(&mut inner).push(one);
            self.changed.notify_one();
        }
    }

    /// Ends the waits of all callers, as the worker has ended.
    pub(crate) fn abandon(&self) {
        let mut inner = self.inner();
        inner.is_abandoned = true;
        let Inner { waiting, questions, leavers, .. } = &mut *inner;
        let all = (std::mem::take(waiting), std::mem::take(questions), std::mem::take(leavers));
        drop(inner);
        drop(all);
    }

    /// Returns `true` if a caller waits for events to be written.
    pub(crate) fn is_anybody_leaving(&self) -> bool {
        !self.inner().leavers.is_empty()
    }

    /// Notifies the waiting callers that events are written.
    pub(crate) fn tell_leavers(&self) {
        let leavers = std::mem::take(&mut self.inner().leavers);
        for leaver in leavers {
            // The caller may have stopped waiting.
            leaver.send(()).unwrap_or_default();
        }
    }

    /// Closes the queue: no more requests join.
    pub(crate) fn close(&self) {
        self.inner().is_over = true;
        self.changed.notify_one();
    }

    /// Returns `true` if the queue is closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.inner().is_over
    }

    /// Returns when the worker has something to do.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }

    pub(crate) fn take_events(&self) -> Vec<Event> {
        std::mem::take(&mut self.inner().events)
    }

    pub(crate) fn take_questions(&self) -> Vec<Question> {
        std::mem::take(&mut self.inner().questions)
    }

    /// The first requests of the queue, at most `count`, with their weights.
    pub(crate) fn first(&self, count: usize) -> Vec<(Ticket, usize)> {
        self.inner().waiting.iter().take(count).map(|(ticket, waiting)| (*ticket, waiting.weight)).collect()
    }

    /// Returns `true` if no request waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.inner().waiting.is_empty()
    }

    /// Admits a request. If it does not wait any more, it ends at once.
    pub(crate) fn call(self: &Arc<Self>, ticket: Ticket, weight: usize, at: Instant) {
        let entered = Entered { line: self.clone(), weight, progress: Mutex::new(Progress::Leaving) };
        let waiting = self.inner().waiting.remove(&ticket);
        if let Some(waiting) = waiting {
            // A request that has just left the queue drops the permit, which reports it.
            drop(waiting.turn.send(Ok(Turn { entered, at })));
        }
    }

    /// Fails all requests that have waited since that time.
    pub(crate) fn fail(&self, since: Instant, error: &RateLimiterError) {
        let mut inner = self.inner();
        let tickets = inner.waiting.iter().filter(|(_, waiting)| waiting.since <= since);
        let tickets: Vec<Ticket> = tickets.map(|(ticket, _)| *ticket).collect();
        let turns: Vec<_> = tickets.iter().filter_map(|ticket| inner.waiting.remove(ticket)).collect();
        drop(inner);
        for waiting in turns {
            drop(waiting.turn.send(Err(error.clone())));
        }
    }
}

fn abandoned() -> RateLimiterError {
    RateLimiterError::new("the worker of the shared gate has ended")
}

/// A queued request.
struct Place<'l> {
    line: &'l Line,
    ticket: Ticket,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let waiting = self.line.inner().waiting.remove(&self.ticket);
        if waiting.is_some() {
            self.line.changed.notify_one();
        }
    }
}

/// An admitted request. If it is dropped before it is sent, for example while it waits in another queue, it returns its
/// capacity.
pub(crate) struct Entered {
    line: Arc<Line>,
    weight: usize,
    progress: Mutex<Progress>,
}

#[derive(Clone, Copy)]
enum Progress {
    /// It may be sent at any time.
    Leaving,
    /// It was sent.
    Left,
    /// Its caller has dropped it.
    Ended,
}

impl Entered {
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PermitObserver for Entered {
    fn on_sent(&self) {
        let mut progress = self.progress();
        let now = Instant::now();
        match *progress {
            Progress::Leaving => {
                *progress = Progress::Left;
                self.line.tell([Event::Departed(now, self.weight)]);
            }
            Progress::Left => {}
            Progress::Ended => self.line.tell([Event::DepartedAfterAll(now, self.weight)]),
        }
    }

    fn on_end(&self, _: PermitOutcome) {
        let mut progress = self.progress();
        let event = match std::mem::replace(&mut *progress, Progress::Ended) {
            Progress::Leaving => Some(Event::Stayed(self.weight)),
            Progress::Left => None,
            Progress::Ended => return,
        };
        self.line.tell(event.into_iter().chain([Event::Ended]));
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.on_end(PermitOutcome::Failed);
    }
}

/// A request that was admitted in every queue that it joins.
pub(crate) struct EnteredAll(pub(crate) Vec<Entered>);

impl PermitObserver for EnteredAll {
    fn on_sent(&self) {
        self.0.iter().for_each(Entered::on_sent);
    }

    fn on_end(&self, ending: PermitOutcome) {
        self.0.iter().for_each(|entered| entered.on_end(ending));
    }
}
