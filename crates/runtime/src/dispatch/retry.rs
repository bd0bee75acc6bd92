//! Retry rules: which failures are retried, and when.
//!
//! For an error and the attempts so far, the rules return either the delay before the next attempt, or the error if no
//! attempt follows. This module neither waits nor sends. A client and its clones share one retry budget, so that a
//! service that is down gets few extra requests.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::error::{CanRetry, Error, ErrorKind, is_transient};
use crate::platform::{Instant, random};
#[cfg(feature = "settings")]
use crate::values::Value;

/// The rules for retrying a request.
///
/// A request is retried after a failure to connect, to send or to receive, after a timeout, and after a transient
/// status: 408, 425, 429, 502, 503 and 504, and the statuses of proxies in front of a service, 520 to 524, 529 and 530.
/// After 500 it is retried once. A status that the catalogue lists as `rate_limited`, in the response or in its body,
/// counts as 429, and so do 418 and 403 with `Retry-After`. Other statuses are final, and so is a success with a complete
/// body, even if the body does not decode. If neither a length nor chunks mark the end of a body, JSON that ends early is
/// retried, but truncated text or CSV cannot be detected. A delay is random between zero and an upper limit that doubles
/// with each attempt, or as long as `Retry-After` if that is longer. The first three waits that the service asks for with
/// `Retry-After` after a rate limit, 403 or 503 are not counted as attempts.
///
/// ```
/// # use generated_client_runtime::Retry;
/// # extern crate generated_client_runtime as runtime;
/// # use test_service::invented::Client;
/// use std::time::Duration;
///
/// let retry = Retry::default().max_attempts(6).max_retries_on_500(0).max_retry_after(Duration::from_secs(120));
/// let builder = Client::builder("https://example.com/v2").retry(retry);
/// ```
#[must_use = "rules have no effect until a builder or a request gets them"]
#[derive(Clone, Debug)]
#[cfg_attr(feature = "settings", derive(serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct Retry {
    max_attempts: u32,
    #[cfg_attr(feature = "settings", serde(deserialize_with = "duration"))]
    initial_backoff: Duration,
    #[cfg_attr(feature = "settings", serde(deserialize_with = "duration"))]
    max_backoff: Duration,
    max_retries_on_500: u32,
    budget: u32,
    #[cfg_attr(feature = "settings", serde(deserialize_with = "duration"))]
    max_retry_after: Duration,
}

/// Deserializes a duration such as `"1m 30s"` or a number of seconds.
#[cfg(feature = "settings")]
pub(crate) fn duration<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let value: Value = serde::Deserialize::deserialize(deserializer)?;
    let duration = match &value {
        Value::String(text) => humantime::parse_duration(text).ok(),
        _ => value.as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
    };
    // The error does not repeat the value, which may be a secret.
    let expected = "expected a duration such as \"1m 30s\" or a number of seconds";
    duration.ok_or_else(|| serde::de::Error::custom(expected))
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            max_attempts: 4,
            initial_backoff: Duration::from_millis(500),
            max_backoff: Duration::from_secs(20),
            max_retries_on_500: 1,
            budget: 20,
            max_retry_after: Duration::from_secs(60),
        }
    }
}

impl Retry {
    /// Creates rules without retries: every request is sent once, except that a request whose token is rejected is
    /// repeated once with a new token.
    pub fn none() -> Self {
        Self::default().max_attempts(1)
    }

    /// Sets the maximum number of attempts, including the first; the default is 4. Zero counts as one.
    pub fn max_attempts(self, attempts: u32) -> Self {
        Self { max_attempts: attempts, ..self }
    }

    /// Sets the upper limits of the first delay and of all delays; the defaults are half a second and 20 seconds.
    pub fn backoff(self, initial_backoff: Duration, max_backoff: Duration) -> Self {
        Self { initial_backoff, max_backoff, ..self }
    }

    /// Sets the maximum number of retries after the status 500; the default is one.
    pub fn max_retries_on_500(self, times: u32) -> Self {
        Self { max_retries_on_500: times, ..self }
    }

