//! Responses with a record for each minute.

use std::fmt::Write;
use std::ops::Range;

pub(crate) const MINUTE: i64 = 60;
/// The end of all ranges, 2024-06-15T00:00:00Z, in minutes.
pub(crate) const END: i64 = 1_718_409_600 / MINUTE;
/// The maximum number of records of a response.
pub(crate) const PAGE: i64 = 1000;

/// The number of records of a download.
pub(crate) const MINUTES_OF_A_YEAR: i64 = 365 * 24 * 60;

/// The form of the records.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    /// The number of fields, without the time.
    pub(crate) fields: usize,
    /// The percentage of the fields that is present.
    pub(crate) percent: usize,
}

/// Returns the number of a param, whose name is given with its `=`.
pub(crate) fn param(url: &str, name: &str) -> Option<i64> {
    let after = url.split(name).nth(1)?;
    let text = after.split(['&', ' ']).next()?;
    text.parse().ok()
}

/// Returns the minutes that a request asks for.
pub(crate) fn requested_minutes(url: &str) -> Range<i64> {
    let from = param(url, "startTime=").unwrap_or_default();
    let to = param(url, "endTime=").unwrap_or_default();
    (from + MINUTE - 1) / MINUTE..to / MINUTE + 1
}

impl Shape {
    /// Returns the number of records. They are enough for a row group and a rest, except of records with many fields,
    /// for which counting the instructions would take minutes.
    pub(crate) fn records(self) -> i64 {
        if self.fields > 30 { 20_000 } else { 70_000 }
    }

    /// Returns the minutes of each response.
    pub(crate) fn pages(self) -> impl Iterator<Item = Range<i64>> {
        let first = END - self.records();
        (0..self.records() / PAGE).map(move |page| first + page * PAGE..first + (page + 1) * PAGE)
    }

    /// Returns a response with the records of these minutes.
    pub(crate) fn body(self, minutes: Range<i64>) -> String {
        let mut text = String::from(r#"{"data":["#);
        for minute in minutes {
            let _ = write!(text, r#"{{"openDate":{}"#, minute * MINUTE);
            for field in 0..self.fields {
                let number = minute.unsigned_abs() as usize * 7919 + field * 104_729;
                if number % 100 < self.percent {
                    let _ = write!(text, r#","f{field}":{}.{:02}"#, number % 90_000 + 10_000, number % 99 + 1);
                }
            }
            text.push_str("},");
        }
        text.pop();
        text.push_str("]}");
        text
    }
}
