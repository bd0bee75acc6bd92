//! The Arrow schema of an endpoint's series.
//!
//! The registry defines the names of the columns, which are those of the API, their types, and their metadata, which
//! are meaning, unit and evidence. If the fields are unknown, the columns are inferred from the first records.

mod infer;
mod types;

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use runtime::record::{AnyRecord, FieldValue};
use runtime::registry::{BodyInfo, EndpointInfo, RecordInfo, ValueType};
use runtime::{Request, Timestamp};

use crate::error::Error;
use crate::series::{SeriesRequest, TimeColumn};

/// The column with the fields that no other column contains, as a JSON object for each record, or null.
pub const UNKNOWN_FIELDS: &str = "unknown_fields";

/// The columns of a series of records.
#[derive(Clone, Debug)]
pub struct TableSchema {
    schema: SchemaRef,
    columns: Columns,
}

#[derive(Clone, Debug)]
enum Columns {
    /// Declared columns, one for each field of the table.
    Known(&'static RecordInfo),
    /// Names and types that were inferred from records, without the column of unknown fields.
    Inferred(Vec<(String, ValueType)>),
}

impl TableSchema {
    /// Returns the columns of an endpoint's records; `None` if its response is not a series, or if the fields of its
    /// records are unknown.
    pub fn for_endpoint(endpoint: &EndpointInfo) -> Option<Self> {
        let BodyInfo::Series { record: Some(record), .. } = endpoint.body else { return None };
        let mut fields: Vec<Field> = record.fields.iter().map(types::field).collect();
        fields.push(unknown_fields(&fields));
        Some(Self { schema: Arc::new(Schema::new(fields)), columns: Columns::Known(record) })
    }

    /// Infers the columns of records whose fields are unknown. The request identifies the endpoint and the service.
    ///
    /// Numbers, Booleans and strings get typed columns, and all other values get JSON columns.
    pub fn infer<E>(request: &Request<E>, records: &[AnyRecord]) -> Self {
        let time = TimeColumn::of(request.endpoint(), request.service());
        Self::inferred(infer::columns(time, records))
    }

    fn inferred(columns: Vec<(String, ValueType)>) -> Self {
        let field = |(name, ty): &(String, ValueType)| types::described(name, *ty, &[]);
        let mut fields: Vec<Field> = columns.iter().map(field).collect();
        fields.push(unknown_fields(&fields));
        Self { schema: Arc::new(Schema::new(fields)), columns: Columns::Inferred(columns) }
    }

    /// Returns the declared columns of a series, or else the columns inferred from an existing file.
    pub(crate) fn of_series(series: &SeriesRequest, found: Option<&Schema>) -> Option<Self> {
        Self::for_endpoint(series.endpoint())
            .or_else(|| Some(Self::inferred(infer::stored(Some(series.time()), found?))))
    }

    /// Returns the Arrow schema.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Converts records to a batch. `times` contains the time of each record, or `None` if it is unreadable.
    pub fn batch(&self, records: &[AnyRecord], times: &[Option<Timestamp>]) -> Result<RecordBatch, Error> {
        let columns = match &self.columns {
            Columns::Known(record) => known(record, records),
            Columns::Inferred(columns) => infer::arrays(columns, records, times),
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
    let meaning = "Fields that the catalogue does not know, as a JSON object.";
    Field::new(name, DataType::Utf8, true).with_metadata(metadata(&[("meaning", meaning), ("format", "json")]))
}

/// Creates the metadata of a column in Arrow and Parquet from these facts. Facts without a text are omitted.
fn metadata(facts: &[(&str, &str)]) -> HashMap<String, String> {
    let known = facts.iter().filter(|(_, text)| !text.is_empty());
    known.map(|(key, text)| ((*key).to_owned(), (*text).to_owned())).collect()
}

/// Returns `true` if the metadata marks the text of a column as JSON.
pub(crate) fn is_json(field: &Field) -> bool {
    field.metadata().get("format").is_some_and(|format| format == "json")
}
