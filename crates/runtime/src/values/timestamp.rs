//! Timestamps, independent of any unit.
//!
//! A [`Timestamp`] is exact. A param or a field has a unit in the registry; the unit is applied when the value is
//! written or read. A timestamp converts to and from Unix seconds, [`SystemTime`] and RFC 3339, and is always in UTC.

mod iso8601;

mod zone;

mod period;

mod arithmetic;

mod interval;

mod conversions;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde_core::de::Error;
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use super::json_text::text_or_number;
use crate::platform;
use crate::registry::TimeUnit;
use crate::text::quoted;
use crate::values::wire::ToWire;
use crate::values::{ConversionError, Number};

pub use interval::Interval;
use iso8601::SECOND;
pub use zone::is_time_zone;

/// A time, with nanosecond resolution.
///
/// A number has a unit, so it has a constructor for each unit, which is independent of the unit that the service uses. A
/// text is parsed: `"2024-03-01".parse::<Timestamp>()?`. `SystemTime` and, with the features of their names, the types of
/// `chrono`, `jiff` and `time` convert with `From`, and back with `TryFrom`: `DateTime::try_from(timestamp)?`.
///
/// ```
/// # use generated_client_runtime::{ConversionError, Timestamp};
/// use std::time::Duration;
///
/// let start: Timestamp = "2024-03-01T00:00:00Z".parse()?;
/// assert_eq!(start, Timestamp::from_unix_seconds(1_709_251_200));
/// let later = start + Duration::from_secs(5000);
/// assert_eq!(later.floor(Duration::from_secs(3600)).to_string(), "2024-03-01T01:00:00Z");
/// assert_eq!(later - start, Duration::from_secs(5000));
/// # Ok::<(), ConversionError>(())
/// ```
// Packed, because an `i128` is aligned to 16 bytes, which would make a decoded value and most records 8 bytes larger.
#[repr(Rust, packed(8))]
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp {
    /// Nanoseconds since the Unix epoch. The seconds, rounded down, fit into an `i64`.
    nanos: i128,
}

impl TimeUnit {
    /// The length of the unit in nanoseconds; for a unit that is text, the length of a second.
    const fn nanos(self) -> u32 {
        match self {
            Self::Milliseconds => 1_000_000,
            Self::Microseconds => 1000,
            Self::Nanoseconds => 1,
            _ => 1_000_000_000,
        }
    }

    /// The resolution of timestamps sent in this unit; of a unit of the calendar, the longest period.
    pub(crate) fn grain(self) -> Duration {
        const DAY: u64 = 24 * 60 * 60;
        let seconds = match self {
            Self::Date | Self::CompactDate | Self::Period => DAY,
            Self::CompactHour | Self::Hour => 60 * 60,
            Self::Month => 31 * DAY,
            Self::Quarter => 92 * DAY,
            Self::Year => 366 * DAY,
            _ => return Duration::from_nanos(self.nanos().into()),
        };
        Duration::from_secs(seconds)
    }

    /// The latest time at or before `time` that can be sent in this unit.
    pub(crate) fn floor(self, time: Timestamp) -> Timestamp {
        if self.is_period() {
            return Timestamp::from_unix_seconds(period::floor(time.unix_seconds(), self));
        }
        time.floor(self.grain())
    }

    /// The first time after the period that begins at `time`.
    pub(crate) fn after(self, time: Timestamp) -> Timestamp {
        let next = time + self.grain();
        // The longest period ends within the next one.
        if self.is_period() { self.floor(next) } else { next }
    }

    /// Parses a timestamp from its text on the wire; returns `None` if the text is invalid.
    pub fn read(self, text: &str) -> Option<Timestamp> {
        if self.is_period() {
            return period::read(text, self).map(Timestamp::from_unix_seconds);
        }
        if let Self::Local(zone) = self {
            let nanos = iso8601::read(text)?;
            let utc = if iso8601::has_offset(text) { nanos } else { zone::to_utc(nanos, zone)? };
            return Some(Timestamp::from_unix_nanos(utc));
        }
        if self.is_text() {
            return iso8601::read(text).map(Timestamp::from_unix_nanos);
        }
        text.parse().ok().map(|count| Timestamp::from_wire(count, self))
    }

    /// `true` if a text that was read in this unit is surely written with the same characters.
    pub(crate) fn is_as_written(self, text: &str) -> bool {
        match self {
            Self::Iso8601 => iso8601::is_as_written(text),
            Self::Date => text.len() == iso8601::DATE,
            _ => false,
        }
    }
}

