//! Which failures are worth another attempt, and when.
//!
//! An error and what came before it go in, a length of time or the verdict that it is final comes out.
//! Nothing here waits or sends. One budget serves a client and its clones, so that a service which is
//! down sees little more than the requests it would have seen anyway.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::error::{Error, ErrorKind};

/// When a request is sent again.
///
/// Tried again are failures to connect, to send and to receive, time that ran out, and the statuses 429,
/// 502, 503 and 504; 500 is tried again once. Other statuses are final, and so is a body that arrived
/// whole and cannot be read. A delay is random between nothing and a bound that doubles from one attempt
/// to the next; where the service asks for more, it gets it.
///
/// ```
/// # use runtime::Retry;
/// # mod invented { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/invented/service.rs")); }
/// # use invented::Client;
/// use std::time::Duration;
///
/// let retry = Retry::default().attempts(6).on_500(0).longest_pause(Duration::from_secs(120));
/// let builder = Client::builder("https://example.com/v2").retry(retry);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retry {
    attempts: u32,
    first: Duration,
    longest: Duration,
    on_500: u32,
    budget: u32,
    longest_pause: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            attempts: 4,
            first: Duration::from_millis(500),
            longest: Duration::from_secs(20),
            on_500: 1,
            budget: 20,
            longest_pause: Duration::from_secs(60),
        }
    }
}

impl Retry {
    /// Every request is sent once. A token that was refused is still replaced, once.
    pub fn none() -> Self {
        Self::default().attempts(1)
    }

    /// How often a request is sent at most, the first time included; 4 unless set. Zero counts as one.
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts.max(1);
        self
    }

    /// The bound of the first delay, and the one that no later bound exceeds; half a second and 20 seconds
    /// unless set.
    pub fn backoff(mut self, first: Duration, longest: Duration) -> Self {
        (self.first, self.longest) = (first, longest);
        self
    }

    /// How often a request is sent again after the status 500; once unless set.
    pub fn on_500(mut self, times: u32) -> Self {
        self.on_500 = times;
        self
    }

    /// How many more retries than one in ten successes there may be, over all requests of a client and its
    /// clones; 20 unless set.
    ///
    /// Retries after the status 429 do not count, for the gate slows those down, nor do those for a gate that
    /// could not tell: nothing was sent.
    pub fn budget(mut self, retries: u32) -> Self {
        self.budget = retries;
        self
    }

    /// The longest pause that the service is granted when it asks for one with `Retry-After`; a minute
    /// unless set.
    ///
    /// A request that it asks to wait longer fails at once.
    pub fn longest_pause(mut self, pause: Duration) -> Self {
        self.longest_pause = pause;
        self
    }

    /// The pause after too many requests: what the service asks for, or a second, but not too long.
    pub(crate) fn pause(&self, asked: Option<Duration>) -> Duration {
        asked.unwrap_or(Duration::from_secs(1)).min(self.longest_pause)
    }

    /// A random delay after so many failures.
    fn delay(&self, failures: u32) -> Duration {
        let doubled = 1_u32.checked_shl(failures.saturating_sub(1)).unwrap_or(u32::MAX);
        self.first.saturating_mul(doubled).min(self.longest).mul_f64(random())
    }
}

/// A number from zero up to one. What keeps hash maps apart is random enough to keep retries apart.
fn random() -> f64 {
    let bits = RandomState::new().build_hasher().finish() >> 32;
    f64::from(u32::try_from(bits).unwrap_or_default()) / (f64::from(u32::MAX) + 1.0)
}

/// The rules, and what is left of the budget.
pub(crate) struct Retries {
    rules: Retry,
    /// In tenths of a retry.
    left: AtomicU32,
}

/// A retry costs so much, and a success brings one back.
const COST: u32 = 10;

/// Why there is no other attempt.
pub(crate) enum Verdict {
    /// It would be of no use, or not allowed.
    Final(Error),
    /// It would be too late.
    TooLate(Error),
}

#[cfg(test)]
impl Verdict {
    pub(crate) fn error(self) -> Error {
        match self {
            Self::Final(error) | Self::TooLate(error) => error,
        }
    }
}

/// Whether a status tells of a state that passes; 500, which may or may not, has a rule of its own.
pub(crate) fn is_passing(status: u16) -> bool {
    matches!(status, 429 | 502 | 503 | 504)
}

/// What a request has been through.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Attempts {
    /// How often it was sent.
    pub(crate) sent: u32,
    /// How often it failed, sent or not.
    pub(crate) failures: u32,
    /// How often the answer was 500.
    pub(crate) answers_500: u32,
}