    /// Sets the retry budget, which all requests of a client and its clones share: this number of retries, plus one
    /// retry for every ten successes and for every 30 seconds, up to this number. The default is 20. The rules for a
    /// single request cannot change the budget.
    ///
    /// Some retries do not use the budget: retries after a rate limit, because the rate limiter slows them down;
    /// the first three waits for which the service asks with `Retry-After`;
    /// retries after a failure of the rate limiter, because nothing was sent; and the first retry after a pooled
    /// connection failed, because the server may have closed the connection while it was idle.
    pub fn budget(self, retries: u32) -> Self {
        Self { budget: retries, ..self }
    }

    /// Sets the maximum `Retry-After` that is honored; the default is a minute.
    ///
    /// A request fails immediately if its response has a longer `Retry-After`: see [`Error::is_long_pause`]. A history then
    /// ends, and a follower sends its next request after that time.
    pub fn max_retry_after(self, pause: Duration) -> Self {
        Self { max_retry_after: pause, ..self }
    }

    /// The pause after a rate limit: its `Retry-After`, or one second if it has none, but at most `max_retry_after`.
    pub(crate) fn pause(&self, asked: Option<Duration>) -> Duration {
        asked.unwrap_or(Duration::from_secs(1)).min(self.max_retry_after)
    }

    /// A random delay after this many failures.
    fn delay(&self, failures: u32) -> Duration {
        let doubled = 1_u32.checked_shl(failures.saturating_sub(1)).unwrap_or(u32::MAX);
        self.initial_backoff.saturating_mul(doubled).min(self.max_backoff).mul_f64(random())
    }
}

/// The retry budget. Time refills it, so it is stored as the time at which it will be full again.
pub(crate) struct Retries {
    created: Instant,
    /// The time in which an empty budget is refilled, in milliseconds.
    full: u64,
    /// In milliseconds since `created`.
    full_at: AtomicU64,
}

/// The time that refills one retry, and the time that a success saves, in milliseconds.
const COST: u64 = 30_000;
const EARNED: u64 = COST / 10;

/// Whether the default rules retry a request after this status.
pub(crate) fn can_retry_status(status: u16) -> CanRetry {
    if is_transient(status) { CanRetry::Yes } else { CanRetry::No }
}

/// The attempts of a request so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Attempts {
    /// The number of attempts that were sent.
    pub(crate) sent: u32,
    /// The number of failures, including those before sending.
    pub(crate) failures: u32,
    /// The number of waits for which the service asked, and which are not counted as attempts.
    pub(crate) uncounted: u32,
    /// True if the last failure is one of these.
    pub(crate) is_uncounted: bool,
    /// The number of failures with the status 500, which are retried only a limited number of times, by default once.
    pub(crate) failures_with_500: u32,
}

/// The maximum number of waits of a request that are not counted as attempts.
const MAX_UNCOUNTED: u32 = 3;

impl Attempts {
    /// Counts a failure.
    pub(crate) fn failed(&mut self, error: &Error) {
        self.failures += 1;
        self.failures_with_500 += u32::from(error.status() == Some(500));
        let is_asked = error.is_rate_limited() || matches!(error.status(), Some(403 | 503));
        self.is_uncounted = is_asked && error.retry_after().is_some() && self.uncounted < MAX_UNCOUNTED;
        self.uncounted += u32::from(self.is_uncounted);
    }

    /// The number of attempts that count.
    fn counted(self) -> u32 {
        self.sent.max(self.failures).saturating_sub(self.uncounted)
    }
}

impl Retries {
    /// Creates the full budget of these rules.
    pub(crate) fn new(rules: &Retry) -> Self {
        let full = u64::from(rules.budget) * COST;
        Self { created: Instant::now(), full, full_at: AtomicU64::new(0) }
    }

