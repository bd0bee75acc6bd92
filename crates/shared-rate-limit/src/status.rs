//! The status of a shared rate limit, for users and for programs that monitor a rate limiter.
//!
//! The status describes the shared state at one time; no code uses it for a decision.

use std::collections::BTreeMap;
use std::time::Duration;

/// The current load of a shared rate limit, returned by [`SharedRateLimiter::status`](crate::SharedRateLimiter::status).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// The machines with requests in flight or waiting, by their generated names.
    pub machines: BTreeMap<String, Machine>,
    /// Number of requests in flight, of all machines together.
    pub in_flight: usize,
    /// Maximum number of requests in flight; `None` if the limit sets no maximum.
    pub slots: Option<usize>,
    /// Remaining time of the pause that the service requested; zero if there is none.
    pub resumes_in: Duration,
    /// Time until the rate limit and a requested pause allow the next request. The wait for a free slot is not included.
    pub opens_in: Duration,
}

/// The current load of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Machine {
    /// Number of the machine's requests in flight.
    pub in_flight: usize,
    /// `true` if requests of the machine wait.
    pub waiting: bool,
}
