//! Times as text: on the command line, in job files, and in messages, which also have ranges of times.
//!
//! This module converts a date, a date with a time, a Unix timestamp, `now` or an age to a [`Timestamp`]. A time
//! without an offset is UTC. If a number is neither a date nor a Unix timestamp of this century, the error shows the
//! time that the number would mean.

use std::ops::Range;
use std::time::Duration;

use dataset::Backfill;
use runtime::registry::TimeUnit;
use runtime::{Interval, Timestamp};

use crate::notation::{assigned, chosen, several};

/// The accepted forms of a time, as part of error messages.
const FORMS: &str = "expected a date (2025-01-31 or 20250131), a date with a time (2025-01-31T12:00, UTC; \
                     2025-01-31T12:00+02:00), Unix seconds or milliseconds, `now`, or an age (90d, 36h)";

/// The start of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Start {
    pub(crate) time: Timestamp,
    /// `true` for an age and for `now`.
    is_age: bool,
}

impl Start {
    /// The start of the range: the start of the interval that contains an age, and any other time unchanged,
    /// because the service may begin its intervals at other times.
    pub(crate) fn of(self, interval: Interval) -> Timestamp {
        if self.is_age { interval.start_of(self.time) } else { self.time }
    }
}

fn parse(text: &str, now: Timestamp) -> Result<Start, String> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let time = number(text)?;
        return Ok(Start { time, is_age: false });
    }
    if let Some(time) = date_time(text) {
        return Ok(Start { time, is_age: false });
    }
    let age = if text == "now" { Ok(Duration::ZERO) } else { humantime::parse_duration(text) };
    match age {
        Ok(age) => Ok(Start { time: now - age, is_age: true }),
        Err(_) => Err(exceeded(text).unwrap_or_else(|| FORMS.to_owned())),
    }
}

/// Parses digits as a date, Unix seconds or Unix milliseconds, distinguished by the number of digits.
fn number(digits: &str) -> Result<Timestamp, String> {
    let count = digits.parse::<i64>().map_err(|_| FORMS.to_owned())?;
    let of_seconds = Timestamp::from_unix_seconds(count);
    let of_milliseconds = Timestamp::from_unix_seconds(0) + Duration::from_millis(count.unsigned_abs());
    match digits.len() {
        8 => {
            let date = format!("{}-{}-{}", &digits[..4], &digits[4..6], &digits[6..]);
            date_time(&date).ok_or_else(|| format!("`{digits}` is not a date; {FORMS}"))
        }
        10 => Ok(of_seconds),
        13 => Ok(of_milliseconds),
        // A Unix time with fewer or more digits would be decades before or after any record.
        ..=11 => Err(format!("as Unix seconds, this would be {}; {FORMS}", shown(of_seconds))),
        _ => Err(format!("as Unix milliseconds, this would be {}; {FORMS}", shown(of_milliseconds))),
    }
}

/// Parses a date, or a date with a time, whose minutes, seconds and offset may be omitted.
fn date_time(text: &str) -> Option<Timestamp> {
    let mut text = text.replacen(" +", "+", 1).replacen(" -", "-", 1);
    if let Some(after_hour) = text.get(13..)
        && lacks_minutes(after_hour)
    {
        text.insert_str(13, ":00");
    }
    TimeUnit::Iso8601.read(&text)
}

/// Whether the text after the hour of a time is empty or an offset.
fn lacks_minutes(after_hour: &str) -> bool {
    if after_hour.starts_with(|next: char| next == ':' || next.is_ascii_digit()) {
        return false;
    }
    // `12-15` is probably meant as 12:15, and not as 12:00 with an offset.
    let may_be_minutes = after_hour.len() == 3 && !after_hour.starts_with('+');
    !may_be_minutes
}

/// What an invalid date exceeds: the number of months, or of the days of its month.
fn exceeded(text: &str) -> Option<String> {
    let month = text.get(..7)?;
    if text.get(7..8) != Some("-") {
        return None;
    }
    if let Some((year, month)) = month.split_once('-')
        && month.parse().is_ok_and(|month: u32| month > 12)
    {
        return Some(format!("{year} has 12 months"));
    }
    let last = (28..=31).rev().find(|day| date_time(&format!("{month}-{day}")).is_some())?;
    let day: u32 = text.get(8..10)?.parse().ok()?;
    if day > last { Some(format!("{month} has {last} days")) } else { None }
}

/// The end of a range without an end, which ends at the present of the service.
pub(crate) const OPEN: Timestamp = Backfill::OPEN_END;

/// A start of a range before every stored row.
pub(crate) const ALWAYS: Timestamp = Timestamp::from_unix_seconds(i64::MIN);

