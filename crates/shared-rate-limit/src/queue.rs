//! A queue of this process: over one channel, requests join the queue and admitted requests report their events.
//!
//! The worker receives from the channel and admits requests. Nothing here waits for the store. The channel closes when
//! the rate limiter is dropped and its requests have ended, which ends the worker. If the worker has ended early, requests
//! fail at once.

use std::sync::{Mutex, MutexGuard, PoisonError};

use runtime::rate_limit::{Attempt, PermitObserver, Rank};
use runtime::{Error, ErrorKind};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::event::Event;
use crate::status::Status;

/// The sending side of the channel.
#[derive(Clone)]
pub(crate) struct Queue(pub(crate) mpsc::UnboundedSender<Message>);

/// A message to the worker.
pub(crate) enum Message {
    /// A request joins the queue.
    Join(Waiting),
    /// An admitted request reports an event.
    Event(Event),
    /// A caller requests the status of the rate limiter; the status includes all events so far.
    Status(oneshot::Sender<Result<Status, Error>>),
}

/// A position in the queue. The request with the smallest position is admitted first, by its rank, as in the built-in
/// rate limiter.
pub(crate) type Ticket = (Rank, u64);

/// A queued request. The worker drops the request if its caller stops waiting.
pub(crate) struct Waiting {
    queue: Queue,
    pub(crate) rank: Rank,
    pub(crate) since: Instant,
    pub(crate) weight: usize,
    pub(crate) turn: oneshot::Sender<Result<Turn, Error>>,
}

/// An admitted request, and the earliest time to send it.
pub(crate) struct Turn {
    pub(crate) request: QueuedRequest,
    pub(crate) at: Instant,
}

impl Queue {
    /// Waits for a turn, which may begin slightly later. If the future is dropped, the request leaves the queue.
    pub(crate) async fn turn(&self, attempt: Attempt) -> Result<Turn, Error> {
        let (turn, admission) = oneshot::channel();
        self.send(Message::Join(Waiting {
            queue: self.clone(),
            rank: attempt.rank,
            since: Instant::now(),
            weight: weight(attempt),
            turn,
        }));
        match admission.await {
            Ok(turn) => turn,
            Err(_) => Err(worker_ended()),
        }
    }

    /// Counts a request that the rate limiter of the process has admitted, because the store cannot be used.
    pub(crate) fn admit(&self, attempt: Attempt) -> QueuedRequest {
        let weight = weight(attempt);
        self.report(Event::Admitted(Instant::now(), weight));
        QueuedRequest::new(self.clone(), weight)
    }

    /// Reports an event to the worker.
    pub(crate) fn report(&self, event: Event) {
        self.send(Message::Event(event));
    }

    /// Requests the status of the rate limiter; the store then contains all events so far.
    pub(crate) async fn status(&self) -> Result<Status, Error> {
        let (question, answer) = oneshot::channel();
        self.send(Message::Status(question));
        match answer.await {
            Ok(status) => status,
            Err(_) => Err(worker_ended()),
        }
    }

    fn send(&self, message: Message) {
        // If the worker has ended, the message is dropped with its response channel, so the caller stops waiting.
        drop(self.0.send(message));
    }
}

impl Waiting {
    /// Admits the request. If its caller has just stopped waiting, the permit is dropped, which reports that nothing
    /// was sent.
    pub(crate) fn admit(self, at: Instant) {
        let request = QueuedRequest::new(self.queue, self.weight);
        drop(self.turn.send(Ok(Turn { request, at })));
    }
}

fn weight(attempt: Attempt) -> usize {
    usize::try_from(attempt.weight()).unwrap_or(usize::MAX)
}

fn worker_ended() -> Error {
    Error::retryable(ErrorKind::Queue, "the worker of the shared rate limit has ended")
}

/// An admitted request. If it is dropped before it is sent, for example while it waits in another queue, its slot and
/// its weight become free again.
pub(crate) struct QueuedRequest {
    progress: Mutex<Progress>,
    weight: usize,
    /// The sender is weak, because the channel must close even if a transport keeps a request that has ended.
    queue: mpsc::WeakUnboundedSender<Message>,
}

struct Progress {
    /// `None` once the request has ended or was dropped by its caller.
    queue: Option<Queue>,
    is_sent: bool,
}

impl QueuedRequest {
    fn new(queue: Queue, weight: usize) -> Self {
        let sender = queue.0.downgrade();
        let progress = Mutex::new(Progress { queue: Some(queue), is_sent: false });
        Self { progress, weight, queue: sender }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PermitObserver for QueuedRequest {
    fn on_sent(&self) {
        let mut progress = self.progress();
        let now = Instant::now();
        if std::mem::replace(&mut progress.is_sent, true) {
            return;
        }
        if let Some(queue) = &progress.queue {
            queue.report(Event::Sent(now, self.weight));
        } else if let Some(sender) = self.queue.upgrade() {
            Queue(sender).report(Event::SentLate(now, self.weight));
        }
    }

    fn on_end(&self) {
        let mut progress = self.progress();
        // The end is reported only once, although `drop` calls this method again.
        if let Some(queue) = progress.queue.take() {
            queue.report(if progress.is_sent { Event::Ended } else { Event::Unsent(self.weight) });
        }
    }
}

impl Drop for QueuedRequest {
    fn drop(&mut self) {
        self.on_end();
    }
}

/// A request that was admitted by every queue that it joined.
pub(crate) struct QueuedInAll(pub(crate) Vec<QueuedRequest>);

impl PermitObserver for QueuedInAll {
    fn on_sent(&self) {
        for request in &self.0 {
            request.on_sent();
        }
    }

    fn on_end(&self) {
        for request in &self.0 {
            request.on_end();
        }
    }
}
