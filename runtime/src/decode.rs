//! From the text of a body to rows.
//!
//! One walk over the JSON, driven by the tables of fields; it knows no endpoint and no Rust type, and is
//! compiled once for all of them. A body must parse to its end. Judging values is left to `FromSlot`.
//! The results are the same whatever features of `serde_json` somebody else turns on.

mod any;
mod envelope;
mod field_error;
pub mod record;
mod row;
#[cfg(any(test, fuzzing))]
pub(crate) mod sample;
mod scanner;
mod slot;
#[cfg(test)]
mod tests;
mod unknown_fields;

use std::borrow::Cow;
use std::fmt;

use crate::error::{Error, ErrorKind};
use crate::registry::{EnvelopeInfo, RecordInfo};
use crate::values::Value;

use field_error::FieldError;
use record::{Record, Row, UnknownFields};
use scanner::{DEPTH, Fault, Scanner};

pub(crate) use envelope::Push;

/// Why a body is not what the catalogue says, and where in it.
///
/// The text of the body is not repeated here; [`Error::body`](crate::Error::body) has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError(Box<Problem>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Problem {
    place: String,
    problem: String,
}

impl DecodeError {
    fn new(place: String, text: &str, fault: &Fault) -> Self {
        Self(Box::new(Problem { place, problem: fault.problem(text) }))
    }

    /// Says that a value which was read does not fit.
    pub(crate) fn misfit(error: &FieldError) -> Self {
        Self(Box::new(Problem { place: error.place().to_owned(), problem: error.problem() }))
    }

    /// The error that users meet, which keeps the body.
    pub(crate) fn into_error(self, body: Vec<u8>) -> Error {
        Error::new(ErrorKind::Decode, format!("the body is not as expected: {self}")).with_body(body)
    }

    /// Where it is: `data[3].volumeRatio`; empty if it is the body as a whole.
    pub fn place(&self) -> &str {
        &self.0.place
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.place.is_empty() {
            write!(f, "`{}`: ", self.0.place)?;
        }
        f.write_str(&self.0.problem)
    }
}

impl std::error::Error for DecodeError {}

/// Reads a series, handing over record by record.
///
/// Records without a table arrive as rows of one value of any kind.
pub(crate) fn series<M: Record>(
    text: &str,
    envelope: Option<&'static EnvelopeInfo>,
    record: Option<&'static RecordInfo>,
    push: &mut dyn Push,
) -> Result<EnvelopeRest<M>, DecodeError> {
    let mut rest = envelope::Reader::new(envelope, record, M::INFO, push).read(text)?;
    let metadata = rest.metadata.record().map_err(|error| {
        let key = envelope.and_then(|envelope| envelope.metadata).unwrap_or_default();
        DecodeError::misfit(&error.in_field(key))
    })?;
    Ok(EnvelopeRest { metadata, unknown_fields: rest.unknown.take(), strange: rest.strange })
}

/// What an envelope holds beside the records of its series.
#[derive(Debug)]
pub struct EnvelopeRest<M> {
    /// What the service says about the series.
    pub metadata: M,
    /// The fields of the envelope that the catalogue does not know.
    pub unknown_fields: UnknownFields,
    /// How many records came without any field that the catalogue knows besides the time.
    pub(crate) strange: usize,
}

/// Reads one object.
pub(crate) fn object<'a>(text: &'a str, record: &RecordInfo) -> Result<Row<'a>, DecodeError> {
    let mut row = Row::new(record.fields);
    match read(text, |json, next| row.fill(json, next, DEPTH)) {
        Ok(()) => Ok(row),
        Err(fault) => Err(DecodeError::new(row.reading().to_owned(), text, &fault)),
    }
}

/// Reads anything.
pub(crate) fn any(text: &str) -> Result<Value, DecodeError> {
    let value = read(text, |json, next| any::any(json, next, DEPTH));
    value.map_err(|fault| DecodeError::new(String::new(), text, &fault))
}

/// Reads the entries of an object, each of which has been read before.
pub(crate) fn entries(object: &str) -> Vec<(Cow<'_, str>, Value)> {
    let entries = read(object, |json, _| any::entries(json));
    debug_assert!(entries.is_ok(), "{object}");
    entries.unwrap_or_default()
}

/// Reads the one value that a text has to be.
fn read<'a, T>(text: &'a str, value: impl FnOnce(&mut Scanner<'a>, u8) -> Result<T, Fault>) -> Result<T, Fault> {
    let mut json = Scanner::new(text);
    let next = json.next_value()?;
    let value = value(&mut json, next)?;
    json.end()?;
    Ok(value)
}
