//! The formats of timestamps: a number in a unit of time, or text.

use runtime::registry;

use crate::catalogue_format::words;

words! {
    /// The unit of numeric timestamps.
    TimeUnit {
        /// Seconds since 1970.
        Seconds = "seconds",
        /// Milliseconds since 1970.
        Milliseconds = "milliseconds",
        /// Microseconds since 1970.
        Microseconds = "microseconds",
        /// Nanoseconds since 1970.
        Nanoseconds = "nanoseconds",
    }
}

words! {
    /// The format of timestamps that are text.
    TimeFormat {
        /// Text like `2024-03-01T00:00:00Z`.
        Iso8601 = "iso8601",
        /// Text like `2024-03-01`, which means a day in UTC.
        Date = "date",
        /// Text like `2024`, which means a year in UTC. The number `2024` is also accepted.
        Year = "year",
        /// Text like `2024-Q1`, which means a quarter of a year in UTC. `2024Q1` is also accepted.
        Quarter = "quarter",
        /// Text like `2024-03`, which means a month in UTC. `2024M03` and `202403` are also accepted.
        Month = "month",
        /// Text like `2024-03-01T17`, which means an hour in UTC.
        Hour = "hour",
        /// Text like `20240301`, which means a day in UTC.
        CompactDate = "yyyymmdd",
        /// Text like `2024030117`, which means an hour in UTC.
        CompactHour = "yyyymmddhh",
        /// Text that is a `year`, a `quarter`, a `month` or a `date`, for values of different lengths. A param is sent as a
        /// date.
        Period = "period",
    }
}

impl TimeFormat {
    /// Returns the time 2023-11-14T22:13:20Z in this format.
    pub fn example(self) -> &'static str {
        match self {
            Self::Iso8601 => "2023-11-14T22:13:20Z",
            // A param in the format of periods is a date.
            Self::Date | Self::Period => "2023-11-14",
            Self::Year => "2023",
            Self::Quarter => "2023-Q4",
            Self::Month => "2023-11",
            Self::Hour => "2023-11-14T22",
            Self::CompactDate => "20231114",
            Self::CompactHour => "2023111422",
        }
    }
}

/// The format of timestamps: a number or text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeForm {
    /// A number in this unit.
    Counted(TimeUnit),
    /// Text in this format.
    Written(TimeFormat),
    /// As `Written(TimeFormat::Iso8601)`, but times without an offset are in this time zone.
    Local(&'static str),
}

impl TimeForm {
    /// Returns the format of timestamps for a declared unit or `format`; `None` if neither is declared. If both are
    /// declared, which is an error, `format` is used.
    pub fn of(unit: Option<TimeUnit>, format: Option<TimeFormat>) -> Option<Self> {
        format.map(Self::Written).or(unit.map(Self::Counted))
    }

    /// Returns the word of the unit or format in the catalogue.
    pub fn word(self) -> &'static str {
        match self {
            Self::Counted(unit) => unit.word(),
            Self::Written(format) => format.word(),
            Self::Local(_) => TimeFormat::Iso8601.word(),
        }
    }

    /// Returns the unit, if timestamps are numbers.
    pub fn unit(self) -> Option<TimeUnit> {
        if let Self::Counted(unit) = self { Some(unit) } else { None }
    }

    /// Returns the format, if timestamps are text.
    pub fn format(self) -> Option<TimeFormat> {
        match self {
            Self::Counted(_) => None,
            Self::Written(format) => Some(format),
            Self::Local(_) => Some(TimeFormat::Iso8601),
        }
    }

    /// Returns the time zone of times without an offset, if it is not UTC.
    pub fn zone(self) -> Option<&'static str> {
        if let Self::Local(zone) = self { Some(zone) } else { None }
    }

    /// Returns `true` if a text is a timestamp in this format, by the rules by which the client reads it.
    pub fn is_written(self, text: &str) -> bool {
        match self {
            Self::Counted(_) => text.parse::<i64>().is_ok(),
            // The client reads a time of day in a date, but writes only the date.
            Self::Written(TimeFormat::Date) if text.len() != TimeFormat::Date.example().len() => false,
            Self::Written(_) | Self::Local(_) => self.in_registry().read(text).is_some(),
        }
    }

    /// The format as the registry of a client states it.
    pub(crate) const fn in_registry(self) -> registry::TimeUnit {
        match self {
            Self::Counted(TimeUnit::Seconds) => registry::TimeUnit::Seconds,
            Self::Counted(TimeUnit::Milliseconds) => registry::TimeUnit::Milliseconds,
            Self::Counted(TimeUnit::Microseconds) => registry::TimeUnit::Microseconds,
            Self::Counted(TimeUnit::Nanoseconds) => registry::TimeUnit::Nanoseconds,
            Self::Written(TimeFormat::Iso8601) => registry::TimeUnit::Iso8601,
            Self::Local(zone) => registry::TimeUnit::Local(zone),
            Self::Written(TimeFormat::Date) => registry::TimeUnit::Date,
            Self::Written(TimeFormat::Year) => registry::TimeUnit::Year,
            Self::Written(TimeFormat::Quarter) => registry::TimeUnit::Quarter,
            Self::Written(TimeFormat::Month) => registry::TimeUnit::Month,
            Self::Written(TimeFormat::Hour) => registry::TimeUnit::Hour,
            Self::Written(TimeFormat::CompactDate) => registry::TimeUnit::CompactDate,
            Self::Written(TimeFormat::CompactHour) => registry::TimeUnit::CompactHour,
            Self::Written(TimeFormat::Period) => registry::TimeUnit::Period,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_times_that_the_client_reads_are_accepted() {
        let iso = TimeForm::Written(TimeFormat::Iso8601);
        for text in ["2024-02-29", "0000-03-01", "2024-03-01T00:00", "2016-12-31T23:59:60Z", "2024-03-01t0102Z"] {
            assert!(iso.is_written(text), "{text}");
        }
        for text in ["", "0000-00-00", "2024-02-30", "1900-02-29", "2024-01-31T24:00:00Z", "2024-01-31 at noon"] {
            assert!(!iso.is_written(text), "{text}");
        }
        let date = TimeForm::Written(TimeFormat::Date);
        assert!(date.is_written("2024-02-29") && !date.is_written("2024-02-30"));
    }
}
