//! Timestamps as periods of the calendar in UTC: years, quarters, months, hours, days and hours without separators, and
//! periods whose length is seen by how they are written.
//!
//! A period is read as its first second. Services write the same period in several ways, and all of them are read; a
//! param is written in the first way that the documentation of its unit shows.

use std::fmt::Write;

use super::iso8601::{self, DAY, Date};
use crate::registry::TimeUnit;

const HOUR: i64 = 60 * 60;

/// Reads a period, as seconds since the Unix epoch.
pub(super) fn read(text: &str, unit: TimeUnit) -> Option<i64> {
    match unit {
        TimeUnit::Year => Some(first_of(year(text)?, 1)),
        TimeUnit::Quarter => quarter(text),
        TimeUnit::Month => month(text),
        TimeUnit::CompactDate => compact_date(text),
        TimeUnit::CompactHour => {
            let (date, hour) = text.split_at_checked("yyyymmdd".len())?;
            let hour = number(hour, 2).filter(|hour| *hour < 24)?;
            Some(compact_date(date)? + hour * HOUR)
        }
        TimeUnit::Hour => {
            let (date, hour) = text.split_once(['T', 't', ' '])?;
            let hour = number(hour.trim_end_matches(['Z', 'z']), 2).filter(|hour| *hour < 24)?;
            Some(iso8601::days(date)? * DAY + hour * HOUR)
        }
        TimeUnit::Period => {
            let years = [TimeUnit::Year, TimeUnit::Quarter, TimeUnit::Month];
            let found = years.into_iter().find_map(|unit| read(text, unit));
            found.or_else(|| iso8601::days(text).map(|days| days * DAY))
        }
        _ => None,
    }
}

/// Appends the period that contains the time that is `seconds` after the Unix epoch.
pub(super) fn write(seconds: i64, unit: TimeUnit, out: &mut String) {
    let Date { year, month, day } = Date::at(seconds);
    let hour = seconds.rem_euclid(DAY) / HOUR;
    let _ = match unit {
        TimeUnit::Year => write!(out, "{year:04}"),
        TimeUnit::Quarter => write!(out, "{year:04}-Q{}", (month + 2) / 3),
        TimeUnit::Month => write!(out, "{year:04}-{month:02}"),
        TimeUnit::CompactHour => write!(out, "{year:04}{month:02}{day:02}{hour:02}"),
        TimeUnit::Hour => write!(out, "{year:04}-{month:02}-{day:02}T{hour:02}"),
        TimeUnit::Period => write!(out, "{year:04}-{month:02}-{day:02}"),
        _ => write!(out, "{year:04}{month:02}{day:02}"),
    };
}

/// The first second of the period that contains the time that is `seconds` after the Unix epoch.
pub(super) fn floor(seconds: i64, unit: TimeUnit) -> i64 {
    let Date { year, month, .. } = Date::at(seconds);
    let first = match unit {
        TimeUnit::Year => 1,
        TimeUnit::Quarter => (month - 1) / 3 * 3 + 1,
        TimeUnit::Month => month,
        TimeUnit::CompactHour | TimeUnit::Hour => return seconds.div_euclid(HOUR) * HOUR,
        _ => return seconds.div_euclid(DAY) * DAY,
    };
    first_of(year, first)
}

/// Reads a period of a year, such as `M01`, `Q1`, `S01`, `W07` or `A01`, as seconds since the Unix epoch. A number alone
/// is a month. Returns `None` for an average over the year, such as `M13`.
pub(super) fn in_year(year_text: &str, period: &str) -> Option<i64> {
    let year = year(year_text)?;
    let digits = period.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let kind = period.strip_suffix(digits)?;
    let index = if digits.is_empty() { 1 } else { number(digits, digits.len())? };
    let months = match kind {
        "" | "M" | "m" => 1,
        "Q" | "q" => 3,
        "S" | "s" | "H" | "h" => 6,
        "A" | "a" | "Y" | "y" => 12,
        "W" | "w" => return week(year, index),
        _ => return None,
    };
    let is_within = (1..=12 / months).contains(&index);
    is_within.then(|| first_of(year, (index - 1) * months + 1))
}

/// The Monday of a week of ISO 8601: the first week of a year contains January 4.
fn week(year: i64, week: i64) -> Option<i64> {
    let fourth = Date { year, month: 1, day: 4 }.days();
    // 1970-01-01 was a Thursday.
    let first = fourth - (fourth + 3).rem_euclid(7);
    let monday = first + (week - 1) * 7;
    // The Thursday of a week is in the year of the week.
    let next_year = Date { year: year + 1, month: 1, day: 1 }.days();
    if !(1..=53).contains(&week) || monday + 3 >= next_year {
        return None;
    }
    Some(monday * DAY)
}

/// Reads `2024-Q1`, `2024Q1`, `2024 Q1` or `Q1 2024`.
fn quarter(text: &str) -> Option<i64> {
    let (before, after) = text.split_once(['Q', 'q'])?;
    let separators = ['-', ' ', ':', '/'];
    let (year_text, quarter) = match before {
        "" => {
            let (quarter, year_text) = after.split_at_checked(1)?;
            (year_text.trim_start_matches(separators), quarter)
        }
        before => (before.trim_end_matches(separators), after),
    };
    let quarter = number(quarter, 1).or_else(|| number(quarter, 2))?;
    let year = year(year_text)?;
    (1..=4).contains(&quarter).then(|| first_of(year, quarter * 3 - 2))
}

