//! Partitions of a data set: the days, months or years by which the rows of a table are divided into files.
//!
//! This module maps a time to the name of a period, and the name of a period to its time range.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::time::Duration;

use runtime::{Interval, Timestamp};
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The maximum number of rows that a file is expected to have when its table is created. Such a file has 40 to 60 MB.
pub(crate) const MAX_ROWS: u64 = 5_000_000;

/// The period of time that one file of a data set covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Partition {
    /// Files such as `1m-2024-06-15.parquet`.
    Day,
    /// Files such as `1m-2024-06.parquet`.
    Month,
    /// Files such as `1h-2024.parquet`.
    Year,
}

impl Partition {
    const ALL: [Self; 3] = [Self::Year, Self::Month, Self::Day];

    /// Returns the longest period with at most five million expected rows, for this number of series with records of
    /// this interval. Without a regular step, the number of rows is unknown, and the period is a year.
    pub fn for_rows(interval: Interval, series: usize) -> Self {
        if !interval.has_steps() {
            return Self::Year;
        }
        let mut all = Self::ALL.into_iter();
        all.find(|partition| partition.rows(interval, series) <= MAX_ROWS).unwrap_or(Self::Day)
    }

    pub(crate) fn shorter(self) -> Option<Self> {
        match self {
            Self::Year => Some(Self::Month),
            Self::Month => Some(Self::Day),
            Self::Day => None,
        }
    }

    /// The expected number of rows of a file.
    pub(crate) fn rows(self, interval: Interval, series: usize) -> u64 {
        (self.max_days() * 86_400 / interval.shortest().as_secs().max(1)).saturating_mul(series as u64)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Month => "month",
            Self::Year => "year",
        }
    }

    /// The length of the date in the names of the periods.
    const fn date_length(self) -> usize {
        match self {
            Self::Day => 10,
            Self::Month => 7,
            Self::Year => 4,
        }
    }

    /// The maximum number of days in a period.
    const fn max_days(self) -> u64 {
        match self {
            Self::Day => 1,
            Self::Month => 31,
            Self::Year => 366,
        }
    }

    /// The name of the period that contains a time.
    pub(crate) fn period(self, time: Timestamp) -> String {
        let text = time.to_string();
        text.get(..self.date_length()).unwrap_or(&text).to_owned()
    }

    /// The partition and the time range of a period.
    pub(crate) fn read(period: &str) -> Option<(Self, Range<Timestamp>)> {
        let this = Self::ALL.into_iter().find(|partition| partition.date_length() == period.len())?;
        let start = first_second(period)?;
        // Adding the maximum number of days always reaches the next period, even if this period is shorter.
        let days = this.max_days();
        let next = (start + Duration::from_secs(days * 86_400)).to_string();
        Some((this, start..first_second(next.get(..period.len())?)?))
    }
}

/// The period of a table with one file: all times with a year of four digits.
pub(crate) const ALWAYS: Range<Timestamp> =
    Timestamp::from_unix_seconds(-62_167_219_200)..Timestamp::from_unix_seconds(253_402_300_800);

/// The period that contains a time; without a partition, there is only one period.
pub(crate) fn period(partition: Option<Partition>, time: Timestamp) -> Range<Timestamp> {
    let period = partition.and_then(|partition| Partition::read(&partition.period(time)));
    period.map_or(ALWAYS, |(_, range)| range)
}

/// The start of a year, a month or a day.
fn first_second(date: &str) -> Option<Timestamp> {
    format!("{date}{}T00:00:00Z", "0000-01-01".get(date.len()..)?).parse().ok()
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Partition {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let known = Self::ALL.into_iter().find(|partition| partition.name() == text);
        known.ok_or_else(|| Error::invalid_input(format!("invalid partition `{text}` (expected day, month or year)")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn period_of_a_time_is_parsed_to_its_range() {
        let time = |text: &str| text.parse::<Timestamp>().unwrap();
        for (partition, at, period, start, end) in [
            (Partition::Day, "2024-02-29T13:00:00Z", "2024-02-29", "2024-02-29", "2024-03-01"),
            (Partition::Month, "2024-02-29T13:00:00Z", "2024-02", "2024-02-01", "2024-03-01"),
            (Partition::Month, "2023-12-31T23:59:59Z", "2023-12", "2023-12-01", "2024-01-01"),
            (Partition::Year, "2024-01-01T00:00:00Z", "2024", "2024-01-01", "2025-01-01"),
            (Partition::Year, "2023-12-31T00:00:00Z", "2023", "2023-01-01", "2024-01-01"),
        ] {
            assert_eq!(partition.period(time(at)), period);
            let range = time(&format!("{start}T00:00:00Z"))..time(&format!("{end}T00:00:00Z"));
            assert_eq!(Partition::read(period), Some((partition, range)));
        }
        for other in ["", "dover", "2024 (copy)", "abcd", "2024-13"] {
            assert_eq!(Partition::read(other), None, "{other}");
        }
    }

    #[test]
    fn period_depends_on_the_number_of_rows() {
        for (step, series, expected) in [
            (3600, 500, Partition::Year),
            (60, 9, Partition::Year),
            (60, 10, Partition::Month),
            (60, 300, Partition::Day),
            (1, 300, Partition::Day),
        ] {
            assert_eq!(Partition::for_rows(Duration::from_secs(step).into(), series), expected, "{step} {series}");
        }
    }
}
