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
pub struct ResponseMonitor(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    outage: Outage,
    /// The number of attempts that got a response.
    responses: u32,
    /// The sum of the durations of these attempts.
    waited: Duration,
}

/// The end of the responses, as far as there is one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outage {
    /// `None` if the last attempt succeeded.
    pub(crate) failing: Option<Failing>,
    /// The time since which no attempt got a response; a response with an error status counts as a response.
    pub(crate) silent_since: Option<Instant>,
}

/// Consecutive attempts that all failed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failing {
    pub(crate) since: Instant,
    /// The outcome of the last of them.
    pub(crate) last: Attempted,
}

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
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn outage(&self) -> Outage {
        self.state().outage
    }

    /// The mean duration of the attempts that got a response; `None` if there were none.
    pub(crate) fn latency(&self) -> Option<Duration> {
        let state = self.state();
        state.waited.checked_div(state.responses)
    }

    /// Notes the outcome of an attempt that took `elapsed`.
    pub(crate) fn note(&self, attempted: Attempted, elapsed: Duration) {
        let start = Instant::now().checked_sub(elapsed).unwrap_or_else(Instant::now);
        let outage = &mut self.state().outage;
        outage.silent_since = match attempted {
            Ok(_) => None,
            Err(_) => outage.silent_since.or(Some(start)),
        };
        outage.failing = match attempted {
            Ok(status) if status != 429 && status < 500 => None,
            _ => {
                let since = outage.failing.map_or(start, |failing| failing.since);
                Some(Failing { since, last: attempted })
            }
        };
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
                    let mut state = self.state();
                    state.responses += 1;
                    state.waited += *elapsed;
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
