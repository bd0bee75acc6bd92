//! A list of records, with the metadata of the service.
//!
//! One type serves all clients, and also the endpoints that are chosen at run time. Only the conversion of rows into
//! records is compiled for each endpoint.

use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use super::body::{Body, MetadataRecord, PageMetadata, Sealed, SeriesBody, TimedRecords};
use super::undecoded_response::UndecodedResult;
use crate::decode::{
    self, BadRecord, BadRecords, Column, DecodeError, EnvelopeRest, Groups, Item, Record, RecordList, Row,
    SeriesLayout, TimeField, UnknownFields, error_body,
};
use crate::dispatch::observer::Event;
use crate::error::{Error, ErrorKind, excerpt};
use crate::registry::{BodyInfo, EndpointInfo, NextPage, RecordInfo, ServiceInfo};
use crate::values::{Timestamp, Value};

/// A list of records, usually one per timestamp, with the service's metadata. In an emitted client, `Series<T>` is an
/// alias of this type.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Series<T, M> {
    /// The records, in the order of the response.
    pub records: Vec<T>,
    /// The service's metadata of the series; empty if the response has none.
    pub metadata: M,
    /// Fields of the envelope that are not in the catalogue.
    pub unknown_fields: UnknownFields,
    /// The records that could not be decoded; always empty unless the request skips bad records, with
    /// `skip_bad_records`.
    pub bad_records: Vec<BadRecord>,
    /// The name in the response for which `*` stands in the path of the records.
    key: Option<String>,
    /// The groups of the records, if the records have labels.
    groups: Option<Groups>,
    info: SeriesInfo,
}

/// The facts about a series that are not in its response.
#[derive(Clone, Copy)]
struct SeriesInfo {
    service: &'static ServiceInfo,
    /// The endpoint that returned the series; `None` if the series was not received.
    endpoint: Option<&'static EndpointInfo>,
    /// The table of the records; `None` if their fields are unknown.
    record: Option<&'static RecordInfo>,
}

// Omits the tables of the catalogue, which are long and the same for every response.
crate::debug::opaque_debug!(SeriesInfo);

impl SeriesInfo {
    /// Returns the facts about a series that belongs to no endpoint.
    fn of_service(service: &'static ServiceInfo, record: Option<&'static RecordInfo>) -> Self {
        Self { service, endpoint: None, record }
    }

    fn layout(&self) -> SeriesLayout {
        let data = self.endpoint.and_then(|endpoint| endpoint.data);
        let is_optional = self.endpoint.is_some_and(|endpoint| endpoint.data_optional);
        SeriesLayout::in_envelope(self.service.envelope.as_ref(), data).optional(is_optional)
    }

    fn time(&self) -> Option<TimeField> {
        let name = match self.endpoint.map(|endpoint| endpoint.body) {
            Some(BodyInfo::Series { time, .. }) => time?,
            Some(_) => return None,
            None => self.service.envelope.as_ref()?.time?,
        };
        Some(TimeField { name, unit: self.service.time_unit })
    }

    /// Returns the paths of the values in a body that are no metadata: those that decide whether it is a success, if
    /// every body has a status, and those that lead to the next page.
    fn control_paths(&self) -> Vec<&'static str> {
        let error_body = &self.service.error_body;
        let mut paths = Vec::new();
        if !error_body.success.is_empty() {
            paths.extend(error_body::status_paths(error_body));
        }
        let Some(pages) = self.endpoint.and_then(|endpoint| endpoint.pages) else { return paths };
        // Services repeat the param in the response.
        paths.extend(pages.next.param());
        match pages.next {
            NextPage::Cursor { path, .. } | NextPage::Link { path } => paths.push(path),
            NextPage::Offset { total, .. } => paths.extend(total),
            NextPage::Number { pages, total, .. } => {
                paths.extend(pages);
                paths.extend(total);
            }
        }
        paths
    }
}

impl<T, M> Series<T, M> {
    fn new(records: Vec<T>, (metadata, rest): (M, EnvelopeRest), info: SeriesInfo) -> Self {
        let EnvelopeRest { unknown_fields, bad_records, key, groups, .. } = rest;
        Self { records, metadata, unknown_fields, bad_records, key, groups, info }
    }

    /// Returns the catalogue's description of the records; `None` if their fields are unknown.
    pub fn info(&self) -> Option<&'static RecordInfo> {
        self.info.record
    }
}

impl<T: Item, M> Series<T, M> {
    /// Returns the time of each record; `None` for a record without a readable time.
    pub fn times(&self) -> Vec<Option<Timestamp>> {
        decode::times(&self.records, self.info.time())
    }

