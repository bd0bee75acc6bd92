//! Times on the clock of a rate limiter.

use std::time::Duration;

/// A time on the clock of a rate limiter, as the duration since an origin that the owner of the state chooses.
///
/// Processes cannot read each other's `Instant`, so the state of a rate limiter contains none. The built-in rate limiter
/// counts from one year before its creation, a rate limiter whose state is on a server from the epoch of that server, and
/// a rate limiter whose state is in a file from the last boot.
#[doc(hidden)]
pub type LimiterTime = Duration;

/// The maximum length of windows and pauses, which is longer than any useful window or pause. Without a maximum, a time
/// could overflow the clock.
pub(super) const YEAR: Duration = Duration::from_secs(366 * 24 * 60 * 60);
