//! The body of an endpoint that is chosen at run time.

use serde_core::{Serialize, Serializer};

use super::body::{Body, Sealed, SeriesBody, TimedRecords};
use super::series::Series;
use super::undecoded_response::UndecodedResult;
use crate::decode::{self, AnyRecord, DecodeError, Item, UnknownFields};
use crate::error::Error;
use crate::registry::BodyInfo;
use crate::values::Value;

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
/// This type is not `Deserialize`, because JSON does not identify the fields. Deserialize into the typed `Series` of
/// the client instead.
pub type AnySeries = Series<AnyRecord, UnknownFields>;

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

    fn read(response: UndecodedResult) -> Result<Self, Error> {
        let response = response?;
        let read = match response.target.endpoint.body {
            BodyInfo::Series { .. } => return Series::of_response(Ok(response)).map(Self::Series),
            BodyInfo::Object { record, .. } => {
                response.object(record).map(|mut row| Self::Record(Item::from_row(&mut row)))
            }
            BodyInfo::Unknown => response.text().and_then(Self::decode),
        };
        read.map_err(|error| response.decode_error(error))
    }
}

/// A history requests only endpoints that return a series, and the decoder rejects any other body.
impl SeriesBody for AnyBody {
    type Item = AnyRecord;

    fn received(&self) -> usize {
        match self {
            Self::Series(series) => series.records.len() + series.bad_records.len(),
            Self::Record(_) | Self::Any(_) => 0,
        }
    }

    fn read_records(response: UndecodedResult) -> Result<TimedRecords<Vec<AnyRecord>>, Error> {
        let series = AnySeries::of_response(response)?;
        let unsupported = series.unsupported_values();
        Ok(series.timed(unsupported))
    }
}
