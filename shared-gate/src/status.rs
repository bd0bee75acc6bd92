//! The status of a shared gate, for users and for programs that monitor one.
//!
//! The status describes the shared state at one time; nothing is decided here.

use std::collections::BTreeMap;
use std::time::Duration;

/// The current load of a shared gate; from [`SharedGate::status`](crate::SharedGate::status).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// The machines with requests in flight or waiting, by their generated names.
    pub machines: BTreeMap<String, Machine>,
    /// Number of requests in flight, of all machines together.
    pub in_flight: usize,
    /// Maximum number of requests in flight; `None` without such a limit.
    pub slots: Option<usize>,
    /// The rest of the pause that the service requested; zero without one.
    pub resumes_in: Duration,
    /// Time until the next request may be sent, apart from waiting for a slot: due to the limit, the even pace or a
    /// pause.
    pub opens_in: Duration,
}

/// The current load of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Machine {
    /// Number of its requests in flight.
    pub in_flight: usize,
    /// `true` if requests of the machine wait.
    pub waiting: bool,
}
