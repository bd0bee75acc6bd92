//! Points in time as people write them on a command line.
//!
//! A date, a date with a time, Unix seconds, `now`, or how long ago comes in, all in UTC. A moment goes out, or an
//! error that lists these forms.

use std::time::Duration;

use generated_client::{Listed, Request, Timestamp};

use crate::failure::Result;

/// The forms that are understood, for help and errors.
pub(crate) const FORMS: &str = "2025-01-31, 2025-01-31T12:00, Unix seconds, `now`, or how long ago: 90d, 36h";

/// Where a range begins.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Begin {
    At(Timestamp),
    /// A length of time before now.
    Ago(Timestamp),
}

impl Begin {
    /// The moment itself, where there are no intervals.
    pub(crate) fn moment(self) -> Timestamp {
        match self {
            Self::At(moment) | Self::Ago(moment) => moment,
        }
    }

    /// The moment, for intervals of a length. A length of time before now is rounded down to a whole interval, as it
    /// rarely ends where one begins.
    pub(crate) fn by(self, step: Duration) -> Timestamp {
        match self {
            Self::At(moment) => moment,
            Self::Ago(moment) => moment.floor(step),
        }
    }

    /// The moment, for the intervals of a request, which has a history.
    pub(crate) fn of(self, request: &Request<Listed>) -> Result<Timestamp> {
        Ok(self.by(request.clone().history(0..0).plan()?.step))
    }
}

/// The beginning that a text stands for, if it is now `now`.
fn parse(text: &str, now: Timestamp) -> Result<Begin, String> {
    let text = text.trim();
    if text == "now" {
        return Ok(Begin::At(now));
    }
    if let Ok(seconds) = text.parse::<i64>() {
        return Ok(Begin::At(Timestamp::from_unix_seconds(seconds)));
    }
    if let Some(moment) = rfc3339(text) {
        return Ok(Begin::At(moment));
    }
    match humantime::parse_duration(text) {
        Ok(ago) => Ok(Begin::Ago(now - ago)),
        Err(_) => Err(format!("expected {FORMS}")),
    }
}

/// RFC 3339 in UTC, of which the end may be left out.
fn rfc3339(text: &str) -> Option<Timestamp> {
    let text = text.trim_end_matches('Z').replacen(' ', "T", 1);
    let rest = match text.len() {
        10 => "T00:00:00",
        13 => ":00:00",
        16 => ":00",
        _ => "",
    };
    format!("{text}{rest}Z").parse().ok()
}

/// The clap parser of a moment.
pub(crate) fn from_now(text: &str) -> Result<Timestamp, String> {
    begin(text).map(Begin::moment)
}

/// The clap parser of a beginning.
pub(crate) fn begin(text: &str) -> Result<Begin, String> {
    parse(text, Timestamp::now())
}

/// A moment for people: to the minute, unless it has seconds.
pub(crate) fn shown(moment: Timestamp) -> String {
    let text = moment.to_string();
    match text.strip_suffix("Z").and_then(|text| text.split_once('T')) {
        Some((date, time)) => format!("{date} {}", time.strip_suffix(":00").unwrap_or(time)),
        // Before 1970 it is a number.
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, step: Duration) -> Option<String> {
        parse(text, Timestamp::from_unix_seconds(1_735_689_600)).map(|begin| shown(begin.by(step))).ok()
    }

    #[test]
    fn what_people_write() {
        let table = [
            ("2025-01-31", Some("2025-01-31 00:00")),
            ("2025-01-31T12", Some("2025-01-31 12:00")),
            ("2025-01-31 12:30", Some("2025-01-31 12:30")),
            ("2025-01-31T12:30:15Z", Some("2025-01-31 12:30:15")),
            ("1735689600", Some("2025-01-01 00:00")),
            ("now", Some("2025-01-01 00:00")),
            ("1d", Some("2024-12-31 00:00")),
            ("1h 30m", Some("2024-12-31 22:30")),
            ("2025-02-30", None),
            ("yesterday", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(check(text, Duration::ZERO).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn so_long_ago_is_where_an_interval_begins() {
        let hour = Duration::from_secs(3600);
        assert_eq!(check("1h 30m", hour).as_deref(), Some("2024-12-31 22:00"));
        assert_eq!(check("2025-01-31 12:30", hour).as_deref(), Some("2025-01-31 12:30"));
    }
}
