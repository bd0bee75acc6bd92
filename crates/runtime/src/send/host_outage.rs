//! An outage of the service that all followers of a client share.
//!
//! If the service fails for one follower, it probably fails for all of them. One follower at a time then finds out whether
//! the service responds again, after pauses that grow with the length of the outage. Any response ends the outage.

use std::sync::Mutex;
use std::time::Duration;

use crate::error::Error;
use crate::platform::{Instant, lock};

/// The pause after a failure is as long as the outage so far, but at most this long, or a thirtieth of the outage if that
/// is longer.
const SHORT_PAUSE: Duration = Duration::from_secs(8);
const DIVISOR: u32 = 30;

/// The limits of a pause.
const MIN_PAUSE: Duration = Duration::from_secs(1);
const MAX_PAUSE: Duration = Duration::from_secs(60);

/// The outage of the service, if there is one.
#[derive(Default)]
pub(crate) struct HostOutage(Mutex<Option<Outage>>);

struct Outage {
    since: Instant,
    /// No follower sends a request before this time.
    until: Instant,
    /// The last error.
    error: Error,
}

/// The outage as a follower sees it that has to wait, because its request would fail.
pub(crate) struct OthersOutage {
    /// The time until this follower may send a request, unless another follower sends one before.
    pub(crate) wait: Duration,
    /// The first failure of the outage.
    pub(crate) since: Instant,
    /// The last error, of the request of another follower.
    pub(crate) error: Error,
}

impl Outage {
    fn pause(&self, now: Instant) -> Duration {
        let elapsed = now.saturating_duration_since(self.since);
        let longest = SHORT_PAUSE.max(elapsed / DIVISOR).min(MAX_PAUSE);
        elapsed.clamp(MIN_PAUSE, longest)
    }
}

impl HostOutage {
    /// Returns the outage if a follower has to wait; `None` if it may send a request now. Other followers then wait for
    /// the outcome of that request, or for the next pause.
    pub(crate) fn admit(&self) -> Option<OthersOutage> {
        let now = Instant::now();
        let mut outage = lock(&self.0);
        let outage = outage.as_mut()?;
        if now < outage.until {
            let wait = outage.until - now;
            return Some(OthersOutage { wait, since: outage.since, error: outage.error.clone() });
        }
        outage.until = now + outage.pause(now);
        None
    }

    /// Notes that a request of a follower failed.
    pub(crate) fn failed(&self, error: &Error) {
        let now = Instant::now();
        let mut outage = lock(&self.0);
        let since = outage.as_ref().map_or(now, |outage| outage.since);
        let mut present = Outage { since, until: now, error: error.clone() };
        present.until = now + present.pause(now);
        *outage = Some(present);
    }

    /// Notes that the service responded.
    pub(crate) fn responded(&self) {
        *lock(&self.0) = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[tokio::test(start_paused = true)]
    async fn one_follower_at_a_time_finds_out_whether_the_service_responds() {
        let outage = HostOutage::default();
        let error = Error::retryable(ErrorKind::Connect, "refused");
        assert!(outage.admit().is_none());
        assert!(outage.admit().is_none(), "no outage yet");
        outage.failed(&error);
        let mut requests = 0;
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(1800) {
            if let Some(others) = outage.admit() {
                assert!(others.wait <= MAX_PAUSE && others.since == begun);
                tokio::time::sleep(others.wait).await;
            } else {
                assert!(outage.admit().is_some(), "another follower");
                outage.failed(&error);
                requests += 1;
            }
        }
        assert!((60..150).contains(&requests), "{requests}");
        outage.responded();
        assert!(outage.admit().is_none());
    }
}
