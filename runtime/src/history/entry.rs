//! The windows of a walk on their way: what is still to come of each, and what has come.
//!
//! A window comes in, a reply or a failure is put in its place. What follows from a reply is for the walk to say.

use std::time::Duration;

use tokio::time::Instant;

use super::grid::Span;
use super::reply::Reply;
use crate::error::Error;

/// The delay after a failed attempt; each further one takes four times as long.
const FIRST_DELAY: Duration = Duration::from_secs(1);

/// A window that was asked for.
#[derive(Debug)]
pub(super) struct Entry<R> {
    pub(super) window: Span,
    pub(super) state: State<R>,
}

#[derive(Debug)]
pub(super) enum State<R> {
    Asked(Ask),
    /// Nothing came: whether that is believed depends on the windows beside it.
    Empty(Reply<R>),
    /// What is missing at an end, or all of it in halves, is asked for once more.
    Doubted(Reply<R>, Vec<Part<R>>),
    Settled(Reply<R>),
    Failed(Error),
}

/// A part of a window that is asked for once more.
#[derive(Debug)]
pub(super) struct Part<R> {
    pub(super) window: Span,
    pub(super) reply: Result<Reply<R>, Ask>,
}

/// A window or a part of one on its way.
#[derive(Debug, Default)]
pub(super) struct Ask {
    /// `None` until it is sent.
    pub(super) id: Option<u64>,
    pub(super) failures: u32,
    pub(super) not_before: Option<Instant>,
}

impl<R> Entry<R> {
    pub(super) fn new(window: Span) -> Self {
        Self { window, state: State::Asked(Ask::default()) }
    }

    /// What is still to come, each with its window.
    pub(super) fn asks(&mut self) -> impl Iterator<Item = (Span, &mut Ask)> {
        let (whole, parts) = match &mut self.state {
            State::Asked(ask) => (Some((self.window, ask)), None),
            State::Doubted(_, parts) => (None, Some(parts)),
            State::Empty(_) | State::Settled(_) | State::Failed(_) => (None, None),
        };
        let parts = parts.into_iter().flatten().filter_map(|part| Some((part.window, part.reply.as_mut().err()?)));
        whole.into_iter().chain(parts)
    }
}

impl<R> Part<R> {
    pub(super) fn new(window: Span) -> Self {
        Self { window, reply: Err(Ask::default()) }
    }
}

impl Ask {
    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.id.is_none() && self.not_before.is_none_or(|time| time <= now)
    }

    /// Makes it due again, unless it has failed for good.
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
