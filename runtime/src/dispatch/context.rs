//! The context of one request: when it has to be over, what it waits for, what it has cost so far.
//!
//! Whoever sends tells it how far things have got; an error that ends the request takes the timing with it.
//! It is the one place that keeps the total timeout.

use std::time::Duration;

use tokio::time::Instant;

use super::observer::{Event, Observers, RequestKind, Waiting};
use super::retry::{Attempts, Retries, Verdict};
use crate::error::{Error, ErrorKind, Timing};
use crate::gate::Attempt;
use crate::secrets::Redact;

/// What follows one request from its first step to its last.
pub(crate) struct RequestContext {
    begun: Instant,
    /// `None` is as far away as a clock reaches.
    deadline: Option<Instant>,
    request: RequestKind,
    observers: Observers,
    /// What it is waiting for, and since when; `None` while it is under way.
    waiting: Option<(Waiting, Instant)>,
    time_waited: Duration,
    attempts: Attempts,
    /// What the last attempt was answered with.
    status: Option<u16>,
    /// Why there was another attempt.
    failure: Option<Error>,
    /// Whether there would be another attempt if there were time.
    out_of_time: bool,
}

impl RequestContext {
    /// Begins a request that may take so long.
    pub(crate) fn new(request: RequestKind, timeout: Duration, observers: Observers) -> Self {
        Self::until(Instant::now().checked_add(timeout), request, observers)
    }

    /// The context of a request for a token on behalf of this one, which has to be over no later.
    pub(crate) fn for_token(&self) -> Self {
        Self::until(self.deadline, RequestKind::Token, self.observers.clone())
    }

    fn until(deadline: Option<Instant>, request: RequestKind, observers: Observers) -> Self {
        Self {
            begun: Instant::now(),
            deadline,
            request,
            observers,
            waiting: None,
            out_of_time: false,
            time_waited: Duration::ZERO,
            attempts: Attempts::default(),
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

    /// Begins to wait; [`RequestContext::waited`] ends it.
    pub(crate) fn wait_for(&mut self, what: Waiting) {
        self.waiting = Some((what, Instant::now()));
    }

    /// Ends a wait.
    pub(crate) fn waited(&mut self) {
        let Some((what, since)) = self.waiting.take() else { return };
        let elapsed = since.elapsed();
        self.time_waited += elapsed;
        if !elapsed.is_zero() {
            self.tell(&Event::Wait { request: self.request, what, elapsed });
        }
    }

    /// The attempt that is next.
    pub(crate) fn next_attempt(&self) -> Attempt {
        Attempt::new(self.request, self.attempts.sent.saturating_add(1))
    }

    /// Begins an attempt; [`RequestContext::attempted`] ends it.
    pub(crate) fn attempt(&mut self) -> Instant {
        self.attempts.sent += 1;
        Instant::now()
    }

    /// Says how an attempt came out.
    pub(crate) fn attempted(&mut self, since: Instant, outcome: Result<u16, ErrorKind>, bytes: usize) {
        self.status = outcome.ok();
        let (request, number, elapsed) = (self.request, self.attempts.sent, since.elapsed());
        self.tell(&Event::Attempt { request, number, outcome, bytes, elapsed });
    }

    pub(crate) fn tell(&self, event: &Event) {
        self.observers.tell(event);
    }

    /// Waits until it is time for another attempt; the error comes back if there is to be none.
    pub(crate) async fn retry(&mut self, retries: &Retries, error: Error) -> Result<(), Error> {
        self.attempts.failures += 1;
        self.attempts.answers_500 += u32::from(error.status() == Some(500));
        let (delay, error) = retries.judge(error, self.attempts, self.left()).map_err(|verdict| match verdict {
            Verdict::Final(error) => error,
            Verdict::TooLate(error) => {
                self.out_of_time = true;
                error.with_hint("the total timeout leaves no time to try again")
            }
        })?;
        self.tell(&Event::Retry { request: self.request, kind: error.kind(), delay });
        self.failure = Some(error);
        self.wait_for(Waiting::Delay);
        tokio::time::sleep(delay).await;
        self.waited();
        Ok(())
    }

    /// The status of the last attempt, if it was answered.
    #[cfg(feature = "tracing")]
    pub(crate) fn status(&self) -> Option<u16> {
        self.status
    }

    pub(crate) fn timing(&self) -> Timing {
        let waiting = self.waiting.map_or(Duration::ZERO, |(_, since)| since.elapsed());
        Timing { attempts: self.attempts.sent, elapsed: self.begun.elapsed(), waited: self.time_waited + waiting }
    }

    /// Says that the total timeout has passed, and while what.
    pub(crate) fn timed_out(&mut self, secrets: &dyn Redact) -> Error {
        let (kind, doing) = match self.waiting {
            Some((Waiting::Token, _)) => (ErrorKind::Wait, "a token"),
            Some((Waiting::Gate, _)) => (ErrorKind::Wait, "a turn at the gate"),
            Some((Waiting::Delay, _)) => (ErrorKind::Wait, "the next attempt"),
            None => (ErrorKind::Head, "a whole reply"),
        };
        let before = self.failure.take().map(|before| before.without_secrets(secrets));
        let message = format!("the total timeout passed while waiting for {doing}");
        Error::new(kind, message).timed_out(before)
    }
}
