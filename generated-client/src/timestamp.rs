//! Points in time, as the service writes them.
//!
//! A [`Timestamp`] counts the service's own unit, so neither reading nor sending one ever rounds.
//! It converts to and from Unix seconds, [`SystemTime`] and RFC 3339; it knows no time zone but UTC.

use std::fmt;
use std::ops::{Add, Sub};
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use crate::SERVICE;
use crate::registry::TimeUnit;

/// A point in time, in the unit that the service uses on the wire.
///
/// ```
/// use std::time::Duration;
/// use generated_client::Timestamp;
///
/// let start: Timestamp = "2024-03-01T00:00:00Z".parse()?;
/// assert_eq!(start, Timestamp::from_unix_seconds(1_709_251_200));
/// assert_eq!((start + Duration::from_secs(3600)).to_string(), "2024-03-01T01:00:00Z");
/// # Ok::<(), generated_client::ParseTimestampError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(i64);

const UNITS_PER_SECOND: i64 = match SERVICE.time_unit {
    TimeUnit::Seconds => 1,
    TimeUnit::Milliseconds => 1000,
};

const NANOS_PER_UNIT: u32 = match SERVICE.time_unit {
    TimeUnit::Seconds => 1_000_000_000,
    TimeUnit::Milliseconds => 1_000_000,
};

impl Timestamp {
    /// The last second that RFC 3339, with its four digits of year, can write.
    pub(crate) const LAST_WRITABLE: Self = Self::from_unix_seconds(253_402_300_799);

    /// So many seconds after 1970 began, or before it if negative.
    pub const fn from_unix_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(UNITS_PER_SECOND))
    }

    /// Whole seconds since 1970 began, rounded down.
    pub const fn unix_seconds(self) -> i64 {
        self.0.div_euclid(UNITS_PER_SECOND)
    }

    /// The current time, rounded down to the service's unit.
    pub fn now() -> Self {
        SystemTime::now().into()
    }

    /// What a number on the wire means.
    pub(crate) const fn from_wire(count: i64) -> Self {
        Self(count)
    }

    /// The number that is sent.
    pub(crate) const fn wire(self) -> i64 {
        self.0
    }

    /// The same point as the system counts it, unless the system cannot.
    fn system_time(self) -> Option<SystemTime> {
        let units = self.0.unsigned_abs();
        let per_second = UNITS_PER_SECOND.unsigned_abs();
        let nanos = u32::try_from(units % per_second).ok()? * NANOS_PER_UNIT;
        let distance = Duration::new(units / per_second, nanos);
        if self.0 < 0 {
            SystemTime::UNIX_EPOCH.checked_sub(distance)
        } else {
            SystemTime::UNIX_EPOCH.checked_add(distance)
        }
    }
}

/// Unix seconds.
impl From<i64> for Timestamp {
    fn from(seconds: i64) -> Self {
        Self::from_unix_seconds(seconds)
    }
}

/// Rounded down to the service's unit.
impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => Self(units(after)),
            Err(before) => {
                let before = before.duration();
                let partial = before.subsec_nanos() % NANOS_PER_UNIT != 0;
                Self(-units(before) - i64::from(partial))
            }
        }
    }
}

/// Fails for the few points that the system's clock type cannot hold.
impl TryFrom<Timestamp> for SystemTime {
    type Error = OutOfRange;

    fn try_from(timestamp: Timestamp) -> Result<Self, OutOfRange> {
        timestamp.system_time().ok_or(OutOfRange(timestamp))
    }
}

/// Later by as many of the service's units as the duration has whole; stops at the last point there is.
impl Add<Duration> for Timestamp {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(units(duration)))
    }
}

/// Earlier by as many of the service's units as the duration has whole; stops at the first point there is.
impl Sub<Duration> for Timestamp {
    type Output = Self;

    fn sub(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(units(duration)))
    }
}

