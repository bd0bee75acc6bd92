//! Differences of timestamps, and timestamps before or after others.

use std::ops::{Add, AddAssign, Sub};
use std::time::Duration;

use super::Timestamp;
use super::iso8601::SECOND;

impl Timestamp {
    /// Returns the time from `earlier` to this timestamp in seconds; negative if `earlier` is later.
    ///
    /// ```
    /// # use generated_client_runtime::Timestamp;
    /// let [noon, later] = [0, 90].map(Timestamp::from_unix_seconds);
    /// assert!(later.seconds_since(noon) == 90.0 && noon.seconds_since(later) == -90.0);
    /// ```
    pub fn seconds_since(self, earlier: Self) -> f64 {
        let distance = self.abs_diff(earlier).as_secs_f64();
        if self < earlier { -distance } else { distance }
    }

    /// Returns the absolute difference of two timestamps.
    pub fn abs_diff(self, other: Self) -> Duration {
        let nanos = self.nanos.abs_diff(other.nanos);
        // The fallbacks are never used, because the largest difference fits into a `Duration`.
        let seconds = u64::try_from(nanos / SECOND.unsigned_abs()).unwrap_or(u64::MAX);
        Duration::new(seconds, u32::try_from(nanos % SECOND.unsigned_abs()).unwrap_or_default())
    }

    /// Rounds down to a multiple of the step since the Unix epoch, for example to the start of the hour if the step is
    /// one hour. A step of zero changes nothing.
    pub fn floor(self, step: Duration) -> Self {
        let beyond = self.nanos.checked_rem_euclid(nanos_of(step)).unwrap_or_default();
        Self::from_unix_nanos(self.nanos - beyond)
    }
}

fn nanos_of(duration: Duration) -> i128 {
    // The fallback is never used, because a `Duration` has fewer nanoseconds than `i128::MAX`.
    i128::try_from(duration.as_nanos()).unwrap_or(i128::MAX)
}

/// Adds the duration, but returns at most the latest timestamp.
impl Add<Duration> for Timestamp {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self::from_unix_nanos(self.nanos.saturating_add(nanos_of(duration)))
    }
}

/// Subtracts the duration, but returns at least the earliest timestamp.
impl Sub<Duration> for Timestamp {
    type Output = Self;

    fn sub(self, duration: Duration) -> Self {
        Self::from_unix_nanos(self.nanos.saturating_sub(nanos_of(duration)))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64, nanos: u64) -> Timestamp {
        Timestamp::from(seconds) + Duration::from_nanos(nanos)
    }

    #[test]
    fn arithmetic_carries_and_borrows() {
        let step = Duration::from_millis(700);
        let later = Timestamp::from(5) + step + step;
        assert_eq!(later, at(6, 400_000_000));
        assert_eq!(later - step, at(5, 700_000_000));
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
    fn difference_of_timestamps_is_a_duration() {
        let (early, late) = (at(-2, 900_000_000), at(3, 100_000_000));
        assert_eq!(late - early, Duration::from_millis(4200));
        assert_eq!((early - late, early - early), (Duration::ZERO, Duration::ZERO));
        assert_eq!((early.abs_diff(late), late.abs_diff(early)), (late - early, late - early));
        assert_eq!(Timestamp::MAX - Timestamp::MIN, Duration::new(u64::MAX, 999_999_999));
        assert_eq!(early + (late - early), late);
        let mut moved = early;
        moved += late - early;
        assert_eq!(moved, late);
    }

    #[test]
    fn floor_rounds_down_to_a_step() {
        let hour = Duration::from_secs(3600);
        let floor = |seconds: i64, step| Timestamp::from(seconds).floor(step).unix_seconds();
        assert_eq!([7199, 7200, 0, -1, -3600].map(|seconds| floor(seconds, hour)), [3600, 7200, 0, -3600, -3600]);
        let fine = at(-1, 250_000_000);
        assert_eq!(fine.floor(Duration::from_millis(100)), at(-1, 200_000_000));
        assert_eq!(fine.floor(Duration::ZERO), fine);
        assert_eq!(
            (Timestamp::MIN.floor(hour), Timestamp::MAX.floor(Duration::MAX)),
            (Timestamp::MIN, Timestamp::from(0))
        );
    }
}
