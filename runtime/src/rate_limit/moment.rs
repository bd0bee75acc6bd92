//! A point in time, counted from an origin that the owner of the state has chosen.
//!
//! A process cannot read the clock of another, so the state of a rate limiter has no clock: the built-in one counts
//! from its creation, one on a server from that server's epoch. Nothing here reads a clock.

use std::ops::Add;
use std::time::Duration;

/// A point in time on the clock of the state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "__gate-state", derive(serde::Serialize, serde::Deserialize))]
pub struct Moment(#[cfg_attr(feature = "__gate-state", serde(with = "super::written::duration"))] Duration);

impl Moment {
    /// The point this long after the origin.
    pub const fn after_origin(duration: Duration) -> Self {
        Self(duration)
    }

    /// The time since the origin.
    pub const fn since_origin(self) -> Duration {
        self.0
    }

    /// The time since an earlier point; zero since a later one.
    pub fn saturating_since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// A later point in time; `None` if it overflows a duration.
    pub fn checked_add(self, duration: Duration) -> Option<Self> {
        self.0.checked_add(duration).map(Self)
    }

    /// A point earlier; `None` before the origin.
    pub fn checked_sub(self, duration: Duration) -> Option<Self> {
        self.0.checked_sub(duration).map(Self)
    }
}

/// The last point there is where a duration does not reach further.
impl Add<Duration> for Moment {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(duration))
    }
}
