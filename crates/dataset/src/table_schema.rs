//! The Arrow schema of an endpoint's records, and of a series.
//!
//! The registry defines the names, types and metadata of the columns. The names are as in the API, and the metadata
//! contains the meaning, the unit and the evidence for these facts. If the fields of the records are unknown, the
//! column `record` contains each record as JSON.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Float64Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{ArrayRef, BooleanArray, PrimitiveArray, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use runtime::Timestamp;
use runtime::record::{AnyRecord, FieldValue, UnknownFields};
use runtime::registry::{BodyInfo, EndpointInfo, FieldInfo, RecordInfo, TimeUnit, ValueType};

use crate::column_names::{ENDPOINT, RECORD, UNKNOWN_FIELDS};
use crate::error::Error;
use crate::series::SeriesRequest;
use crate::series_columns::{Param, identifying, identity, unknown_fields};
use crate::timestamps::microseconds;
use crate::value_ranges::{MAXIMUM, MINIMUM};

/// The type of every time column, to which all units are converted.
const TIME: ValueType = ValueType::Timestamp(TimeUnit::Seconds);

/// The columns of a series of records.
#[derive(Clone, Debug)]
pub struct TableSchema {
    schema: SchemaRef,
    /// The values of the first columns, which identify the series.
    params: Vec<Param>,
    /// The sources of the other columns.
    sources: Vec<ColumnSource>,
    /// Whether no known field has the name of a param.
    has_own_columns: bool,
}

/// The source of the values of a column.
#[derive(Clone, Copy, Debug)]
enum ColumnSource {
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

    /// The columns of a series: the endpoint, the params, and the fields of the records.
    pub(crate) fn of_series(series: &SeriesRequest) -> Self {
        let mut params = vec![(ENDPOINT.to_owned(), Some(series.endpoint().to_string()))];
        params.extend_from_slice(&series.params);
        Self::new(params, fields_of(series.endpoint()))
    }

    /// The columns of series of an endpoint with these params.
    pub(crate) fn of_params(endpoint: &EndpointInfo, params: impl IntoIterator<Item = String>) -> Self {
        let mut all = vec![(ENDPOINT.to_owned(), None)];
        all.extend(params.into_iter().map(|name| (name, None)));
        Self::new(all, fields_of(endpoint))
    }

    fn new(params: Vec<Param>, mut fields: Vec<(Field, ColumnSource)>) -> Self {
        let mut unknown = UNKNOWN_FIELDS.to_owned();
        while fields.iter().any(|(field, _)| *field.name() == unknown) {
            unknown.insert(0, '_');
        }
        let meaning = "Fields that are not in the catalogue, as a JSON object.";
        let facts = metadata(&[("meaning", meaning), ("format", "json")]);
        fields.push((Field::new(unknown, DataType::Utf8, true).with_metadata(facts), ColumnSource::UnknownFields));
        let mut columns = Vec::new();
        for (name, _) in &params {
            columns.push(identifying(name));
        }
        let mut sources = Vec::new();
        let mut has_own_columns = true;
        for (field, source) in fields {
            if params.iter().any(|(name, _)| name == field.name()) {
                has_own_columns = false;
                continue;
            }
            columns.push(field);
            sources.push(source);
        }
        Self { schema: Arc::new(Schema::new(columns)), params, sources, has_own_columns }
    }

    /// Returns the Arrow schema.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Converts records to a batch. `times` contains the time of each record, or `None` if it is unreadable.
    pub fn batch(&self, records: &[AnyRecord], times: &[Option<Timestamp>]) -> Result<RecordBatch, Error> {
        let mut columns = Vec::with_capacity(self.params.len() + self.sources.len());
        for param in &self.params {
            columns.push(self.identity(param, records));
        }
        for source in &self.sources {
            columns.push(self.column(*source, records, times));
        }
        RecordBatch::try_new(self.schema.clone(), columns).map_err(Error::invalid_input)
    }

