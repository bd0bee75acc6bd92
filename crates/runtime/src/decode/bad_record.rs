//! A record that is not as expected, and what happens to it.

use std::fmt;

use super::error::DecodeError;
use crate::values::Timestamp;

/// Treatment of a record that is not as expected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum BadRecords {
    /// One bad record makes the response an error.
    #[default]
    Rejected,
    /// The record is omitted from the series and listed among the bad records.
    Skipped,
}

/// A record of a series that is not as expected; returned with `Request::skip_bad_records`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BadRecord {
    /// Index of the record in the list of the response, from zero; valid records are counted too.
    pub index: usize,
    /// The problem and its JSON path.
    pub error: DecodeError,
    /// Unchanged text of the record; of columns, an object with the unchanged text of each value.
    pub text: String,
    /// The time of the record; `None` if it has no readable time.
    pub time: Option<Timestamp>,
}

impl BadRecord {
    /// Returns the JSON path in the body, for example `data[700].ratio`. Of columns, the index is also before the field,
    /// so this is the path of `data.ratio[700]`.
    pub fn path(&self) -> &str {
        self.error.path()
    }
}

/// Writes the JSON path and the problem.
impl fmt::Display for BadRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}
