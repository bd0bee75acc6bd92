//! One request on its way: when it has to be over, what it waits for, what it has cost so far.
//!
//! Whoever sends tells it how far things have got; an error that ends the way takes the account with it.
//! It is the one place that keeps the total timeout.

use std::time::Duration;

use tokio::time::Instant;

use crate::credentials::Credentials;
use crate::error::{Error, ErrorKind};
use crate::observer::{Audience, Event, Purpose, Waiting};
use crate::retry::{History, Retries, Verdict};

/// The account of one request.
pub(crate) struct Trip {
    begun: Instant,
    /// `None` is as far away as a clock reaches.
    deadline: Option<Instant>,
    purpose: Purpose,
    audience: Audience,
    /// What it is waiting for, and since when; `None` while it is under way.
    waiting: Option<(Waiting, Instant)>,
    waited: Duration,
    history: History,
    /// What the last attempt was answered with.
    status: Option<u16>,
    /// Why there was another attempt.
    failure: Option<Error>,
    /// Whether there would be another attempt if there were time.
    out_of_time: bool,
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
    pub(crate) fn new(purpose: Purpose, timeout: Duration, audience: Audience) -> Self {
        Self::until(Instant::now().checked_add(timeout), purpose, audience)
    }

    /// The way of a token beside this one, which has to be over no later.
    pub(crate) fn branch(&self) -> Self {
        Self::until(self.deadline, Purpose::Token, self.audience.clone())
    }

    fn until(deadline: Option<Instant>, purpose: Purpose, audience: Audience) -> Self {
        Self {
            begun: Instant::now(),
            deadline,
            purpose,
            audience,
            waiting: None,
            out_of_time: false,
            waited: Duration::ZERO,
            history: History::default(),
            status: None,
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

    /// Whether what came of it is only for lack of time.
    pub(crate) fn is_out_of_time(&self) -> bool {
        self.out_of_time || self.left().is_zero()
    }

    /// Begins to wait; [`Trip::arrived`] ends it.
    pub(crate) fn wait_for(&mut self, what: Waiting) {
        self.waiting = Some((what, Instant::now()));
    }

    /// Ends a wait.
    pub(crate) fn arrived(&mut self) {
        let Some((what, since)) = self.waiting.take() else { return };
        let elapsed = since.elapsed();
        self.waited += elapsed;
        if !elapsed.is_zero() {
            self.tell(&Event::Wait { purpose: self.purpose, what, elapsed });
        }
    }

    /// Begins an attempt; [`Trip::attempted`] ends it.
    pub(crate) fn attempt(&mut self) -> Instant {
        self.history.attempts += 1;
        Instant::now()
    }

    /// Says how an attempt came out.
    pub(crate) fn attempted(&mut self, since: Instant, outcome: Result<u16, ErrorKind>, bytes: usize) {
        self.status = outcome.ok();
        let (purpose, number, elapsed) = (self.purpose, self.history.attempts, since.elapsed());
        self.tell(&Event::Attempt { purpose, number, outcome, bytes, elapsed });
    }

    pub(crate) fn tell(&self, event: &Event) {
        self.audience.tell(event);
    }

    /// Waits until it is time for another attempt; the error comes back if there is to be none.
    pub(crate) async fn retry(&mut self, retries: &Retries, error: Error) -> Result<(), Error> {
        self.history.failures += 1;
        self.history.answers_500 += u32::from(error.status() == Some(500));
        let (delay, error) = retries.judge(error, self.history, self.left()).map_err(|verdict| match verdict {
            Verdict::Final(error) => error,
            Verdict::TooLate(error) => {
                self.out_of_time = true;
                error.with_hint("the total timeout leaves no time to try again")
            }
        })?;
        self.tell(&Event::Retry { purpose: self.purpose, kind: error.kind(), delay });
        self.failure = Some(error);
        self.wait_for(Waiting::Delay);
        tokio::time::sleep(delay).await;
        self.arrived();
        Ok(())
    }

    /// The status of the last attempt, if it was answered.
    #[cfg(feature = "tracing")]
    pub(crate) fn status(&self) -> Option<u16> {
        self.status
    }

    pub(crate) fn account(&self) -> Account {
        let waiting = self.waiting.map_or(Duration::ZERO, |(_, since)| since.elapsed());
        Account { attempts: self.history.attempts, elapsed: self.begun.elapsed(), waited: self.waited + waiting }
    }

    /// Says that the total timeout has passed, and while what.
    pub(crate) fn timed_out(&mut self, credentials: &Credentials) -> Error {
        let (kind, doing) = match self.waiting {
            Some((Waiting::Token, _)) => (ErrorKind::Wait, "a token"),
            Some((Waiting::Gate, _)) => (ErrorKind::Wait, "a turn at the gate"),
            Some((Waiting::Delay, _)) => (ErrorKind::Wait, "the next attempt"),
            None => (ErrorKind::Head, "a whole reply"),
        };
        let before = self.failure.take().map(|before| before.without_secrets(credentials));
        let message = format!("the total timeout passed while waiting for {doing}");
        Error::new(kind, message).timed_out(before)
    }
}
