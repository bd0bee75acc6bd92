//! The intervals of a series: time, divided into steps.
//!
//! Each interval has a number. The interval with the number 0 begins at the anchor, unless the step is a number of months:
//! these are counted from the start of the month of the anchor, and each begins as long after the start of its month as
//! the anchor does. Business days are counted from the Monday of the anchor.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::time::Duration;

use serde_core::de::Error;
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use super::iso8601::{DAY, Date, SECOND};
use super::{Timestamp, divide, remainder};
use crate::registry::Step;
use crate::text::quoted;
use crate::values::ConversionError;

const WEEK: i64 = 7 * DAY;

/// The first Monday after the Unix epoch, which was a Thursday.
const FIRST_MONDAY: Timestamp = Timestamp::from_unix_seconds(4 * DAY);

/// The units of fixed steps in seconds, the longest first.
const UNITS: [(&str, u64); 5] = [("w", 604_800), ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)];

/// The intervals of a series: their step, and a time at which an interval begins.
///
/// As text, an interval is its step in the notation of the catalogue, and an anchor that is not the usual one:
/// `1h`, `1mo`, `1w@2024-01-07T00:00:00Z`.
///
/// ```
/// # use generated_client_runtime::{ConversionError, Interval, Timestamp};
/// let months: Interval = "1mo".parse()?;
/// let leap_day: Timestamp = "2024-02-29T12:00:00Z".parse()?;
/// assert_eq!(months.start_of(leap_day).to_string(), "2024-02-01T00:00:00Z");
/// assert_eq!(months.end_of(leap_day).to_string(), "2024-03-01T00:00:00Z");
/// # Ok::<(), ConversionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interval {
    step: Step,
    anchor: Timestamp,
}

impl Interval {
    /// The intervals of records without a regular step, such as trades: each time is an interval of its own.
    pub const EVENTS: Self = Self::new(Step::Fixed(Duration::from_nanos(1)));

    /// Whether a record is expected for each interval. It is not for [`Self::EVENTS`].
    pub fn has_steps(self) -> bool {
        self != Self::EVENTS
    }

    /// The intervals of a step. Weeks begin on Monday, and all others with the Unix epoch. An interval of no length has a
    /// length of one nanosecond.
    pub const fn new(step: Step) -> Self {
        let anchor = match step {
            Step::Fixed(length) if is_weeks(length) => FIRST_MONDAY,
            Step::Fixed(_) | Step::Months(_) => Timestamp::from_unix_seconds(0),
            Step::BusinessDays => FIRST_MONDAY,
        };
        Self { step, anchor }
    }

    /// The same intervals, one of which begins at `anchor`. Business days begin at the time of day of the anchor.
    #[must_use]
    pub const fn anchored(self, anchor: Timestamp) -> Self {
        let anchor = match self.step {
            Step::Fixed(_) | Step::Months(_) => anchor,
            Step::BusinessDays => monday_before(anchor),
        };
        Self { anchor, ..self }
    }

    /// The step from one interval to the next.
    pub const fn step(self) -> Step {
        self.step
    }

    /// A time at which an interval begins; of months, a time as long after the start of a month.
    pub const fn anchor(self) -> Timestamp {
        self.anchor
    }

    /// A length that no interval falls below.
    pub fn shortest(self) -> Duration {
        match self.step {
            Step::Fixed(length) => length.max(Duration::from_nanos(1)),
            Step::Months(months) => days(months_at_least(months)),
            Step::BusinessDays => days(1),
        }
    }

    /// A length that no interval exceeds.
    pub fn longest(self) -> Duration {
        match self.step {
            Step::Fixed(_) => self.shortest(),
            Step::Months(months) => days((u64::from(months) * 31).min(u64::from(months) * 366 / 12 + 3)),
            Step::BusinessDays => days(3),
        }
    }

    /// The start of the interval that contains a time.
    pub fn start_of(self, time: Timestamp) -> Timestamp {
        self.shifted(time, 0)
    }

    /// The end of the interval that contains a time.
    pub fn end_of(self, time: Timestamp) -> Timestamp {
        self.shifted(time, 1)
    }

