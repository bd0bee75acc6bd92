//! The events of admitted requests.

use std::time::Duration;

use tokio::time::Instant;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
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
}
