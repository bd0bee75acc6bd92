//! Durations and steps in the format of the catalogue: `90s`, `5m`, `1h`, `1d`, `1w`, and steps of the calendar: `1mo`,
//! `1q`, `1y`, `1bd`.

pub use runtime::registry::Step;

use crate::pattern::is_like;

/// The units in seconds, the longest first.
const UNITS: [(char, u64); 5] = [('w', 604_800), ('d', 86_400), ('h', 3600), ('m', 60), ('s', 1)];

/// The regular expression of a step, in a syntax that every editor supports.
pub const STEP_PATTERN: &str = "^([1-9][0-9]{0,8}([smhdwqy]|mo)|1bd)$";

/// The regular expression of an anchor. Every month has its day, and no such date is invalid.
pub const ANCHOR_PATTERN: &str =
    "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])(T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?Z)?$";

/// Returns a step; `None` if the text is not a valid step.
pub fn step(text: &str) -> Option<Step> {
    if is_like(STEP_PATTERN, text) { text.parse().ok() } else { None }
}

/// Returns an anchor in Unix seconds; `None` if the text is not a valid anchor.
pub fn anchor(text: &str) -> Option<i64> {
    if !is_like(ANCHOR_PATTERN, text) {
        return None;
    }
    let time: runtime::Timestamp = text.parse().ok()?;
    Some(time.unix_seconds())
}

/// The regular expression of a duration, in a syntax that every editor supports.
pub const PATTERN: &str = "^[1-9][0-9]{0,8}[smhdw]$";

/// Returns the number of seconds of a duration; `None` if the text is not a valid duration.
pub fn seconds(text: &str) -> Option<u64> {
    if !is_like(PATTERN, text) {
        return None;
    }
    let (unit, seconds) = UNITS.into_iter().find(|(unit, _)| text.ends_with(*unit))?;
    let count: u64 = text.strip_suffix(unit)?.parse().ok()?;
    count.checked_mul(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_the_calendar_are_read() {
        for (text, expected) in [
            ("1h", Step::seconds(3600)),
            ("1mo", Step::Months(1)),
            ("1q", Step::Months(3)),
            ("2y", Step::Months(24)),
            ("1bd", Step::BusinessDays),
        ] {
            assert_eq!(step(text), Some(expected));
        }
        for text in ["", "mo", "0mo", "1M", "1month", "2bd", "01q", "999999999y", " 1mo"] {
            assert_eq!(step(text), None, "{text}");
        }
        assert_eq!((anchor("1970-01-04"), anchor("1970-01-01T16:00:00Z")), (Some(3 * 86_400), Some(57_600)));
        for text in ["2024-02-30", "2024-01-29", "2024-1-1", "2024-01-01T24:00Z", "2024-01-01T16:00", "sunday"] {
            assert_eq!(anchor(text), None, "{text}");
        }
    }

    #[test]
    fn durations_are_read() {
        for (text, expected) in
            [("1m", 60), ("90s", 90), ("60m", 3600), ("24h", 86_400), ("1d", 86_400), ("1w", 604_800)]
        {
            assert_eq!(seconds(text), Some(expected));
        }
        for text in ["", "m", "1", "0m", "01m", "1M", "1y", "-1m", "1.5h", "+1m", " 1m", "1 m", "9999999999s"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
