//! How a request has ended: told once, whatever becomes of it.
//!
//! A reply that arrived is not yet what was asked for; whoever reads it says so if it is not. What is dropped unread has
//! ended as well as it could.

use super::observer::{Event, Observers, Outcome, RequestKind};
use crate::error::{Error, Timing};

/// The end of a request, which observers are told of when this is dropped.
pub(crate) struct Ending {
    pub(super) request: RequestKind,
    pub(super) observers: Observers,
    pub(super) timing: Timing,
    pub(super) outcome: Outcome,
    pub(super) bytes: usize,
}

impl Ending {
    /// What the request has cost.
    pub(crate) fn timing(&self) -> Timing {
        self.timing
    }

    /// Says that it failed after all.
    pub(crate) fn failed(mut self, error: &Error) {
        self.outcome = Outcome::of(error);
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        let Self { request, outcome, bytes, timing, .. } = *self;
        let Timing { attempts, elapsed, waited } = timing;
        self.observers.tell(&Event::End { request, outcome, bytes, attempts, elapsed, waited });
    }
}