    /// Returns one field of all records, by its wire name; `None` if the records have no such field.
    ///
    /// ```
    /// # extern crate generated_client_runtime as runtime;
    /// # use test_service::invented::Series;
    /// # use runtime::Value;
    /// # let records = [r#"{"ratio": 0.25}"#, r#"{"ratio": null}"#].map(|text| text.parse::<Value>());
    /// # let series = Series::from(records.into_iter().flatten().collect::<Vec<_>>());
    /// let ratios: Vec<_> = series.column("ratio").unwrap().numbers().collect();
    /// assert_eq!(ratios, [Some(0.25), None]);
    /// ```
    pub fn column(&self, wire_name: &str) -> Option<Column<'_>> {
        self.columns().into_iter().find(|column| column.name == wire_name)
    }

    /// Returns the values of all records for each field. The fields are those in the catalogue, or those in the
    /// response if the fields are not in the catalogue.
    pub fn columns(&self) -> Vec<Column<'_>> {
        decode::columns(self.info.record, &self.records)
    }
}

/// Reads a series and appends its records to `records`; `record` is the table of the records if they have a static
/// type.
fn read_series<M: Record>(
    response: UndecodedResult,
    record: Option<&'static RecordInfo>,
    records: &mut dyn RecordList,
) -> Result<((M, EnvelopeRest), SeriesInfo), Error> {
    let response = response?;
    let target = &response.target;
    let service = response.connection.service;
    let known = if let BodyInfo::Series { record, .. } = target.endpoint.body { record } else { None };
    let info = SeriesInfo { service, endpoint: Some(target.endpoint), record: record.or(known) };
    let layout = info.layout();
    let bad_records = response.bad_records;
    if error_body::means_no_data(&response.response, &service.error_body) {
        return Ok((without_records(&response.response.body), info));
    }
    let decoded = response.text().and_then(|text| decode::series(text, layout, info.record, bad_records, records));
    let (metadata, mut rest) = match decoded {
        Ok((_, rest)) if is_error(&rest, service) => return Err(response.decode_error(DecodeError::of_service())),
        Ok(decoded) => decoded,
        Err(error) => return Err(response.decode_error(error)),
    };
    if let Some(time) = info.time() {
        for bad in &mut rest.bad_records {
            bad.time = decode::time_of_text(info.record, &bad.text, time);
        }
    }
    if rest.unrecognized > 0 {
        let records = rest.unrecognized;
        response.report(|request, params| Event::UnrecognizedRecords { request, params, records });
    }
    response.report_misfits(rest.misfits);
    response.report_missing(info.record, records);
    Ok(((metadata, rest), info))
}

fn members_of(body: &[u8]) -> Option<UnknownFields> {
    let text = std::str::from_utf8(body).ok()?;
    let mut row = decode::object(text, <UnknownFields as Record>::INFO).ok()?;
    Some(row.unknown_fields())
}

/// Returns the content of a response that means that a series has no records. Its members are unknown fields.
#[cold]
fn without_records<M: Record>(body: &[u8]) -> (M, EnvelopeRest) {
    let unknown_fields = members_of(body).unwrap_or_default();
    let rest = EnvelopeRest { unknown_fields, is_empty: true, ..EnvelopeRest::default() };
    (M::from_row(&mut Row::of(M::INFO)), rest)
}

/// Returns whether a response without records is an error of the service. With `null` in place of the records, a message
/// is enough.
fn is_error(rest: &EnvelopeRest, service: &ServiceInfo) -> bool {
    let fields = rest.unknown_fields.as_json();
    match (rest.is_empty, rest.is_null) {
        (true, true) => error_body::is_error(fields, None, &service.error_body),
        (true, false) => error_body::is_error_of_series(fields, &service.error_body),
        (false, _) => false,
    }
}

impl<T: Item, M: Record + Serialize> Series<T, M> {
    /// Reads the series of a response.
    pub(super) fn of_response(response: UndecodedResult) -> Result<Self, Error> {
        let mut records: Vec<T> = Vec::new();
        // This function is compiled for every endpoint, and a `match` needs less code than `?`.
        match read_series(response, T::INFO, &mut records) {
            Ok((rest, info)) => Ok(Self::new(records, rest, info)),
            Err(error) => Err(error),
        }
    }

    /// Returns the records with their times, and the requested values that the endpoint does not support.
    pub(super) fn timed(self, unsupported: Vec<String>) -> TimedRecords<Vec<T>> {
        // The status in the body is the same in all successful responses, and each page leads to another.
        let control_paths = self.info.control_paths();
        let unknown_fields = match control_paths.as_slice() {
            [] => self.unknown_fields,
            paths => self.unknown_fields.without(paths),
        };
        let metadata = PageMetadata::of(&self.metadata, unsupported, unknown_fields);
        let times = decode::times(&self.records, self.info.time());
        TimedRecords { times, records: self.records, bad: self.bad_records, metadata }
    }
}

impl<T> Series<T, UnknownFields> {
    /// Returns the requested values that the endpoint does not support, as the service reports them in the metadata.
    pub fn unsupported_values(&self) -> Vec<String> {
        let field = self.info.service.unsupported_values;
        let Some(Value::Array(values)) = field.and_then(|name| self.metadata.get(name)) else { return Vec::new() };
        values.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect()
    }
}