/// Parses the end of a range, for clap.
pub(crate) fn end(text: &str) -> Result<Timestamp, String> {
    if text.trim() == "now" { Ok(OPEN) } else { timestamp(text) }
}

/// Parses a time, for clap.
pub(crate) fn timestamp(text: &str) -> Result<Timestamp, String> {
    start(text).map(|start| start.time)
}

/// Parses the start of a range, for clap.
pub(crate) fn start(text: &str) -> Result<Start, String> {
    parse(text, now())
}

/// The current time, rounded down to a second.
pub(crate) fn now() -> Timestamp {
    Timestamp::now().floor(Duration::from_secs(1))
}

/// Parses a duration, for clap.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text.trim()).map_err(|_| "expected a length of time such as 24h or 7d".to_owned())
}

/// Formats a timestamp for users, without the seconds if they are zero.
pub(crate) fn shown(time: Timestamp) -> String {
    if time == OPEN {
        return "now".to_owned();
    }
    let text = time.to_string();
    match text.strip_suffix("Z").and_then(|text| text.split_once('T')) {
        Some((date, time)) => format!("{date} {}", time.strip_suffix(":00").unwrap_or(time)),
        // Timestamps before the year 0 and after 9999 are formatted as numbers.
        None => text,
    }
}

/// The complete text of a time, for programs.
pub(crate) fn exact(time: Option<Timestamp>) -> Option<String> {
    time.map(|time| time.to_string())
}

/// Formats a timestamp as the value of an option, without a time of day if that is zero.
pub(crate) fn argument(time: Timestamp) -> String {
    let text = shown(time.floor(Duration::from_secs(1)));
    match text.strip_suffix(" 00:00") {
        Some(date) => date.to_owned(),
        None => text.replace(' ', "T"),
    }
}

/// The sum of the intervals that each range overlaps. An interval that two ranges overlap counts twice. Without a regular
/// step, the number of ranges.
pub(crate) fn steps<'r>(ranges: impl IntoIterator<Item = &'r Range<Timestamp>>, interval: Interval) -> u64 {
    let mut steps = 0;
    for range in ranges {
        steps += if interval.has_steps() { interval.count(range) } else { 1 };
    }
    steps
}

/// Rejects a range that ends before its start.
pub(crate) fn check(range: &Range<Timestamp>) -> Result<(), String> {
    let Range { start, end } = range;
    if end < start { Err(format!("the range ends at {end}, before its start {start}")) } else { Ok(()) }
}

/// Formats the bounds of a range.
pub(crate) fn span(range: &Range<Timestamp>) -> String {
    format!("from {} to {}", shown(range.start), shown(range.end))
}

/// Ranges as pairs of times.
pub(crate) fn pairs(all: &[Range<Timestamp>]) -> Vec<[String; 2]> {
    all.iter().map(|range| [range.start.to_string(), range.end.to_string()]).collect()
}

/// Describes ranges, with the options with which a run that otherwise ends at a time fetches them; `None` if there are
/// none.
pub(crate) fn absent<'r>(
    what: &str,
    ranges: impl Iterator<Item = &'r Range<Timestamp>>,
    run_end: Timestamp,
) -> Option<String> {
    let parts = united(ranges);
    let start = parts.first()?.start;
    let end = parts.last()?.end;
    let from = argument(start);
    let mut options = vec![assigned("from", &from)];
    if end > run_end {
        options.push(assigned("to", &argument(end)));
    }
    let times = match parts.as_slice() {
        [one, other] => format!("{} and {}", span(one), span(other)),
        [_, _, _, ..] => format!("in {} parts {}", parts.len(), span(&(start..end))),
        _ => span(&(start..end)),
    };
    let call = chosen("run the backfill with", "call `backfill` with", "call `fetch_records` with");
    Some(format!("{what}, {times}; {call} `{}`", several(&options)))
}