impl Retries {
    pub(crate) fn new(rules: Retry) -> Self {
        let left = AtomicU32::new(rules.budget.saturating_mul(COST));
        Self { rules, left }
    }

    pub(crate) fn rules(&self) -> &Retry {
        &self.rules
    }

    /// Takes note of a success.
    pub(crate) fn succeeded(&self) {
        let full = self.rules.budget.saturating_mul(COST);
        // With a full budget, which is the rule, nothing is written.
        if self.left.load(Ordering::Relaxed) < full {
            self.update(|left| Some((left + 1).min(full)));
        }
    }

    /// How long to wait before the next attempt if so much time is left, or why there is to be none.
    pub(crate) fn judge(&self, error: Error, attempts: Attempts, left: Duration) -> Result<(Duration, Error), Verdict> {
        let worth_it = match error.status() {
            Some(500) => attempts.answers_500 <= self.rules.on_500,
            _ => error.is_retryable(),
        };
        if !worth_it || attempts.sent.max(attempts.failures) >= self.rules.attempts {
            return Err(Verdict::Final(error));
        }
        let asked = error.retry_after().unwrap_or_default();
        if asked > self.rules.longest_pause {
            let longest = self.rules.longest_pause;
            let error = error.with_hint(format!("that is longer than the `longest_pause` of {longest:?}"));
            return Err(Verdict::Final(error));
        }
        let delay = asked.max(self.rules.delay(attempts.failures));
        if delay >= left {
            return Err(Verdict::TooLate(error));
        }
        if !error.is_rate_limited() && error.kind() != ErrorKind::Wait && !self.pay() {
            return Err(Verdict::Final(error.with_hint("too many requests fail at the moment to try again")));
        }
        Ok((delay, error))
    }

    /// Takes one retry from the budget, if there is one.
    fn pay(&self) -> bool {
        self.update(|left| left.checked_sub(COST))
    }

    fn update(&self, change: impl Fn(u32) -> Option<u32>) -> bool {
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, change).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(status: u16) -> Error {
        Error::new(ErrorKind::Status, "it failed").with_status(status, None).retryable(is_passing(status))
    }

    fn check(retries: &Retries, error: Error, attempts: u32) -> Result<Duration, String> {
        let attempts = Attempts { sent: attempts, failures: attempts, answers_500: attempts };
        let verdict = retries.judge(error, attempts, Duration::MAX);
        verdict.map(|(delay, _)| delay).map_err(|verdict| verdict.error().to_string())
    }

    #[test]
    fn statuses() {
        let retries = Retries::new(Retry::default());
        for (code, attempts) in [(429, 3), (502, 3), (503, 3), (504, 3), (500, 1)] {
            assert!(check(&retries, status(code), attempts).is_ok(), "{code}");
            assert!(check(&retries, status(code), attempts + 1).is_err(), "{code}");
        }
        for code in [301, 302, 400, 401, 403, 404, 405, 408, 410, 415, 422, 451, 501, 505] {
            assert!(check(&retries, status(code), 1).is_err(), "{code}");
        }
        assert!(check(&Retries::new(Retry::default().on_500(0)), status(500), 1).is_err());
        assert!(check(&Retries::new(Retry::none()), status(503), 1).is_err());
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
    fn what_the_service_asks_for_is_kept_or_refused() {
        let retries = Retries::new(Retry::default());
        let asked = |seconds| status(429).with_retry_after(Some(Duration::from_secs(seconds)));
        assert_eq!(check(&retries, asked(60), 1), Ok(Duration::from_secs(60)));
        let refused = check(&retries, asked(86_400), 1).unwrap_err();
        assert!(refused.contains("retry after 86400s"), "{refused}");
        assert!(refused.contains("that is longer than the `longest_pause` of 60s"), "{refused}");
    }

    #[test]
    fn a_dead_service_sees_few_retries() {
        let retries = Retries::new(Retry::default());
        let again = (0..1000).filter(|_| check(&retries, status(503), 1).is_ok()).count();
        assert_eq!(again, 20);
        for _ in 0..25 {
            retries.succeeded();
        }
        let again = (0..1000).filter(|_| check(&retries, status(503), 1).is_ok()).count();
        assert_eq!(again, 2);
        assert!((0..1000).all(|_| check(&retries, status(429), 1).is_ok()));
        for _ in 0..1000 {
            retries.succeeded();
        }
        assert_eq!((0..1000).filter(|_| check(&retries, status(503), 1).is_ok()).count(), 20);
    }
}
