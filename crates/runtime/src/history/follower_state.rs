//! The state of a follower, for health checks and metrics.

use std::ops::Range;

use crate::values::Timestamp;

/// The state of a [`Follow`](super::Follow), returned by [`Follow::state`](super::Follow::state).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FollowerState {
    /// All records before this time were returned or reported as gaps, except late ones.
    pub caught_up_to: Timestamp,
    /// The first interval whose record was not received yet; `None` before the first request.
    pub next_interval: Option<Range<Timestamp>>,
    /// The number of earlier intervals whose records are still missing.
    pub missing: usize,
    /// The time since which all requests have failed, by the clock of the service; `None` if the last request got a
    /// response.
    pub failing_since: Option<Timestamp>,
    /// Whether the follower is in operation: since it was created, a request has got a response, or no record was due
    /// yet.
    pub is_started: bool,
}

impl FollowerState {
    /// Returns whether the last request got a response. A follower that waits for its first response is not healthy.
    pub fn is_healthy(&self) -> bool {
        self.is_started && self.failing_since.is_none()
    }
}
