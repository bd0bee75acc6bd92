//! Timestamps as ISO 8601 text, such as `2024-03-01T00:00:00Z`, and the variants that services use.
//!
//! This module reads dates without a time, times with or without seconds and fractions, a space instead of the `T`, times
//! without colons after a `T`, and offsets. A time without an offset is UTC. Times are written in UTC, and only years
//! with four digits are supported.

use std::fmt::Write;

pub(super) const DAY: i64 = 24 * 60 * 60;

/// Nanoseconds of a second.
pub(super) const SECOND: i128 = 1_000_000_000;

/// Days from 0000-03-01 to 1970-01-01. Years are counted from March 1, so that a leap day is the last day of its year.
const DAYS_BEFORE_1970: i64 = 719_468;

/// Days in four hundred years.
const ERA: i64 = 146_097;

/// The length of a date such as `2024-03-01`.
pub(super) const DATE: usize = 10;

/// Reads a date, with or without a time of day, as nanoseconds since the Unix epoch.
pub(super) fn read(text: &str) -> Option<i128> {
    read_usual(text.as_bytes()).or_else(|| read_any(text))
}

/// Reads a date, or a time in UTC with seconds and at most nine fractional digits, such as `2024-03-01T00:00:00.000Z`.
/// Returns `None` for any other form. It is a fast path: nearly all services write these forms, and a record can have
/// several times.
fn read_usual(text: &[u8]) -> Option<i128> {
    let [year, century] = [two_digits(text, 2)?, two_digits(text, 0)?];
    let [month, day] = [two_digits(text, 5)?, two_digits(text, 8)?];
    let is_date = text.get(4) == Some(&b'-') && text.get(7) == Some(&b'-');
    let year = century * 100 + year;
    if !is_date || !(1..=12).contains(&month) || !(1..=days_of_month(year, month)).contains(&day) {
        return None;
    }
    let midnight = i128::from(Date { year, month, day }.days() * DAY) * SECOND;
    if text.len() == DATE {
        return Some(midnight);
    }
    let [hour, minute, second] = [two_digits(text, 11)?, two_digits(text, 14)?, two_digits(text, 17)?];
    let is_clock = text.get(10) == Some(&b'T') && text.get(13) == Some(&b':') && text.get(16) == Some(&b':');
    if !is_clock || hour >= 24 || minute >= 60 || second >= 60 {
        return None;
    }
    let nanos = match text.get(19..)? {
        [b'Z'] => 0,
        [b'.', fraction @ .., b'Z'] => nanoseconds(fraction)?,
        _ => return None,
    };
    Some(midnight + i128::from(hour * 3600 + minute * 60 + second) * SECOND + i128::from(nanos))
}

/// The nanoseconds of one to nine digits after a decimal point.
fn nanoseconds(fraction: &[u8]) -> Option<i64> {
    if !(1..=9).contains(&fraction.len()) {
        return None;
    }
    let mut nanos = 0;
    for index in 0..9 {
        let digit = fraction.get(index).map_or(0, |byte| byte.wrapping_sub(b'0'));
        if digit > 9 {
            return None;
        }
        nanos = nanos * 10 + i64::from(digit);
    }
    Some(nanos)
}

/// Reads two digits.
fn two_digits(text: &[u8], at: usize) -> Option<i64> {
    let [tens, ones] = [text.get(at)?, text.get(at + 1)?].map(|byte| byte.wrapping_sub(b'0'));
    (tens < 10 && ones < 10).then(|| i64::from(tens * 10 + ones))
}

/// `true` if a time that can be read is written by [`write`] with the same characters.
pub(super) fn is_as_written(text: &str) -> bool {
    let text = text.as_bytes();
    let has_colons = text.get(13) == Some(&b':') && text.get(16) == Some(&b':');
    let is_time = has_colons && text.get(10) == Some(&b'T') && text.last() == Some(&b'Z');
    let is_leap_second = text.get(17) == Some(&b'6');
    let fraction = match text.get(19..) {
        Some([b'Z']) => return is_time && !is_leap_second,
        Some([b'.', fraction @ .., b'Z']) => fraction,
        _ => return false,
    };
    is_time && !is_leap_second && matches!(fraction.len(), 3 | 6 | 9) && !fraction.ends_with(b"000")
}

/// `true` if a time that can be read states its offset from UTC.
pub(super) fn has_offset(text: &str) -> bool {
    text.get(DATE..).is_some_and(|time| time.contains(['Z', 'z', '+', '-']))
}

