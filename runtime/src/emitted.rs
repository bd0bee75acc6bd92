//! Everything that emitted code calls or implements, hidden from users.
//!
//! These names may change with any release: an emitted crate depends on the exact version of the runtime it was
//! generated for.

#[cfg(feature = "tracing")]
pub use tracing;

pub use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

pub use crate::client::{ClientType, Core, Marker, Request};
pub use crate::decode::EnvelopeRest;
pub use crate::decode::field_value::{AsFieldValue, Fields};
pub use crate::dispatch::observer::Log;
pub use crate::rate_limit::limit::LimitWindow;
pub use crate::registry::TimeField;
pub use crate::send::{MetadataRecord, Sealed, SeriesBody, TimedRecords, UndecodedResponse, require_complete};
pub use crate::values::named_type::{Text, duration};

use std::borrow::Cow;

use crate::decode::fields::{self, Column};
use crate::decode::record::{Item, Record, RecordValue, Row, UnknownFields};
use crate::decode::{self, BadRecords, DecodeError, Push};
use crate::error::Error;
use crate::rate_limit::RateLimit;
use crate::registry::{LimitInfo, RecordInfo};
use crate::send::{self, Body};
use crate::values::Timestamp;

/// Reads a series from the text of its envelope.
pub fn decode_series<M: MetadataRecord>(
    text: &str,
    record: Option<&'static RecordInfo>,
    records: &mut dyn Push,
) -> Result<EnvelopeRest<M>, DecodeError> {
    let rest = decode::series(text, M::SERVICE.envelope.as_ref(), record, BadRecords::Rejected, records)?;
    Ok(EnvelopeRest { time: time_field::<M>(), ..rest })
}

/// Reads a series from the response to a request.
pub fn read_series<M: MetadataRecord>(
    response: Result<Box<UndecodedResponse>, Error>,
    record: Option<&'static RecordInfo>,
    records: &mut dyn Push,
) -> Result<EnvelopeRest<M>, Error> {
    send::read_series(response?, M::SERVICE, record, records)
}

/// Reads the records of a series, each with its time, from the response to a request.
pub fn read_records<T: Item, M: MetadataRecord>(
    response: Result<Box<UndecodedResponse>, Error>,
) -> Result<TimedRecords<Vec<T>>, Error> {
    let mut records: Vec<T> = Vec::new();
    let rest = send::read_series::<M>(response?, M::SERVICE, T::INFO, &mut records)?;
    Ok(TimedRecords::of(records, rest))
}

/// Returns the time field of the records in a series that was created without a request.
pub fn time_field<M: MetadataRecord>() -> Option<TimeField> {
    TimeField::of_service(M::SERVICE)
}

/// Serializes a series in the form in which the service sends it.
pub fn serialize_series<T: Item, M: MetadataRecord, S: Serializer>(
    records: &[T],
    metadata: &M,
    unknown_fields: &UnknownFields,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    fields::serialize_series(M::SERVICE, records, &RecordValue::of(metadata), unknown_fields, serializer)
}

/// Serializes a record in the form in which the service sends it.
pub fn serialize_record<R: Record, S: Serializer>(record: &R, serializer: S) -> Result<S::Ok, S::Error> {
    RecordValue::of(record).serialize(serializer)
}

/// Deserializes a record from its wire form, in any self-describing format.
pub fn deserialize_record<'de, R: Record, D: Deserializer<'de>>(deserializer: D) -> Result<R, D::Error> {
    fields::deserialize(deserializer, |text| decode::object(text, R::INFO).map(|mut row| R::from_row(&mut row)))
}

/// Deserializes a body from its wire form, in any self-describing format.
pub fn deserialize_body<'de, B: Body, D: Deserializer<'de>>(deserializer: D) -> Result<B, D::Error> {
    fields::deserialize(deserializer, B::decode)
}

/// Deserializes a value of a named type.
pub fn deserialize_text<'de, T: Text, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    Cow::<str>::deserialize(deserializer).map(|text| T::from(&text))
}

/// Returns the values of all records for each field.
pub fn columns<T: Item>(records: &[T]) -> Vec<Column<'_>> {
    fields::columns(T::INFO, records)
}

/// Returns one column by its name on the wire.
pub fn column<'r, T: Item>(records: &'r [T], wire_name: &str) -> Option<Column<'r>> {
    fields::column(T::INFO, records, wire_name)
}

/// Returns the times of records.
pub fn times<T: Item>(records: &[T], field: Option<TimeField>) -> Vec<Option<Timestamp>> {
    fields::times(records, field)
}

/// Creates the default record.
pub fn default_record<R: Record>() -> R {
    R::from_row(&mut Row::of(R::INFO))
}

/// Returns whether two records of one type are equal.
pub fn records_equal<R: Record>(one: &R, other: &R) -> bool {
    RecordValue::of(one) == RecordValue::of(other)
}

/// Formats a record for `Debug`.
pub fn debug_record<R: Record>(record: &R, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
    std::fmt::Debug::fmt(&RecordValue::of(record), f)
}

/// Returns a rate limit by its name in the catalogue.
pub fn limit_named(name: &str, sets: &[LimitInfo]) -> Result<RateLimit, Error> {
    RateLimit::named(name, sets)
}

/// Returns a rate limit that satisfies all rate limits in `sets`.
pub fn limit_all(sets: &[LimitInfo]) -> RateLimit {
    RateLimit::all(sets)
}