    /// The start of the interval that is `count` intervals after the one that contains a time; before it, if `count` is
    /// negative.
    pub fn shifted(self, time: Timestamp, count: i64) -> Timestamp {
        if let Some(length) = self.fixed_nanos() {
            // The start can be before the earliest timestamp.
            let start = time.nanos - remainder(time.nanos - self.anchor.nanos, length);
            return Timestamp::from_unix_nanos(start.saturating_add(product(length, count)));
        }
        self.start(self.number(time).saturating_add(count.into()))
    }

    /// The time that is as long after the start of a later or an earlier interval as `time` is after the start of its
    /// interval, or the last time of that interval if it is shorter.
    pub fn moved(self, time: Timestamp, count: i64) -> Timestamp {
        if let Some(length) = self.fixed_nanos() {
            return Timestamp::from_unix_nanos(time.nanos.saturating_add(product(length, count)));
        }
        let start = self.shifted(time, count);
        let last = self.end_of(start) - Duration::from_nanos(1);
        (start + (time - self.start_of(time))).min(last)
    }

    /// The number of intervals that have passed from the start to the end of a range, wherever in an interval it starts.
    pub fn passed(self, range: &Range<Timestamp>) -> u64 {
        if range.end <= range.start {
            return 0;
        }
        let started = self.number(range.end) - self.number(range.start);
        let started = i64::try_from(started).unwrap_or(i64::MAX);
        let is_partial = self.moved(range.start, started) > range.end;
        u64::try_from(started).unwrap_or_default() - u64::from(is_partial)
    }

    /// The number of intervals that overlap a range.
    pub fn count(self, range: &Range<Timestamp>) -> u64 {
        if range.end <= range.start {
            return 0;
        }
        let last = self.number(range.end - Duration::from_nanos(1));
        u64::try_from(last - self.number(range.start) + 1).unwrap_or(u64::MAX)
    }

    fn number(self, time: Timestamp) -> i128 {
        let since_anchor = time.nanos - self.anchor.nanos;
        match self.step {
            Step::Fixed(length) => divide(since_anchor, nanos(length)),
            Step::Months(months) => {
                let (first, offset) = self.first_month();
                let shifted = Timestamp::from_unix_nanos(time.nanos - offset);
                i128::from((month_of(shifted) - first).div_euclid(i64::from(months.max(1))))
            }
            Step::BusinessDays => {
                let day = since_anchor.div_euclid(i128::from(DAY) * SECOND);
                day.div_euclid(7) * 5 + day.rem_euclid(7).min(4)
            }
        }
    }

    fn start(self, number: i128) -> Timestamp {
        match self.step {
            Step::Fixed(length) => {
                let since_anchor = number.saturating_mul(nanos(length));
                Timestamp::from_unix_nanos(self.anchor.nanos.saturating_add(since_anchor))
            }
            Step::Months(months) => {
                let (first, offset) = self.first_month();
                let month = number.saturating_mul(months.max(1).into()).saturating_add(first.into());
                let month = i64::try_from(month.clamp(-MAX_MONTHS, MAX_MONTHS)).unwrap_or_default();
                Timestamp::from_unix_nanos(start_of_month(month).nanos + offset)
            }
            Step::BusinessDays => {
                let week = number.div_euclid(5);
                let day = week.saturating_mul(7).saturating_add(number.rem_euclid(5));
                let since_anchor = day.saturating_mul(i128::from(DAY) * SECOND);
                Timestamp::from_unix_nanos(self.anchor.nanos.saturating_add(since_anchor))
            }
        }
    }

    /// The length of a fixed step in nanoseconds. With it, intervals are found without their numbers, which a history does
    /// several times for each record.
    fn fixed_nanos(self) -> Option<i128> {
        match self.step {
            Step::Fixed(length) => Some(nanos(length)),
            Step::Months(_) | Step::BusinessDays => None,
        }
    }

    /// The month of the anchor, and the nanoseconds from its start to the anchor.
    fn first_month(self) -> (i64, i128) {
        let first = month_of(self.anchor);
        (first, self.anchor.nanos - start_of_month(first).nanos)
    }
}

/// The nanoseconds of the length of an interval.
fn nanos(length: Duration) -> i128 {
    i128::try_from(length.as_nanos().max(1)).unwrap_or(i128::MAX)
}

