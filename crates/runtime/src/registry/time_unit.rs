//! The formats of timestamps in params and bodies.

/// Wire format of timestamps: a number in a unit, or text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeUnit {
    /// Whole seconds since the Unix epoch.
    Seconds,
    /// Whole milliseconds since the Unix epoch.
    Milliseconds,
    /// Whole microseconds since the Unix epoch.
    Microseconds,
    /// Whole nanoseconds since the Unix epoch.
    Nanoseconds,
    /// Text such as `2024-03-01T00:00:00Z`.
    Iso8601,
    /// Text such as `2024-03-01T00:00:00`, which is a time in this time zone if it has no offset. The client needs the
    /// feature `zones` to read it.
    Local(&'static str),
    /// Text such as `2024-03-01`, which is a day in UTC.
    Date,
    /// Text such as `2024`, which is a year in UTC.
    Year,
    /// Text such as `2024-Q1`, which is a quarter of a year in UTC.
    Quarter,
    /// Text such as `2024-03`, which is a month in UTC.
    Month,
    /// Text such as `20240301`, which is a day in UTC.
    CompactDate,
    /// Text such as `2024030117`, which is an hour in UTC.
    CompactHour,
    /// Text such as `2024-03-01T17`, which is an hour in UTC.
    Hour,
    /// Text such as `2024`, `2024-Q1`, `2024-03` or `2024-03-01`, which is a year, a quarter, a month or a day in UTC.
    Period,
}

impl TimeUnit {
    /// Returns the unit's name in the catalogue.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Seconds => "seconds",
            Self::Milliseconds => "milliseconds",
            Self::Microseconds => "microseconds",
            Self::Nanoseconds => "nanoseconds",
            Self::Iso8601 | Self::Local(_) => "iso8601",
            Self::Date => "date",
            Self::Year => "year",
            Self::Quarter => "quarter",
            Self::Month => "month",
            Self::CompactDate => "yyyymmdd",
            Self::CompactHour => "yyyymmddhh",
            Self::Hour => "hour",
            Self::Period => "period",
        }
    }

    /// Returns whether timestamps are text and not numbers.
    pub const fn is_text(self) -> bool {
        !matches!(self, Self::Seconds | Self::Milliseconds | Self::Microseconds | Self::Nanoseconds)
    }

    /// `true` if timestamps are periods, which can be numbers without quotes, such as `2024` for a year.
    pub(crate) const fn is_period(self) -> bool {
        self.is_text() && !matches!(self, Self::Iso8601 | Self::Local(_) | Self::Date)
    }

    /// The name of the unit that is a thousand times finer, for errors: users often confuse the units.
    pub(crate) const fn finer(self) -> &'static str {
        match self {
            Self::Seconds => "milliseconds",
            Self::Milliseconds => "microseconds",
            _ => "nanoseconds",
        }
    }
}
