//! Detects whether the service responds.
//!
//! A client reports its attempts to a [`ResponseMonitor`], from which a backfill reads how long there was no response.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use runtime::ErrorKind;
use runtime::observer::{Event, Observer, Outcome};
use tokio::time::Instant;

/// Detects that the service, or a rate limiter shared by several programs, has stopped responding.
///
/// Register a clone as the client's observer, and pass another clone to
/// [`Backfill::response_monitor`](crate::Backfill::response_monitor).
#[derive(Clone, Debug, Default)]
pub struct ResponseMonitor(Arc<Mutex<Outage>>);

/// The first item is the time of the first failure since the last success, with the status of the last response. The
/// second item is the time of the first failure since the last response.
type Outage = (Option<(Instant, Option<u16>)>, Option<Instant>);

impl ResponseMonitor {
    pub(crate) fn outage(&self) -> Outage {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the outcome of an attempt that took `elapsed`: the status of its response, or `None` if there was none.
    pub(crate) fn note(&self, status: Option<u16>, elapsed: Duration) {
        let start = Instant::now().checked_sub(elapsed).unwrap_or_else(Instant::now);
        let mut outage = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (trouble, lost) = &mut *outage;
        let is_failure = status.is_none_or(|status| status == 429 || status >= 500);
        *trouble = is_failure.then(|| (trouble.map_or(start, |(since, _)| since), status));
        *lost = status.is_none().then(|| lost.unwrap_or(start));
    }
}

impl Observer for ResponseMonitor {
    fn observe(&self, event: &Event) {
        match event {
            Event::Attempt { outcome, elapsed, .. } => self.note(outcome.ok(), *elapsed),
            // An error of this kind means that the rate limiter failed.
            Event::End { outcome: Outcome::Failure { kind: ErrorKind::Queue, .. }, elapsed, .. } => {
                self.note(None, *elapsed);
            }
            _ => {}
        }
    }
}
