//! The Arrow schema of an endpoint's records, and of a series.
//!
//! The registry defines the names, types and metadata of the columns. The names are as in the API, and the metadata
//! contains the meaning, the unit and the evidence for these facts. If the fields of the records are unknown, the
//! column `record` contains each record as JSON.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use runtime::Timestamp;
use runtime::record::{AnyRecord, FieldValue, UnknownFields};
use runtime::registry::{BodyInfo, EndpointInfo, FieldInfo, RecordInfo, TimeUnit, ValueType};

use crate::error::Error;
use crate::series::SeriesRequest;
use crate::series_columns::{Param, identifying, identity, unknown_fields};
use crate::timestamps::microseconds;
use crate::value_ranges::{MAXIMUM, MINIMUM};

/// Name of the column with all fields that have no column of their own: a JSON object for each record, or null.
pub const UNKNOWN_FIELDS: &str = "unknown_fields";

/// Name of the column with each record as JSON, if the fields of the records are unknown.
pub(crate) const RECORD: &str = "record";

/// Name of the column with the endpoint of each row.
pub(crate) const ENDPOINT: &str = "endpoint";

/// The type of every time column, to which all units are converted.
const TIME: ValueType = ValueType::Timestamp(TimeUnit::Seconds);

/// The columns of a series of records.
#[derive(Clone, Debug)]
pub struct TableSchema {
    schema: SchemaRef,
    /// The values of the first columns, which identify the series.
    params: Vec<Param>,
    /// The sources of the other columns.
    sources: Vec<Source>,
    /// Whether no known field has the name of a param.
    has_own_columns: bool,
}

/// The source of the values of a column.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// The field with this index.
    Field(usize, ValueType),
    /// The time of a record whose fields are unknown.
    Time,
    /// A record whose fields are unknown.
    Record,
    /// The fields that have no column.
    UnknownFields,
}

impl TableSchema {
    /// Returns the columns of an endpoint's records; `None` if its response is not a series, or if the fields of its
    /// records are unknown.
    pub fn for_endpoint(endpoint: &EndpointInfo) -> Option<Self> {
        Some(Self::new(Vec::new(), known_fields(endpoint)?))
    }

    /// The columns of a series: the endpoint, the params, and the fields of the records. If the fields are unknown, the
    /// columns are the time and the record as JSON.
    pub(crate) fn of_series(series: &SeriesRequest) -> Self {
        let unknown = || {
            let (time, record) = (described(series.time(), TIME, &[]), described(RECORD, ValueType::Any, &[]));
            vec![(time, Source::Time), (record, Source::Record)]
        };
        let endpoint = (ENDPOINT.to_owned(), Some(series.endpoint().to_string()));
        let params = std::iter::once(endpoint).chain(series.params.iter().cloned());
        Self::new(params.collect(), known_fields(series.endpoint()).unwrap_or_else(unknown))
    }

    fn new(params: Vec<Param>, mut fields: Vec<(Field, Source)>) -> Self {
        let mut unknown = UNKNOWN_FIELDS.to_owned();
        while fields.iter().any(|(field, _)| *field.name() == unknown) {
            unknown.insert(0, '_');
        }
        let meaning = "Fields that are not in the catalogue, as a JSON object.";
        let facts = metadata(&[("meaning", meaning), ("format", "json")]);
        fields.push((Field::new(unknown, DataType::Utf8, true).with_metadata(facts), Source::UnknownFields));
        let known = fields.len();
        fields.retain(|(field, _)| params.iter().all(|(name, _)| name != field.name()));
        let has_own_columns = fields.len() == known;
        let (fields, sources): (Vec<_>, _) = fields.into_iter().unzip();
        let columns = params.iter().map(|(name, _)| identifying(name)).chain(fields);
        Self { schema: Arc::new(Schema::new(columns.collect::<Vec<_>>())), params, sources, has_own_columns }
    }

    /// Returns the Arrow schema.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Converts records to a batch. `times` contains the time of each record, or `None` if it is unreadable.
    pub fn batch(&self, records: &[AnyRecord], times: &[Option<Timestamp>]) -> Result<RecordBatch, Error> {
        let column = |source: &Source| match *source {
            Source::Field(index, ty) => {
                array(ty, records.iter().map(|record| record.nth_value(index).unwrap_or(FieldValue::Null)))
            }
            Source::Time => array(TIME, times.iter().map(|time| time.map_or(FieldValue::Null, FieldValue::Timestamp))),
            Source::Record => {
                let values = records.iter().map(|record| record.as_any().map_or(FieldValue::Null, FieldValue::Any));
                array(ValueType::Any, values)
            }
            Source::UnknownFields => self.unknown_fields(records),
        };
        let params = self.params.iter().map(|param| self.identity(param, records));
        let columns = params.chain(self.sources.iter().map(column)).collect();
        RecordBatch::try_new(self.schema.clone(), columns).map_err(Error::invalid_input)
    }

    /// The column of a param.
    fn identity(&self, param: &Param, records: &[AnyRecord]) -> ArrayRef {
        if param.1.is_none() && records.iter().all(|record| self.has_columns_for(record)) {
            return Arc::new(StringArray::new_null(records.len()));
        }
        identity(param, records)
    }

