//! Arithmetic on timestamps, which saturates at the earliest and the latest timestamp.

use std::ops::{Add, AddAssign, Sub, SubAssign};
use std::time::Duration;

use super::{NANOS_PER_SECOND, Timestamp};

impl Timestamp {
    /// Returns the absolute difference of two timestamps.
    pub fn abs_diff(self, other: Self) -> Duration {
        let (earlier, later) = if self < other { (self, other) } else { (other, self) };
        let borrowed = later.nanos < earlier.nanos;
        let nanos = if borrowed { later.nanos + NANOS_PER_SECOND } else { later.nanos } - earlier.nanos;
        Duration::new(later.seconds.abs_diff(earlier.seconds) - u64::from(borrowed), nanos)
    }

    /// Rounds down to a multiple of the step since the Unix epoch; with a step of an hour, to the last full hour. A
    /// step of zero changes nothing.
    pub fn floor(self, step: Duration) -> Self {
        let nanos_per_second = i128::from(NANOS_PER_SECOND);
        let nanos = i128::from(self.seconds) * nanos_per_second + i128::from(self.nanos);
        // The fallback is never used: a `Duration` has fewer nanoseconds than that.
        let step = i128::try_from(step.as_nanos()).unwrap_or(i128::MAX);
        let Some(beyond) = nanos.checked_rem_euclid(step) else { return self };
        let floor = nanos - beyond;
        match (i64::try_from(floor.div_euclid(nanos_per_second)), u32::try_from(floor.rem_euclid(nanos_per_second))) {
            (Ok(seconds), Ok(nanos)) => Self { seconds, nanos },
            _ => Self::MIN,
        }
    }
}

/// Adds the duration; saturates at the latest timestamp.
impl Add<Duration> for Timestamp {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        let nanos = self.nanos + duration.subsec_nanos();
        let (carry, nanos) = if nanos < NANOS_PER_SECOND { (0, nanos) } else { (1, nanos - NANOS_PER_SECOND) };
        let seconds = self.seconds.checked_add_unsigned(duration.as_secs());
        let seconds = seconds.and_then(|seconds| seconds.checked_add(carry));
        seconds.map_or(Self::MAX, |seconds| Self { seconds, nanos })
    }
}

/// Subtracts the duration; saturates at the earliest timestamp.
impl Sub<Duration> for Timestamp {
    type Output = Self;

    fn sub(self, duration: Duration) -> Self {
        let borrowed = self.nanos < duration.subsec_nanos();
        let nanos = if borrowed { self.nanos + NANOS_PER_SECOND } else { self.nanos } - duration.subsec_nanos();
        let seconds = self.seconds.checked_sub_unsigned(duration.as_secs());
        let seconds = seconds.and_then(|seconds| seconds.checked_sub(borrowed.into()));
        seconds.map_or(Self::MIN, |seconds| Self { seconds, nanos })
    }
}

/// Returns the duration from the other timestamp to this one; zero if the other is later. [`Timestamp::abs_diff`] works
/// in both directions.
impl Sub for Timestamp {
    type Output = Duration;

    fn sub(self, earlier: Self) -> Duration {
        if self < earlier { Duration::ZERO } else { self.abs_diff(earlier) }
    }
}

impl AddAssign<Duration> for Timestamp {
    fn add_assign(&mut self, duration: Duration) {
        *self = *self + duration;
    }
}

impl SubAssign<Duration> for Timestamp {
    fn sub_assign(&mut self, duration: Duration) {
        *self = *self - duration;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_carries_and_borrows() {
        let step = Duration::from_millis(700);
        let later = Timestamp::from(5) + step + step;
        assert_eq!(later, Timestamp { seconds: 6, nanos: 400_000_000 });
        assert_eq!(later - step, Timestamp { seconds: 5, nanos: 700_000_000 });
        assert_eq!(later - step - step, Timestamp::from(5));
    }

    #[test]
    fn arithmetic_stops_at_the_ends() {
        let second = Duration::from_secs(1);
        assert_eq!(Timestamp::from(5) - second, Timestamp::from(4));
        assert_eq!(Timestamp::from(i64::MAX) + Duration::MAX, Timestamp::MAX);
        assert_eq!(Timestamp::MAX + Duration::from_nanos(1), Timestamp::MAX);
        assert_eq!(Timestamp::from(i64::MIN) - Duration::MAX, Timestamp::MIN);
        assert_eq!(Timestamp::MIN - Duration::from_nanos(1), Timestamp::MIN);
    }

    #[test]
    fn differences() {
        let (early, late) =
            (Timestamp { seconds: -2, nanos: 900_000_000 }, Timestamp { seconds: 3, nanos: 100_000_000 });
        assert_eq!(late - early, Duration::from_millis(4200));
        assert_eq!((early - late, early - early), (Duration::ZERO, Duration::ZERO));
        assert_eq!((early.abs_diff(late), late.abs_diff(early)), (late - early, late - early));
        assert_eq!(Timestamp::MAX - Timestamp::MIN, Duration::new(u64::MAX, NANOS_PER_SECOND - 1));
        assert_eq!(early + (late - early), late);
        let mut moved = early;
        moved += late - early;
        assert_eq!(moved, late);
        moved -= Duration::from_millis(4200);
        assert_eq!(moved, early);
    }

    #[test]
    fn the_last_whole_step() {
        let hour = Duration::from_secs(3600);
        let floor = |seconds: i64, step| Timestamp::from(seconds).floor(step).unix_seconds();
        assert_eq!([7199, 7200, 0, -1, -3600].map(|seconds| floor(seconds, hour)), [3600, 7200, 0, -3600, -3600]);
        let fine = Timestamp { seconds: -1, nanos: 250_000_000 };
        assert_eq!(fine.floor(Duration::from_millis(100)), Timestamp { seconds: -1, nanos: 200_000_000 });
        assert_eq!(fine.floor(Duration::ZERO), fine);
        assert_eq!(
            (Timestamp::MIN.floor(hour), Timestamp::MAX.floor(Duration::MAX)),
            (Timestamp::MIN, Timestamp::from(0))
        );
    }
}
