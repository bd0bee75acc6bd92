//! The events of admitted requests.

use std::time::Duration;

use tokio::time::Instant;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The rate limiter of the process has admitted the request, with this weight, because the store could not be used.
    Admitted(Instant, usize),
    /// The request was sent, with this weight.
    Sent(Instant, usize),
    /// The request was sent although its permit had been dropped unused. When the permit was dropped, the weight became
    /// free, so it has to be counted again.
    SentLate(Instant, usize),
    /// The request has ended and will not be sent, so its weight is free again.
    Unsent(usize),
    /// The request has ended after it was sent.
    Ended,
    /// The service returned 429 and requested this pause.
    RateLimited(Instant, Duration),
    /// A response reported that nothing of the limit is left for this time.
    Exhausted(Instant, Duration),
}

impl Event {
    /// The end of a pause that the service requested; `None` for any other event.
    pub(crate) fn pause_end(self) -> Option<Instant> {
        match self {
            Self::RateLimited(at, pause) | Self::Exhausted(at, pause) => at.checked_add(pause),
            _ => None,
        }
    }

    /// The time at which a request was admitted or sent; `None` for any other event.
    pub(crate) fn counted_at(self) -> Option<Instant> {
        match self {
            Self::Admitted(at, _) | Self::Sent(at, _) | Self::SentLate(at, _) => Some(at),
            _ => None,
        }
    }
}