/// Ranges in order, without those that overlap or touch others.
fn united<'r>(ranges: impl Iterator<Item = &'r Range<Timestamp>>) -> Vec<Range<Timestamp>> {
    let mut sorted: Vec<_> = ranges.cloned().collect();
    sorted.sort_by_key(|range| range.start);
    let mut parts: Vec<Range<Timestamp>> = Vec::new();
    for range in sorted {
        match parts.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => parts.push(range),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<String, String> {
        parse(text, Timestamp::from_unix_seconds(1_735_689_600)).map(|start| shown(start.time))
    }

    #[test]
    fn every_form_of_a_time_is_parsed() {
        let table = [
            ("2025-01-31", "2025-01-31 00:00"),
            (" 2025-01-31\n", "2025-01-31 00:00"),
            ("20250131", "2025-01-31 00:00"),
            ("2025-01-31T12", "2025-01-31 12:00"),
            ("2025-01-31T1230", "2025-01-31 12:30"),
            ("2025-01-31 12:30", "2025-01-31 12:30"),
            ("2025-01-31T12:30Z", "2025-01-31 12:30"),
            ("2025-01-31T12:30:15Z", "2025-01-31 12:30:15"),
            ("2025-01-31T12:30+02:00", "2025-01-31 10:30"),
            ("2025-01-31 12:30:00 -0530", "2025-01-31 18:00"),
            ("2025-01-31T23+02", "2025-01-31 21:00"),
            ("2025-01-31T23-02:00", "2025-02-01 01:00"),
            ("1735689600", "2025-01-01 00:00"),
            ("1735689600000", "2025-01-01 00:00"),
            ("now", "2025-01-01 00:00"),
            ("1d", "2024-12-31 00:00"),
            ("1h 30m", "2024-12-31 22:30"),
        ];
        for (text, expected) in table {
            assert_eq!(check(text).as_deref(), Ok(expected), "{text}");
            assert_eq!(check(&argument(timestamp(expected).unwrap())).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn the_first_interval_of_an_age_contains_it_and_a_time_is_not_raised() {
        let now = Timestamp::from_unix_seconds(1_735_689_600 + 1800);
        for (text, expected) in [
            ("1h", "2024-12-31 23:00"),
            ("now", "2025-01-01 00:00"),
            ("2025-01-01T00:30", "2025-01-01 00:30"),
            ("2025-01-01T01:00", "2025-01-01 01:00"),
        ] {
            assert_eq!(shown(parse(text, now).unwrap().of(Duration::from_secs(3600).into())), expected, "{text}");
        }
    }

    #[test]
    fn relative_times_are_whole_seconds() {
        for text in ["now", "7d"] {
            assert_eq!(shown(timestamp(text).unwrap()).find('.'), None, "{text}");
        }
    }

    #[test]
    fn invalid_times_are_errors() {
        let table = [
            ("20250230", "`20250230` is not a date; expected"),
            ("2025", "as Unix seconds, this would be 1970-01-01 00:33:45; expected"),
            ("173568960", "as Unix seconds, this would be 1975-07-02"),
            ("202501311200", "as Unix milliseconds, this would be 1976-06-01"),
            ("20250131120000", "as Unix milliseconds, this would be 2611-"),
            ("99999999999999999999", "expected a date"),
            ("2025-02-30", "2025-02 has 28 days"),
            ("2024-02-30T12:00", "2024-02 has 29 days"),
            ("2025-06-31", "2025-06 has 30 days"),
            ("2025-13-01", "2025 has 12 months"),
            ("2025-01-31T12:00+99:00", "expected a date"),
            ("2025-01-31T12:00+0", "expected a date"),
            ("2025-01-31 2024", "expected a date"),
            // A minus between hours and minutes would otherwise be read as an offset of 15 hours.
            ("2025-01-31 12-15", "expected a date"),
            ("2025-01-31T12-15", "expected a date"),
            ("yesterday", "expected a date"),
            ("", "expected a date"),
        ];
        for (text, expected) in table {
            let error = check(text).unwrap_err();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }

    #[test]
    fn a_hint_about_a_range_after_the_end_of_the_run_names_its_end() {
        let day = |day: i64| Timestamp::from_unix_seconds(day * 86_400);
        for (run_end, expected) in [(9, "--from 1970-01-03"), (4, "--from 1970-01-03 --to 1970-01-06")] {
            let hint = absent("a part", [day(2)..day(3), day(4)..day(5)].iter(), day(run_end)).unwrap();
            assert!(hint.ends_with(&format!("; run the backfill with `{expected}`")), "{hint}");
        }
    }

    #[test]
    fn a_hint_names_only_times_that_are_absent() {
        let day = |day: i64| Timestamp::from_unix_seconds(day * 86_400);
        let one = "from 1970-01-02 00:00 to 1970-01-03 00:00";
        let other = "from 1970-01-05 00:00 to 1970-01-06 00:00";
        for (ranges, expected) in [
            (vec![day(1)..day(2), day(1)..day(2)], one.to_owned()),
            (vec![day(4)..day(5), day(1)..day(2)], format!("{one} and {other}")),
            (
                vec![day(1)..day(2), day(4)..day(5), day(7)..day(8)],
                "in 3 parts from 1970-01-02 00:00 to 1970-01-09 00:00".to_owned(),
            ),
        ] {
            let hint = absent("a part", ranges.iter(), day(9)).unwrap();
            assert!(hint.starts_with(&format!("a part, {expected}; ")), "{hint}");
        }
    }
}