/// The nanoseconds of this many intervals.
fn product(length: i128, count: i64) -> i128 {
    match i64::try_from(length) {
        // The product of two numbers of 64 bits cannot overflow.
        Ok(length) => i128::from(length) * i128::from(count),
        Err(_) => length.saturating_mul(count.into()),
    }
}

/// The time of day of `time` on the Monday of its week.
const fn monday_before(time: Timestamp) -> Timestamp {
    let days_since_monday = (time.unix_seconds() - FIRST_MONDAY.unix_seconds()).div_euclid(DAY).rem_euclid(7);
    Timestamp { nanos: time.nanos - days_since_monday as i128 * DAY as i128 * SECOND }
}

/// As many months as timestamps have before and after 1970, so that calculations with them do not overflow.
const MAX_MONTHS: i128 = 3_600_000_000_000;

const fn is_weeks(length: Duration) -> bool {
    let seconds = length.as_secs();
    length.subsec_nanos() == 0 && seconds > 0 && seconds % WEEK.unsigned_abs() == 0
}

fn days(days: u64) -> Duration {
    Duration::from_secs(days.saturating_mul(DAY.unsigned_abs()))
}

/// The least number of days of this many months in a row.
fn months_at_least(months: u32) -> u64 {
    let years = u64::from(months / 12);
    let rest = u64::from(months % 12);
    // February is among them, and as many of the other short months as possible.
    let of_rest = if rest == 0 { 0 } else { 28 + (rest - 1) * 30 };
    years * 365 + of_rest
}

/// The number of a month, counted from the year 0.
fn month_of(time: Timestamp) -> i64 {
    let Date { year, month, .. } = Date::at(time.unix_seconds());
    year * 12 + month - 1
}

fn start_of_month(month: i64) -> Timestamp {
    let date = Date { year: month.div_euclid(12), month: month.rem_euclid(12) + 1, day: 1 };
    Timestamp::from_unix_seconds(date.days().saturating_mul(DAY))
}

/// Intervals of no length, which no series has.
impl Default for Interval {
    fn default() -> Self {
        Self::new(Step::seconds(0))
    }
}

impl From<Step> for Interval {
    fn from(step: Step) -> Self {
        Self::new(step)
    }
}

/// Intervals of this length.
impl From<Duration> for Interval {
    fn from(length: Duration) -> Self {
        Self::new(Step::Fixed(length))
    }
}

/// Writes a step in the notation of the catalogue.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Fixed(length) if length.subsec_nanos() % 1_000_000 > 0 => write!(f, "{}ns", length.as_nanos()),
            Self::Fixed(length) if length.subsec_nanos() > 0 => write!(f, "{}ms", length.as_millis()),
            Self::Fixed(length) => {
                let seconds = length.as_secs();
                let longest = UNITS.into_iter().find(|(_, unit)| seconds % unit == 0);
                let (unit, length) = longest.unwrap_or(("s", 1));
                write!(f, "{}{unit}", seconds / length)
            }
            Self::Months(months) if months % 12 == 0 => write!(f, "{}y", months / 12),
            Self::Months(months) => write!(f, "{months}mo"),
            Self::BusinessDays => f.write_str("1bd"),
        }
    }
}

impl FromStr for Step {
    type Err = ConversionError;

    /// Reads a step in the notation of the catalogue: `90s`, `5m`, `1h`, `1d`, `1w`, `1mo`, `1q`, `1y` or `1bd`. Steps of
    /// `1ms` and `1ns` are read too.
    fn from_str(text: &str) -> Result<Self, ConversionError> {
        step_of(text).ok_or_else(|| {
            ConversionError(format!("{} is not an interval, such as `1h` or `1mo`", quoted(text)).into())
        })
    }
}

