//! The body type for an endpoint that is chosen at run time.
//!
//! The registry specifies whether the body of an endpoint is a series, one record, or any value. The body is decoded in
//! the same way as for emitted types.

use serde_core::{Serialize, Serializer};

use super::body::{Body, PageMetadata, Sealed, SeriesBody, TimedRecords};
use super::exchange::{UndecodedResponse, read_series};
use crate::decode::record::{AnyRecord, Item, Record, UnknownFields};
use crate::decode::{self, BadRecord, Column, DecodeError, EnvelopeRest, fields};
use crate::error::Error;
use crate::registry::{BodyInfo, RecordInfo, ServiceInfo, TimeField};
use crate::values::{Timestamp, Value};

/// The response body of an endpoint of the registry.
///
/// This type is not `Deserialize`, because JSON does not identify the endpoint. Deserialize a [`Value`] or the emitted
/// type instead.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AnyBody {
    /// A series.
    Series(AnySeries),
    /// One object with known fields.
    Record(AnyRecord),
    /// Any value, for an endpoint whose fields are unknown.
    Any(Value),
}

/// A list of records without a static type, with the metadata of the service.
///
/// This type is not `Deserialize`, because JSON does not identify the fields. Deserialize the emitted `Series` instead.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AnySeries {
    /// The records, in the order of the response.
    pub data: Vec<AnyRecord>,
    /// The service's metadata of the series.
    pub metadata: UnknownFields,
    /// Fields of the envelope that are not in the catalogue.
    pub unknown_fields: UnknownFields,
    /// The records that could not be decoded; always empty unless the request skips bad records.
    pub bad_records: Vec<BadRecord>,
    record: Option<&'static RecordInfo>,
    service: &'static ServiceInfo,
    time: Option<TimeField>,
}

impl AnySeries {
    /// Returns the catalogue's description of the records; `None` if their fields are unknown.
    pub fn info(&self) -> Option<&'static RecordInfo> {
        self.record
    }

    /// Returns the time of each record; `None` for a record without a readable time.
    pub fn times(&self) -> Vec<Option<Timestamp>> {
        fields::times(&self.data, self.time)
    }

    /// Returns one field of all records, by its wire name; `None` if the records have no such field.
    pub fn column(&self, wire_name: &str) -> Option<Column<'_>> {
        fields::column(self.record, &self.data, wire_name)
    }

    /// Returns the values of all records for each field. The fields are those of the catalogue, or those of the
    /// response if the catalogue has none.
    pub fn columns(&self) -> Vec<Column<'_>> {
        fields::columns(self.record, &self.data)
    }

    fn read(response: Box<UndecodedResponse>) -> Result<Self, Error> {
        let (service, mut data) = (response.connection.service, Vec::<AnyRecord>::new());
        let record = match response.target.endpoint.body {
            BodyInfo::Series { record, .. } => record,
            _ => None,
        };
        let rest: EnvelopeRest<AnyMetadata> = read_series(response, service, record, &mut data)?;
        let EnvelopeRest { metadata, unknown_fields, bad_records, time, .. } = rest;
        Ok(Self { data, metadata: metadata.unknown_fields, unknown_fields, bad_records, record, service, time })
    }
}

/// Compares records and metadata, but not the service.
impl PartialEq for AnySeries {
    fn eq(&self, other: &Self) -> bool {
        self.data == other.data
            && self.metadata == other.metadata
            && self.unknown_fields == other.unknown_fields
            && self.bad_records == other.bad_records
    }
}

/// Serializes the series in its envelope, as the service sends it.
impl Serialize for AnySeries {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        fields::serialize_series(self.service, &self.data, &self.metadata, &self.unknown_fields, serializer)
    }
}

/// Serializes the body as the service sends it.
impl Serialize for AnyBody {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Series(series) => series.serialize(serializer),
            Self::Record(record) => record.serialize(serializer),
            Self::Any(value) => value.serialize(serializer),
        }
    }
}

impl Sealed for AnyBody {}

impl Body for AnyBody {
    /// Always returns [`AnyBody::Any`], because JSON text does not identify its endpoint.
    fn decode(text: &str) -> Result<Self, DecodeError> {
        decode::any(text).map(Self::Any)
    }

    fn read(response: Result<Box<UndecodedResponse>, Error>) -> Result<Self, Error> {
        let response = response?;
        let read = match response.target.endpoint.body {
            BodyInfo::Series { .. } => return AnySeries::read(response).map(Self::Series),
            BodyInfo::Object { record, .. } => response.text().and_then(|text| object(text, record)),
            BodyInfo::Unknown => response.text().and_then(Self::decode),
        };
        read.map_err(|error| response.misfit(error))
    }
}

fn object(text: &str, record: &'static RecordInfo) -> Result<AnyBody, DecodeError> {
    decode::object(text, record).map(|mut row| AnyBody::Record(Item::from_row(&mut row)))
}

/// A history requests only endpoints that return a series, and the decoder rejects any other body.
impl SeriesBody for AnyBody {
    type Item = AnyRecord;

    fn read_records(response: Result<Box<UndecodedResponse>, Error>) -> Result<TimedRecords<Vec<AnyRecord>>, Error> {
        let series = AnySeries::read(response?)?;
        let times = series.times();
        let AnySeries { data: records, metadata, unknown_fields, bad_records: bad, .. } = series;
        let has_metadata = !metadata.is_empty() || !unknown_fields.is_empty();
        let metadata = decode::any(metadata.as_json()).unwrap_or_default();
        // Only the emitted client knows the field of the metadata that lists the unsupported values.
        let metadata = has_metadata.then(|| PageMetadata::new(metadata, Vec::new(), unknown_fields));
        Ok(TimedRecords { records, times, bad, metadata })
    }
}

/// The service's metadata of a series, without the table of the emitted client.
struct AnyMetadata {
    unknown_fields: UnknownFields,
}

impl Record for AnyMetadata {
    const INFO: &'static RecordInfo = &RecordInfo::new("Metadata", &[]);
}

crate::fields!(AnyMetadata);
