//! Warnings about a service that has stopped responding, or that responds with errors only.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use runtime::ErrorKind;
use runtime::observer::{Event, Outcome};

use crate::progress::duration;

/// The time without a successful response after which a command warns. The library reports an outage of a follower after a
/// minute.
const TROUBLE: Duration = Duration::from_secs(5);

/// The outcome of an attempt: a status, or the phase in which the attempt failed.
type Attempted = Result<u16, ErrorKind>;

/// Describes attempts that have all failed for a time.
pub(crate) fn failing(last: Attempted, elapsed: Duration) -> String {
    let what = match last {
        Ok(status) => format!("the service has responded with status {status}"),
        Err(ErrorKind::Queue) => "the rate limiter has failed".to_owned(),
        Err(kind) => format!("no response from the service{}", phase(kind)),
    };
    format!("{what} for {}; retrying", duration(elapsed))
}

/// Describes the end of an outage.
pub(crate) fn recovered(elapsed: Duration) -> String {
    format!("the service accepts requests again after {}", duration(elapsed))
}

/// Describes the phase in which an attempt without a response failed.
fn phase(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Connect => " (no connection)",
        ErrorKind::Send => " (the request could not be sent)",
        ErrorKind::Headers => " (connected, but no status received)",
        _ => "",
    }
}

/// The attempts of a client that have failed since its last success.
#[derive(Debug, Default)]
pub(crate) struct FailedAttempts(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The start of the first attempt since the last success.
    failing_since: Option<Instant>,
    is_reported: bool,
}

impl FailedAttempts {
    /// Notes an event, and returns a warning if an outage has lasted for five seconds, or if it has ended.
    pub(crate) fn note(&self, event: &Event) -> Option<String> {
        let (attempted, elapsed) = match event {
            // If only the body failed, the headers have arrived with the status of a success.
            Event::Attempt { outcome: Err(ErrorKind::Body), elapsed, .. } => (Ok(200), *elapsed),
            Event::Attempt { outcome, elapsed, .. } => (*outcome, *elapsed),
            // An error of this kind means that the rate limiter failed.
            Event::End { outcome: Outcome::Failure { kind: ErrorKind::Queue, .. }, elapsed, .. } => {
                (Err(ErrorKind::Queue), *elapsed)
            }
            _ => return None,
        };
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.attempted(attempted, elapsed, Instant::now())
    }
}

impl State {
    fn attempted(&mut self, attempted: Attempted, elapsed: Duration, now: Instant) -> Option<String> {
        if matches!(attempted, Ok(status) if status != 429 && status < 500) {
            let ended = std::mem::take(self);
            let since = ended.failing_since.filter(|_| ended.is_reported)?;
            return Some(recovered(now - since));
        }
        let since = *self.failing_since.get_or_insert(now.checked_sub(elapsed).unwrap_or(now));
        if self.is_reported || now - since < TROUBLE {
            return None;
        }
        self.is_reported = true;
        Some(failing(attempted, now - since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_attempts_are_a_warning_after_five_seconds() {
        let begun = Instant::now();
        let mut state = State::default();
        let mut at = |seconds, attempted| {
            state.attempted(attempted, Duration::ZERO, begun + Duration::from_secs(seconds)).unwrap_or_default()
        };
        assert_eq!([at(0, Ok(503)), at(3, Ok(200)), at(6, Ok(503)), at(10, Ok(503))], [""; 4]);
        assert_eq!(at(12, Ok(503)), "the service has responded with status 503 for 6 seconds; retrying");
        assert_eq!(at(20, Err(ErrorKind::Connect)), "");
        assert_eq!(at(66, Ok(404)), "the service accepts requests again after 60 seconds");
        assert_eq!(at(67, Ok(200)), "");
        assert_eq!([at(70, Err(ErrorKind::Queue)), at(74, Err(ErrorKind::Queue))], [""; 2]);
        assert_eq!(at(76, Err(ErrorKind::Queue)), "the rate limiter has failed for 6 seconds; retrying");
    }
}