fn step_of(text: &str) -> Option<Step> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = &text[digits.len()..];
    if digits.starts_with(['+', '0']) {
        return None;
    }
    let count: u64 = digits.parse().ok()?;
    match unit {
        "ms" => return Some(Step::Fixed(Duration::from_millis(count))),
        "ns" => return Some(Step::Fixed(Duration::from_nanos(count))),
        _ => {}
    }
    let count = u32::try_from(count).ok()?;
    match unit {
        "mo" => Some(Step::Months(count)),
        "q" => count.checked_mul(3).map(Step::Months),
        "y" => count.checked_mul(12).map(Step::Months),
        "bd" => (count == 1).then_some(Step::BusinessDays),
        _ => {
            let (_, seconds) = UNITS.into_iter().find(|(known, _)| *known == unit)?;
            Some(Step::seconds(u64::from(count) * seconds))
        }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.step)?;
        if *self == Self::new(self.step) { Ok(()) } else { write!(f, "@{}", self.anchor) }
    }
}

impl FromStr for Interval {
    type Err = ConversionError;

    fn from_str(text: &str) -> Result<Self, ConversionError> {
        match text.split_once('@') {
            None => Ok(Self::new(text.parse()?)),
            Some((step, anchor)) => Ok(Self::new(step.parse()?).anchored(anchor.parse()?)),
        }
    }
}

/// Writes the seconds of a fixed step with the usual anchor, as earlier versions did, and any other interval as text.
impl Serialize for Interval {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.step {
            Step::Fixed(length) if *self == Self::new(self.step) && length.subsec_nanos() == 0 => {
                serializer.serialize_u64(length.as_secs())
            }
            _ => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Interval {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IntervalVisitor)
    }
}

struct IntervalVisitor;

