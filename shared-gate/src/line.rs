//! Who waits at this machine, and what has become of those that were let pass.
//!
//! Requests join and leave, and tell how they fare, on any thread; the worker takes what it is told and calls who is
//! next. Nothing here waits for the server. Tokens go first, then retries, as at the built-in gate.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use runtime::gate::rules::Rank;
use runtime::gate::{Admitted, Ending, GateError};
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use crate::status::Status;

/// What this machine and its worker tell each other.
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
    /// Those who wait until all that has happened is written.
    leavers: Vec<oneshot::Sender<()>>,
    is_over: bool,
}

/// A place in the line; the smallest is served first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket {
    rank: Rank,
    number: u64,
}

struct Waiting {
    since: Instant,
    turn: oneshot::Sender<Result<Turn, GateError>>,
}

/// A request that was let pass, and when it may leave.
struct Turn {
    entered: Entered,
    at: Instant,
}

/// Somebody who asks how the gate stands.
pub(crate) type Question = oneshot::Sender<Result<Status, GateError>>;

/// What has become of a request that was let pass.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// It left.
    Departed(Instant),
    /// It left although it had been counted as one that would not.
    DepartedAfterAll(Instant),
    /// It will not leave.
    Stayed,
    /// A whole reply came so long after it left.
    Answered(Duration),
    /// It is over.
    Ended,
    /// The service found too many requests and wants none for so long.
    Refused(Instant, Duration),
}

impl Line {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        // A panic leaves the line valid, so a poisoned lock is taken all the same.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a turn. Dropping the future leaves the line.
    pub(crate) async fn turn(self: &Arc<Self>, rank: Rank) -> Result<Entered, GateError> {
        let (turn, called) = oneshot::channel();
        let ticket = {
            let mut inner = self.inner();
            inner.came += 1;
            let ticket = Ticket { rank, number: inner.came };
            inner.waiting.insert(ticket, Waiting { since: Instant::now(), turn });
            ticket
        };
        self.changed.notify_one();
        let place = Place { line: self, ticket };
        let turn = called.await.unwrap_or_else(|_| Err(GateError::new("the worker of the shared gate has ended")))?;
        drop(place);
        // Dropped meanwhile, it says that nothing was sent.
        tokio::time::sleep_until(turn.at).await;
        Ok(turn.entered)
    }

    /// Tells the worker what has happened.
    pub(crate) fn tell(&self, events: impl IntoIterator<Item = Event>) {
        self.inner().events.extend(events);
        self.changed.notify_one();
    }

    /// Asks the worker how the gate stands.
    pub(crate) async fn ask(&self) -> Result<Status, GateError> {
        let (question, answer) = oneshot::channel();
        self.inner().questions.push(question);
        self.changed.notify_one();
        answer.await.unwrap_or_else(|_| Err(GateError::new("the worker of the shared gate has ended")))
    }

    /// Waits until the worker has written all that has happened before, or cannot.
    pub(crate) async fn written(&self) {
        let (leaver, told) = oneshot::channel();
        self.inner().leavers.push(leaver);
        self.changed.notify_one();
        // Where there is no worker any more, nothing is left to write.
        told.await.unwrap_or_default();
    }

    /// Whether somebody waits for what has happened to be written.
    pub(crate) fn is_anybody_leaving(&self) -> bool {
        !self.inner().leavers.is_empty()
    }

    /// Tells those who wait that it is written.
    pub(crate) fn tell_leavers(&self) {
        let leavers = std::mem::take(&mut self.inner().leavers);
        for leaver in leavers {
            // Whoever does not listen any more need not know.
            leaver.send(()).unwrap_or_default();
        }
    }

    /// Nobody will join any more.
    pub(crate) fn close(&self) {
        self.inner().is_over = true;
        self.changed.notify_one();
    }

    /// Whether nobody will join any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.inner().is_over
    }

    /// Returns when something has happened.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }

    pub(crate) fn take_events(&self) -> Vec<Event> {
        std::mem::take(&mut self.inner().events)
    }

    pub(crate) fn take_questions(&self) -> Vec<Question> {
        std::mem::take(&mut self.inner().questions)
    }

    /// The first in line, no more than so many.
    pub(crate) fn first(&self, count: usize) -> Vec<Ticket> {
        self.inner().waiting.keys().take(count).copied().collect()
    }

    /// Calls who is next. Where nobody waits any more, what was let pass ends at once.
    pub(crate) fn call(self: &Arc<Self>, ticket: Ticket, at: Instant) {
        let entered = Entered { line: self.clone(), progress: Mutex::new(Progress::Leaving) };
        let waiting = self.inner().waiting.remove(&ticket);
        if let Some(waiting) = waiting {
            // Whoever has left in this moment drops it, which tells of that.
            drop(waiting.turn.send(Ok(Turn { entered, at })));
        }
    }

    /// Tells all who have waited since then that it was in vain.
    pub(crate) fn fail(&self, since: Instant, error: &GateError) {
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

/// Somebody in line.
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

/// A request that was let pass. Dropped before it has ended, as one that still waits in another line, it gives back what
/// it took.
pub(crate) struct Entered {
    line: Arc<Line>,
    progress: Mutex<Progress>,
}

#[derive(Clone, Copy)]
enum Progress {
    /// It leaves at any time.
    Leaving,
    /// It left then.
    Left(Instant),
    /// Nobody waits for it any more.
    Ended,
}

impl Entered {
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Admitted for Entered {
    fn departed(&self) {
        let mut progress = self.progress();
        let now = Instant::now();
        match *progress {
            Progress::Leaving => {
                *progress = Progress::Left(now);
                self.line.tell([Event::Departed(now)]);
            }
            Progress::Left(_) => {}
            Progress::Ended => self.line.tell([Event::DepartedAfterAll(now)]),
        }
    }

    fn ended(&self, ending: Ending) {
        let mut progress = self.progress();
        let before = std::mem::replace(&mut *progress, Progress::Ended);
        if matches!(before, Progress::Ended) {
            return;
        }
        let now = Instant::now();
        let departure = match (before, ending) {
            (Progress::Left(at), Ending::Answered) => Some(Event::Answered(now.saturating_duration_since(at))),
            // It was answered, so it left, whatever its transport has told.
            (Progress::Leaving, Ending::Answered) => Some(Event::Departed(now)),
            (Progress::Leaving, _) => Some(Event::Stayed),
            _ => None,
        };
        self.line.tell(departure.into_iter().chain([Event::Ended]));
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.ended(Ending::Failed);
    }
}

/// A request that was let pass in every line that it has to wait in.
pub(crate) struct EnteredAll(pub(crate) Vec<Entered>);

impl Admitted for EnteredAll {
    fn departed(&self) {
        self.0.iter().for_each(Entered::departed);
    }

    fn ended(&self, ending: Ending) {
        self.0.iter().for_each(|entered| entered.ended(ending));
    }
}
