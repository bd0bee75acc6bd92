//! Conversions to and from [`SystemTime`], and the timestamps of `jiff`, `chrono` and `time`, each with the feature of
//! that name.
//!
//! The conversion to a [`Timestamp`] is exact. The reverse conversion fails for timestamps outside the range of the
//! other type.

use std::time::SystemTime;

use super::Timestamp;
use crate::values::ConversionError;

impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        let epoch = Self::from_unix_seconds(0);
        match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => epoch + after,
            Err(before) => epoch - before.duration(),
        }
    }
}

impl TryFrom<Timestamp> for SystemTime {
    type Error = ConversionError;

    fn try_from(timestamp: Timestamp) -> Result<Self, ConversionError> {
        let epoch = Self::UNIX_EPOCH;
        let distance = timestamp.abs_diff(Timestamp::from_unix_seconds(0));
        let time = if timestamp.nanos < 0 { epoch.checked_sub(distance) } else { epoch.checked_add(distance) };
        time.ok_or_else(|| timestamp.out_of_range())
    }
}

#[cfg(feature = "jiff")]
impl From<jiff::Timestamp> for Timestamp {
    fn from(time: jiff::Timestamp) -> Self {
        Self::from_unix_nanos(time.as_nanosecond())
    }
}

#[cfg(feature = "jiff")]
impl TryFrom<Timestamp> for jiff::Timestamp {
    type Error = ConversionError;

    fn try_from(timestamp: Timestamp) -> Result<Self, ConversionError> {
        Self::from_nanosecond(timestamp.nanos).map_err(|_| timestamp.out_of_range())
    }
}

#[cfg(feature = "chrono")]
impl<Z: chrono::TimeZone> From<chrono::DateTime<Z>> for Timestamp {
    fn from(time: chrono::DateTime<Z>) -> Self {
        // A leap second counts as the second after it, as in Unix time.
        Self::from_unix_seconds(time.timestamp())
            + std::time::Duration::from_nanos(time.timestamp_subsec_nanos().into())
    }
}

#[cfg(feature = "chrono")]
impl TryFrom<Timestamp> for chrono::DateTime<chrono::Utc> {
    type Error = ConversionError;

    fn try_from(timestamp: Timestamp) -> Result<Self, ConversionError> {
        Self::from_timestamp(timestamp.unix_seconds(), timestamp.subsec_nanos()).ok_or_else(|| timestamp.out_of_range())
    }
}

#[cfg(feature = "time")]
impl From<time::OffsetDateTime> for Timestamp {
    fn from(time: time::OffsetDateTime) -> Self {
        Self::from_unix_nanos(time.unix_timestamp_nanos())
    }
}

#[cfg(feature = "time")]
impl TryFrom<Timestamp> for time::OffsetDateTime {
    type Error = ConversionError;

    fn try_from(timestamp: Timestamp) -> Result<Self, ConversionError> {
        Self::from_unix_timestamp_nanos(timestamp.nanos).map_err(|_| timestamp.out_of_range())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn system_time_is_kept_exactly() {
        let half = Duration::from_millis(500);
        let epoch = SystemTime::UNIX_EPOCH;
        for (time, seconds) in [(epoch + half, 0), (epoch - half, -1), (epoch + Duration::from_secs(7), 7)] {
            let timestamp = Timestamp::from(time);
            assert_eq!((timestamp.unix_seconds(), SystemTime::try_from(timestamp)), (seconds, Ok(time)));
        }
    }

    /// Checks that timestamps are unchanged after a conversion to another type and back.
    #[cfg(any(feature = "chrono", feature = "jiff", feature = "time"))]
    fn there_and_back<T: TryFrom<Timestamp, Error = ConversionError> + Into<Timestamp>>() {
        let half = Duration::from_millis(500);
        for timestamp in
            [Timestamp::from(0), Timestamp::from(1_700_000_000) + half, Timestamp::from(-5) - half, Timestamp::from(-1)]
        {
            assert_eq!(T::try_from(timestamp).map(Into::into), Ok(timestamp));
        }
        assert!(T::try_from(Timestamp::MAX).is_err() && T::try_from(Timestamp::MIN).is_err());
    }

    #[cfg(feature = "jiff")]
    #[test]
    fn jiff_conversion_round_trips() {
        there_and_back::<jiff::Timestamp>();
    }

    #[cfg(feature = "chrono")]
    #[test]
    fn chrono_conversion_round_trips() {
        there_and_back::<chrono::DateTime<chrono::Utc>>();
    }

    #[cfg(feature = "time")]
    #[test]
    fn time_conversion_round_trips() {
        there_and_back::<time::OffsetDateTime>();
    }
}
