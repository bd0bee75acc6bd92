//! The status of a shared gate, for people and for programs that monitor one.
//!
//! The ledger goes in as of one moment; nothing is decided here.

use std::collections::BTreeMap;
use std::time::Duration;

/// What all machines of a shared gate are doing; from [`SharedGate::status`](crate::SharedGate::status).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// The machines that wait or have requests under way, by the names that they gave themselves.
    pub machines: BTreeMap<String, Machine>,
    /// How many requests are under way, of all machines together.
    pub under_way: usize,
    /// How many may be under way; `None` without such a limit.
    pub places: Option<usize>,
    /// How long the pause still is that the service asked for; zero if there is none.
    pub paused: Duration,
    /// How long the next request has to wait for time alone: for the limit, for the even pace or for a pause.
    pub closed: Duration,
}

/// What a machine is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Machine {
    /// How many of its requests are under way.
    pub under_way: usize,
    /// Whether more of them wait.
    pub waits: bool,
}
