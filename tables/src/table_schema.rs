//! The Arrow schema of an endpoint's series.
//!
//! The registry defines the names, types and metadata of the columns. The names are as in the API, and the metadata
//! contains the meaning, the unit and the evidence for these facts. If the fields of the records are unknown, the
//! column `record` contains each record as JSON.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
    new_null_array,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use runtime::Timestamp;
use runtime::record::{AnyRecord, FieldValue};
use runtime::registry::{BodyInfo, EndpointInfo, FieldInfo, RecordInfo, TimeUnit, ValueType};

use crate::error::Error;
use crate::series::SeriesRequest;
use crate::timestamps::microseconds;

/// Name of the column with all fields that have no column of their own: a JSON object for each record, or null.
pub const UNKNOWN_FIELDS: &str = "unknown_fields";

/// The type of every time column, to which all units are converted.
const TIME: ValueType = ValueType::Timestamp(TimeUnit::Seconds);

/// The columns of a series of records.
#[derive(Clone, Debug)]
pub struct TableSchema {
    schema: SchemaRef,
    /// The fields; `None` if they are unknown.
    record: Option<&'static RecordInfo>,
}

impl TableSchema {
    /// Returns the columns of an endpoint's records; `None` if its response is not a series, or if the fields of its
    /// records are unknown.
    pub fn for_endpoint(endpoint: &EndpointInfo) -> Option<Self> {
        let BodyInfo::Series { record: Some(record), .. } = endpoint.body else { return None };
        Some(Self::new(record.fields.iter().map(field).collect(), Some(record)))
    }

    fn new(mut fields: Vec<Field>, record: Option<&'static RecordInfo>) -> Self {
        fields.push(unknown_fields(&fields));
        Self { schema: Arc::new(Schema::new(fields)), record }
    }

    /// Returns the columns of a series. If the fields are unknown, the columns are the time and the record as JSON.
    pub(crate) fn of_series(series: &SeriesRequest) -> Self {
        let unknown = || vec![described(series.time(), TIME, &[]), described("record", ValueType::Any, &[])];
        Self::for_endpoint(series.endpoint()).unwrap_or_else(|| Self::new(unknown(), None))
    }

    /// Returns the Arrow schema.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Converts records to a batch. `times` contains the time of each record, or `None` if it is unreadable.
    pub fn batch(&self, records: &[AnyRecord], times: &[Option<Timestamp>]) -> Result<RecordBatch, Error> {
        let columns = match self.record {
            Some(record) => known(record, records),
            None => vec![
                array(TIME, times.iter().map(|time| time.map_or(FieldValue::Null, FieldValue::Timestamp))),
                array(
                    ValueType::Any,
                    records.iter().map(|record| record.as_any().map_or(FieldValue::Null, FieldValue::Any)),
                ),
                new_null_array(&DataType::Utf8, records.len()),
            ],
        };
        RecordBatch::try_new(self.schema.clone(), columns).map_err(Error::invalid_input)
    }
}

fn known(record: &'static RecordInfo, records: &[AnyRecord]) -> Vec<ArrayRef> {
    let values =
        |index: usize| records.iter().map(move |record| record.values().nth(index).unwrap_or(FieldValue::Null));
    let columns = record.fields.iter().enumerate().map(|(index, field)| array(field.ty, values(index)));
    let unknown = records.iter().map(|record| Some(record.unknown_fields().filter(|all| !all.is_empty())?.as_json()));
    columns.chain([Arc::new(unknown.collect::<StringArray>()) as ArrayRef]).collect()
}

/// Creates the column of unknown fields, with a name that no other column has.
fn unknown_fields(others: &[Field]) -> Field {
    let mut name = UNKNOWN_FIELDS.to_owned();
    while others.iter().any(|field| *field.name() == name) {
        name.insert(0, '_');
    }
    let meaning = "Fields that are not in the catalogue, as a JSON object.";
    Field::new(name, DataType::Utf8, true).with_metadata(metadata(&[("meaning", meaning), ("format", "json")]))
}

/// Creates the metadata of a column in Arrow and Parquet from these facts. Empty facts are omitted.
fn metadata(facts: &[(&str, &str)]) -> HashMap<String, String> {
    let known = facts.iter().filter(|(_, text)| !text.is_empty());
    known.map(|(key, text)| ((*key).to_owned(), (*text).to_owned())).collect()
}

/// Returns `true` if the metadata marks the text of a column as JSON.
pub(crate) fn is_json(field: &Field) -> bool {
    field.metadata().get("format").is_some_and(|format| format == "json")
}

/// Creates the column of a field.
fn field(info: &FieldInfo) -> Field {
    let meaning = [info.summary, info.notes].join(" ");
    let facts = [("meaning", meaning.trim()), ("unit", info.unit), ("evidence", info.evidence.as_str())];
    described(info.wire_name, info.ty, &facts)
}

/// Creates a nullable column with these facts in its metadata. A value that does not fit the column becomes null.
fn described(name: &str, ty: ValueType, facts: &[(&str, &str)]) -> Field {
    let format = ("format", if is_json_type(ty) { "json" } else { "" });
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

fn is_json_type(ty: ValueType) -> bool {
    match ty {
        ValueType::Option(given) => is_json_type(*given),
        _ => matches!(ty, ValueType::Any | ValueType::Record(_) | ValueType::List(_) | ValueType::Map(_)),
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

/// Returns a string unchanged, and any other value as JSON.
fn text(value: FieldValue<'_>) -> Option<Cow<'_, str>> {
    match value {
        FieldValue::Text(text) => Some(text.into()),
        FieldValue::Null => None,
        other => serde_json::to_string(&other).ok().map(Cow::Owned),
    }
}
