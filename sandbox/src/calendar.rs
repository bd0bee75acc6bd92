//! Time as the market cuts it: intervals, and the days, weeks and months of UTC.
//!
//! Moments are Unix seconds throughout the sandbox and take the service's unit only where they meet the wire.
//! There are no leap seconds and no other time zones.

use generated_client::registry::TimeUnit;
use generated_client::wire::ToWire;
use generated_client::{SERVICE, Timestamp, Value};

pub(crate) const MINUTE: i64 = 60;
pub(crate) const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;

/// The span that one record covers: from its start, up to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) start: i64,
    pub(crate) end: i64,
}

impl Interval {
    /// The whole day before the one that a moment is in.
    pub(crate) fn day_before(moment: i64) -> Self {
        let end = block_start(moment, DAY);
        Self { start: end - DAY, end }
    }

    /// The whole week before, from Monday to Sunday.
    pub(crate) fn week_before(moment: i64) -> Self {
        // 1970 began on a Thursday, four days before a Monday.
        let end = block_start(moment - 4 * DAY, 7 * DAY) + 4 * DAY;
        Self { start: end - 7 * DAY, end }
    }

    /// The whole calendar month before.
    pub(crate) fn month_before(moment: i64) -> Self {
        let end = month_start(moment);
        Self { start: month_start(end - 1), end }
    }
}

/// Where the block of this length begins that a moment is in.
pub(crate) const fn block_start(moment: i64, length: i64) -> i64 {
    moment - moment.rem_euclid(length)
}

/// Midnight of the first day of the month that a moment is in.
fn month_start(moment: i64) -> i64 {
    // Days since 0000-03-01 make the leap day the last of its year (Howard Hinnant, "chrono-compatible
    // low-level date algorithms"); only the day of the month is wanted.
    let days = moment.div_euclid(DAY);
    let day_of_era = (days + 719_468).rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month + 2) / 5;
    (days - day_of_month) * DAY
}

/// The seconds of a length such as `15m`; a month has 30 days here.
pub(crate) fn length(text: &str) -> Option<i64> {
    let unit = text.chars().last()?;
    let count = text.strip_suffix(unit)?.parse::<i64>().ok()?;
    let seconds = match unit {
        's' => 1,
        'm' => MINUTE,
        'h' => HOUR,
        'd' => DAY,
        'w' => 7 * DAY,
        'M' => 30 * DAY,
        'y' => 365 * DAY,
        _ => return None,
    };
    count.checked_mul(seconds).filter(|length| *length > 0)
}

/// A moment as it is sent.
pub(crate) fn to_wire(moment: i64) -> Value {
    to_wire_in(moment, SERVICE.time_unit)
}

/// A moment as it is sent where the catalogue names a unit, or a format.
pub(crate) fn to_wire_in(moment: i64, unit: TimeUnit) -> Value {
    let text = Timestamp::from_unix_seconds(moment).to_wire(unit);
    if unit.is_text() { text.into() } else { text.parse::<i64>().unwrap_or_default().into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2024-03-01T00:00:00Z, a Friday.
    const MARCH: i64 = 1_709_251_200;

    #[test]
    fn spans_before() {
        let moment = MARCH + 5 * HOUR + 7;
        assert_eq!(Interval::day_before(moment), Interval { start: MARCH - DAY, end: MARCH });
        assert_eq!(Interval::week_before(moment), Interval { start: MARCH - 11 * DAY, end: MARCH - 4 * DAY });
        assert_eq!(Interval::month_before(moment), Interval { start: MARCH - 29 * DAY, end: MARCH });
        assert_eq!(
            Interval::month_before(MARCH - 1),
            Interval { start: MARCH - 60 * DAY, end: MARCH - 29 * DAY },
            "January, seen from the last second of February"
        );
    }

    #[test]
    fn lengths() {
        let table = [("1m", Some(60)), ("4h", Some(14_400)), ("1d", Some(86_400)), ("7d", Some(604_800))];
        let wrong = ["", "m", "0m", "-1h", "1", "1x", "é"].map(|text| (text, None));
        for (text, expected) in table.into_iter().chain(wrong) {
            assert_eq!(length(text), expected, "{text}");
        }
    }
}