/// Reads `2024-03`, `2024M03`, `2024-M3`, `2024/03` or `202403`.
fn month(text: &str) -> Option<i64> {
    let (year_text, rest) = text.split_at_checked(4)?;
    let rest = rest.strip_prefix(['-', '/', ':']).unwrap_or(rest);
    let named = rest.strip_prefix(['M', 'm']);
    let month = number(named.unwrap_or(rest), 2).or_else(|| number(named?, 1))?;
    let year = year(year_text)?;
    (1..=12).contains(&month).then(|| first_of(year, month))
}

fn compact_date(text: &str) -> Option<i64> {
    let (year, rest) = text.split_at_checked(4)?;
    let (month, day) = rest.split_at_checked(2)?;
    iso8601::days(&format!("{year}-{month}-{day}")).map(|days| days * DAY)
}

fn year(text: &str) -> Option<i64> {
    number(text, 4)
}

fn first_of(year: i64, month: i64) -> i64 {
    Date { year, month, day: 1 }.days() * DAY
}

/// Reads a number of this many digits.
fn number(text: &str, digits: usize) -> Option<i64> {
    let is_number = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: Option<i64>) -> Option<String> {
        let mut date = String::new();
        iso8601::write_date(text?, &mut date);
        Some(date)
    }

    #[test]
    fn periods_are_read_as_their_first_day() {
        for (text, unit, expected) in [
            ("2024", TimeUnit::Year, Some("2024-01-01")),
            ("24", TimeUnit::Year, None),
            ("2024-01", TimeUnit::Year, None),
            ("+024", TimeUnit::Year, None),
            ("2024-Q1", TimeUnit::Quarter, Some("2024-01-01")),
            ("2023Q4", TimeUnit::Quarter, Some("2023-10-01")),
            ("2023 q2", TimeUnit::Quarter, Some("2023-04-01")),
            ("Q3 2023", TimeUnit::Quarter, Some("2023-07-01")),
            ("2023Q5", TimeUnit::Quarter, None),
            ("2023Q0", TimeUnit::Quarter, None),
            ("Q\u{e9}2023", TimeUnit::Quarter, None),
            ("2024-02", TimeUnit::Month, Some("2024-02-01")),
            ("2024M02", TimeUnit::Month, Some("2024-02-01")),
            ("2024-M2", TimeUnit::Month, Some("2024-02-01")),
            ("202412", TimeUnit::Month, Some("2024-12-01")),
            ("2024-13", TimeUnit::Month, None),
            ("2024-2", TimeUnit::Month, None),
            ("20240229", TimeUnit::CompactDate, Some("2024-02-29")),
            ("20230229", TimeUnit::CompactDate, None),
            ("2023022", TimeUnit::CompactDate, None),
            ("2026070123", TimeUnit::CompactHour, Some("2026-07-01")),
            ("2026070124", TimeUnit::CompactHour, None),
            ("2026-07-01T05", TimeUnit::Hour, Some("2026-07-01")),
            ("2026-07-01T5", TimeUnit::Hour, None),
            ("2026-02-30T05", TimeUnit::Hour, None),
            ("2024", TimeUnit::Period, Some("2024-01-01")),
            ("2023Q4", TimeUnit::Period, Some("2023-10-01")),
            ("2024M03", TimeUnit::Period, Some("2024-03-01")),
            ("2024-03-05", TimeUnit::Period, Some("2024-03-05")),
            ("2024-13", TimeUnit::Period, None),
            ("2024-03-05T10", TimeUnit::Period, None),
        ] {
            assert_eq!(date(read(text, unit)).as_deref(), expected, "{text}");
        }
        assert_eq!(
            read("2026070123", TimeUnit::CompactHour),
            read("20260701", TimeUnit::CompactDate).map(|day| day + 23 * HOUR)
        );
    }

    #[test]
    fn period_of_a_year_is_its_first_day() {
        for (year, period, expected) in [
            ("2023", "M01", Some("2023-01-01")),
            ("2023", "M12", Some("2023-12-01")),
            ("2023", "M13", None),
            ("2023", "Q04", Some("2023-10-01")),
            ("2023", "Q05", None),
            ("2023", "S02", Some("2023-07-01")),
            ("2023", "A01", Some("2023-01-01")),
            ("2023", "A", Some("2023-01-01")),
            ("2023", "7", Some("2023-07-01")),
            ("2023", "W01", Some("2023-01-02")),
            ("2021", "W01", Some("2021-01-04")),
            ("2020", "W53", Some("2020-12-28")),
            ("2023", "W53", None),
            ("2023", "X01", None),
            ("23", "M01", None),
        ] {
            assert_eq!(date(in_year(year, period)).as_deref(), expected, "{year} {period}");
        }
    }

    #[test]
    fn written_periods_are_read_as_the_same_period() {
        let time = 1_709_254_923;
        for (unit, expected) in [
            (TimeUnit::Year, "2024"),
            (TimeUnit::Quarter, "2024-Q1"),
            (TimeUnit::Month, "2024-03"),
            (TimeUnit::CompactDate, "20240301"),
            (TimeUnit::CompactHour, "2024030101"),
            (TimeUnit::Hour, "2024-03-01T01"),
            (TimeUnit::Period, "2024-03-01"),
        ] {
            let mut text = String::new();
            write(time, unit, &mut text);
            assert_eq!(text, expected);
            assert_eq!(read(&text, unit), Some(floor(time, unit)), "{text}");
            assert_eq!(floor(floor(time, unit), unit), floor(time, unit));
        }
        assert_eq!(date(Some(floor(-1, TimeUnit::Quarter))).as_deref(), Some("1969-10-01"));
    }
}
