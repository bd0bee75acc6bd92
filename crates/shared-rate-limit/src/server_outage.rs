//! Behaviour of a machine while the server cannot be reached.
//!
//! After a failure of the store nothing is sent, and requests fail once they have waited for too long. The worker tries
//! to reach the server again, after growing pauses of up to a second. The store decides which errors count as a
//! failure.

use runtime::Error;
use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::state_store::StateStore;
use crate::worker::Worker;

/// The error of a failed call to the server.
#[derive(Clone, Debug)]
pub(crate) enum Failure {
    /// A failure that may end without a change by the user.
    Transient(Error),
    /// An error in the settings, which waiting does not fix.
    Permanent(Error),
}

/// An outage of the server.
pub(crate) struct Outage {
    since: Instant,
    failure: Failure,
    /// Number of failed attempts to reach the server.
    failures: u32,
    /// The time of the next attempt.
    next: Instant,
}

/// The first pause before the server is tried again; each further pause is twice the previous one.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// The maximum pause before the server is tried again.
const MAX_PAUSE: Duration = Duration::from_secs(1);

/// Interval at which the waiting requests are checked.
const STEP: Duration = Duration::from_millis(250);

impl<S: StateStore> Worker<S> {
    /// Starts an outage, or continues the current one.
    pub(crate) fn lose(&mut self, failure: Failure) {
        // Other machines may change the shared state during the outage, so the state is read again after it.
        self.known = None;
        let now = Instant::now();
        let (since, failures) = self.outage.as_ref().map_or((now, 0), |outage| (outage.since, outage.failures + 1));
        let pause = FIRST_PAUSE.saturating_mul(1 << failures.min(10)).min(MAX_PAUSE);
        // A random part of the pause keeps machines from trying again at the same time.
        let next = now + pause.mul_f64(0.5 + fastrand::f64() / 2.0);
        self.outage = Some(Outage { since, failure, failures, next });
    }

    /// Does the work during an outage, and returns the time of the next check. The outage ends when the server
    /// responds.
    pub(crate) async fn work_alone(&mut self) -> Option<Instant> {
        self.listen();
        let outage = self.outage.as_ref()?;
        let (now, since, next) = (Instant::now(), outage.since, outage.next);
        let (error, patience) = match &outage.failure {
            Failure::Transient(error) => (error.clone(), self.fail_after),
            Failure::Permanent(error) => (error.clone(), Duration::ZERO),
        };
        self.answer(&Err(error.clone()));
        if let Some(joined) = now.checked_sub(patience).filter(|joined| since <= *joined) {
            let waiting = std::mem::take(&mut self.waiting).into_iter();
            let (failed, rest): (BTreeMap<_, _>, _) = waiting.partition(|(_, waiting)| waiting.since <= joined);
            self.waiting = rest;
            for waiting in failed.into_values() {
                drop(waiting.turn.send(Err(error.clone())));
            }
        }
        if next > now {
            return Some(if self.waiting.is_empty() { next } else { next.min(now + STEP) });
        }
        match self.read().await {
            Ok(()) => self.outage = None,
            Err(failure) => self.lose(failure),
        }
        Some(Instant::now())
    }
}