    /// The column of the fields that have no column of their own.
    fn unknown_fields(&self, records: &[AnyRecord]) -> ArrayRef {
        let mut all: Vec<Option<String>> = Vec::with_capacity(records.len());
        for record in records {
            all.push(if self.has_columns_for(record) { None } else { unknown_fields(&self.params, record) });
        }
        Arc::new(StringArray::from(all))
    }

    /// `true` if every value of a record has a column of its own, as in most records. It is a fast path: otherwise,
    /// each param is looked up in each record.
    fn has_columns_for(&self, record: &AnyRecord) -> bool {
        self.has_own_columns && record.unknown_fields().is_some_and(UnknownFields::is_empty)
    }
}

/// The columns of the fields of an endpoint's records; `None` if they are unknown.
fn known_fields(endpoint: &EndpointInfo) -> Option<Vec<(Field, Source)>> {
    let BodyInfo::Series { record: Some(RecordInfo { fields, .. }), .. } = endpoint.body else { return None };
    let column = |(index, info): (usize, &FieldInfo)| (field(info), Source::Field(index, info.ty));
    Some(fields.iter().enumerate().map(column).collect())
}

/// Creates the metadata of a column in Arrow and Parquet from these facts. Empty facts are omitted.
fn metadata(facts: &[(&str, &str)]) -> HashMap<String, String> {
    let known = facts.iter().filter(|(_, text)| !text.is_empty());
    known.map(|(key, text)| ((*key).to_owned(), (*text).to_owned())).collect()
}

/// `true` if the metadata marks the text of a column as JSON.
pub(crate) fn is_json(field: &Field) -> bool {
    field.metadata().get("format").is_some_and(|format| format == "json")
}

/// `true` if the metadata marks the text of a column as the digits of decimals. Earlier versions wrote them with
/// quotes, and without this mark.
pub(crate) fn is_decimal(field: &Field) -> bool {
    field.metadata().get("format").is_some_and(|format| format == "decimal")
}

/// Creates the column of a field.
fn field(info: &FieldInfo) -> Field {
    let meaning = [info.summary, info.notes].join(" ");
    let minimum = info.range.min.map(|min| min.to_string()).unwrap_or_default();
    let maximum = info.range.max.map(|max| max.to_string()).unwrap_or_default();
    let facts = [
        ("meaning", meaning.trim()),
        ("unit", info.unit),
        ("evidence", info.evidence.as_str()),
        (MINIMUM, &minimum),
        (MAXIMUM, &maximum),
    ];
    described(info.wire_name, info.ty, &facts)
}

/// Creates a nullable column with these facts in its metadata. A value that does not fit the column becomes null.
fn described(name: &str, ty: ValueType, facts: &[(&str, &str)]) -> Field {
    let format = ("format", format_of(ty));
    Field::new(name, data_type(ty), true).with_metadata(metadata(&[facts, &[format]].concat()))
}

fn data_type(ty: ValueType) -> DataType {
    match ty {
        // Counts are signed too, because not every reader supports unsigned integers.
        ValueType::Integer | ValueType::Count => DataType::Int64,
        ValueType::Number => DataType::Float64,
        ValueType::Boolean => DataType::Boolean,
        ValueType::Timestamp(_) => DataType::Timestamp(arrow_schema::TimeUnit::Microsecond, Some("UTC".into())),
        ValueType::Option(given) => data_type(*given),
        // Strings, values that are written as JSON text, and types that this version does not know.
        _ => DataType::Utf8,
    }
}

/// What the text of a column is, if it is not any text.
fn format_of(ty: ValueType) -> &'static str {
    match ty {
        ValueType::Option(given) => format_of(*given),
        ValueType::Decimal => "decimal",
        ValueType::Any | ValueType::Record(_) | ValueType::List(_) | ValueType::Map(_) => "json",
        _ => "",
    }
}

/// Converts values to an array of their type.
fn array<'r>(ty: ValueType, values: impl Iterator<Item = FieldValue<'r>>) -> ArrayRef {
    match data_type(ty) {
        DataType::Int64 => Arc::new(values.map(integer).collect::<Int64Array>()),
        DataType::Float64 => Arc::new(values.map(FieldValue::number).collect::<Float64Array>()),
        DataType::Boolean => Arc::new(values.map(boolean).collect::<BooleanArray>()),
        DataType::Timestamp(..) => {
            let times = values.map(|value| microseconds(value.timestamp()?));
            Arc::new(times.collect::<TimestampMicrosecondArray>().with_timezone("UTC"))
        }
        _ => Arc::new(values.map(text).collect::<StringArray>()),
    }
}

fn integer(value: FieldValue<'_>) -> Option<i64> {
    match value {
        FieldValue::Integer(number) => Some(number),
        FieldValue::Count(count) => i64::try_from(count).ok(),
        _ => None,
    }
}

fn boolean(value: FieldValue<'_>) -> Option<bool> {
    if let FieldValue::Boolean(value) = value { Some(value) } else { None }
}

/// A string and the digits of a decimal unchanged, and any other value as JSON.
fn text(value: FieldValue<'_>) -> Option<Cow<'_, str>> {
    match value {
        FieldValue::Text(text) => Some(text.into()),
        FieldValue::Decimal(number) => Some(number.as_str().into()),
        FieldValue::Null => None,
        other => serde_json::to_string(&other).ok().map(Cow::Owned),
    }
}
