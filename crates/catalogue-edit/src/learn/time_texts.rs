//! Recognizes the format of times in texts.

use std::collections::BTreeSet;

use catalogue::model::{TimeForm, TimeFormat};

use crate::observed_values::{Observed, shown};
use crate::written_periods::is_period;

/// `true` if all values are periods of this format, as texts or as integers.
pub(super) fn are_periods(seen: &Observed, format: TimeFormat) -> bool {
    let has_fractions = seen.fractions + seen.non_integers > 0;
    if has_fractions || seen.integers + seen.text_times != seen.values() {
        return false;
    }
    let mut texts = seen.texts.clone();
    if seen.integers > 0 {
        // The smallest and the largest of the integers stand for all of them.
        texts.insert(shown(seen.min));
        texts.insert(shown(seen.max));
    }
    !texts.is_empty() && texts.iter().all(|text| is_period(text, format))
}

/// The format in which every string is a timestamp, if there is one.
pub(super) fn time_format(seen: &Observed) -> Option<TimeFormat> {
    if seen.kinds() != 1 || seen.text_times == 0 {
        return None;
    }
    for format in [TimeFormat::Quarter, TimeFormat::Month, TimeFormat::Hour] {
        if are_period_texts(&seen.texts, format) {
            return Some(format);
        }
    }
    if are_of_several_lengths(&seen.texts) {
        return Some(TimeFormat::Period);
    }
    let mut format = TimeFormat::Date;
    for text in &seen.texts {
        if format_of(text)? == TimeFormat::Iso8601 {
            format = TimeFormat::Iso8601;
        }
    }
    Some(format)
}

/// `true` if all strings are periods, of which some have another length than others. Numbers alone, such as `2024` and
/// `202403`, are not recognized.
fn are_of_several_lengths(texts: &BTreeSet<String>) -> bool {
    let is_number = |text: &String| text.parse::<u32>().is_ok();
    texts.iter().all(|text| is_period(text, TimeFormat::Period))
        && !texts.iter().all(is_number)
        && !texts.iter().all(|text| is_period(text, TimeFormat::Date))
}

/// `true` if all strings are periods of this format that are no numbers.
fn are_period_texts(texts: &BTreeSet<String>, format: TimeFormat) -> bool {
    for text in texts {
        if !is_period(text, format) || text.parse::<u32>().is_ok() {
            return false;
        }
    }
    !texts.is_empty()
}

/// The format of a string, if the client can parse it as a timestamp.
pub(super) fn format_of(text: &str) -> Option<TimeFormat> {
    let formats = [TimeFormat::Date, TimeFormat::Iso8601];
    formats.into_iter().find(|format| TimeForm::Written(*format).is_written(text))
}

/// `true` if a text is a time, such as the key of a map from times to values.
pub(super) fn is_time_text(text: &str) -> bool {
    format_of(text).is_some()
        || is_period(text, TimeFormat::Quarter)
        || is_period(text, TimeFormat::Hour)
        || is_month_text(text)
}

fn is_month_text(text: &str) -> bool {
    is_period(text, TimeFormat::Month) && text.len() > "yyyymm".len()
}

/// `true` if records have a year, and a period in it such as `M01`.
pub(super) fn is_year_and_period(seen: &Observed) -> bool {
    let (Some(year), Some(period)) = (seen.fields.get("year"), seen.fields.get("period")) else { return false };
    year.text_times > 0
        && period.text_times > 0
        && year.texts.iter().all(|text| is_period(text, TimeFormat::Year))
        && period.texts.iter().all(|text| is_part_of_year(text))
}

/// `true` for a letter and a number, such as `M01` or `Q1`.
fn is_part_of_year(text: &str) -> bool {
    let Some(number) = text.strip_prefix(['M', 'Q', 'S', 'A', 'W']) else { return false };
    text.len() < 4 && number.parse::<u8>().is_ok()
}
