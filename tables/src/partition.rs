//! Partitions of a data set: the days, months or years by which the rows of a series are divided into files.
//!
//! This module maps a time to the name of a folder, and the name of a folder to its period.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::time::Duration;

use runtime::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The period of time that one file of a data set covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Partition {
    /// Folders `date=2024-06-15`.
    Day,
    /// Folders `month=2024-06`.
    Month,
    /// Folders `year=2024`.
    Year,
}

impl Partition {
    const ALL: [Self; 3] = [Self::Day, Self::Month, Self::Year];

    /// Returns the default for records with this interval: months if the interval is below one hour, otherwise years.
    pub fn for_step(step: Duration) -> Self {
        if step < Duration::from_secs(3600) { Self::Month } else { Self::Year }
    }

    /// Returns the name of the partition, the key in its folder names, the length of the date in those names, and the
    /// maximum number of days in a period.
    fn facts(self) -> (&'static str, &'static str, usize, u64) {
        match self {
            Self::Day => ("day", "date", 10, 1),
            Self::Month => ("month", "month", 7, 31),
            Self::Year => ("year", "year", 4, 366),
        }
    }

    /// Returns the folder of the period that contains a time.
    pub(crate) fn folder(self, time: Timestamp) -> String {
        let (text, (_, key, length, _)) = (time.to_string(), self.facts());
        format!("{key}={}", text.get(..length).unwrap_or(&text))
    }

    /// Returns the end of the period that contains a time.
    pub(crate) fn end(self, time: Timestamp) -> Timestamp {
        Self::read(&self.folder(time)).map_or(time + Duration::from_secs(1), |(_, range)| range.end)
    }

    /// Returns the partition and the period of a folder.
    pub(crate) fn read(folder: &str) -> Option<(Self, Range<Timestamp>)> {
        let (name, value) = folder.split_once('=')?;
        let is_this =
            |partition: &Self| matches!(partition.facts(), (_, key, length, _) if (key, length) == (name, value.len()));
        let this = Self::ALL.into_iter().find(is_this)?;
        let start = first_second(value)?;
        // Adding the maximum number of days always reaches the next period, even if this period is shorter.
        let (.., days) = this.facts();
        let next = (start + Duration::from_secs(days * 86_400)).to_string();
        Some((this, start..first_second(next.get(..value.len())?)?))
    }
}

/// Returns the start of a year, a month or a day.
fn first_second(date: &str) -> Option<Timestamp> {
    format!("{date}{}T00:00:00Z", "0000-01-01".get(date.len()..)?).parse().ok()
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.facts().0)
    }
}

impl FromStr for Partition {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let known = Self::ALL.into_iter().find(|partition| partition.facts().0 == text);
        known.ok_or_else(|| Error::invalid_input(format!("invalid partition `{text}` (expected day, month or year)")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_of_a_time_is_parsed_to_its_period() {
        let time = |text: &str| text.parse::<Timestamp>().unwrap();
        for (partition, at, folder, start, end) in [
            (Partition::Day, "2024-02-29T13:00:00Z", "date=2024-02-29", "2024-02-29", "2024-03-01"),
            (Partition::Month, "2024-02-29T13:00:00Z", "month=2024-02", "2024-02-01", "2024-03-01"),
            (Partition::Month, "2023-12-31T23:59:59Z", "month=2023-12", "2023-12-01", "2024-01-01"),
            (Partition::Year, "2024-01-01T00:00:00Z", "year=2024", "2024-01-01", "2025-01-01"),
            (Partition::Year, "2023-12-31T00:00:00Z", "year=2023", "2023-01-01", "2024-01-01"),
        ] {
            assert_eq!(partition.folder(time(at)), folder);
            let range = time(&format!("{start}T00:00:00Z"))..time(&format!("{end}T00:00:00Z"));
            assert_eq!(Partition::read(folder), Some((partition, range)));
        }
        for other in ["", "coin=2024", "month=2024", "year=abcd", "month=2024-13"] {
            assert_eq!(Partition::read(other), None, "{other}");
        }
    }
}
