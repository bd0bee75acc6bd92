//! The columns of series: first the columns that identify the series, then the fields of its records.
//!
//! Every row has the endpoint and the params of its series. If a record has a field with the name of a param, the param
//! is written, and a value that contradicts it is kept among the unknown fields.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use runtime::record::{AnyRecord, UnknownFields};
use runtime::{Timestamp, Value};

use crate::columns::Columns;
use crate::error::Error;
use crate::series::SeriesRequest;
use crate::table_schema::TableSchema;

/// Name of the column with the endpoint of each row.
pub(crate) const ENDPOINT: &str = "endpoint";

/// The metadata key of a column that identifies the series of a row.
const IDENTIFIES: &str = "identifies";

/// Creates a column that identifies the series of a row.
pub(crate) fn identifying(name: &str) -> Field {
    let metadata = HashMap::from([(IDENTIFIES.to_owned(), "series".to_owned())]);
    Field::new(name, DataType::Utf8, true).with_metadata(metadata)
}

/// Returns `true` for a column that identifies the series of a row; the other columns are fields of the records.
pub(crate) fn identifies(field: &Field) -> bool {
    field.metadata().contains_key(IDENTIFIES)
}

/// The columns of a series.
struct SeriesColumns {
    /// The endpoint and the params, with their values; `None` if a param is not set.
    params: Vec<(String, Option<String>)>,
    table: TableSchema,
    schema: SchemaRef,
}

impl SeriesColumns {
    fn new(series: &SeriesRequest) -> Self {
        let endpoint = (ENDPOINT.to_owned(), Some(series.endpoint().to_string()));
        let params: Vec<_> = std::iter::once(endpoint).chain(series.params.iter().cloned()).collect();
        let table = TableSchema::of_series(series);
        let fields = table.schema();
        let is_field = |field: &&FieldRef| params.iter().all(|(name, _)| name != field.name());
        let columns = params.iter().map(|(name, _)| Arc::new(identifying(name)));
        let schema = columns.chain(fields.fields().iter().filter(is_field).cloned()).collect::<Vec<_>>();
        Self { params, table, schema: Arc::new(Schema::new(schema)) }
    }

    /// Converts records and their times to rows.
    fn batch(&self, records: &[AnyRecord], times: &[Option<Timestamp>]) -> Result<RecordBatch, Error> {
        let fields = self.table.batch(records, times)?;
        let unknown = fields.schema_ref().fields().last().map(|field| field.name());
        let column = |field: &FieldRef| -> Option<ArrayRef> {
            if Some(field.name()) == unknown {
                let unknown = records.iter().map(|record| unknown_fields(&self.params, record));
                return Some(Arc::new(unknown.collect::<StringArray>()));
            }
            let param = self.params.iter().find(|(name, _)| name == field.name());
            param.map(|param| identity(param, records)).or_else(|| fields.column_by_name(field.name()).cloned())
        };
        let columns = self.schema.fields().iter().filter_map(column).collect();
        RecordBatch::try_new(self.schema.clone(), columns).map_err(Error::invalid_input)
    }
}

/// Returns the unknown fields of a record as JSON, with its values that contradict a param, and without those that
/// agree with a param. The params identify the series of the record; a param that is not set has no value.
pub fn unknown_fields(params: &[(String, Option<String>)], record: &AnyRecord) -> Option<String> {
    let unknown = record.unknown_fields().filter(|all| !all.is_empty());
    let named = params.iter().filter_map(|param| Some((param, json(record, &param.0)?)));
    let named: Vec<_> = named.collect();
    if named.is_empty() {
        return Some(unknown?.as_json().to_owned());
    }
    let others = unknown.into_iter().flat_map(UnknownFields::iter_raw);
    let others = others.filter(|(name, _)| named.iter().all(|((param, _), _)| param != name));
    let contradicts =
        |value: &Option<String>, json: &str| json != NULL && value.as_ref().is_some_and(|value| !agree(value, json));
    let contradicting = named.iter().filter(|((_, value), json)| contradicts(value, json));
    let kept = contradicting.map(|((name, _), json)| (name.into(), json.as_str()));
    let kept = kept.chain(others).map(|(name, json): (Cow<'_, str>, _)| format!("{}:{json}", Value::from(&*name)));
    let kept = kept.collect::<Vec<_>>().join(",");
    (!kept.is_empty()).then(|| format!("{{{kept}}}"))
}

/// The columns of a table with several series: the endpoint, the params, and the fields of the records.
pub struct SeriesTable {
    pub(crate) columns: Columns,
    series: Vec<SeriesColumns>,
}

impl SeriesTable {
    /// Creates the columns. Two series with different types for one column are an error that names both types.
    pub fn new(series: &[SeriesRequest]) -> Result<Self, Error> {
        Self::with(None, series).map_err(Error::invalid_input)
    }

    /// Creates the columns of series and of existing files.
    pub(crate) fn with(existing: Option<SchemaRef>, series: &[SeriesRequest]) -> Result<Self, String> {
        let series: Vec<_> = series.iter().map(SeriesColumns::new).collect();
        let schemas = series.iter().map(|series| series.schema.clone());
        Ok(Self { columns: Columns::new(&existing.into_iter().chain(schemas).collect::<Vec<_>>())?, series })
    }

    /// Returns the Arrow schema, whose metadata contains the facts of the catalogue.
    pub fn schema(&self) -> SchemaRef {
        self.columns.schema()
    }

    /// Converts records of the series with this index. `times` contains the time of each record, or `None` if it is
    /// unreadable. An index that does not exist is an error.
    pub fn batch(
        &self,
        series: usize,
        records: &[AnyRecord],
        times: &[Option<Timestamp>],
    ) -> Result<RecordBatch, Error> {
        let series = self.series.get(series);
        let columns = series.ok_or_else(|| Error::invalid_input("the table has no series with this index"))?;
        self.columns.batch(&columns.batch(records, times)?)
    }
}

impl std::fmt::Debug for SeriesTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SeriesTable").field("schema", &self.schema()).finish_non_exhaustive()
    }
}

/// Returns the values of a column that identifies the series. If the param is not set, the column has the value of the
/// record's field of this name, if there is one.
fn identity((name, value): &(String, Option<String>), records: &[AnyRecord]) -> ArrayRef {
    let given = |record| json(record, name).filter(|json| json != NULL).map(|json| text(&json).into_owned());
    let repeated = value.as_ref().map(|value| StringArray::new_repeated(value, records.len()));
    Arc::new(repeated.unwrap_or_else(|| records.iter().map(given).collect()))
}

/// The JSON of a value that is missing.
const NULL: &str = "null";

/// Returns the value of a record's field as JSON; `None` if the record has no such field. A value that does not fit its
/// field is among the unknown fields.
fn json(record: &AnyRecord, name: &str) -> Option<String> {
    let unknown = record.unknown_fields().filter(|all| !all.is_empty()).and_then(|all| all.get_raw(name));
    unknown.map(str::to_owned).or_else(|| serde_json::to_string(&record.value(name)?).ok())
}

/// Returns the text of a JSON string, and any other JSON unchanged.
fn text(json: &str) -> Cow<'_, str> {
    serde_json::from_str::<String>(json).map_or(json.into(), Cow::Owned)
}

/// Returns `true` if the value of a param and a value of a record are the same text or number.
fn agree(param: &str, json: &str) -> bool {
    let (text, number) = (text(json), |text: &str| text.parse::<f64>().ok());
    text == param || number(&text).is_some_and(|value| number(param) == Some(value))
}