impl Timestamp {
    /// Reads a period of a year, such as `M01` or `Q1` of `2024`, as its start.
    pub(crate) fn of_period(year: &str, period: &str) -> Option<Self> {
        period::in_year(year, period).map(Self::from_unix_seconds)
    }

    /// The first second that RFC 3339 can represent: the year 0.
    const FIRST_WRITABLE: Self = Self::from_unix_seconds(-62_167_219_200);

    /// The last second that RFC 3339 can represent, because its years have four digits.
    pub(crate) const LAST_WRITABLE: Self = Self::from_unix_seconds(253_402_300_799);

    /// The earliest timestamp.
    pub(crate) const MIN: Self = Self::from_unix_seconds(i64::MIN);
    /// The latest timestamp.
    pub(crate) const MAX: Self = Self { nanos: Self::from_unix_seconds(i64::MAX).nanos + SECOND - 1 };

    /// Creates a timestamp from Unix seconds; negative values are before 1970.
    pub const fn from_unix_seconds(seconds: i64) -> Self {
        Self { nanos: seconds as i128 * SECOND }
    }

    /// Creates a timestamp from Unix milliseconds; negative values are before 1970.
    pub const fn from_unix_millis(millis: i64) -> Self {
        Self::from_wire(millis, TimeUnit::Milliseconds)
    }

    /// Returns whole Unix seconds, rounded down.
    #[allow(clippy::cast_possible_truncation)] // The seconds of every timestamp fit into an `i64`.
    pub const fn unix_seconds(self) -> i64 {
        divide(self.nanos, SECOND) as i64
    }

    /// The nanoseconds since the last whole second.
    pub(crate) fn subsec_nanos(self) -> u32 {
        // The fallback is never used, because the remainder is less than a second.
        u32::try_from(remainder(self.nanos, SECOND)).unwrap_or_default()
    }

    /// Reads a decimal number in a unit exactly, for example `1400949917.858329958` seconds; returns `None` if the text
    /// is not a JSON number, if it has a fraction of a nanosecond, or an exponent and a fraction.
    pub(crate) fn from_decimal(text: &str, unit: TimeUnit) -> Option<Self> {
        let number = Number::parse(text)?;
        if text.contains(['e', 'E']) {
            return number.integer().map(|count| Self::from_wire(count, unit));
        }
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let fraction = fraction.trim_end_matches('0');
        let digits = unit.nanos().ilog10() as usize;
        if fraction.len() > digits || whole.parse::<i64>().is_err() {
            return None;
        }
        let nanos = format!("{whole}{fraction:0<digits$}").parse().ok()?;
        Some(Self::from_unix_nanos(nanos))
    }

    /// Returns the current time.
    pub fn now() -> Self {
        platform::now().into()
    }

    /// Converts a number on the wire.
    #[inline]
    pub(crate) const fn from_wire(count: i64, unit: TimeUnit) -> Self {
        Self { nanos: count as i128 * unit.nanos() as i128 }
    }

    /// The number that is sent, rounded down to the unit.
    pub(crate) fn wire(self, unit: TimeUnit) -> i64 {
        let count = self.nanos.div_euclid(unit.nanos().into());
        i64::try_from(count).unwrap_or(if count < 0 { i64::MIN } else { i64::MAX })
    }

    /// Creates a timestamp from Unix nanoseconds; saturates at the earliest and the latest timestamp.
    pub fn from_unix_nanos(nanos: i128) -> Self {
        Self { nanos: nanos.clamp(Self::MIN.nanos, Self::MAX.nanos) }
    }

    /// Creates the error for a conversion to a type that cannot represent this timestamp.
    fn out_of_range(self) -> ConversionError {
        ConversionError(format!("the timestamp {self} is outside the range of the target type").into())
    }
}

/// Divides nanoseconds by a positive number, and rounds down.
///
/// Those within three centuries of 1970 fit into 64 bits, which a processor divides at once. A division of 128 bits is a call
/// of a function, which took a tenth of the time of a backfill.
#[expect(clippy::cast_possible_truncation, reason = "the results of the casts are compared")]
const fn divide(nanos: i128, by: i128) -> i128 {
    let short_nanos = nanos as i64;
    let short_by = by as i64;
    if short_nanos as i128 == nanos && short_by as i128 == by {
        return short_nanos.div_euclid(short_by) as i128;
    }
    nanos.div_euclid(by)
}

