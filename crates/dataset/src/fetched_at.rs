//! The column with the time at which each row was fetched.
//!
//! It is the last column of a file. A row keeps its time as long as its values do not change. Rows of files of an older
//! format have no time.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::types::TimestampMicrosecondType;
use arrow_array::{Array, ArrayRef, RecordBatch, TimestampMicrosecondArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use runtime::Timestamp;

use crate::column_names::FETCHED_AT;
use crate::error::Error;
use crate::timestamps::microseconds;

/// The metadata key that identifies the column, because a record may have a field with the same name.
const KEY: &str = "describes";

/// `true` if a column has the times at which rows were fetched.
pub(crate) fn is_fetched_at(field: &Field) -> bool {
    field.metadata().get(KEY).is_some_and(|of| of == "row")
}

/// The index of the column with the times at which rows were fetched.
pub(crate) fn fetched_at_index(schema: &Schema) -> Option<usize> {
    schema.fields().iter().position(|field| is_fetched_at(field))
}

/// The times at which rows were fetched; `None` without such a column.
pub(crate) fn fetched_times(rows: &RecordBatch) -> Option<&TimestampMicrosecondArray> {
    let index = fetched_at_index(rows.schema_ref())?;
    rows.column(index).as_primitive_opt::<TimestampMicrosecondType>()
}

/// The time at which the only row of a batch was fetched, in microseconds.
pub(crate) fn fetched_at_of(row: &RecordBatch) -> Option<i64> {
    let times = fetched_times(row)?;
    times.is_valid(0).then(|| times.value(0))
}

/// These columns with the column of times at the end.
pub(crate) fn with_fetched_at(schema: &Schema) -> SchemaRef {
    let mut fields: Vec<_> = schema.fields().iter().filter(|field| !is_fetched_at(field)).cloned().collect();
    let mut name = FETCHED_AT.to_owned();
    while fields.iter().any(|field| *field.name() == name) {
        name.insert(0, '_');
    }
    let meaning = "Time at which the values of the row were fetched, to the second.".to_owned();
    let metadata = HashMap::from([(KEY.to_owned(), "row".to_owned()), ("meaning".to_owned(), meaning)]);
    let ty = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    fields.push(Arc::new(Field::new(name, ty, true).with_metadata(metadata)));
    Arc::new(Schema::new(fields))
}

/// Sets the time of all rows, rounded down to a second.
pub(crate) fn stamped(rows: &RecordBatch, time: Timestamp) -> Result<RecordBatch, Error> {
    let Some(index) = fetched_at_index(rows.schema_ref()) else { return Ok(rows.clone()) };
    let seconds = microseconds(time.floor(Duration::from_secs(1)));
    let times: TimestampMicrosecondArray = std::iter::repeat_n(seconds, rows.num_rows()).collect();
    let mut columns = rows.columns().to_vec();
    if let Some(column) = columns.get_mut(index) {
        *column = Arc::new(times.with_timezone("UTC")) as ArrayRef;
    }
    RecordBatch::try_new(rows.schema(), columns).map_err(Error::invalid_input)
}
