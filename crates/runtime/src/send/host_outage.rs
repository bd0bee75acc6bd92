//! An outage of a host that all followers of a client share.
//!
//! If the host fails for one follower, it probably fails for all whose endpoints are on it. One follower at a time then
//! finds out whether the host responds again, after pauses that grow with the length of the outage. Any response ends the
//! outage.

use std::sync::Mutex;
use std::time::Duration;

use crate::error::Error;
use crate::platform::{Instant, lock};
use crate::registry::{EndpointInfo, ServiceInfo};

/// The pause after a failure is as long as the outage so far, but at most this long, or a thirtieth of the outage if that
/// is longer.
const SHORT_PAUSE: Duration = Duration::from_secs(8);
const DIVISOR: u32 = 30;

/// The limits of a pause.
const MIN_PAUSE: Duration = Duration::from_secs(1);
const MAX_PAUSE: Duration = Duration::from_secs(60);

/// The outages of the hosts of a service.
pub(crate) struct HostOutages {
    service: &'static ServiceInfo,
    /// The outage of the host of the base URL.
    own: HostOutage,
    /// The outages of the hosts of groups, in the order of the base URLs of the service.
    of_groups: Vec<HostOutage>,
}

impl HostOutages {
    pub(crate) fn new(service: &'static ServiceInfo) -> Self {
        let of_groups = service.base_urls.iter().map(|_| HostOutage::default()).collect();
        Self { service, own: HostOutage::default(), of_groups }
    }

    /// The outage of the host of an endpoint.
    pub(crate) fn of(&self, endpoint: &EndpointInfo) -> &HostOutage {
        let index = self.service.base_urls.iter().position(|info| info.has(endpoint));
        index.and_then(|index| self.of_groups.get(index)).unwrap_or(&self.own)
    }
}

/// The outage of a host, if there is one.
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

    /// Notes that a request of a follower failed. If the service has requested a long pause of the client, all followers
    /// wait until its end.
    pub(crate) fn failed(&self, error: &Error) {
        let now = Instant::now();
        let mut outage = lock(&self.0);
        let since = outage.as_ref().map_or(now, |outage| outage.since);
        let mut present = Outage { since, until: now, error: error.clone() };
        let mut pause = present.pause(now);
        if let Some(requested) = error.long_pause().filter(|_| error.is_long_pause_of_client()) {
            pause = pause.max(requested);
        }
        present.until = now + pause;
        *outage = Some(present);
    }

    /// Notes that the host responded.
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
