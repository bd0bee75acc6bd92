//! The context of one request: when it has to be over, what it waits for, what it has cost so far.
//!
//! The code that sends reports each step to it; an error that ends the request takes the timing with it. Only the
//! context enforces the timeout, which counts no time in the client's own line at the gate.

use std::time::Duration;

use super::ending::Ending;
use super::observer::{Event, Observers, Outcome, WaitReason};
use super::policy::Policy;
use super::retry::{Attempts, NoRetry, Retries};
use crate::error::{Error, ErrorKind, Timing};
use crate::platform::{Instant, sleep};
use crate::rate_limit::Attempt;
use crate::request::RequestKind;

/// What follows one request from its first step to its last.
pub(crate) struct RequestContext<'r> {
    policy: &'r Policy,
    begun: Instant,
    /// `None` if the clock does not reach as far. Time in line moves it.
    deadline: Option<Instant>,
    request: RequestKind,
    observers: Observers,
    /// The reason of the current wait and its start; `None` while the request is in flight.
    waiting: Option<(WaitReason, Instant)>,
    time_waited: Duration,
    time_in_queue: Duration,
    attempts: Attempts,
    /// What the last attempt was answered with.
    status: Option<u16>,
    /// Why there was another attempt.
    failure: Option<Error>,
    /// Whether there would be another attempt if there were time.
    out_of_time: bool,
    /// Whether the event of its end was sent, or an `Ending` will send it.
    is_reported: bool,
}

impl<'r> RequestContext<'r> {
    /// Begins a request.
    pub(crate) fn new(request: RequestKind, policy: &'r Policy, observers: Observers) -> Self {
        let begun = Instant::now();
        Self {
            policy,
            begun,
            deadline: begun.checked_add(policy.timeout),
            request,
            observers,
            waiting: None,
            out_of_time: false,
            is_reported: false,
            time_waited: Duration::ZERO,
            time_in_queue: Duration::ZERO,
            attempts: Attempts::default(),
            status: None,
            failure: None,
        }
    }

    /// Begins a request for a token, which has no event of its end.
    pub(crate) fn for_token(policy: &'r Policy, observers: Observers) -> Self {
        let mut own = Self::new(RequestKind::Token, policy, observers);
        own.is_reported = true;
        own
    }

    /// The rules for the request.
    pub(crate) fn policy(&self) -> &'r Policy {
        self.policy
    }

    /// The time that is left, not counting time queued at the gate.
    pub(crate) fn left(&self) -> Duration {
        self.deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// The time for the next attempt.
    pub(crate) fn attempt_time(&self) -> Duration {
        self.policy.attempt_timeout.min(self.left())
    }

    /// The time that it may still spend in the queue; `None` if unlimited.
    pub(crate) fn queue_time_left(&self) -> Option<Duration> {
        self.policy.queue_timeout.map(|most| most.saturating_sub(self.time_in_queue))
    }

    /// Adds time queued at the gate, which does not count against the timeout.
    fn add_queue_time(&mut self, time: Duration) {
        self.time_in_queue = self.time_in_queue.saturating_add(time);
        self.deadline = self.deadline.and_then(|deadline| deadline.checked_add(time));
    }

    /// Begins to wait; [`RequestContext::waited`] ends it. It is an error if no time is left.
    pub(crate) fn wait_for(&mut self, reason: WaitReason) -> Result<(), Error> {
        let now = Instant::now();
        self.waiting = Some((reason, now));
        match self.deadline {
            Some(deadline) if deadline <= now => Err(self.timed_out("timeout")),
            _ => Ok(()),
        }
    }

    /// Ends a wait.
    pub(crate) fn waited(&mut self) {
        let Some((reason, since)) = self.waiting.take() else { return };
        let elapsed = since.elapsed();
        self.time_waited += elapsed;
        if reason == WaitReason::RateLimiter {
            self.add_queue_time(elapsed);
        }
        if !elapsed.is_zero() {
            self.notify(&Event::Wait { request: self.request, reason, elapsed });
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

    /// Reports the outcome of an attempt.
    pub(crate) fn attempted(&mut self, since: Instant, outcome: Result<u16, ErrorKind>, bytes: usize) {
        self.status = outcome.ok();
        let (request, number, elapsed) = (self.request, self.attempts.sent, since.elapsed());
        self.notify(&Event::Attempt { request, number, outcome, bytes, elapsed });
    }

    pub(crate) fn notify(&self, event: &Event) {
        self.observers.notify(event);
    }

    /// The observers of the client, for the request for a token that this request needs.
    pub(crate) fn observers(&self) -> &Observers {
        &self.observers
    }

    /// Waits until the next attempt is due; returns the error if no attempt follows.
    ///
    /// `wanted` is what the user has decided, if anything.
    pub(crate) async fn retry(&mut self, retries: &Retries, error: Error, wanted: Option<bool>) -> Result<(), Error> {
        if self.out_of_time {
            return Err(error);
        }
        // Counted before the decision, which compares it with the maximum.
        self.attempts.failures += 1;
        self.attempts.doubtful += u32::from(error.is_worth_one_more());
        let decided = retries.decide(&self.policy.retry, error, wanted, self.attempts, self.left());
        let (delay, error) = decided.map_err(|reason| match reason {
            NoRetry::Final(error) => error,
            NoRetry::TooLate(error) => {
                self.out_of_time = true;
                error.with_hint("not retried, as `timeout` would expire first")
            }
        })?;
        self.notify(&Event::Retry { request: self.request, kind: error.kind(), delay });
        self.failure = Some(error);
        self.wait_for(WaitReason::Delay)?;
        sleep(delay).await;
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

    /// Ends the request with a response, without decoding its body.
    pub(crate) fn succeeded(mut self, status: u16, bytes: usize) -> Ending {
        self.ending(Outcome::Success { status }, bytes)
    }

    /// Reports the failure of the request.
    pub(crate) fn failed(mut self, error: &Error) {
        drop(self.ending(Outcome::of(error), 0));
    }

    fn ending(&mut self, outcome: Outcome, bytes: usize) -> Ending {
        self.is_reported = true;
        let observers = self.observers.clone();
        Ending { request: self.request, observers, timing: self.timing(), outcome, bytes }
    }

    /// The error for an elapsed timeout of the request; `which` is the name of its setting.
    pub(crate) fn timed_out(&mut self, which: &str) -> Error {
        self.out_of_time = true;
        let (kind, doing) = match self.waiting {
            Some((WaitReason::Token, _)) => (ErrorKind::Queue, "while waiting for a token"),
            Some((WaitReason::RateLimiter, _)) => (ErrorKind::Queue, "in the rate-limit queue"),
            Some((WaitReason::Delay, _)) => (ErrorKind::Queue, "while waiting for the next attempt"),
            None => (ErrorKind::Headers, "while waiting for the response"),
        };
        Error::new(kind, format!("timed out {doing} (`{which}`)")).timed_out(self.failure.take())
    }
}

impl Drop for RequestContext<'_> {
    fn drop(&mut self) {
        if !self.is_reported {
            drop(self.ending(Outcome::Cancelled, 0));
        }
    }
}
