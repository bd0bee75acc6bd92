//! The body of a response: a series of records, one record, or any value.
//!
//! [`Body`] converts the JSON of a response to the type of its endpoint. Only a few lines are generic, and the decoder
//! that they call is compiled once.
//!
//! Awaiting a request returns only the body, which most callers want. [`Response`] is for callers that need a header.

use std::ops::Range;

use serde_core::Serialize;

use super::undecoded_response::{UndecodedResponse, UndecodedResult};
use crate::decode::{self, AsFieldValue, BadRecord, DecodeError, Record, RecordValue, Row, UnknownFields};
use crate::error::Error;
use crate::headers::Headers;
use crate::registry::{BodyFormat, ServiceInfo};
use crate::secrets::Redact;
use crate::values::{Timestamp, Value};

/// Seals [`Body`].
pub trait Sealed {}

impl<T: Record> Sealed for T {}
impl Sealed for Value {}

/// The type of a response body: a `Series`, a [`Record`], or any [`Value`]. Other types cannot implement this trait:
///
/// ```compile_fail,E0277
/// # use generated_client_runtime::{Body, DecodeError};
/// struct Mine;
///
/// impl Body for Mine {
///     fn decode(_: &str) -> Result<Self, DecodeError> {
///         Ok(Self)
///     }
/// }
/// ```
pub trait Body: Sealed + Sized + Send + 'static {
    /// Reads a complete JSON text, such as a stored response.
    ///
    /// A known field that occurs twice in one object is an error, because either value may be the correct one. If an
    /// unknown field occurs twice, for example in a [`Value`], the later value is used.
    fn decode(text: &str) -> Result<Self, DecodeError>;

    /// Reads the body of a response.
    #[doc(hidden)]
    fn read(response: UndecodedResult) -> Result<Self, Error> {
        let response = response?;
        response.text().and_then(Self::decode).map_err(|error| response.decode_error(error))
    }
}

impl<T: Record + Send + 'static> Body for T {
    fn decode(text: &str) -> Result<Self, DecodeError> {
        decode::object(text, T::INFO).map(|mut row| T::from_row(&mut row))
    }

    fn read(response: UndecodedResult) -> Result<Self, Error> {
        let response = response?;
        let read = response.object(T::INFO).map(|mut row| T::from_row(&mut row));
        read.map_err(|error| response.decode_error(error))
    }
}

impl Body for Value {
    fn decode(text: &str) -> Result<Self, DecodeError> {
        decode::any(text)
    }
}

/// The metadata that the service sends with a series.
pub trait MetadataRecord: Record + Send + 'static {
    /// The service, with the description of its envelope.
    const SERVICE: &'static ServiceInfo;

    /// Returns the requested values that the endpoint does not support.
    fn unsupported(&self) -> Vec<String>;
}

/// The response body of an endpoint that returns a series.
pub trait SeriesBody: Body {
    /// The type of the records.
    type Item: AsFieldValue + Send + 'static;

    /// Returns the number of records in the response, also of those that could not be decoded.
    fn received(&self) -> usize;

    /// Reads the records of a response, each with its time.
    fn read_records(response: UndecodedResult) -> Result<TimedRecords<Vec<Self::Item>>, Error>;
}

/// The records of a response, in the order of the response. `R` is a list of records, or a list whose static type is
/// erased.
#[derive(Debug)]
pub struct TimedRecords<R> {
    /// The decoded records.
    pub(crate) records: R,
    /// The time of each decoded record; `None` for a record without a readable time.
    pub(crate) times: Vec<Option<Timestamp>>,
    /// The records that were skipped because they could not be decoded.
    pub(crate) bad: Vec<BadRecord>,
    /// The service's metadata of the records, if any.
    pub(crate) metadata: Option<PageMetadata>,
}

/// The metadata of the responses for one part of the range of a history.
///
/// Adjacent pages with the same metadata share one entry. A response without metadata has no entry.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PageMetadata {
    /// The part of the requested range to which the metadata applies.
    pub range: Range<Timestamp>,
    /// The metadata as on the wire, including fields that are not in the catalogue.
    pub metadata: Value,
    /// Requested values that the endpoint does not support. They are read from the metadata.
    pub unsupported: Vec<String>,
    /// Fields of the envelope that are not in the catalogue.
    pub unknown_fields: UnknownFields,
}

impl PageMetadata {
    /// Returns whether two entries are equal except for their ranges.
    pub(crate) fn is_the_same(&self, other: &Self) -> bool {
        self.metadata == other.metadata && self.unknown_fields == other.unknown_fields
    }

    /// Returns the metadata of a response; `None` if it has none. The range is set later.
    pub(super) fn of<M: Record + Serialize>(
        metadata: &M,
        unsupported: Vec<String>,
        unknown_fields: UnknownFields,
    ) -> Option<Self> {
        let nothing = M::from_row(&mut Row::of(M::INFO));
        let is_empty = unknown_fields.is_empty() && RecordValue::of(metadata) == RecordValue::of(&nothing);
        let metadata = serde_json::to_value(metadata).unwrap_or_default();
        let range = Timestamp::from_unix_seconds(0)..Timestamp::from_unix_seconds(0);
        if is_empty { None } else { Some(Self { range, metadata, unsupported, unknown_fields }) }
    }
}

/// A response of the service, returned by `Request::response`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Response<B> {
    /// The HTTP status, from 200 to 299.
    pub status: u16,
    /// The headers. Secrets in values are replaced by asterisks.
    pub headers: Headers,
    /// The body.
    pub body: B,
}

impl UndecodedResponse {
    /// Reads the body, and keeps status and headers.
    pub fn into_response<B: Body>(self: Box<Self>) -> Result<Response<B>, Error> {
        // The headers are cloned, because an error about the body contains them too.
        let status = self.response.status;
        let mut headers = self.response.headers.clone();
        self.connection.credentials.redact_headers(&mut headers);
        Ok(Response { status, headers, body: B::read(Ok(self))? })
    }

    /// Returns the text of the body: the JSON, or the text in another format if the endpoint declares one.
    pub fn into_text(self: Box<Self>) -> Result<String, Error> {
        let text = self.text().and_then(|text| decode::any(text).map(|_| text.to_owned()));
        match text {
            Ok(_) if self.target.endpoint.format != BodyFormat::Json => self.sent_text(),
            Ok(json) => Ok(json),
            Err(error) => Err(self.decode_error(error)),
        }
    }

    /// Returns the text of the body as the service sent it.
    fn sent_text(self: Box<Self>) -> Result<String, Error> {
        match std::str::from_utf8(&self.sent_body) {
            Ok(text) => Ok(text.to_owned()),
            Err(error) => Err(self.decode_error(DecodeError::not_utf8(&error))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_that_differs_only_in_range_is_equal() {
        let metadata = |metadata: u8, unknown: u8, end: i64| PageMetadata {
            range: Timestamp::from(0)..Timestamp::from(end),
            metadata: serde_json::json!({"fee": metadata}),
            unsupported: Vec::new(),
            unknown_fields: [("took", unknown.into())].into_iter().collect(),
        };
        let one = metadata(1, 1, 7);
        assert!(one.is_the_same(&metadata(1, 1, 9)));
        assert!(!one.is_the_same(&metadata(1, 2, 7)) && !one.is_the_same(&metadata(2, 1, 7)));
    }
}