impl serde_core::de::Visitor<'_> for IntervalVisitor {
    type Value = Interval;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of seconds, or an interval such as `1mo`")
    }

    fn visit_u64<E: Error>(self, seconds: u64) -> Result<Interval, E> {
        Ok(Interval::new(Step::seconds(seconds)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Interval, E> {
        text.parse().map_err(E::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn interval(text: &str) -> Interval {
        text.parse().unwrap()
    }

    #[test]
    fn an_interval_contains_the_times_from_its_start_to_its_end() {
        for (intervals, within, start, end) in [
            ("1h", "2024-03-01T10:30", "2024-03-01T10:00", "2024-03-01T11:00"),
            ("1w", "2026-10-11T23:59:59", "2026-10-05", "2026-10-12"),
            ("1w", "1969-12-30", "1969-12-29", "1970-01-05"),
            ("1w@2024-01-07T00:00:00Z", "2026-10-11T23:59:59", "2026-10-11", "2026-10-18"),
            ("1d@2024-01-01T16:00:00Z", "2024-03-01T15:59", "2024-02-29T16:00", "2024-03-01T16:00"),
            ("1mo", "2024-02-29T12:00", "2024-02-01", "2024-03-01"),
            ("1mo", "2023-02-28", "2023-02-01", "2023-03-01"),
            ("1mo", "1969-12-31", "1969-12-01", "1970-01-01"),
            ("1mo@2024-01-15T06:00:00Z", "2024-03-15T05:00", "2024-02-15T06:00", "2024-03-15T06:00"),
            ("1q", "2024-06-30T23:59", "2024-04-01", "2024-07-01"),
            ("1q@2024-02-01T00:00:00Z", "2024-01-31", "2023-11-01", "2024-02-01"),
            ("1y", "2000-12-31", "2000-01-01", "2001-01-01"),
            ("1y@2023-04-01T00:00:00Z", "2024-03-31", "2023-04-01", "2024-04-01"),
            ("1bd", "2024-03-01T09:00", "2024-03-01", "2024-03-04"),
            ("1bd", "2024-03-03", "2024-03-01", "2024-03-04"),
            ("1bd", "2024-03-04", "2024-03-04", "2024-03-05"),
            ("1bd@2024-01-02T16:00:00Z", "2024-01-06T20:00", "2024-01-05T16:00", "2024-01-08T16:00"),
            ("1bd@2024-01-07T16:00:00Z", "2024-01-08T16:00", "2024-01-08T16:00", "2024-01-09T16:00"),
        ] {
            let intervals = interval(intervals);
            let found = [intervals.start_of(time(within)), intervals.end_of(time(within))];
            assert_eq!(found, [time(start), time(end)], "{intervals} {within}");
            assert!(intervals.shortest() <= found[1] - found[0] && found[1] - found[0] <= intervals.longest());
        }
    }

    #[test]
    fn intervals_follow_each_other_and_are_counted() {
        for text in ["7m", "1w", "1mo", "2mo", "1q", "1y", "1bd", "1mo@2024-01-28T16:00:00Z", "1d@2024-01-01T16:00:00Z"]
        {
            let interval = interval(text);
            let first = interval.start_of(time("1999-11-17T03:00"));
            let mut start = first;
            for count in 1..200 {
                let end = interval.end_of(start);
                let length = end - start;
                assert!(interval.shortest() <= length && length <= interval.longest(), "{text} {start} {end}");
                assert_eq!(interval.start_of(end - Duration::from_nanos(1)), start, "{text}");
                assert_eq!(interval.shifted(first, count), end, "{text}");
                assert_eq!(interval.shifted(end, -count), first, "{text}");
                assert_eq!(interval.count(&(first..end)), count.unsigned_abs(), "{text}");
                start = end;
            }
        }
    }

    #[test]
    fn times_within_intervals_move_by_intervals() {
        for (intervals, from, to, passed) in [
            ("1h", "2024-03-01T10:30", "2024-03-01T12:29", 1),
            ("1h", "2024-03-01T10:30", "2024-03-01T12:30", 2),
            ("1mo", "2024-01-01", "2024-02-29", 1),
            ("1mo", "2024-01-15", "2024-03-14", 1),
            ("1y", "2023-01-01", "2026-01-01", 3),
            ("1bd", "2024-03-01", "2024-03-05", 2),
        ] {
            let interval = interval(intervals);
            assert_eq!(interval.passed(&(time(from)..time(to))), passed, "{intervals} {from}");
            assert_eq!(interval.passed(&(time(to)..time(from))), 0);
        }
        let months = interval("1mo");
        assert_eq!(months.moved(time("2024-01-15T06:00"), 1), time("2024-02-15T06:00"));
        assert!(months.moved(time("2024-01-31"), 1) < time("2024-03-01"));
    }

    #[test]
    fn text_round_trips_and_a_fixed_step_is_stored_as_seconds() {
        for (text, written, stored) in [
            ("60m", "1h", "3600"),
            ("1w", "1w", "604800"),
            ("1w@2024-01-07T00:00:00Z", "1w@2024-01-07T00:00:00Z", "\"1w@2024-01-07T00:00:00Z\""),
            ("1mo", "1mo", "\"1mo\""),
            ("1q", "3mo", "\"3mo\""),
            ("12mo", "1y", "\"1y\""),
            ("1bd", "1bd", "\"1bd\""),
            ("1500ms", "1500ms", "\"1500ms\""),
            ("1ns", "1ns", "\"1ns\""),
        ] {
            assert_eq!(interval(text).to_string(), written);
            assert_eq!(serde_json::to_string(&interval(text)).unwrap(), stored);
            assert_eq!(serde_json::from_str::<Interval>(stored).unwrap(), interval(text));
        }
        for text in ["", "1", "h", "0h", "01h", "+1h", "1M", "2bd", "-1mo", "1.5h", "9999999999s", "1mo@", "1mo@x"] {
            assert!(text.parse::<Interval>().is_err(), "{text}");
        }
    }

    #[test]
    fn extreme_times_have_intervals() {
        for text in ["1h", "1mo", "1y", "1bd"] {
            for time in [Timestamp::MIN, Timestamp::MAX] {
                let interval = interval(text);
                assert!(interval.start_of(time) <= interval.end_of(time), "{text} {time:?}");
                assert!(interval.shifted(time, i64::MIN) <= interval.shifted(time, i64::MAX));
            }
        }
    }

    #[test]
    fn an_interval_that_begins_before_the_earliest_time_ends_where_the_next_one_begins() {
        let hour = interval("1h");
        let end = hour.end_of(Timestamp::MIN);
        assert_eq!(hour.start_of(end), end);
        assert_eq!(hour.shifted(Timestamp::MIN, 2), hour.end_of(end));
        let longest = Interval::from(Duration::MAX);
        assert_eq!(longest.end_of(time("1969-12-31")), longest.anchor());
    }
}
