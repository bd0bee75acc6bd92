//! The Arrow schema of an endpoint's series.
//!
//! The registry defines the names, types and metadata of the columns. The names are as in the API, and the metadata
//! contains the meaning, the unit and the evidence for these facts. If the fields of the records are unknown, the
//! column `record` contains each record as JSON.

mod types;

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray, new_null_array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use runtime::Timestamp;
use runtime::record::{AnyRecord, FieldValue};
use runtime::registry::{BodyInfo, EndpointInfo, RecordInfo, TimeUnit, ValueType};

use crate::error::Error;
use crate::series::SeriesRequest;

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
        Some(Self::new(record.fields.iter().map(types::field).collect(), Some(record)))
    }

    fn new(mut fields: Vec<Field>, record: Option<&'static RecordInfo>) -> Self {
        fields.push(unknown_fields(&fields));
        Self { schema: Arc::new(Schema::new(fields)), record }
    }

    /// Returns the columns of a series. If the fields are unknown, the columns are the time and the record as JSON.
    pub(crate) fn of_series(series: &SeriesRequest) -> Self {
        let unknown =
            || vec![types::described(series.time(), TIME, &[]), types::described("record", ValueType::Any, &[])];
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
                types::array(TIME, times.iter().map(|time| time.map_or(FieldValue::Null, FieldValue::Timestamp))),
                types::array(
                    ValueType::Any,
                    records.iter().map(|record| record.as_any().map_or(FieldValue::Null, FieldValue::Any)),
                ),
                new_null_array(&DataType::Utf8, records.len()),
            ],
        };
        RecordBatch::try_new(self.schema.clone(), columns).map_err(|error| Error::invalid_input(error.to_string()))
    }
}

fn known(record: &'static RecordInfo, records: &[AnyRecord]) -> Vec<ArrayRef> {
    let values =
        |index: usize| records.iter().map(move |record| record.values().nth(index).unwrap_or(FieldValue::Null));
    let columns = record.fields.iter().enumerate().map(|(index, field)| types::array(field.ty, values(index)));
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
