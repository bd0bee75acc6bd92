//! The context of one request: its timeouts, its current wait, and its attempts and time so far.
//!
//! The sending code reports each step to the context. An error that ends the request contains the timing from the
//! context. Only the context enforces the timeout, which does not include time in the rate-limit queue.
//!
//! A client has timeouts and retry rules for all its requests, and a request can set its own.

use std::time::Duration;

use super::observer::{Event, Outcome, WaitReason};
use super::observers::Observers;
use super::retry::{Attempts, Retries, Retry};
use crate::error::{Error, ErrorKind, Timing};
use crate::platform::{Instant, sleep};
use crate::rate_limit::{Attempt, Rank};
use crate::registry::BodyFormat;
use crate::request::RequestKind;

/// Tracks one request from its first step to its last. Dropping the context reports the end of a data request to the
/// observers.
pub(crate) struct RequestContext {
    pub(crate) policy: Policy,
    begun: Instant,
    /// The time at which the timeout expires, which is later by the time in the queue; `None` if an `Instant` cannot
    /// represent it.
    deadline: Option<Instant>,
    request: RequestKind,
    /// The number of requests that the service counts for an attempt.
    weight: u32,
    /// The observers, which also receive the events of a token request that this request starts.
    pub(crate) observers: Observers,
    /// The reason for the current wait, and its start; `None` while the request is in flight.
    waiting: Option<(WaitReason, Instant)>,
    time_waited: Duration,
    time_in_queue: Duration,
    attempts: Attempts,
    /// The duration of the last attempt.
    pub(crate) last_attempt: Duration,
    /// The error of the last attempt that was followed by a retry.
    failure: Option<Error>,
    /// True if a timeout expired.
    out_of_time: bool,
    /// The outcome of the request, and the size of the body of its response.
    outcome: Outcome,
    bytes: usize,
    /// The reason for a failure without a response.
    cause: Option<String>,
    /// The attempts and the time of the request when its response arrived; `None` before that.
    end: Option<Timing>,
}

impl RequestContext {
    /// Begins a request, whose attempts count as `weight` requests.
    pub(crate) fn new(request: RequestKind, weight: u32, policy: Policy, observers: Observers) -> Self {
        let begun = Instant::now();
        Self {
            deadline: begun.checked_add(policy.timeout),
            policy,
            begun,
            request,
            weight,
            observers,
            waiting: None,
            out_of_time: false,
            outcome: Outcome::Cancelled,
            bytes: 0,
            cause: None,
            end: None,
            time_waited: Duration::ZERO,
            time_in_queue: Duration::ZERO,
            attempts: Attempts::default(),
            failure: None,
            last_attempt: Duration::ZERO,
        }
    }

