//! The decoder reads the JSON text of a body into rows, one per record. It also
//! converts records to columns or to JSON.
//!
//! The decoder parses the JSON once; the tables of fields define the values that it expects. Its code depends on no
//! endpoint and no record type, so it is compiled once for all of them. A body with anything after its JSON value is an
//! error. The results are the same even if another crate turns on features of `serde_json`.

// The modules, lowest layer first, as in `lib.rs`.
mod error;

mod scanner;

mod csv;

mod json_path;

mod unknown_fields;

mod column_names;

pub(crate) mod row;

pub(crate) mod from_decoded;

mod field_value;

mod typed_value;

mod scalar;

mod read_value;

mod read_row;

mod read_others;

mod read_named;

mod read_columns;

mod record;

mod any_record;

mod columns;

mod series_layout;

mod bad_record;

mod envelope_rest;

mod series_reader;

mod envelope;

mod groups;

mod serialization;

mod series_serialization;

pub(crate) mod error_body;

mod text_records;

mod whole_body;

#[cfg(any(test, fuzzing))]
pub(crate) mod sample;
#[cfg(test)]
mod tests;

pub use any_record::AnyRecord;
pub use bad_record::BadRecord;
pub(crate) use bad_record::BadRecords;
pub use columns::Column;
pub(crate) use columns::{TimeField, columns, time_of_text, times};
pub(crate) use envelope::series;
pub(crate) use envelope_rest::{EnvelopeRest, Groups};
pub use error::DecodeError;
pub use field_value::{AsFieldValue, FieldValue, Fields, RecordValue, Values};
pub(crate) use json_path::at_path;
pub(crate) use read_row::object;
pub use record::{Item, Record};
pub use row::Row;
pub(crate) use scanner::{any, ends_early};
pub(crate) use serialization::deserialize;
pub(crate) use series_layout::SeriesLayout;
pub(crate) use series_reader::RecordList;
pub(crate) use series_serialization::serialize_series;
pub(crate) use text_records::begins_structure;
pub use text_records::{MAX_TITLE_LINES, as_json};
pub use unknown_fields::UnknownFields;
pub use whole_body::DecodedBody;
