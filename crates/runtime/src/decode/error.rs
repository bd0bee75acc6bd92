//! The error for a body that does not match the catalogue.

use std::fmt;
use std::str::Utf8Error;

use crate::error::{Error, ErrorKind, excerpt, one_line};

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
pub(super) const ENDS_EARLY: &str = "the body ends too early";

/// The maximum number of bytes quoted from a key.
const MAX_KEY_BYTES: usize = 60;

impl DecodeError {
    #[cold]
    pub(crate) fn new(problem: String) -> Self {
        Self(Box::new(Problem { path: String::new(), problem, byte: None, no_data: false }))
    }

    /// Creates the error for a body that is not UTF-8.
    #[cold]
    pub(crate) fn not_utf8(error: &Utf8Error) -> Self {
        match error.error_len() {
            // A character is incomplete.
            None => Self::new(ENDS_EARLY.to_owned()),
            Some(_) => Self::new(format!("it is not UTF-8 from byte {} on", error.valid_up_to())),
        }
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
    pub(super) fn located(mut self, text: &str) -> Self {
        if let Some(byte) = self.0.byte.take() {
            let before = text.get(..byte).unwrap_or(text);
            let last_line = before.rsplit('\n').next().unwrap_or_default();
            let column = last_line.chars().count() + 1;
            let line = before.matches('\n').count() + 1;
            self.0.problem.push_str(&format!(" at line {line} column {column}"));
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

    /// `true` if the body has no records at all. Such a body may be an error message of the service.
    pub(crate) fn lacks_data(&self) -> bool {
        self.0.no_data
    }

    /// Converts into the public error, which contains the body. `message` is the error message in the body, if there is
    /// one.
    pub(crate) fn into_error(self, body: &[u8], message: Option<String>) -> Error {
        let mut problem = format!("the body is not as expected: {self}");
        if let Some(message) = message {
            problem.push_str(&format!("; the service reports: {message}"));
        }
        Error::new(ErrorKind::Decode, problem).with_source(self).with_body(body)
    }

    /// `true` if the body ends within a value or a row.
    pub(crate) fn is_early_end(&self) -> bool {
        self.0.problem.starts_with(ENDS_EARLY)
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
        match self.0.byte {
            Some(byte) => write!(f, " at byte {byte}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for DecodeError {}

crate::debug::debug_as_display!(DecodeError);

impl Error {
    /// Returns where the body does not match the catalogue: a JSON path by wire names, for example
    /// `data[3].levels[0].price`, which is empty for the body as a whole. Of columns, the index is also before the
    /// field: `data[3].price` is the path of `data.price[3]`. `None` for any other error.
    pub fn json_path(&self) -> Option<&str> {
        std::error::Error::source(self)?.downcast_ref().map(DecodeError::path)
    }
}