/// Reads a date, with or without a time of day, in any accepted form.
fn read_any(text: &str) -> Option<i128> {
    let (date, rest) = text.split_at_checked(DATE)?;
    let midnight = days(date)? * DAY;
    if rest.is_empty() {
        return Some(i128::from(midnight) * SECOND);
    }
    let clock_and_offset = rest.strip_prefix(['T', 't', ' '])?;
    let length = clock_and_offset.find(['Z', 'z', '+', '-']).unwrap_or(clock_and_offset.len());
    let (time, offset) = clock_and_offset.split_at(length);
    let (time, fraction) = match time.split_once(['.', ',']) {
        // A fraction after the hours or the minutes would not be one of a second.
        Some((time, fraction)) if time.len() >= "hhmmss".len() => (time, fraction),
        _ => (time, "0"),
    };
    // A date with a year or with a range of hours, such as `2024-03-01 12-15`, is not a time.
    let has_minutes = if rest.starts_with(' ') { time.contains(':') } else { time.len() >= "hhmm".len() };
    if !has_minutes {
        return None;
    }
    let offset = match offset.split_at_checked(1) {
        None | Some(("Z" | "z", "")) => 0,
        Some(("+", offset)) => clock(offset)?,
        Some(("-", offset)) => -clock(offset)?,
        Some(_) => return None,
    };
    digits(fraction)?;
    let nanos = digits(&format!("{fraction:0<9}"))?;
    Some(i128::from(midnight + clock(time)? - offset) * SECOND + i128::from(nanos))
}

/// Appends the time that is `seconds` and `nanos` after the Unix epoch, with 0, 3, 6 or 9 fractional digits.
pub(super) fn write(seconds: i64, nanos: u32, out: &mut String) {
    write_date(seconds, out);
    let second = seconds.rem_euclid(DAY);
    let fraction = format!(".{nanos:09}");
    let fraction = fraction.trim_end_matches("000").trim_end_matches('.');
    let _ = write!(out, "T{:02}:{:02}:{:02}{fraction}Z", second / 3600, second / 60 % 60, second % 60);
}

/// Appends the day in UTC of the time that is `seconds` after the Unix epoch.
pub(super) fn write_date(seconds: i64, out: &mut String) {
    let Date { year, month, day } = Date::at(seconds);
    let _ = write!(out, "{year:04}-{month:02}-{day:02}");
}

/// A day of the Gregorian calendar.
#[derive(Clone, Copy)]
pub(super) struct Date {
    pub(super) year: i64,
    /// From 1 to 12.
    pub(super) month: i64,
    /// From 1 to 31.
    pub(super) day: i64,
}

impl Date {
    /// The day in UTC of the time that is `seconds` after the Unix epoch.
    pub(super) fn at(seconds: i64) -> Self {
        // Howard Hinnant, "chrono-compatible low-level date algorithms".
        let day = seconds.div_euclid(DAY) + DAYS_BEFORE_1970;
        let era = day.div_euclid(ERA);
        let of_era = day.rem_euclid(ERA);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * of_year + 2) / 153;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        let year = era * 400 + year_of_era + i64::from(month <= 2);
        Self { year, month, day: of_year - (153 * from_march + 2) / 5 + 1 }
    }

    /// The number of days from 1970 to this day, which may be after the end of its month.
    pub(super) fn days(self) -> i64 {
        let is_before_march = self.month <= 2;
        let year = self.year - i64::from(is_before_march);
        let from_march = if is_before_march { self.month + 9 } else { self.month - 3 };
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let of_year = (153 * from_march + 2) / 5 + self.day - 1;
        era * ERA + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year - DAYS_BEFORE_1970
    }
}

/// The number of days from 1970 to a date.
pub(super) fn days(date: &str) -> Option<i64> {
    let mut parts = date.split('-').map_while(digits);
    let year = parts.next()?;
    let month = parts.next()?;
    let day = parts.next()?;
    let days = Date { year, month, day }.days();
    // An invalid date is detected by writing it: February 30, for example, would be written as another day.
    let mut again = String::with_capacity(10);
    write_date(days * DAY, &mut again);
    if again == date { Some(days) } else { None }
}

