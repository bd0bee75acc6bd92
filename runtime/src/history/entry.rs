//! The state of one window: requested, doubted, settled or failed.
//!
//! Responses and failures are stored here; `walk` decides what follows from them.

use std::time::Duration;

use super::grid::Span;
use super::reply::Reply;
use crate::error::Error;
use crate::platform::Instant;

/// The delay after a failed attempt; each further one takes four times as long.
const FIRST_DELAY: Duration = Duration::from_secs(1);

/// A window of the range.
#[derive(Debug)]
pub(super) struct Entry<R> {
    pub(super) window: Span,
    pub(super) state: State<R>,
}

#[derive(Debug)]
pub(super) enum State<R> {
    Asked(Ask),
    /// No records; the adjacent windows decide whether that is believed.
    Empty(Reply<R>),
    /// These parts of the window are fetched again.
    Doubted(Reply<R>, Vec<Part<R>>),
    Settled(Reply<R>),
    Failed(Error),
}

/// A part of a window that is fetched again.
#[derive(Debug)]
pub(super) struct Part<R> {
    pub(super) window: Span,
    outcome: Result<Result<Reply<R>, Error>, Ask>,
}

/// A request for a window, or for a part of one, without a response yet.
#[derive(Debug, Default)]
pub(super) struct Ask {
    /// `None` until it is sent.
    pub(super) id: Option<u64>,
    failures: u32,
    pub(super) not_before: Option<Instant>,
}

impl<R> Entry<R> {
    pub(super) fn new(window: Span) -> Self {
        Self { window, state: State::Asked(Ask::default()) }
    }

    /// The requests without a response, each with its window.
    pub(super) fn asks(&mut self) -> impl Iterator<Item = (Span, &mut Ask)> {
        let (whole, parts) = match &mut self.state {
            State::Asked(ask) => (Some((self.window, ask)), None),
            State::Doubted(_, parts) => (None, Some(parts)),
            State::Empty(_) | State::Settled(_) | State::Failed(_) => (None, None),
        };
        let parts = parts.into_iter().flatten().filter_map(|part| Some((part.window, part.outcome.as_mut().err()?)));
        whole.into_iter().chain(parts)
    }
}

impl<R> Part<R> {
    pub(super) fn new(window: Span) -> Self {
        Self { window, outcome: Err(Ask::default()) }
    }

    pub(super) fn is_asked_as(&self, id: u64) -> bool {
        self.outcome.as_ref().is_err_and(|ask| ask.id == Some(id))
    }

    pub(super) fn is_over(&self) -> bool {
        self.outcome.is_ok()
    }

    /// Stores a response, or a failure, which is retried as long as attempts are left.
    pub(super) fn received(&mut self, outcome: Result<Reply<R>, Error>, attempts: u32, now: Instant) {
        let Err(ask) = &mut self.outcome else { return };
        match outcome {
            Ok(reply) => self.outcome = Ok(Ok(reply)),
            Err(error) => {
                if let Some(error) = ask.failed(error, attempts, now) {
                    self.outcome = Ok(Err(error));
                }
            }
        }
    }

    /// The outcome of the window; `None` before it is over.
    pub(super) fn into_outcome(self) -> Option<(Span, Result<Reply<R>, Error>)> {
        Some((self.window, self.outcome.ok()?))
    }
}

impl Ask {
    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.id.is_none() && self.not_before.is_none_or(|time| time <= now)
    }

    /// Makes it due again after a delay; returns the error if no further attempt is made.
    pub(super) fn failed(&mut self, error: Error, attempts: u32, now: Instant) -> Option<Error> {
        self.failures += 1;
        if self.failures >= attempts || !(error.is_retryable() || error.is_decode()) {
            return Some(error);
        }
        let delay = FIRST_DELAY.saturating_mul(4_u32.saturating_pow(self.failures - 1));
        (self.id, self.not_before) = (None, now.checked_add(delay));
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Again;

    #[test]
    fn each_further_attempt_waits_four_times_as_long() {
        let error = || Error::build("any").again(Again::Yes);
        let (mut ask, mut now) = (Ask::default(), Instant::now());
        for delay in [1, 4, 16] {
            assert!(ask.is_due(now));
            ask.id = Some(7);
            assert!(!ask.is_due(now));
            assert!(ask.failed(error(), 4, now).is_none());
            let due = now + Duration::from_secs(delay);
            assert!(!ask.is_due(due - Duration::from_nanos(1)));
            now = due;
        }
        assert!(ask.failed(error(), 4, now).is_some());
    }
}
