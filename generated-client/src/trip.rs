//! One request on its way: when it has to be over, what it waits for, what it has cost so far.
//!
//! Whoever sends tells it how far things have got; an error that ends the way takes the account with it.
//! It is the one place that keeps the total timeout.

use std::time::Duration;

use tokio::time::Instant;

use crate::error::{Error, ErrorKind};
use crate::retry::{History, Retries};

/// The account of one request.
pub(crate) struct Trip {
    begun: Instant,
    /// `None` is as far away as a clock reaches.
    deadline: Option<Instant>,
    stage: Stage,
    /// Since when it has been waiting, while it does.
    since: Option<Instant>,
    waited: Duration,
    history: History,
    /// Why there was another attempt.
    failure: Option<Error>,
}

/// What a request is waiting for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// A token, which others may be fetching.
    Token,
    /// Its turn at the gate.
    Gate,
    /// The time of the next attempt.
    Delay,
    /// Its reply.
    Reply,
}

/// What an error tells of the way so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Account {
    pub(crate) attempts: u32,
    pub(crate) elapsed: Duration,
    pub(crate) waited: Duration,
}

impl Trip {
    /// Begins a way that may take so long.
    pub(crate) fn new(timeout: Duration) -> Self {
        Self::until(Instant::now().checked_add(timeout))
    }

    /// A way beside this one, which has to be over no later.
    pub(crate) fn branch(&self) -> Self {
        Self::until(self.deadline)
    }

    fn until(deadline: Option<Instant>) -> Self {
        Self {
            begun: Instant::now(),
            deadline,
            stage: Stage::Reply,
            since: None,
            waited: Duration::ZERO,
            history: History::default(),
            failure: None,
        }
    }

    /// When it has to be over.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// The time that is left.
    pub(crate) fn left(&self) -> Duration {
        self.deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Begins to wait; [`Trip::arrived`] ends it.
    pub(crate) fn wait_for(&mut self, stage: Stage) {
        self.stage = stage;
        self.since = Some(Instant::now());
    }

    /// Ends a wait and says how long it was.
    pub(crate) fn arrived(&mut self) -> Duration {
        self.stage = Stage::Reply;
        let waited = self.since.take().map_or(Duration::ZERO, |since| since.elapsed());
        self.waited += waited;
        waited
    }

    /// Counts an attempt.
    pub(crate) fn attempt(&mut self) {
        self.history.attempts += 1;
    }

    /// Waits until it is time for another attempt; the error comes back if there is to be none.
    pub(crate) async fn retry(&mut self, retries: &Retries, error: Error) -> Result<(), Error> {
        self.history.failures += 1;
        self.history.answers_500 += u32::from(error.status() == Some(500));
        let (delay, error) = retries.judge(error, self.history)?;
        if delay >= self.left() {
            return Err(error.with_hint("the total timeout leaves no time to try again"));
        }
        self.failure = Some(error);
        self.wait_for(Stage::Delay);
        tokio::time::sleep(delay).await;
        self.arrived();
        Ok(())
    }

    pub(crate) fn account(&self) -> Account {
        let waiting = self.since.map_or(Duration::ZERO, |since| since.elapsed());
        Account { attempts: self.history.attempts, elapsed: self.begun.elapsed(), waited: self.waited + waiting }
    }

    /// Says that the total timeout has passed, and while what.
    pub(crate) fn timed_out(&mut self) -> Error {
        let (kind, doing) = match self.stage {
            Stage::Token => (ErrorKind::Wait, "a token"),
            Stage::Gate => (ErrorKind::Wait, "a turn at the gate"),
            Stage::Delay => (ErrorKind::Wait, "the next attempt"),
            Stage::Reply => (ErrorKind::Head, "a whole reply"),
        };
        let message = format!("the total timeout passed while waiting for {doing}");
        Error::new(kind, message).timed_out(self.failure.take())
    }
}
