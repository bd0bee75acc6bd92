//! Conversions to and from the timestamps of `jiff`, `chrono` and `time`, each with the feature of that name.
//!
//! Conversion into a [`Timestamp`] is exact; the reverse fails for timestamps outside the range of the other type.

#[cfg(any(feature = "chrono", feature = "jiff", feature = "time"))]
use super::{OutOfRange, Timestamp};

#[cfg(feature = "jiff")]
impl From<jiff::Timestamp> for Timestamp {
    fn from(time: jiff::Timestamp) -> Self {
        Self::from_parts(time.as_second(), time.subsec_nanosecond().into())
    }
}

#[cfg(feature = "jiff")]
impl From<jiff::Zoned> for Timestamp {
    fn from(time: jiff::Zoned) -> Self {
        time.timestamp().into()
    }
}

#[cfg(feature = "jiff")]
impl TryFrom<Timestamp> for jiff::Timestamp {
    type Error = OutOfRange;

    fn try_from(timestamp: Timestamp) -> Result<Self, OutOfRange> {
        let nanos = i32::try_from(timestamp.nanos).map_err(|_| OutOfRange(timestamp))?;
        Self::new(timestamp.seconds, nanos).map_err(|_| OutOfRange(timestamp))
    }
}

#[cfg(feature = "chrono")]
impl<Z: chrono::TimeZone> From<chrono::DateTime<Z>> for Timestamp {
    fn from(time: chrono::DateTime<Z>) -> Self {
        // A leap second counts as the second after it, as in Unix time.
        Self::from_parts(time.timestamp(), time.timestamp_subsec_nanos().into())
    }
}

#[cfg(feature = "chrono")]
impl TryFrom<Timestamp> for chrono::DateTime<chrono::Utc> {
    type Error = OutOfRange;

    fn try_from(timestamp: Timestamp) -> Result<Self, OutOfRange> {
        Self::from_timestamp(timestamp.seconds, timestamp.nanos).ok_or(OutOfRange(timestamp))
    }
}

#[cfg(feature = "time")]
impl From<time::OffsetDateTime> for Timestamp {
    fn from(time: time::OffsetDateTime) -> Self {
        Self::from_parts(time.unix_timestamp(), time.nanosecond().into())
    }
}

#[cfg(feature = "time")]
impl From<time::UtcDateTime> for Timestamp {
    fn from(time: time::UtcDateTime) -> Self {
        Self::from_parts(time.unix_timestamp(), time.nanosecond().into())
    }
}

#[cfg(feature = "time")]
impl TryFrom<Timestamp> for time::OffsetDateTime {
    type Error = OutOfRange;

    fn try_from(timestamp: Timestamp) -> Result<Self, OutOfRange> {
        let second = Self::from_unix_timestamp(timestamp.seconds).ok();
        second.and_then(|second| second.replace_nanosecond(timestamp.nanos).ok()).ok_or(OutOfRange(timestamp))
    }
}

#[cfg(feature = "time")]
impl TryFrom<Timestamp> for time::UtcDateTime {
    type Error = OutOfRange;

    fn try_from(timestamp: Timestamp) -> Result<Self, OutOfRange> {
        let second = Self::from_unix_timestamp(timestamp.seconds).ok();
        second.and_then(|second| second.replace_nanosecond(timestamp.nanos).ok()).ok_or(OutOfRange(timestamp))
    }
}

/// Conversion from seconds since the Unix epoch and any number of nanoseconds in addition.
#[cfg(any(feature = "chrono", feature = "jiff", feature = "time"))]
impl Timestamp {
    fn from_parts(seconds: i64, nanos: i64) -> Self {
        let per_second = i64::from(super::NANOS_PER_SECOND);
        // The remainder of a division by a second is less than a second.
        let nanos_left = u32::try_from(nanos.rem_euclid(per_second)).unwrap_or_default();
        Self { seconds: seconds.saturating_add(nanos.div_euclid(per_second)), nanos: nanos_left }
    }
}

#[cfg(test)]
mod tests {
    /// Checks that timestamps are unchanged after a conversion in both directions.
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
    fn jiff_goes_there_and_back() {
        there_and_back::<jiff::Timestamp>();
        let zoned = jiff::Timestamp::UNIX_EPOCH.to_zoned(jiff::tz::TimeZone::UTC);
        assert_eq!(super::Timestamp::from(zoned), super::Timestamp::from(0));
    }

    #[cfg(feature = "chrono")]
    #[test]
    fn chrono_goes_there_and_back() {
        there_and_back::<chrono::DateTime<chrono::Utc>>();
    }

    #[cfg(feature = "time")]
    #[test]
    fn time_goes_there_and_back() {
        there_and_back::<time::OffsetDateTime>();
        there_and_back::<time::UtcDateTime>();
    }
}
