//! How a shared gate stands, for people and for programs that look after one.
//!
//! What the server holds goes in as of one moment; nothing here decides anything.

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
    /// How long time alone keeps the next request back: for the limit, for even steps or for a pause.
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
