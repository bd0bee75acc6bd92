//! How long a request for a token has stood in line at the gate, for the requests that wait for the token.
//!
//! One request fetches a token for all: while it stands in line, its followers stand there too. Nothing here waits.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::platform::Instant;

/// A clock that runs while a request for a token is in line.
#[derive(Default)]
pub(crate) struct LineClock(Mutex<Reading>);

#[derive(Default)]
struct Reading {
    /// Since when it runs; `None` if it stands still.
    since: Option<Instant>,
    /// The time until then.
    before: Duration,
}

impl LineClock {
    /// Starts the clock; dropping the returned value stops it.
    pub(crate) fn start(&self) -> Running<'_> {
        self.reading().since = Some(Instant::now());
        Running(self)
    }

    /// All the time that it has run.
    pub(crate) fn time(&self) -> Duration {
        let reading = self.reading();
        reading.before + reading.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    fn reading(&self) -> MutexGuard<'_, Reading> {
        // It is whole between any two of its statements, so a panic elsewhere does no harm.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A clock that runs.
pub(crate) struct Running<'c>(&'c LineClock);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut reading = self.0.reading();
        if let Some(since) = reading.since.take() {
            reading.before += since.elapsed();
        }
    }
}