/// The rest of the division of nanoseconds by a positive number, which is not negative.
fn remainder(nanos: i128, by: i128) -> i128 {
    nanos - divide(nanos, by) * by
}

/// Writes the timestamp rounded down to the unit.
impl ToWire for Timestamp {
    fn write_param(&self, unit: TimeUnit, out: &mut String) {
        match unit {
            TimeUnit::Iso8601 => iso8601::write(self.unix_seconds(), self.subsec_nanos(), out),
            TimeUnit::Local(zone) => write_local(*self, zone, out),
            TimeUnit::Date => iso8601::write_date(self.unix_seconds(), out),
            unit if unit.is_period() => period::write(self.unix_seconds(), unit, out),
            _ => out.push_str(&self.wire(unit).to_string()),
        }
    }
}

/// Appends a local time. In an unknown zone, the time is written in UTC, with its offset.
fn write_local(time: Timestamp, zone: &str, out: &mut String) {
    let Some(local) = zone::to_local(time.nanos, zone) else { return time.write_param(TimeUnit::Iso8601, out) };
    Timestamp::from_unix_nanos(local).write_param(TimeUnit::Iso8601, out);
    // A local time has no `Z`.
    out.pop();
}

/// Tests count in seconds.
#[cfg(test)]
impl From<i64> for Timestamp {
    fn from(seconds: i64) -> Self {
        Self::from_unix_seconds(seconds)
    }
}

/// Writes the time like `2024-03-01T00:00:00Z`, with 0, 3, 6 or 9 fractional digits. A time before the year 0 or
/// after 9999 is written as the number of Unix seconds.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        let seconds = self.unix_seconds();
        if (Self::FIRST_WRITABLE.unix_seconds()..=Self::LAST_WRITABLE.unix_seconds()).contains(&seconds) {
            iso8601::write(seconds, self.subsec_nanos(), &mut text);
        } else {
            text = seconds.to_string();
        }
        f.pad(&text)
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Timestamp({self})")
    }
}

/// Writes Unix seconds as an integer, or if there is a fraction as text with every digit: `"1700000000.000000001"`. In a
/// record, the unit of the field is used instead.
impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.subsec_nanos() == 0 {
            return serializer.serialize_i64(self.unix_seconds());
        }
        let sign = if self.nanos < 0 { "-" } else { "" };
        let nanos = self.nanos.unsigned_abs();
        let second = SECOND.unsigned_abs();
        serializer.collect_str(&format_args!("{sign}{}.{:09}", nanos / second, nanos % second))
    }
}

/// Reads Unix seconds, as a number or as text, or a time as `parse` does; exact to the nanosecond.
impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = text_or_number(deserializer)?;
        let time = Self::from_decimal(&text, TimeUnit::Seconds).or_else(|| text.parse().ok());
        time.ok_or_else(|| {
            D::Error::custom(format!(
                "expected Unix seconds or a time such as `2024-03-01T00:00:00Z`, found `{}`",
                quoted(&text)
            ))
        })
    }
}

/// Reads a time such as `2024-03-01T00:00:00Z` or `2024-03-01T01:00+01:00`, which is in UTC if it has no offset; the
/// seconds may be omitted. Also reads a date such as `2024-03-01`, as the start of that day in UTC.
impl FromStr for Timestamp {
    type Err = ConversionError;

