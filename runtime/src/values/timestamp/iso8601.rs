//! Timestamps as ISO 8601 text, such as `2024-03-01T00:00:00Z`, and the variants that services use.
//!
//! This module reads dates without a time, times with or without seconds and fractions, a space instead of the `T`, and
//! offsets. A time without an offset is UTC. Times are written in UTC, and only years with four digits are supported.

use std::fmt::Write;

const DAY: i64 = 24 * 60 * 60;

/// Nanoseconds of a second.
pub(super) const SECOND: i128 = 1_000_000_000;

/// Days from 0000-03-01 to 1970-01-01. Years are counted from March 1, so that a leap day is the last day of its year.
const DAYS_BEFORE_1970: i64 = 719_468;

/// Days in four hundred years.
const ERA: i64 = 146_097;

/// Reads a date, with or without a time of day, as nanoseconds since the Unix epoch.
pub(super) fn read(text: &str) -> Option<i128> {
    let (date, rest) = text.split_at_checked(10)?;
    let midnight = days(date)? * DAY;
    if rest.is_empty() {
        return Some(i128::from(midnight) * SECOND);
    }
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let (clock, offset) = rest.split_at(rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len()));
    let (clock, fraction) = clock.split_once(['.', ',']).map_or((clock, "0"), |(clock, fraction)| (clock, fraction));
    let [hours, minutes, seconds] = parts(clock)?;
    // A leap second is read as the second before it, which most clocks repeat.
    let in_day = hours < 24 && minutes < 60 && seconds <= 60;
    let second = midnight + hours * 3600 + minutes * 60 + seconds.min(59) - offset_seconds(offset)?;
    let nanos = nanos(fraction)?;
    in_day.then_some(i128::from(second) * SECOND + nanos)
}

/// Appends the time that is `seconds` and `nanos` after the Unix epoch, with 0, 3, 6 or 9 fractional digits.
pub(super) fn write(seconds: i64, nanos: u32, out: &mut String) {
    write_date(seconds, out);
    let second = seconds.rem_euclid(DAY);
    let _ = write!(out, "T{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
    let (digits, fraction) = match nanos {
        nanos if nanos % 1_000_000 == 0 => (3, nanos / 1_000_000),
        nanos if nanos % 1000 == 0 => (6, nanos / 1000),
        nanos => (9, nanos),
    };
    if fraction > 0 {
        let _ = write!(out, ".{fraction:0digits$}");
    }
    out.push('Z');
}

/// Appends the day in UTC of the time that is `seconds` after the Unix epoch.
pub(super) fn write_date(seconds: i64, out: &mut String) {
    // Howard Hinnant, "chrono-compatible low-level date algorithms".
    let day = seconds.div_euclid(DAY) + DAYS_BEFORE_1970;
    let (era, of_era) = (day.div_euclid(ERA), day.rem_euclid(ERA));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    let _ = write!(out, "{year:04}-{month:02}-{:02}", of_year - (153 * from_march + 2) / 5 + 1);
}

/// Returns the number of days from 1970 to a date.
fn days(date: &str) -> Option<i64> {
    let mut parts = date.split('-');
    let mut part = |width: usize| parts.next().filter(|part| part.len() == width).and_then(digits);
    let (year, month, day) = (part(4)?, part(2)?, part(2)?);
    let (year_from_march, from_march) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, year_of_era) = (year_from_march.div_euclid(400), year_from_march.rem_euclid(400));
    let of_year = (153 * from_march + 2) / 5 + day - 1;
    let days = era * ERA + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year - DAYS_BEFORE_1970;
    // An invalid date is detected by writing it: February 30, for example, would be written as another day.
    let mut again = String::with_capacity(10);
    write_date(days * DAY, &mut again);
    (again == date).then_some(days)
}

/// Parses hours, minutes and seconds; the seconds may be omitted.
fn parts(clock: &str) -> Option<[i64; 3]> {
    let mut parts = clock.split(':');
    let mut part = || parts.next().map(|part| digits(part).filter(|_| part.len() == 2));
    let clock = [part()??, part()??, part().unwrap_or(Some(0))?];
    parts.next().is_none().then_some(clock)
}

fn offset_seconds(offset: &str) -> Option<i64> {
    if matches!(offset, "" | "Z" | "z") {
        return Some(0);
    }
    let (sign, clock) = offset.split_at_checked(1)?;
    let (hours, minutes) = match clock.len() {
        2 => (clock, "00"),
        4 => clock.split_at_checked(2)?,
        _ => clock.split_once(':')?,
    };
    let two_digits = |part: &str, end| digits(part).filter(|number| part.len() == 2 && *number < end);
    let seconds = two_digits(hours, 24)? * 3600 + two_digits(minutes, 60)? * 60;
    match sign {
        "+" => Some(seconds),
        "-" => Some(-seconds),
        _ => None,
    }
}

/// Converts a fraction of a second to nanoseconds; digits after the ninth are ignored.
fn nanos(fraction: &str) -> Option<i128> {
    digits(fraction)?;
    let nine: String = fraction.chars().chain("000000000".chars()).take(9).collect();
    nine.parse().ok()
}

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
