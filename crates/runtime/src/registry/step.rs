//! The step of a series: a fixed length, or steps of the calendar.

use std::time::Duration;

/// The step from one interval of a series to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Step {
    /// Intervals of the same length.
    Fixed(Duration),
    /// A number of months of the calendar: three for quarters, twelve for years.
    Months(u32),
    /// The days from Monday to Friday. The interval of a Friday ends on Monday.
    BusinessDays,
}

impl Step {
    /// Creates the step of intervals that take this number of seconds.
    pub const fn seconds(seconds: u64) -> Self {
        Self::Fixed(Duration::from_secs(seconds))
    }

    /// The length of every interval; `None` if it varies, as for a month.
    pub const fn length(self) -> Option<Duration> {
        match self {
            Self::Fixed(length) => Some(length),
            Self::Months(_) | Self::BusinessDays => None,
        }
    }
}