    fn from_str(text: &str) -> Result<Self, ConversionError> {
        TimeUnit::Iso8601.read(text).ok_or_else(|| {
            let expected = "`2024-03-01T00:00:00Z`, an offset such as `+01:00`, or a date";
            ConversionError(format!("invalid time `{}`, expected {expected}", quoted(text)).into())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_round_trip_as_text() {
        let table = [
            (Timestamp::from(0), "1970-01-01T00:00:00Z"),
            (Timestamp::from(1_700_000_000), "2023-11-14T22:13:20Z"),
            (Timestamp::from_wire(1_700_000_000_250, TimeUnit::Milliseconds), "2023-11-14T22:13:20.250Z"),
            (Timestamp::from_wire(1_700_000_000_000_250, TimeUnit::Microseconds), "2023-11-14T22:13:20.000250Z"),
            (Timestamp::from_wire(1_700_000_000_000_000_001, TimeUnit::Nanoseconds), "2023-11-14T22:13:20.000000001Z"),
            (Timestamp::LAST_WRITABLE, "9999-12-31T23:59:59Z"),
            (Timestamp::from_unix_nanos(-1), "1969-12-31T23:59:59.999999999Z"),
            (Timestamp::from(-315_619_200), "1960-01-01T00:00:00Z"),
            (Timestamp::FIRST_WRITABLE, "0000-01-01T00:00:00Z"),
        ];
        for (timestamp, text) in table {
            assert_eq!(timestamp.to_string(), text);
            assert_eq!(text.parse(), Ok(timestamp));
        }
    }

    #[test]
    fn a_date_is_the_start_of_its_day() {
        assert_eq!("2024-03-01".parse(), Ok(Timestamp::from(1_709_251_200)));
    }

    #[test]
    fn a_time_without_an_offset_is_utc() {
        for text in ["2024-03-01T01:30", "2024-03-01T01:30:00Z", "2024-03-01T02:30+01:00"] {
            assert_eq!(text.parse(), Ok(Timestamp::from(1_709_256_600)), "{text}");
        }
    }

    #[test]
    fn serialized_timestamps_keep_nanoseconds() {
        for (nanos, json) in [
            (1_700_000_000_000_000_000, "1700000000"),
            (1_700_000_000_000_000_001, r#""1700000000.000000001""#),
            (-1_500_000_000, r#""-1.500000000""#),
            (-1, r#""-0.000000001""#),
        ] {
            let time = Timestamp::from_unix_nanos(nanos);
            assert_eq!(serde_json::to_string(&time).unwrap(), json);
            assert_eq!(serde_json::from_str::<Timestamp>(json).unwrap(), time);
        }
        for (json, nanos) in [
            ("1700000000.25", Some(1_700_000_000_250_000_000)),
            (r#""2024-03-01""#, Some(1_709_251_200_000_000_000)),
            (r#""1.0000000001""#, None),
            (r#""1.x""#, None),
            ("1e400", None),
            ("1400949917.858329958", Some(1_400_949_917_858_329_958)),
            (r#""-9223372036854775808.5""#, Some(i128::from(i64::MIN) * 1_000_000_000)),
            ("1e9", Some(1_000_000_000_000_000_000)),
            ("1.5e0", None),
            (r#""+5""#, None),
            (r#""5.""#, None),
        ] {
            assert_eq!(serde_json::from_str(json).ok(), nanos.map(Timestamp::from_unix_nanos), "{json}");
        }
    }

    #[test]
    fn display_falls_back_to_the_number() {
        for seconds in [
            Timestamp::FIRST_WRITABLE.unix_seconds() - 1,
            Timestamp::LAST_WRITABLE.unix_seconds() + 1,
            i64::MIN,
            i64::MAX,
        ] {
            assert_eq!(Timestamp::from(seconds).to_string(), seconds.to_string());
        }
    }

    #[test]
    fn invalid_timestamps_are_rejected() {
        let table = ["", "1700000000", "2024-02-30", "2024-03-01T00:00:00+1", "2024-02-30T00:00:00Z"];
        for text in table {
            let error = text.parse::<Timestamp>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("invalid time `{text}`, expected ")), "{error}");
        }
        let long = format!("\u{1b}{}", "1".repeat(10_000));
        let parsed = long.parse::<Timestamp>().unwrap_err().to_string();
        let errors = [parsed, serde_json::from_value::<Timestamp>(long.into()).unwrap_err().to_string()];
        assert!(errors.iter().all(|error| error.len() < 500 && !error.contains('\u{1b}')), "{errors:?}");
    }

    #[test]
    fn the_unit_is_applied_on_the_wire() {
        for (count, unit, seconds) in [
            (1_700_000_000, TimeUnit::Seconds, 1_700_000_000),
            (1_700_000_000_250, TimeUnit::Milliseconds, 1_700_000_000),
            (-1, TimeUnit::Milliseconds, -1),
            (i64::MIN, TimeUnit::Seconds, i64::MIN),
            (i64::MIN, TimeUnit::Milliseconds, i64::MIN.div_euclid(1000)),
        ] {
            let timestamp = Timestamp::from_wire(count, unit);
            assert_eq!((timestamp.wire(unit), timestamp.unix_seconds()), (count, seconds));
        }
        let finer = Timestamp::from(7) + Duration::from_nanos(1_999_999);
        assert_eq!((finer.wire(TimeUnit::Seconds), finer.wire(TimeUnit::Milliseconds)), (7, 7001));
        assert_eq!((finer.wire(TimeUnit::Microseconds), finer.wire(TimeUnit::Nanoseconds)), (7_001_999, 7_001_999_999));
        assert_eq!(Timestamp::from_wire(7_001_999_999, TimeUnit::Nanoseconds), finer);
    }
}
