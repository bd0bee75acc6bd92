//! The formats of timestamps: a number in a unit of time, or text.

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
    }
}

/// The format of timestamps: a number or text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeForm {
    /// A number in this unit.
    Counted(TimeUnit),
    /// Text in this format.
    Written(TimeFormat),
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
        }
    }

    /// Returns the unit, if timestamps are numbers.
    pub fn unit(self) -> Option<TimeUnit> {
        if let Self::Counted(unit) = self { Some(unit) } else { None }
    }

    /// Returns the format, if timestamps are text.
    pub fn format(self) -> Option<TimeFormat> {
        if let Self::Written(format) = self { Some(format) } else { None }
    }

    /// Returns `true` if a text of the catalogue looks like a timestamp in this format.
    pub fn is_written(self, text: &str) -> bool {
        let is_day = || {
            let shape = text.bytes().take(10).map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
            shape.eq(*b"0000-00-00")
        };
        match self {
            Self::Counted(_) => text.parse::<i64>().is_ok(),
            Self::Written(TimeFormat::Iso8601) => is_day(),
            Self::Written(TimeFormat::Date) => is_day() && text.len() == 10,
        }
    }
}
