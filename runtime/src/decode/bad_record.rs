//! A record that was omitted from a series, because the request skips bad records.
//!
//! A bad record contains its path, the problem and its text, so that nothing of the response is lost.

use std::fmt;

use super::DecodeError;

/// A record of a series that is not as expected; returned with `Request::skip_bad_records`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BadRecord {
    /// Index of the record in the list of the response, from zero; valid records are counted too.
    pub index: usize,
    /// The problem and its JSON path.
    pub error: DecodeError,
    /// Unchanged text of the record.
    pub text: String,
}

impl BadRecord {
    /// Returns the JSON path in the body, for example `data[700].ratio`.
    pub fn path(&self) -> &str {
        self.error.path()
    }

    /// Returns the path within the record, by wire names, for example `ratio`; empty for the record as a whole.
    pub fn field(&self) -> &str {
        let item = format!("[{}]", self.index);
        let field = self.path().split_once(&item).map_or("", |(_, field)| field);
        field.strip_prefix('.').unwrap_or(field)
    }
}

/// Writes the JSON path and the problem.
impl fmt::Display for BadRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}
