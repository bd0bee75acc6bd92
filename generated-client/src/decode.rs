//! From the text of a body to rows.
//!
//! One walk over the JSON, driven by the tables of fields; it knows no endpoint and no Rust type, and is
//! compiled once for all of them. A body must parse to its end. Judging values is left to `FromSlot`.
//! The results are the same whatever features of `serde_json` somebody else turns on.

mod any;
mod envelope;
mod key;
mod row;
mod slot;
#[cfg(test)]
mod tests;

use std::fmt;

use serde_core::de::DeserializeSeed;

use crate::excerpt::excerpt;
use crate::field_error::FieldError;
use crate::record::{Record, Row};
use crate::registry::RecordInfo;
use crate::{Metadata, SERVICE, Value};

pub(crate) use envelope::{Around, Push};

/// A problem is described in at most so many bytes.
const LONGEST: usize = 300;

/// The key under which `serde_json/arbitrary_precision` hands a number over, as a map of one entry.
const NUMBER_KEY: &str = "$serde_json::private::Number";

/// Why a body is not what the catalogue says, and where in it.
///
/// The text of the body is not repeated here; [`Error::body`](crate::Error::body) has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    place: String,
    problem: String,
}

impl DecodeError {
    fn new(place: String, problem: &serde_json::Error) -> Self {
        // The parser quotes the server's own text in full.
        Self { place, problem: excerpt(&problem.to_string(), LONGEST).into_owned() }
    }

    /// Says that a value which was read does not fit.
    pub(crate) fn misfit(error: &FieldError) -> Self {
        Self { place: error.place().to_owned(), problem: error.problem() }
    }

    /// Where it is: `data[3].volumeRatio`; empty if it is the body as a whole.
    pub fn place(&self) -> &str {
        &self.place
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.place.is_empty() {
            write!(f, "`{}`: ", self.place)?;
        }
        f.write_str(&self.problem)
    }
}

impl std::error::Error for DecodeError {}

/// Reads a series, handing over record by record.
///
/// Records without a table arrive as rows of one value of any kind.
pub(crate) fn series<'a>(
    text: &'a str,
    record: Option<&'static RecordInfo>,
    push: &mut Push<'_>,
) -> Result<Around<'a>, DecodeError> {
    envelope::Walk::new(SERVICE.envelope.as_ref(), record, Metadata::INFO, push).read(text)
}

/// Reads one object.
pub(crate) fn object<'a>(text: &'a str, record: &RecordInfo) -> Result<Row<'a>, DecodeError> {
    let mut row = Row::new(record.fields);
    match read(text, row::RowSeed(&mut row)) {
        Ok(()) => Ok(row),
        Err(error) => Err(DecodeError::new(row.reading().to_owned(), &error)),
    }
}

/// Reads anything.
pub(crate) fn any(text: &str) -> Result<Value, DecodeError> {
    read(text, any::AnySeed).map_err(|error| DecodeError::new(String::new(), &error))
}

/// Lets the seed read the text to its end.
fn read<'a, S: DeserializeSeed<'a>>(text: &'a str, seed: S) -> serde_json::Result<S::Value> {
    let mut json = serde_json::Deserializer::from_str(text);
    let value = seed.deserialize(&mut json)?;
    json.end()?;
    Ok(value)
}
