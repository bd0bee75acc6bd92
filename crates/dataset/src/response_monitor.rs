//! Detects whether the service responds.
//!
//! A client reports its attempts to a [`ResponseMonitor`], from which a backfill reads how long there was no response.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use runtime::observer::{Event, Observer, Outcome};
use runtime::{Error as RequestError, ErrorKind};
use tokio::time::Instant;

/// Detects that the service, or a rate limiter shared by several programs, has stopped responding.
///
/// Register a clone as the client's observer, and pass another clone to
/// [`Backfill::response_monitor`](crate::Backfill::response_monitor).
#[derive(Clone, Debug, Default)]
pub struct ResponseMonitor(Arc<Mutex<(Outage, Responses)>>);

/// The number of responses, and the sum of their durations.
type Responses = (u32, Duration);

/// The first item is the time since which every attempt has failed, with the outcome of the last attempt. The second
/// item is the time since which no attempt got a response; a response with an error status counts as a response.
type Outage = (Option<(Instant, Attempted)>, Option<Instant>);

/// The outcome of an attempt: the status of its response or, without a response, the phase in which the attempt failed.
pub(crate) type Attempted = Result<u16, ErrorKind>;

/// The outcome of a failed request. If only the body failed, for example because it is too large or because it may lack
/// records, the service has responded.
pub(crate) fn attempted(error: &RequestError) -> Attempted {
    match error.kind() {
        ErrorKind::Body | ErrorKind::Incomplete => Ok(error.status().unwrap_or(200)),
        kind => error.status().ok_or(kind),
    }
}

impl ResponseMonitor {
    fn state(&self) -> MutexGuard<'_, (Outage, Responses)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn outage(&self) -> Outage {
        self.state().0
    }

    /// The mean duration of the attempts that got a response; `None` if there were none.
    pub(crate) fn latency(&self) -> Option<Duration> {
        let (count, sum) = self.state().1;
        sum.checked_div(count)
    }

    /// Notes the outcome of an attempt that took `elapsed`.
    pub(crate) fn note(&self, attempted: Attempted, elapsed: Duration) {
        let start = Instant::now().checked_sub(elapsed).unwrap_or_else(Instant::now);
        let ((trouble, lost), _) = &mut *self.state();
        let is_failure = attempted.is_ok_and(|status| status == 429 || status >= 500) || attempted.is_err();
        *trouble = is_failure.then(|| (trouble.map_or(start, |(since, _)| since), attempted));
        *lost = attempted.is_err().then(|| lost.unwrap_or(start));
    }
}

impl Observer for ResponseMonitor {
    fn observe(&self, event: &Event) {
        match event {
            // If only the body failed, the headers have arrived with the status of a success.
            Event::Attempt { outcome: Err(ErrorKind::Body), elapsed, .. } => self.note(Ok(200), *elapsed),
            Event::Attempt { outcome, elapsed, .. } => {
                self.note(*outcome, *elapsed);
                if outcome.is_ok() {
                    let (_, (count, sum)) = &mut *self.state();
                    (*count, *sum) = (*count + 1, *sum + *elapsed);
                }
            }
            // An error of this kind means that the rate limiter failed.
            Event::End { outcome: Outcome::Failure { kind: ErrorKind::Queue, .. }, elapsed, .. } => {
                self.note(Err(ErrorKind::Queue), *elapsed);
            }
            _ => {}
        }
    }
}