/// How many whole units a duration has.
fn units(duration: Duration) -> i64 {
    let units = duration.as_nanos() / u128::from(NANOS_PER_UNIT);
    i64::try_from(units).unwrap_or(i64::MAX)
}

/// `2024-03-01T00:00:00Z`; before 1970 and after 9999, the bare number.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.system_time() {
            Some(time) if self.0 >= 0 && *self <= Self::LAST_WRITABLE => {
                f.pad(&humantime::format_rfc3339(time).to_string())
            }
            _ => f.pad(&self.0.to_string()),
        }
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Timestamp({self})")
    }
}

/// Reads RFC 3339 in UTC, `2024-03-01T00:00:00Z`.
impl FromStr for Timestamp {
    type Err = ParseTimestampError;

    fn from_str(text: &str) -> Result<Self, ParseTimestampError> {
        let time = humantime::parse_rfc3339(text)
            .map_err(|_| ParseTimestampError("expected UTC like `2024-03-01T00:00:00Z`"))?;
        let timestamp = Self::from(time);
        if timestamp.system_time() == Some(time) {
            Ok(timestamp)
        } else {
            Err(ParseTimestampError("finer than the service's time unit"))
        }
    }
}

/// Why a text is no [`Timestamp`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseTimestampError(&'static str);

impl fmt::Display for ParseTimestampError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for ParseTimestampError {}

/// A [`Timestamp`] that [`SystemTime`] cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfRange(Timestamp);

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is out of the system's range", self.0)
    }
}

impl std::error::Error for OutOfRange {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_and_parse() {
        let table = [
            (0, "1970-01-01T00:00:00Z"),
            (1_700_000_000, "2023-11-14T22:13:20Z"),
            (Timestamp::LAST_WRITABLE.unix_seconds(), "9999-12-31T23:59:59Z"),
        ];
        for (seconds, text) in table {
            let timestamp = Timestamp::from_unix_seconds(seconds);
            assert_eq!(timestamp.to_string(), text);
            assert_eq!(text.parse(), Ok(timestamp));
        }
    }

    #[test]
    fn display_falls_back_to_the_number() {
        for seconds in [-1, Timestamp::LAST_WRITABLE.unix_seconds() + 1, i64::MIN, i64::MAX] {
            let timestamp = Timestamp::from(seconds);
            assert_eq!(timestamp.to_string(), timestamp.wire().to_string());
        }
    }

    #[test]
    fn parse_refuses() {
        let table = ["", "1700000000", "2024-03-01", "2024-03-01T00:00:00+01:00", "2024-02-30T00:00:00Z"];
        for text in table {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
        let half_a_unit = format!("2024-03-01T00:00:00.{:09}Z", NANOS_PER_UNIT / 2);
        assert!(half_a_unit.parse::<Timestamp>().is_err());
    }

    #[test]
    fn system_time_rounds_down() {
        let half = Duration::from_millis(500);
        let epoch = SystemTime::UNIX_EPOCH;
        assert_eq!(Timestamp::from(epoch + half).unix_seconds(), 0);
        assert_eq!(Timestamp::from(epoch - half).unix_seconds(), -1);
        assert_eq!(SystemTime::try_from(Timestamp::from(7)), Ok(epoch + Duration::from_secs(7)));
    }

    #[test]
    fn arithmetic_takes_whole_units() {
        let nearly_two = Duration::from_nanos(2 * u64::from(NANOS_PER_UNIT) - 1);
        assert_eq!(Timestamp(5) + nearly_two, Timestamp(6));
        assert_eq!(Timestamp(5) - nearly_two, Timestamp(4));
    }

    #[test]
    fn arithmetic_saturates() {
        let second = Duration::from_secs(1);
        assert_eq!(Timestamp::from(5) - second, Timestamp::from(4));
        assert_eq!(Timestamp::from(i64::MAX) + Duration::MAX, Timestamp::from(i64::MAX));
        assert_eq!(Timestamp::from(i64::MIN) - Duration::MAX, Timestamp::from(i64::MIN));
    }
}