    fn column(&self, source: ColumnSource, records: &[AnyRecord], times: &[Option<Timestamp>]) -> ArrayRef {
        match source {
            ColumnSource::Field(index, ty) => {
                array(ty, records.iter().map(|record| record.nth_value(index).unwrap_or(FieldValue::Null)))
            }
            ColumnSource::Time => array(TIME, times.iter().map(|time| time_value(*time))),
            ColumnSource::Record => array(ValueType::Any, records.iter().map(json_value)),
            ColumnSource::UnknownFields => self.unknown_fields(records),
        }
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
fn known_fields(endpoint: &EndpointInfo) -> Option<Vec<(Field, ColumnSource)>> {
    let BodyInfo::Series { record: Some(RecordInfo { fields, .. }), .. } = endpoint.body else { return None };
    let mut columns = Vec::with_capacity(fields.len());
    for (index, info) in fields.iter().enumerate() {
        columns.push((field(info), ColumnSource::Field(index, info.ty)));
    }
    Some(columns)
}

/// The columns of the fields of an endpoint's records. If the fields are unknown, these are the time and the record as JSON.
fn fields_of(endpoint: &EndpointInfo) -> Vec<(Field, ColumnSource)> {
    if let Some(fields) = known_fields(endpoint) {
        return fields;
    }
    let BodyInfo::Series { time: Some(time), .. } = endpoint.body else { return Vec::new() };
    vec![
        (described(time, TIME, &[]), ColumnSource::Time),
        (described(RECORD, ValueType::Any, &[]), ColumnSource::Record),
    ]
}

/// Creates the metadata of a column in Arrow and Parquet from these facts. Empty facts are omitted.
fn metadata(facts: &[(&str, &str)]) -> HashMap<String, String> {
    let mut metadata = HashMap::new();
    for (key, text) in facts {
        if !text.is_empty() {
            metadata.insert((*key).to_owned(), (*text).to_owned());
        }
    }
    metadata
}

/// `true` if the metadata marks the text of a column as JSON.
pub(crate) fn is_json(field: &Field) -> bool {
    has_format(field, "json")
}

fn has_format(field: &Field, format: &str) -> bool {
    field.metadata().get("format").map(String::as_str) == Some(format)
}

/// `true` if the metadata marks the text of a column as the digits of decimals. Earlier versions wrote them with
/// quotes, and without this mark.
pub(crate) fn is_decimal(field: &Field) -> bool {
    has_format(field, "decimal")
}

/// Creates the column of a field.
fn field(info: &FieldInfo) -> Field {
    let meaning = [info.summary, info.notes].join(" ");
    let minimum = bound(info.range.min);
    let maximum = bound(info.range.max);
    let facts = [
        ("meaning", meaning.trim()),
        ("unit", info.unit),
        ("evidence", info.evidence.as_str()),
        (MINIMUM, &minimum),
        (MAXIMUM, &maximum),
    ];
    described(info.wire_name, info.ty, &facts)
}

/// The end of a range as text; empty if the range is open.
fn bound(number: Option<f64>) -> String {
    match number {
        Some(number) => number.to_string(),
        None => String::new(),
    }
}

/// Creates a column of JSON texts.
pub(crate) fn json_column(name: &str) -> Field {
    described(name, ValueType::Any, &[])
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
        DataType::Int64 => Arc::new(numbers::<Int64Type>(values.map(integer))),
        DataType::Float64 => Arc::new(numbers::<Float64Type>(values.map(FieldValue::number))),
        DataType::Boolean => Arc::new(values.map(boolean).collect::<BooleanArray>()),
        DataType::Timestamp(..) => {
            let times = values.map(|value| microseconds(value.timestamp()?));
            Arc::new(numbers::<TimestampMicrosecondType>(times).with_timezone("UTC"))
        }
        _ => Arc::new(values.map(text).collect::<StringArray>()),
    }
}

/// Collects numbers. `collect` and the builders of `arrow` take several times as long, because they append a bit for each
/// value.
fn numbers<T: ArrowPrimitiveType>(values: impl Iterator<Item = Option<T::Native>>) -> PrimitiveArray<T> {
    let (count, _) = values.size_hint();
    let mut numbers: Vec<T::Native> = Vec::with_capacity(count);
    let mut are_valid = Vec::with_capacity(count);
    for value in values {
        numbers.push(value.unwrap_or_default());
        are_valid.push(value.is_some());
    }
    let has_null = are_valid.contains(&false);
    let nulls = has_null.then(|| BooleanArray::from(are_valid).values().clone().into());
    PrimitiveArray::new(numbers.into(), nulls)
}

fn time_value<'r>(time: Option<Timestamp>) -> FieldValue<'r> {
    match time {
        Some(time) => FieldValue::Timestamp(time),
        None => FieldValue::Null,
    }
}

/// A record whose fields are unknown.
fn json_value(record: &AnyRecord) -> FieldValue<'_> {
    match record.as_any() {
        Some(record) => FieldValue::Any(record),
        None => FieldValue::Null,
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
