//! The end of a request, which is reported to observers exactly once.
//!
//! The decoding code reports a response that cannot be decoded. A response that is dropped before it is decoded counts
//! as a success.

use super::observer::{Event, Observers, Outcome};
use crate::error::{Error, Timing};
use crate::request::RequestKind;

/// The end of a request; dropping it reports the end to the observers.
pub(crate) struct RequestEnd {
    pub(super) request: RequestKind,
    pub(super) observers: Observers,
    pub(super) timing: Timing,
    pub(super) outcome: Outcome,
    pub(super) bytes: usize,
}

impl RequestEnd {
    /// The cost of the request.
    pub(crate) fn timing(&self) -> Timing {
        self.timing
    }

    /// Changes the outcome to a failure.
    pub(crate) fn failed(mut self, error: &Error) {
        self.outcome = Outcome::of(error);
    }
}

impl Drop for RequestEnd {
    fn drop(&mut self) {
        let Self { request, outcome, bytes, timing, .. } = *self;
        let Timing { attempts, elapsed, waited } = timing;
        self.observers.notify(&Event::End { request, outcome, bytes, attempts, elapsed, waited });
    }
}
