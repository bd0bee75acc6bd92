//! The rows, each with a name and a function. Rows that measure time are last.

pub(crate) mod backfill;
pub(crate) mod build;
pub(crate) mod decode;
pub(crate) mod download;
pub(crate) mod edit;
pub(crate) mod generator;
pub(crate) mod history;
pub(crate) mod queries;
pub(crate) mod request;
pub(crate) mod weight;

use crate::report::Measurement;
use crate::scratch::Scratch;

/// A measurement with a name, whose results are one or more lines of the table.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) shows: &'static str,
    pub(crate) measure: fn(&Scratch) -> Result<Vec<Measurement>, String>,
}

/// All rows, in the order of the table.
pub(crate) const ROWS: &[Row] = &[
    Row { name: "lines", shows: "emitted lines per endpoint with a path", measure: weight::lines },
    Row { name: "dependencies", shows: "crates that users compile", measure: weight::dependencies },
    Row { name: "size", shows: "bytes of a stripped program", measure: weight::size },
    Row { name: "decode", shows: "instructions for decoding 10,000 records", measure: decode::decode },
    Row {
        name: "notations",
        shows: "instructions for decoding records in the notation of six services",
        measure: decode::notations,
    },
    Row { name: "floats", shows: "floats that are not decoded exactly", measure: decode::floats },
    Row {
        name: "allocations",
        shows: "growth of allocations with the number of records",
        measure: decode::allocations,
    },
    Row { name: "request", shows: "instructions for one request of 50 records", measure: request::request },
    Row { name: "rows", shows: "instructions for each row of a backfill", measure: backfill::rows },
    Row { name: "requests", shows: "requests of a large backfill and of its plan", measure: backfill::requests },
    Row { name: "check", shows: "`cargo check` of the client without a program", measure: build::check },
    Row { name: "edit", shows: "`cargo check` after one edit, as the catalogue grows", measure: edit::edit },
    Row { name: "release", shows: "release build of a program that calls every endpoint", measure: build::release },
    Row { name: "from-scratch", shows: "build with every dependency", measure: build::from_scratch },
    Row { name: "codegen", shows: "the generator compared with progenitor", measure: generator::codegen },
    Row { name: "growth", shows: "the generator's time and memory as the catalogue grows", measure: generator::growth },
    Row { name: "client", shows: "time to build a client", measure: request::client },
    Row { name: "last-byte", shows: "time from the last byte to the records", measure: request::last_byte },
    Row { name: "download", shows: "a year of minutes from a server into a file", measure: download::download },
    Row { name: "queries", shows: "queries over a file of ours and over those of others", measure: queries::queries },
    Row { name: "history", shows: "a year of one-minute records under a rate limit", measure: history::history },
];

/// Formats a ratio for the table.
pub(crate) fn ratio(ours: f64, theirs: f64) -> String {
    format!("{:.2}", ours / theirs)
}
