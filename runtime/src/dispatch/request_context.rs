//! The context of one request: its timeouts, its current wait and its cost so far.
//!
//! The sending code reports each step to the context, and the error that ends the request contains its timing. Only the
//! context enforces the timeout, which does not include time in the rate-limit queue.

use std::time::Duration;

use super::observer::{Event, Observers, Outcome, WaitReason};
use super::policy::Policy;
use super::request_end::RequestEnd;
use super::retry::{Attempts, Retries};
use crate::error::{Error, ErrorKind, Timing};
use crate::platform::{Instant, sleep};
use crate::rate_limit::Attempt;
use crate::request::RequestKind;

/// Tracks one request from its first step to its last.
pub(crate) struct RequestContext<'r> {
    policy: &'r Policy,
    begun: Instant,
    /// The end of the timeout, extended by time in the queue; `None` if the clock cannot represent it.
    deadline: Option<Instant>,
    request: RequestKind,
    observers: Observers,
    /// The reason of the current wait and its start; `None` while the request is in flight.
    waiting: Option<(WaitReason, Instant)>,
    time_waited: Duration,
    time_in_queue: Duration,
    attempts: Attempts,
    /// The status of the last attempt's response.
    status: Option<u16>,
    /// The error for which the request was last retried.
    failure: Option<Error>,
    /// True if a timeout expired.
    out_of_time: bool,
    /// True if the event of the end was sent, or a `RequestEnd` will send it.
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

    /// Begins a request for a token, for which no end is reported.
    pub(crate) fn for_token(policy: &'r Policy, observers: Observers) -> Self {
        let mut own = Self::new(RequestKind::Token, policy, observers);
        own.is_reported = true;
        own
    }

    /// The rules for the request.
    pub(crate) fn policy(&self) -> &'r Policy {
        self.policy
    }

    /// The time left before the timeout.
    pub(crate) fn left(&self) -> Duration {
        self.deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// The time for the next attempt.
    pub(crate) fn attempt_time(&self) -> Duration {
        self.policy.attempt_timeout.min(self.left())
    }

    /// The time that the request may still spend in the queue; `None` if unlimited.
    pub(crate) fn queue_time_left(&self) -> Option<Duration> {
        self.policy.queue_timeout.map(|max| max.saturating_sub(self.time_in_queue))
    }

    /// Adds time in the rate-limit queue, which does not count towards the timeout.
    fn add_queue_time(&mut self, time: Duration) {
        self.time_in_queue = self.time_in_queue.saturating_add(time);
        self.deadline = self.deadline.and_then(|deadline| deadline.checked_add(time));
    }

    /// Begins a wait; [`RequestContext::waited`] ends it. Returns an error if no time is left.
    pub(crate) fn wait_for(&mut self, reason: WaitReason) -> Result<(), Error> {
        let now = Instant::now();
        // Set before the check, so that the error for an expired timeout describes this wait.
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

    /// The next attempt.
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

    /// The observers of the request; a request for the token that it needs uses them too.
    pub(crate) fn observers(&self) -> &Observers {
        &self.observers
    }

    /// Waits until the next attempt is due; returns the error if no attempt follows.
    ///
    /// `wanted` is the decision of the user's predicate, if one is set.
    pub(crate) async fn retry(&mut self, retries: &Retries, error: Error, wanted: Option<bool>) -> Result<(), Error> {
        if self.out_of_time {
            return Err(error);
        }
        // Counted before the decision, which compares it with the maximum.
        self.attempts.failures += 1;
        self.attempts.doubtful += u32::from(error.is_worth_one_more());
        let (delay, error) = retries.decide(&self.policy.retry, error, wanted, self.attempts, self.left())?;
        self.notify(&Event::Retry { request: self.request, kind: error.kind(), delay });
        self.failure = Some(error);
        self.wait_for(WaitReason::Delay)?;
        sleep(delay).await;
        self.waited();
        Ok(())
    }

    /// The status of the last attempt, if it got a response.
    #[cfg(feature = "tracing")]
    pub(crate) fn status(&self) -> Option<u16> {
        self.status
    }

    pub(crate) fn timing(&self) -> Timing {
        let waiting = self.waiting.map_or(Duration::ZERO, |(_, since)| since.elapsed());
        Timing { attempts: self.attempts.sent, elapsed: self.begun.elapsed(), waited: self.time_waited + waiting }
    }

    /// Ends the request with a response, without decoding its body.
    pub(crate) fn succeeded(mut self, status: u16, bytes: usize) -> RequestEnd {
        self.ending(Outcome::Success { status }, bytes)
    }

    /// Reports the failure of the request.
    pub(crate) fn failed(mut self, error: &Error) {
        drop(self.ending(Outcome::of(error), 0));
    }

    fn ending(&mut self, outcome: Outcome, bytes: usize) -> RequestEnd {
        self.is_reported = true;
        let observers = self.observers.clone();
        RequestEnd { request: self.request, observers, timing: self.timing(), outcome, bytes }
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
