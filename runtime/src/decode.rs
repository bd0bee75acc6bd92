//! The decoder reads the JSON text of a body into rows, one per record. The module `fields` converts records to
//! columns or to JSON.
//!
//! The decoder parses the JSON once; the tables of fields define the values that it expects. Its code depends on no
//! endpoint and no record type, so it is compiled once for all of them. A body with anything after its JSON value is an
//! error. The results are the same even if another crate turns on features of `serde_json`.

mod any_record;
pub(crate) mod body;
pub(crate) mod decoded_value;
mod envelope;
pub(crate) mod field_value;
pub(crate) mod fields;
pub mod record;
mod row;
#[cfg(any(test, fuzzing))]
#[path = "../properties/sample.rs"]
pub(crate) mod sample;
mod scanner;
#[cfg(test)]
mod tests;
mod unknown_fields;

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, excerpt, one_line};
use crate::registry::RecordInfo;
use crate::values::Value;

use row::Row;
use scanner::{DEPTH, Scanner};

pub use envelope::BadRecord;
pub(crate) use envelope::{EnvelopeRest, Layout, Push, series};
pub use fields::Column;

/// A mismatch between a response body and the catalogue, and the JSON path at which it was found.
///
/// This error does not contain the text of the body; [`Error::body`](crate::Error::body) returns that text.
// Boxed, so that a `Result` with this error is small. Errors are rare.
#[derive(Clone, PartialEq, Eq)]
pub struct DecodeError(Box<Problem>);

#[derive(Clone, PartialEq, Eq)]
struct Problem {
    /// The JSON path, by wire names, for example `data[3].levels[0].price`; empty if the problem concerns the whole
    /// body. The path is built from the innermost key outwards: each function that returns the error to its caller puts
    /// its own key or index in front.
    path: String,
    problem: String,
    /// The byte at which the problem was found, if the path does not identify the place.
    byte: Option<usize>,
    /// True if the body contains no records. Such a body may be an error message of the service.
    no_data: bool,
}

/// The problem of a text that ends within its JSON value.
pub(crate) const ENDS_EARLY: &str = "the body ends too early";

/// The maximum number of bytes quoted from a key.
const MAX_KEY_BYTES: usize = 60;

impl DecodeError {
    #[cold]
    pub(crate) fn new(problem: String) -> Self {
        Self(Box::new(Problem { path: String::new(), problem, byte: None, no_data: false }))
    }

    /// Creates an error at a byte of the text.
    #[cold]
    pub(crate) fn at_byte(problem: String, byte: usize) -> Self {
        let mut error = Self::new(problem);
        error.0.byte = Some(byte);
        error
    }

    /// Adds the line and column. They are counted once for each text, because counting takes time in proportion to the
    /// length of the text.
    #[cold]
    fn located(mut self, text: &str) -> Self {
        if let Some(before) = self.0.byte.map(|byte| text.get(..byte).unwrap_or(text)) {
            let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
            let line = before.matches('\n').count() + 1;
            self.0.problem.push_str(&format!(" at line {line} column {column}"));
            self.0.byte = None;
        }
        self
    }

    /// Puts `key`, a key of the surrounding object, in front of the path.
    #[cold]
    pub(crate) fn in_field(self, key: &str) -> Self {
        self.inside(&one_line(&excerpt(key, MAX_KEY_BYTES)))
    }

    /// Puts `index`, an index of the surrounding list, in front of the path.
    #[cold]
    pub(crate) fn at_index(self, index: usize) -> Self {
        self.inside(&format!("[{index}]"))
    }

    /// Adds that this is the first bad record of a response that is not skipped.
    #[cold]
    pub(crate) fn beyond(mut self, skipped: usize) -> Self {
        self.0.problem.insert_str(0, &format!("more than {skipped} bad records, of which this is the last: "));
        self
    }

    fn inside(mut self, outer: &str) -> Self {
        let path = &mut self.0.path;
        if !path.is_empty() && !path.starts_with('[') {
            path.insert(0, '.');
        }
        path.insert_str(0, outer);
        self
    }

    /// Notes that the body has no records at the path that the catalogue declares.
    pub(crate) fn without_data(mut self) -> Self {
        self.0.no_data = true;
        self
    }

    /// Creates the error for a successful response whose body is an error of the service.
    pub(crate) fn of_service() -> Self {
        Self::new("the service returned an error with a success status".to_owned()).without_data()
    }

    /// Returns whether the body has no records at all. Such a body may be an error message of the service.
    pub(crate) fn lacks_data(&self) -> bool {
        self.0.no_data
    }

    /// Converts into the public error, which contains the body. `message` is the error message in the body, if there is
    /// one.
    pub(crate) fn into_error(self, body: &[u8], message: Option<String>) -> Error {
        let message = message.map(|message| format!("; the service reports: {message}")).unwrap_or_default();
        Error::new(ErrorKind::Decode, format!("the body is not as expected: {self}{message}"))
            .with_source(Some(Arc::new(self)))
            .with_body(body)
    }

    /// Returns the JSON path of the problem, for example `data[3].ratio`; empty for the body as a whole.
    pub fn path(&self) -> &str {
        &self.0.path
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path().is_empty() {
            write!(f, "`{}`: ", self.path())?;
        }
        f.write_str(&self.0.problem)?;
        self.0.byte.map_or(Ok(()), |byte| write!(f, " at byte {byte}"))
    }
}

impl std::error::Error for DecodeError {}

crate::transport::debug_as_display!(DecodeError);

impl Error {
    /// Returns where the body does not match the catalogue: a JSON path by wire names, for example
    /// `data[3].levels[0].price`, which is empty for the body as a whole. `None` for any other error.
    pub fn json_path(&self) -> Option<&str> {
        std::error::Error::source(self)?.downcast_ref().map(DecodeError::path)
    }
}

/// Treatment of a record that is not as expected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum BadRecords {
    /// One bad record makes the response an error.
    #[default]
    Rejected,
    /// The record is omitted from the series and listed among the bad records.
    Skipped,
}

/// Reads one object.
pub(crate) fn object<'a>(text: &'a str, record: &'static RecordInfo) -> Result<Row<'a>, DecodeError> {
    let mut row = Row::of(record);
    read(text, |json, next| {
        row.fill(json, next, DEPTH)?;
        row.misfits = json.misfits;
        Ok(())
    })?;
    Ok(row)
}

/// Reads a value of any kind.
pub(crate) fn any(text: &str) -> Result<Value, DecodeError> {
    read(text, |json, next| decoded_value::any(json, next, DEPTH))
}

/// Reads the JSON value in a text; anything after the value is an error.
fn read<'a, T>(
    text: &'a str,
    value: impl FnOnce(&mut Scanner<'a>, u8) -> Result<T, DecodeError>,
) -> Result<T, DecodeError> {
    let mut json = Scanner::new(text);
    let read = |json: &mut Scanner<'a>| {
        let next = json.next_value()?;
        let value = value(json, next)?;
        json.end()?;
        Ok(value)
    };
    read(&mut json).map_err(|error: DecodeError| error.located(text))
}