fn days_of_month(year: i64, month: i64) -> i64 {
    let is_leap_year = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => 28 + i64::from(is_leap_year),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Reads hours, minutes and seconds of two digits each, as seconds. The seconds, or the minutes and the seconds, may be
/// omitted, and so may all colons.
fn clock(text: &str) -> Option<i64> {
    let separator = if text.contains(':') { ":" } else { "" };
    let mut rest = text;
    let mut total = 0;
    for (unit, end) in [(3600, 24), (60, 60), (1, 61)] {
        if unit < 3600 {
            if rest.is_empty() {
                break;
            }
            rest = rest.strip_prefix(separator)?;
        }
        let (part, next) = rest.split_at_checked(2)?;
        // A leap second is read as the second before it, which most clocks repeat.
        total += unit * digits(part).filter(|part| *part < end)?.min(59);
        rest = next;
    }
    rest.is_empty().then_some(total)
}

/// Reads a number of digits; those after the ninth are ignored.
fn digits(text: &str) -> Option<i64> {
    let are_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if are_digits { text.get(..text.len().min(9))?.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepted_forms_are_parsed() {
        let whole = [
            ("1970-01-01", 0),
            ("2024-03-01", 1_709_251_200),
            ("2024-02-29T00:00:00Z", 1_709_164_800),
            ("2024-03-01T00:00", 1_709_251_200),
            ("2024-03-01 01:02:03", 1_709_254_923),
            ("2024-03-01T01:02:03+01:00", 1_709_251_323),
            ("2024-03-01T01:02:03-0130", 1_709_260_323),
            ("2024-03-01T01:02:03+01", 1_709_251_323),
            ("2024-03-01t0102Z", 1_709_254_920),
            ("2024-03-01T010203+01:30:30", 1_709_249_493),
            ("2016-12-31T23:59:60Z", 1_483_228_799),
            ("1969-12-31T23:59:59Z", -1),
            ("0000-03-01", -62_162_035_200),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
        ];
        for (text, seconds) in whole {
            assert_eq!(read(text), Some(seconds * SECOND), "{text}");
        }
        for (text, nanos) in
            [(".5", 500_000_000), (".000001", 1000), (",25", 250_000_000), (".1234567891", 123_456_789)]
        {
            let read = read(&format!("1970-01-01T00:00:00{text}Z"));
            assert_eq!(read, Some(nanos), "{text}");
        }
    }

    #[test]
    fn usual_times_are_read_like_any_time() {
        let mut random = fastrand::Rng::with_seed(3);
        let ends = ["Z", ".5Z", ".000Z", ".123Z", ".120Z", ".123000Z", ".1234567891Z", ".Z", "", "+01:00"];
        for _ in 0..100_000 {
            let [year, month, day] = [random.u32(0..10_000), random.u32(0..14), random.u32(0..33)];
            let [hour, minute, second] = [random.u32(0..25), random.u32(0..61), random.u32(0..62)];
            let end = random.choice(ends).unwrap();
            let date = format!("{year:04}-{month:02}-{day:02}");
            let time = format!("{date}T{hour:02}:{minute:02}:{second:02}{end}");
            for text in [date, time] {
                let expected = read_any(&text);
                assert_eq!(read(&text), expected, "{text}");
                let Some(nanos) = expected.filter(|_| text.len() > DATE) else { continue };
                let mut written = String::new();
                let second = i64::try_from(nanos.div_euclid(SECOND)).unwrap();
                write(second, u32::try_from(nanos.rem_euclid(SECOND)).unwrap(), &mut written);
                assert_eq!(is_as_written(&text), written == text, "{text}");
            }
        }
    }

    #[test]
    fn invalid_times_are_rejected() {
        for text in [
            "",
            "2024",
            "2024-3-1",
            "2024-02-30",
            "2024-13-01",
            "2023-02-29",
            "2024-03-01T",
            "2024-03-01T24:00:00Z",
            "2024-03-01T00:60Z",
            "2024-03-01T00:00:00X",
            "2024-03-01T00:00:00.Z",
            "2024-03-01T0:00",
            "2024-03-01TZ",
            "2024-03-01T01.5",
            "2024-03-01T01:02.5",
            "2024-03-01T00:",
            "2024-03-01T01",
            "2024-03-01T12-15",
            "2024-03-01 12-15",
            "2024-03-01 2024",
            "2024-03-01 010203",
            "2024-03-01T01:0203",
            "2024-03-01T0102:03",
            "2024-03-01T00:00:00+01:3030",
            "2024-03-01T00:00:00Z+01",
            "2024-03-01T00:00:00+",
            "1709251200",
            "2024-03-01T00:00:00:00",
            "2024-03-01T00:00:00+1",
            "2024-03-01T00:00:00+1:30",
            "2024-03-01T00:00:00+01:3",
            "2024-03-01T00:00:00+01:030",
            "2024-03-01T00:00:00+00000000012:00",
            "+024-03-01",
            "2024-03-01ü",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn formatted_timestamps_parse_to_the_same_value() {
        let times = [(0, 0), (-1, 0), (1_709_251_200, 0), (1_709_251_200, 250_000_000), (7, 1), (-62_162_035_200, 5)];
        for (seconds, nanos) in times {
            let (mut text, mut date) = (String::new(), String::new());
            write(seconds, nanos, &mut text);
            write_date(seconds, &mut date);
            assert_eq!(read(&text), Some(i128::from(seconds) * SECOND + i128::from(nanos)), "{text}");
            assert_eq!(Some(date.as_str()), text.get(..10));
        }
        let mut text = String::new();
        write(1_700_000_000, 250_000_000, &mut text);
        assert_eq!(text, "2023-11-14T22:13:20.250Z");
    }
}
