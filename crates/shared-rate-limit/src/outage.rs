//! A time in which the store cannot be used.
//!
//! Nothing is sent, and requests fail once they have waited for too long. The worker tries the store again, after growing
//! pauses of up to a second. The store decides which errors count as a failure.

use std::time::Duration;

use runtime::Error;
use tokio::time::Instant;

use crate::failure::Failure;

pub(crate) struct Outage {
    since: Instant,
    failure: Failure,
    /// Number of failed attempts to use the store.
    failures: u32,
    /// The time of the next attempt.
    pub(crate) next: Instant,
}

/// The first pause before the store is tried again; each further pause is twice the previous one.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// The maximum pause before the store is tried again.
const MAX_PAUSE: Duration = Duration::from_secs(1);

impl Outage {
    /// Begins an outage. `since` is the time of its first failure, after which the store may have been read.
    pub(crate) fn new(failure: Failure, since: Instant) -> Self {
        Self { since, failure, failures: 0, next: Instant::now() + pause(0) }
    }

    /// Continues the outage after another failure.
    pub(crate) fn repeat(&mut self, failure: Failure) {
        self.failures += 1;
        self.failure = failure;
        self.next = Instant::now() + pause(self.failures);
    }

    pub(crate) fn error(&self) -> &Error {
        self.failure.error()
    }

    /// The time before which a request must have joined the queue to fail now; `None` if no request fails yet. A request
    /// fails when both its wait and the outage have lasted for `patience`.
    pub(crate) fn fails_joined_by(&self, patience: Duration) -> Option<Instant> {
        let patience = match self.failure {
            Failure::Transient(_) => patience,
            Failure::Permanent(_) => Duration::ZERO,
        };
        let joined = Instant::now().checked_sub(patience)?;
        (self.since <= joined).then_some(joined)
    }
}

/// The pause after this number of repeated failures. A random part keeps processes from trying again at the same time.
fn pause(failures: u32) -> Duration {
    let longest = FIRST_PAUSE.saturating_mul(1 << failures.min(10)).min(MAX_PAUSE);
    longest.mul_f64(0.5 + fastrand::f64() / 2.0)
}
