//! Recognizes periods in texts, such as a year, a month or a day without separators.

use std::ops::{Range, RangeInclusive};

use catalogue::model::{TimeForm, TimeFormat};

use crate::unix_time::{ENDS, is_named_like_a_time};

/// Formats of digits alone, which the name of a value must distinguish from other numbers, the longest first.
const DIGITS: [TimeFormat; 4] = [TimeFormat::CompactHour, TimeFormat::CompactDate, TimeFormat::Month, TimeFormat::Year];
/// Formats with a separator or a letter.
const SEPARATED: [TimeFormat; 3] = [TimeFormat::Month, TimeFormat::Quarter, TimeFormat::Hour];
/// The formats of periods whose length is seen by how they are written.
const LENGTHS: [TimeFormat; 4] = [TimeFormat::Year, TimeFormat::Quarter, TimeFormat::Month, TimeFormat::Date];

/// `true` if a text is a period of this format in the years 1600 to 2199.
pub(crate) fn is_period(text: &str, format: TimeFormat) -> bool {
    if format == TimeFormat::Period {
        return LENGTHS.iter().any(|format| is_period(text, *format));
    }
    if !TimeForm::Written(format).is_written(text) {
        return false;
    }
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let is_year = is_number_in(&digits, 0..4, &(1600..=2199));
    let is_month = is_number_in(&digits, 4..6, &(1..=12));
    let is_day = is_month && is_number_in(&digits, 6..8, &(1..=31));
    let is_hour = is_day && is_number_in(&digits, 8..10, &(0..=23));
    let is_period_of_year = match format {
        TimeFormat::Year => true,
        TimeFormat::Quarter => is_number_in(&digits, 4..5, &(1..=4)),
        TimeFormat::Month => is_month,
        TimeFormat::CompactHour | TimeFormat::Hour => is_hour,
        TimeFormat::CompactDate | TimeFormat::Date | TimeFormat::Iso8601 | TimeFormat::Period => is_day,
    };
    is_year && is_period_of_year
}

/// `true` if the digits at these positions are a number in a range.
fn is_number_in(digits: &str, positions: Range<usize>, range: &RangeInclusive<u32>) -> bool {
    let Some(digits) = digits.get(positions) else { return false };
    match digits.parse() {
        Ok(number) => range.contains(&number),
        Err(_) => false,
    }
}

/// The ends of names of params that are periods.
const PERIODS: [&str; 7] = ["date", "day", "hour", "month", "period", "quarter", "year"];

/// The format of the value of a param that is a period by its name, such as `start` or `endyear`.
pub(crate) fn period_of_param(name: &str, value: &str) -> Option<TimeFormat> {
    if !is_named_like_a_period(name) {
        return None;
    }
    let is_digits = value.bytes().all(|byte| byte.is_ascii_digit());
    let formats: &[TimeFormat] = if is_digits { &DIGITS } else { &SEPARATED };
    let format = formats.iter().copied().find(|format| is_period(value, *format))?;
    // Unix seconds such as 1712010112 also have the digits of an hour, of another century.
    let is_recent = value.starts_with("19") || value.starts_with("20");
    if format == TimeFormat::CompactHour && !is_recent {
        return None;
    }
    Some(format)
}

fn is_named_like_a_period(name: &str) -> bool {
    let lower = name.to_lowercase();
    is_named_like_a_time(name)
        || PERIODS.iter().any(|period| lower.ends_with(period))
        || lower.split(['_', '-']).any(|word| ENDS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_period_of_a_param_depends_on_its_name() {
        for (name, value, expected) in [
            ("startyear", "2019", Some(TimeFormat::Year)),
            ("end", "2026-02", Some(TimeFormat::Month)),
            ("start", "2024-Q1", Some(TimeFormat::Quarter)),
            ("from", "20240131", Some(TimeFormat::CompactDate)),
            ("from", "2024013100", Some(TimeFormat::CompactHour)),
            ("from", "1700000000", None),
            ("from", "1712010112", None),
            ("limit", "2019", None),
            ("contract", "2026-02", None),
            ("startyear", "BTC", None),
        ] {
            assert_eq!(period_of_param(name, value), expected, "{name}={value}");
        }
    }
}
