//! The status of a shared rate limit, for users and for programs that monitor a rate limiter.
//!
//! The status describes the shared state at one time; no code uses it for a decision.

use std::collections::BTreeMap;
use std::time::Duration;

/// The current load of a shared rate limit, returned by [`SharedRateLimiter::status`](crate::SharedRateLimiter::status).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// The processes with requests in flight or waiting, by their generated names.
    pub processes: BTreeMap<String, Process>,
    /// Number of requests in flight, of all processes together.
    pub in_flight: usize,
    /// Maximum number of requests in flight; `None` if the limit sets no maximum.
    pub slots: Option<usize>,
    /// Remaining time of the pause that the service requested; zero if there is none.
    pub resumes_in: Duration,
    /// Time until the rate limit and a requested pause allow the next request. The wait for a free slot is not included.
    pub opens_in: Duration,
}

/// The current load of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Process {
    /// Number of the process's requests in flight.
    pub in_flight: usize,
    /// `true` if requests of the process wait.
    pub waiting: bool,
}
