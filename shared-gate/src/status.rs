//! The status of a shared gate, for users and for programs that monitor one.
//!
//! It describes the shared state at one time; nothing is decided here.

use std::collections::BTreeMap;
use std::time::Duration;

/// What all machines of a shared gate are doing; from [`SharedGate::status`](crate::SharedGate::status).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// The machines with requests in flight or waiting, by the names that they chose.
    pub machines: BTreeMap<String, Machine>,
    /// How many requests are in flight, of all machines together.
    pub in_flight: usize,
    /// How many may be in flight; `None` without such a limit.
    pub slots: Option<usize>,
    /// The rest of the pause that the service requested; zero if there is none.
    pub resumes_in: Duration,
    /// How long the next request has to wait for time alone: for the limit, for the even pace or for a pause.
    pub opens_in: Duration,
}

/// What a machine is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Machine {
    /// How many of its requests are in flight.
    pub in_flight: usize,
    /// Whether more of them wait.
    pub waiting: bool,
}