impl<T, M: MetadataRecord> Series<T, M> {
    /// Returns an error if the service reports in the metadata that it omitted some of the requested data, such as
    /// values that the endpoint does not support. The error names the endpoint, without the params.
    ///
    /// ```no_run
    /// # extern crate generated_client_runtime as runtime;
    /// # use test_service::invented;
    /// # fn demo(series: invented::Series<runtime::Value>) -> Result<(), runtime::Error> {
    /// series.require_complete()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn require_complete(&self) -> Result<(), Error> {
        let unsupported = self.metadata.unsupported();
        if unsupported.is_empty() {
            return Ok(());
        }
        let names: Vec<_> = unsupported.iter().map(|name| format!("{:?}", excerpt(name, MAX_NAME_BYTES))).collect();
        let error = Error::new(ErrorKind::Incomplete, format!("the response has no data for {}", names.join(", ")))
            .with_hint("the endpoint does not support them; the rest of the response is valid");
        Err(match self.info.endpoint {
            Some(endpoint) => error.with_request(endpoint, String::new()),
            None => error,
        })
    }
}

/// The maximum number of bytes of an unsupported value that the error quotes.
const MAX_NAME_BYTES: usize = 60;

/// Creates a series without a request, for example in a test. It is serialized in the envelope of the service, even if
/// the records of an endpoint have their own path.
///
/// ```
/// # extern crate generated_client_runtime as runtime;
/// # use test_service::invented::Series;
/// # use runtime::Value;
/// let series: Series<Value> = vec![Value::from(1), Value::from(2)].into();
/// assert_eq!((series.len(), &series[0], series.last()), (2, &Value::from(1), Some(&Value::from(2))));
/// ```
impl<T: Item, M: MetadataRecord + Default> From<Vec<T>> for Series<T, M> {
    fn from(records: Vec<T>) -> Self {
        let rest = (M::default(), EnvelopeRest::default());
        Self::new(records, rest, SeriesInfo::of_service(M::SERVICE, T::INFO))
    }
}

/// Serializes the series in its envelope, as the service sends it.
impl<T: Item, M: Serialize> Serialize for Series<T, M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { records, metadata, unknown_fields, key, groups, info, .. } = self;
        decode::serialize_series(
            &info.layout().paths(key.as_deref()),
            info.record,
            groups.as_ref(),
            records,
            metadata,
            unknown_fields,
            serializer,
        )
    }
}

/// Deserializes a series in the envelope of the service, from any self-describing format. The type does not name an
/// endpoint, so this fails for a series of an endpoint whose records have their own path. In a deserialized series,
/// [`times`](Series::times) finds the time field that the service declares, but not a time field that an endpoint
/// declares.
impl<'de, T: Item, M: MetadataRecord + Serialize> Deserialize<'de> for Series<T, M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        decode::deserialize(deserializer, Self::decode)
    }
}

/// Compares records and metadata, but not the endpoint.
impl<T: PartialEq, M: PartialEq> PartialEq for Series<T, M> {
    fn eq(&self, other: &Self) -> bool {
        self.records == other.records
            && self.metadata == other.metadata
            && self.unknown_fields == other.unknown_fields
            && self.bad_records == other.bad_records
    }
}

/// Makes the records of a type usable as a slice, and the type itself an iterator over them.
macro_rules! slice_of_records {
    ($type:ident<T $(, $other:ident)?>) => {
        /// The records as a slice: `len()`, `last()` and `[0]` need no field.
        impl<T $(, $other)?> ::std::ops::Deref for $type<T $(, $other)?> {
            type Target = [T];

            fn deref(&self) -> &[T] {
                &self.records
            }
        }

        impl<T $(, $other)?> IntoIterator for $type<T $(, $other)?> {
            type Item = T;
            type IntoIter = ::std::vec::IntoIter<T>;

            fn into_iter(self) -> Self::IntoIter {
                self.records.into_iter()
            }
        }

        impl<'r, T $(, $other)?> IntoIterator for &'r $type<T $(, $other)?> {
            type Item = &'r T;
            type IntoIter = ::std::slice::Iter<'r, T>;

            fn into_iter(self) -> Self::IntoIter {
                self.iter()
            }
        }
    };
}

pub(crate) use slice_of_records;

slice_of_records!(Series<T, M>);

impl<T: Item, M: MetadataRecord> Sealed for Series<T, M> {}

impl<T: Item, M: MetadataRecord + Serialize> Body for Series<T, M> {
    fn decode(text: &str) -> Result<Self, DecodeError> {
        let info = SeriesInfo::of_service(M::SERVICE, T::INFO);
        let mut records = Vec::<T>::new();
        let rest = decode::series(text, info.layout(), T::INFO, BadRecords::Rejected, &mut records)?;
        Ok(Self::new(records, rest, info))
    }

    fn read(response: UndecodedResult) -> Result<Self, Error> {
        Self::of_response(response)
    }
}

impl<T: Item, M: MetadataRecord + Serialize> SeriesBody for Series<T, M> {
    type Item = T;

    fn received(&self) -> usize {
        self.records.len() + self.bad_records.len()
    }

    fn read_records(response: UndecodedResult) -> Result<TimedRecords<Vec<T>>, Error> {
        let series = Self::of_response(response)?;
        let unsupported = series.metadata.unsupported();
        Ok(series.timed(unsupported))
    }
}
