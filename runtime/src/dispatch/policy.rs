//! Timeouts and retry rules. A client has rules for all its requests, and a request can set its own.
//!
//! This module contains only values. The request's context and the dispatcher measure the time.

use std::time::Duration;

use super::retry::Retry;
use crate::rate_limit::Rank;

/// The rules for one request.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The maximum time for one attempt, from its connection to the last byte of the body.
    pub attempt_timeout: Duration,
    /// The maximum time for all attempts, including the waits for a token and between attempts.
    pub timeout: Duration,
    /// The maximum time in the rate-limit queue, summed over all attempts; unlimited if not set.
    pub queue_timeout: Option<Duration>,
    pub retry: Retry,
    /// The rank of the first attempt in the rate-limit queue.
    pub rank: Rank,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            attempt_timeout: Duration::from_secs(30),
            timeout: Duration::from_secs(600),
            queue_timeout: None,
            retry: Retry::default(),
            rank: Rank::First,
        }
    }
}
