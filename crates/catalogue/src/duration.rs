//! Durations in the format of the catalogue: `90s`, `5m`, `1h`, `1d`, `1w`.
//!
//! Months and years are not accepted, because their lengths vary.

use crate::pattern::is_like;

/// The units in seconds, the longest first.
const UNITS: [(char, u64); 5] = [('w', 604_800), ('d', 86_400), ('h', 3600), ('m', 60), ('s', 1)];

/// The regular expression of a duration, in a syntax that every editor supports.
pub const PATTERN: &str = "^[1-9][0-9]{0,8}[smhdw]$";

/// Returns the number of seconds of a duration; `None` if the text is not a valid duration.
pub fn seconds(text: &str) -> Option<u64> {
    let (_, seconds) = UNITS.iter().find(|(unit, _)| text.ends_with(*unit)).filter(|_| is_like(PATTERN, text))?;
    text[..text.len() - 1].parse::<u64>().ok()?.checked_mul(*seconds)
}

/// Formats a duration in the longest unit in which it is an integer.
pub fn written(seconds: u64) -> String {
    let (unit, length) = UNITS.into_iter().find(|(_, length)| seconds.is_multiple_of(*length)).unwrap_or(('s', 1));
    format!("{}{unit}", seconds / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duration_round_trips_as_text() {
        for (text, expected, shortest) in
            [("1m", 60, "1m"), ("90s", 90, "90s"), ("60m", 3600, "1h"), ("24h", 86_400, "1d"), ("1w", 604_800, "1w")]
        {
            assert_eq!((seconds(text), written(expected).as_str()), (Some(expected), shortest));
        }
        for text in ["", "m", "1", "0m", "01m", "1M", "1y", "-1m", "1.5h", "+1m", " 1m", "1 m", "9999999999s"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