    /// Adds the tenth of a retry that a success earns.
    pub(crate) fn succeeded(&self) {
        // The budget is usually full, and then nothing is written.
        let now = self.now();
        let _ = self.full_at.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |full_at| {
            if full_at > now { Some(full_at.saturating_sub(EARNED)) } else { None }
        });
    }

    /// Takes one retry from the budget; returns whether one was left.
    fn pay(&self) -> bool {
        let now = self.now();
        let paid = self.full_at.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |full_at| {
            let full_at = full_at.max(now) + COST;
            if full_at - now <= self.full { Some(full_at) } else { None }
        });
        paid.is_ok()
    }

    fn now(&self) -> u64 {
        u64::try_from(self.created.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Returns the delay before the next attempt with the error, or the error alone if no attempt follows, for example
    /// because the delay would exceed the time left.
    pub(crate) fn decide(
        &self,
        rules: &Retry,
        error: Error,
        attempts: Attempts,
        left: Duration,
    ) -> Result<(Duration, Error), Error> {
        let has_too_many_500 = error.status() == Some(500) && attempts.failures_with_500 > rules.max_retries_on_500;
        let is_worth_it = error.is_retryable() && !has_too_many_500;
        let asked = error.retry_after().unwrap_or_default();
        let is_long = error.is_retryable() && asked > rules.max_retry_after;
        // Also after the last attempt, because callers send no further request before the end of such a pause.
        let error = if is_long { error.of_long_pause() } else { error };
        // With a single attempt, no wait is uncounted.
        let is_last = attempts.counted() >= rules.max_attempts || rules.max_attempts <= 1;
        if !is_worth_it || is_last {
            return Err(error);
        }
        if is_long {
            let max = rules.max_retry_after;
            return Err(error.with_hint(format!("that is longer than the `max_retry_after` of {max:?}")));
        }
        let delay = asked.max(rules.delay(attempts.counted()));
        if delay >= left {
            return Err(error.with_hint("not retried, because `timeout` would expire first"));
        }
        let is_free = error.is_rate_limited()
            || attempts.is_uncounted
            || error.kind() == ErrorKind::Queue
            || error.is_stale() && attempts.failures == 1;
        // The budget is charged last, so that a request that is not retried costs nothing.
        if !is_free && !self.pay() {
            return Err(error.with_hint("retry budget exhausted (too many recent failures)"));
        }
        Ok((delay, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headers::Headers;

    fn status(status: u16) -> Error {
        Error::new(ErrorKind::Status, "it failed")
            .with_response(status, Headers::new())
            .can_retry(can_retry_status(status))
    }

    fn check(rules: &Retry, retries: &Retries, error: Error, attempts: u32) -> Result<Duration, String> {
        let attempts =
            Attempts { sent: attempts, failures: attempts, failures_with_500: attempts, ..Attempts::default() };
        let verdict = retries.decide(rules, error, attempts, Duration::MAX);
        verdict.map(|(delay, _)| delay).map_err(|verdict| verdict.to_string())
    }

    /// Decides with a full budget.
    fn check_once(rules: &Retry, error: Error, attempts: u32) -> Result<Duration, String> {
        check(rules, &Retries::new(rules), error, attempts)
    }

    #[test]
    fn pause_is_retry_after_up_to_the_maximum() {
        let rules = Retry::none().max_retry_after(Duration::from_secs(5));
        for (asked, expected) in [(None, 1), (Some(3), 3), (Some(9), 5)] {
            assert_eq!(rules.pause(asked.map(Duration::from_secs)), Duration::from_secs(expected));
        }
        assert_eq!(check_once(&rules, status(503), 1), Err("it failed".to_owned()), "no other rule changed");
    }

    #[test]
    fn transient_statuses_are_retried() {
        let rules = Retry::default();
        let passing = [408, 425, 429, 502, 503, 504, 520, 521, 522, 523, 524, 529, 530];
        for (code, attempts) in passing.map(|code| (code, 3)).into_iter().chain([(500, 1)]) {
            assert!(check_once(&rules, status(code), attempts).is_ok(), "{code}");
            assert!(check_once(&rules, status(code), attempts + 1).is_err(), "{code}");
        }
        for code in [301, 302, 400, 401, 403, 404, 405, 410, 415, 422, 451, 501, 505, 519, 525, 526, 528, 531] {
            assert!(check_once(&rules, status(code), 1).is_err(), "{code}");
        }
        assert!(check_once(&Retry::default().max_retries_on_500(0), status(500), 1).is_err());
        assert!(check_once(&Retry::none(), status(503), 1).is_err());
    }

    #[test]
    fn delays_are_random_and_bounded() {
        let rules = Retry::default().backoff(Duration::from_secs(1), Duration::from_secs(5));
        for (attempts, bound) in [(1, 1), (2, 2), (3, 4), (4, 5), (40, 5), (u32::MAX, 5)] {
            let delays: Vec<_> = (0..200).map(|_| rules.delay(attempts)).collect();
            let bound = Duration::from_secs(bound);
            assert!(delays.iter().all(|delay| *delay <= bound), "{attempts}");
            assert!(delays.iter().any(|delay| *delay > bound / 2), "{attempts}");
            assert!(delays.iter().any(|delay| *delay < bound / 2), "{attempts}");
        }
    }

    #[test]
    fn retry_after_is_obeyed_or_ends_the_request() {
        let rules = Retry::default();
        let retries = Retries::new(&rules);
        let asked = |seconds| status(429).with_retry_after(Some(Duration::from_secs(seconds)));
        assert_eq!(check(&rules, &retries, asked(60), 1), Ok(Duration::from_secs(60)));
        let refused = check(&rules, &retries, asked(86_400), 1).unwrap_err();
        assert!(refused.contains("retry after 86400s"), "{refused}");
        assert!(refused.contains("that is longer than the `max_retry_after` of 60s"), "{refused}");
    }

    #[test]
    fn a_dead_service_sees_few_retries() {
        let rules = Retry::default();
        let retries = Retries::new(&rules);
        let again = (0..1000).filter(|_| check(&rules, &retries, status(503), 1).is_ok()).count();
        assert_eq!(again, 20);
        for _ in 0..25 {
            retries.succeeded();
        }
        let again = (0..1000).filter(|_| check(&rules, &retries, status(503), 1).is_ok()).count();
        assert_eq!(again, 2);
        assert!((0..1000).all(|_| check(&rules, &retries, status(429), 1).is_ok()));
        for _ in 0..1000 {
            retries.succeeded();
        }
        assert_eq!((0..1000).filter(|_| check(&rules, &retries, status(503), 1).is_ok()).count(), 20);
    }

    #[test]
    fn three_waits_for_which_the_service_asks_are_not_counted() {
        let asked = |code| status(code).with_retry_after(Some(Duration::from_secs(2)));
        let rules = Retry::default().budget(0).max_attempts(2);
        let retries = Retries::new(&rules);
        let mut attempts = Attempts::default();
        for number in 1..=4 {
            attempts.sent = number;
            attempts.failed(&asked(503));
            let outcome = retries.decide(&rules, asked(503), attempts, Duration::MAX);
            assert_eq!(
                outcome.map(|(delay, _)| delay).ok(),
                (number <= 3).then_some(Duration::from_secs(2)),
                "{number}"
            );
        }
        let single = Retry::none();
        let mut attempts = Attempts { sent: 1, ..Attempts::default() };
        attempts.failed(&asked(503));
        assert!(Retries::new(&single).decide(&single, asked(503), attempts, Duration::MAX).is_err());
    }

    #[test]
    fn connection_errors_use_no_retry_budget() {
        let rules = Retry::default().budget(0);
        let waited = Error::new(ErrorKind::Queue, "the rate limiter failed").can_retry(CanRetry::Yes);
        assert!(check_once(&rules, waited, 3).is_ok());
        let stale = || Error::retryable(ErrorKind::Headers, "closed").on_stale_connection();
        assert!(check_once(&rules, stale(), 1).is_ok());
        assert!(check_once(&rules, stale(), 2).is_err());
        assert!(check_once(&rules, status(503), 1).is_err());
    }
}
