//! Conversions to and from the timestamps of `jiff`, `chrono` and `time`, each with the feature of that name.
//!
//! The conversion to a [`Timestamp`] is exact. The reverse conversion fails for timestamps outside the range of the
//! other type.

#[cfg(any(feature = "chrono", feature = "jiff", feature = "time"))]
use super::{OutOfRange, Timestamp};

#[cfg(feature = "jiff")]
impl From<jiff::Timestamp> for Timestamp {
    fn from(time: jiff::Timestamp) -> Self {
        Self::from_unix_nanos(time.as_nanosecond())
    }
}

#[cfg(feature = "jiff")]
impl TryFrom<Timestamp> for jiff::Timestamp {
    type Error = OutOfRange;

    fn try_from(timestamp: Timestamp) -> Result<Self, OutOfRange> {
        Self::from_nanosecond(timestamp.nanos).map_err(|_| OutOfRange(timestamp))
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
    type Error = OutOfRange;

    fn try_from(timestamp: Timestamp) -> Result<Self, OutOfRange> {
        Self::from_timestamp(timestamp.unix_seconds(), timestamp.subsec_nanos()).ok_or(OutOfRange(timestamp))
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
    type Error = OutOfRange;

    fn try_from(timestamp: Timestamp) -> Result<Self, OutOfRange> {
        Self::from_unix_timestamp_nanos(timestamp.nanos).map_err(|_| OutOfRange(timestamp))
    }
}

#[cfg(test)]
mod tests {
    /// Checks that timestamps are unchanged after a conversion to another type and back.
    #[cfg(any(feature = "chrono", feature = "jiff", feature = "time"))]
    fn there_and_back<T: TryFrom<super::Timestamp, Error = super::OutOfRange> + Into<super::Timestamp>>() {
        use std::time::Duration;

        use super::Timestamp;

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
