//! Detects whether the service responds.
//!
//! A client reports its attempts to a [`ResponseMonitor`]; a backfill reads the time since the last response.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use runtime::ErrorKind;
use runtime::observer::{Event, Observer, Outcome};
use tokio::time::Instant;

/// Detects that the service, or a rate limiter shared by several programs, has stopped responding.
///
/// Register a clone as the client's observer, and pass another clone to
/// [`Backfill::response_monitor`](crate::Backfill::response_monitor).
#[derive(Clone, Debug, Default)]
pub struct ResponseMonitor(Arc<Mutex<Option<Instant>>>);

impl ResponseMonitor {
    /// Returns the time since the first request without a response; `None` if the service has responded since.
    pub(crate) fn lost_for(&self) -> Option<Duration> {
        self.state().map(|since| since.elapsed())
    }

    pub(crate) fn responded(&self) {
        *self.state() = None;
    }

    /// Notes a failed attempt. Only the first failure since the last response sets the start of the outage.
    pub(crate) fn failed(&self, elapsed: Duration) {
        let now = Instant::now();
        self.state().get_or_insert_with(|| now.checked_sub(elapsed).unwrap_or(now));
    }

    fn state(&self) -> MutexGuard<'_, Option<Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for ResponseMonitor {
    fn observe(&self, event: &Event) {
        match event {
            Event::Attempt { outcome: Ok(_), .. } => self.responded(),
            Event::Attempt { elapsed, .. } => self.failed(*elapsed),
            // The rate limiter failed.
            Event::End { outcome: Outcome::Failure { kind: ErrorKind::Queue, .. }, elapsed, .. } => {
                self.failed(*elapsed);
            }
            _ => {}
        }
    }
}
