//! Formats durations and counts.

use std::time::Duration;

use indicatif::HumanCount;

/// A unit in which durations are shown.
struct Unit {
    seconds: u64,
    name: &'static str,
}

/// The units of durations, the longest first. A month is a twelfth of a year.
const UNITS: [Unit; 6] = [
    Unit { seconds: 31_557_600, name: "year" },
    Unit { seconds: 2_629_800, name: "month" },
    Unit { seconds: 604_800, name: "week" },
    Unit { seconds: 86_400, name: "day" },
    Unit { seconds: 3600, name: "hour" },
    Unit { seconds: 60, name: "minute" },
];

/// Formats a duration as a whole number of the longest unit that is at most an eighth wrong, for example `90 seconds`,
/// `2 minutes` or `18 months`. From two minutes on, no seconds are shown, so that the unit of a time left does not
/// alternate.
pub(crate) fn duration(time: Duration) -> String {
    // A time below one second is shown as one second.
    let seconds = time.as_secs().max(1);
    for unit in UNITS {
        let rounded = (seconds + unit.seconds / 2) / unit.seconds;
        let error = seconds.abs_diff(rounded * unit.seconds);
        let is_in_minutes = unit.seconds == 60 && seconds >= 120;
        if rounded >= 2 && (error <= seconds / 8 || is_in_minutes) {
            return counted(rounded, unit.name);
        }
    }
    counted(seconds, "second")
}

/// Formats a count with its unit, for example `1 request` or `1,000 requests`.
pub(crate) fn counted(count: u64, what: &str) -> String {
    format!("{} {what}{}", HumanCount(count), if count == 1 { "" } else { "s" })
}