    /// The time left until the timeout expires.
    pub(crate) fn left(&self) -> Duration {
        self.deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// The time that the request may still spend in the queue; `None` if unlimited.
    pub(crate) fn queue_time_left(&self) -> Option<Duration> {
        self.policy.queue_timeout.map(|max| max.saturating_sub(self.time_in_queue))
    }

    /// The purpose of the request.
    pub(crate) fn request(&self) -> RequestKind {
        self.request
    }

    /// The format of the body that the request accepts.
    pub(crate) fn body_format(&self) -> BodyFormat {
        match self.request {
            RequestKind::Data(endpoint) => endpoint.format,
            RequestKind::Token => BodyFormat::Json,
        }
    }

    /// Begins a wait; [`RequestContext::end_wait`] ends it. Returns an error if no time is left.
    pub(crate) fn begin_wait(&mut self, reason: WaitReason) -> Result<(), Error> {
        let now = Instant::now();
        // The wait is stored before the check, so that the error for an expired timeout describes this wait.
        self.waiting = Some((reason, now));
        match self.deadline {
            Some(deadline) if deadline <= now => Err(self.timed_out("timeout")),
            _ => Ok(()),
        }
    }

    /// Ends a wait.
    pub(crate) fn end_wait(&mut self) {
        let Some((reason, since)) = self.waiting.take() else { return };
        let elapsed = since.elapsed();
        self.time_waited += elapsed;
        if reason == WaitReason::RateLimiter {
            // The time in the rate-limit queue does not count towards the timeout.
            self.time_in_queue = self.time_in_queue.saturating_add(elapsed);
            self.deadline = self.deadline.and_then(|deadline| deadline.checked_add(elapsed));
        }
        if !elapsed.is_zero() {
            self.observers.notify(&Event::Wait {
                request: self.request,
                params: self.observers.params(),
                reason,
                elapsed,
            });
        }
    }

    /// Describes the next attempt to the rate limiter.
    pub(crate) fn next_attempt(&self) -> Attempt {
        Attempt::with_rank(self.request, self.attempts.sent.saturating_add(1), self.policy.rank, self.weight)
    }

    /// Begins an attempt; [`RequestContext::end_attempt`] ends it.
    pub(crate) fn begin_attempt(&mut self) -> Instant {
        self.attempts.sent += 1;
        Instant::now()
    }

    /// Ends an attempt, and reports its outcome.
    pub(crate) fn end_attempt(
        &mut self,
        since: Instant,
        outcome: Result<u16, ErrorKind>,
        bytes: usize,
        pause: Option<Duration>,
    ) {
        self.last_attempt = since.elapsed();
        let params = self.observers.params();
        let number = self.attempts.sent;
        let elapsed = self.last_attempt;
        let request = self.request;
        self.observers.notify(&Event::Attempt { request, params, number, outcome, bytes, elapsed, pause });
    }

    /// Waits until the next attempt is due; returns the error if no attempt follows.
    pub(crate) async fn retry(&mut self, retries: &Retries, error: Error) -> Result<(), Error> {
        if self.out_of_time {
            return Err(error);
        }
        // The failure is counted before the decision, which compares the counts with their maximums.
        self.attempts.failed(&error);
        let (delay, error) = retries.decide(&self.policy.retry, error, self.attempts, self.left())?;
        let params = self.observers.params();
        let (kind, cause) = (error.kind(), self.cause(&error));
        self.observers.notify(&Event::Retry { request: self.request, params, kind, cause, delay });
        self.failure = Some(error);
        self.begin_wait(WaitReason::Delay)?;
        sleep(delay).await;
        self.end_wait();
        Ok(())
    }

    /// The attempts and the time up to the response, or up to now if there is no response yet.
    pub(crate) fn timing(&self) -> Timing {
        let waiting = self.waiting.map_or(Duration::ZERO, |(_, since)| since.elapsed());
        let so_far =
            Timing { attempts: self.attempts.sent, elapsed: self.begun.elapsed(), waited: self.time_waited + waiting };
        self.end.unwrap_or(so_far)
    }

    /// Ends the request with a response, whose body may still fail to decode.
    pub(crate) fn succeeded(&mut self, status: u16, bytes: usize) {
        (self.outcome, self.bytes, self.end) = (Outcome::Success { status }, bytes, Some(self.timing()));
    }

    /// Ends the request with a failure, in whose text secrets are masked.
    pub(crate) fn failed(mut self, error: &Error) {
        self.cause = self.cause(error);
        self.outcome = Outcome::Failure { kind: error.kind(), status: error.status() };
    }

    fn next_attempt_text(&self) -> &'static str {
        if self.attempts.sent == 0 { "before the first attempt" } else { "before the next attempt" }
    }

    /// The message of an error without a response, for events. The error of a token request can have a secret.
    fn cause(&self, error: &Error) -> Option<String> {
        let has_none = error.status().is_none() && matches!(self.request, RequestKind::Data(_));
        has_none.then(|| error.message().to_owned())
    }

    /// Creates the error for a timeout of the request; `which` is the name of its setting.
    pub(crate) fn timed_out(&mut self, which: &str) -> Error {
        self.out_of_time = true;
        let (kind, doing) = match self.waiting {
            Some((WaitReason::Token, _)) => (ErrorKind::Queue, "while waiting for a token"),
            // The time in the queue does not count, so this timeout was over before.
            Some((WaitReason::RateLimiter, _)) if which == "timeout" => (ErrorKind::Queue, self.next_attempt_text()),
            Some((WaitReason::RateLimiter, _)) => (ErrorKind::Queue, "in the rate-limit queue"),
            Some((WaitReason::Delay, _)) => (ErrorKind::Queue, "while waiting for the next attempt"),
            None => (ErrorKind::Headers, "while waiting for the response"),
        };
        let error = Error::retryable(kind, format!("timed out {doing} (`{which}`)")).timed_out();
        self.failure.take().into_iter().fold(error, Error::with_source)
    }
}

impl Drop for RequestContext {
    fn drop(&mut self) {
        let Self { request, outcome, bytes, .. } = *self;
        let Timing { attempts, elapsed, waited } = self.timing();
        if matches!(request, RequestKind::Data(_)) {
            let params = self.observers.params();
            let cause = self.cause.take();
            self.observers.notify(&Event::End { request, params, outcome, cause, bytes, attempts, elapsed, waited });
        }
    }
}

/// The rules for one request.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The maximum time for one attempt, from its connection to the last byte of the body.
    pub attempt_timeout: Duration,
    /// The maximum time for all attempts, including the waits for a token and between attempts.
    pub timeout: Duration,
    /// The maximum time in the rate-limit queue, summed over all attempts; unlimited if not set.
    pub queue_timeout: Option<Duration>,
    pub retry: Retry,
    /// The rank of the first attempt in the rate-limit queue.
    pub rank: Rank,
}

impl Policy {
    /// Returns an error if no attempt could succeed.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.attempt_timeout.is_zero() {
            return Err(Error::build("`attempt_timeout` must be longer than zero"));
        }
        Ok(())
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            attempt_timeout: Duration::from_secs(30),
            timeout: Duration::from_secs(600),
            queue_timeout: None,
            retry: Retry::default(),
            rank: Rank::First,
        }
    }
}
