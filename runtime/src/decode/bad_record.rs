//! A record that was left out of a series, because the request skips bad records.
//!
//! It keeps its path, the problem and its text, so that nothing of the response is lost.

use std::fmt;

use super::DecodeError;

/// A record of a series that is not as expected; from `Request::skip_bad_records`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BadRecord {
    /// Which of the list it was, counted from zero, good ones included.
    pub index: usize,
    /// Where it goes wrong, and how.
    pub error: DecodeError,
    /// Text of the record, unchanged.
    pub text: String,
}

impl BadRecord {
    /// Where in the body it goes wrong: `data[700].ratio`.
    pub fn path(&self) -> &str {
        self.error.path()
    }

    /// Where in the record, by wire names: `ratio`; empty if it is the record as a whole.
    pub fn field(&self) -> &str {
        let item = format!("[{}]", self.index);
        let field = self.path().split_once(&item).map_or("", |(_, field)| field);
        field.strip_prefix('.').unwrap_or(field)
    }
}

/// Where it goes wrong, and how.
impl fmt::Display for BadRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}
