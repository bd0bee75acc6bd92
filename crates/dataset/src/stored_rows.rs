//! Reads the rows of a target from its files, also as they were known at an earlier time.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::TimestampMicrosecondType;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use arrow_schema::{DataType, SchemaRef};
use arrow_select::concat::concat_batches;
use runtime::Timestamp;

use crate::columns::{converted, joined};
use crate::error::Error;
use crate::fetched_at::{fetched_at_index, with_fetched_at};
use crate::file_storage::FileStorage;
use crate::parquet_file::ParquetInput;
use crate::place::Place;
use crate::revisions::{self, Revision};
use crate::series_columns::identifies;
use crate::table::Table;
use crate::target::Target;
use crate::timestamps::{microseconds, times, timestamp};

/// The rows of a target, which no request changes.
#[allow(missing_debug_implementations, reason = "open files have nothing to show")]
pub struct StoredRows {
    tables: Vec<Table>,
    schema: SchemaRef,
    as_of: Option<i64>,
}

/// A field of records that is a number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NumericField {
    /// The name of the field.
    pub name: String,
    /// The unit; empty if there is none.
    pub unit: String,
}

/// The earlier value of a field, which a later run has replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RevisedValue {
    /// The path that identifies the series.
    pub series: String,
    /// The time of the record.
    pub time: Timestamp,
    /// The field.
    pub field: String,
    /// The earlier value, as in CSV; `None` if it was null.
    pub value: Option<String>,
    /// The time at which the earlier value was fetched; `None` if an earlier format did not keep it.
    pub fetched_at: Option<Timestamp>,
    /// The time at which the value that has replaced it was fetched.
    pub replaced_at: Option<Timestamp>,
}

impl StoredRows {
    /// Opens the files of a target. With `as_of`, the rows are those that had been fetched by then, with their values at
    /// that time. Rows that an earlier format has written without the time at which they were fetched are always included.
    ///
    /// Fails if a file is damaged, or if the endpoints have different types for one column.
    pub async fn open(
        target: &Target,
        endpoints: Option<&BTreeSet<String>>,
        as_of: Option<Timestamp>,
    ) -> Result<Self, Error> {
        let storage = FileStorage::of(target)?;
        let mut tables = Vec::new();
        let mut columns = Vec::new();
        for place in Place::all(&storage, target).await? {
            let table = Table::open(place, Vec::new()).await?;
            table.damage().map_or(Ok(()), Err)?;
            let is_chosen = |path: &String| {
                let endpoint = path.split('/').next().unwrap_or_default();
                endpoints.is_none_or(|endpoints| endpoints.contains(endpoint))
            };
            if table.state.series.keys().any(is_chosen) {
                columns.extend(table.state.columns.clone());
                tables.push(table);
            }
        }
        let schema = joined(columns, &[]);
        let schema = schema.map_err(|why| Error::invalid_input(format!("{target}: {why}; select one endpoint")))?;
        Ok(Self { tables, schema: with_fetched_at(&schema), as_of: as_of.and_then(microseconds) })
    }

    /// Returns the columns of all rows.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// Returns the time column of a series.
    pub(crate) fn time_of(&self, path: &str) -> Option<String> {
        self.tables.iter().find_map(|table| Some(table.state.series.get(path)?.rows.time.clone()))
    }

    /// Returns the fields of the records that are numbers, each with its unit, which may be empty.
    pub fn numeric_fields(&self) -> Vec<NumericField> {
        let mut fields = Vec::new();
        for field in self.schema.fields() {
            if !identifies(field) && matches!(field.data_type(), DataType::Float64 | DataType::Int64) {
                let unit = field.metadata().get("unit").cloned().unwrap_or_default();
                fields.push(NumericField { name: field.name().clone(), unit });
            }
        }
        fields
    }

    /// Passes the rows of the selected series to a function, file by file in the order of series and time, with the path
    /// of their series.
    pub async fn read(
        &self,
        is_selected: impl Fn(&str) -> bool,
        mut each: impl FnMut(&str, &RecordBatch) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for table in &self.tables {
            let earlier = match self.as_of {
                Some(_) => Earlier::of(revisions::read(&table.place.storage, &table.place.revisions()).await?),
                None => Earlier::default(),
            };
            for path in table.state.files.keys() {
                let Some(input) = ParquetInput::find(&table.place.storage, path, true).await? else { continue };
                input.verify()?;
                for section in input.state.sections.iter().filter(|section| is_selected(&section.path)) {
                    for batch in input.section(section)? {
                        let rows = converted(&batch?, &self.schema)?;
                        let rows = match self.as_of {
                            Some(as_of) => earlier.rows(&section.path, &section.rows.time, &rows, as_of)?,
                            None => rows,
                        };
                        if rows.num_rows() > 0 {
                            each(&section.path, &rows)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the earlier values of the selected series, in the order of series and time.
    pub async fn revisions(&self, is_selected: impl Fn(&str) -> bool) -> Result<Vec<RevisedValue>, Error> {
        let mut all = Vec::new();
        for table in &self.tables {
            for revision in revisions::read(&table.place.storage, &table.place.revisions()).await? {
                if is_selected(&revision.series) {
                    all.extend(values_of(revision));
                }
            }
        }
        Ok(all)
    }
}

fn values_of(revision: Revision) -> Vec<RevisedValue> {
    let mut values = Vec::new();
    for (field, value) in revision.old {
        values.push(RevisedValue {
            series: revision.series.clone(),
            time: timestamp(revision.time),
            field,
            value,
            fetched_at: revision.fetched_at.map(timestamp),
            replaced_at: revision.replaced_at.map(timestamp),
        });
    }
    values
}

/// The earlier values of rows, by series and time, the last first.
#[derive(Default)]
struct Earlier(BTreeMap<(String, i64), Vec<Revision>>);

impl Earlier {
    fn of(revisions: BTreeSet<Revision>) -> Self {
        let mut all: BTreeMap<(String, i64), Vec<Revision>> = BTreeMap::new();
        for revision in revisions {
            all.entry((revision.series.clone(), revision.time)).or_default().push(revision);
        }
        for of_row in all.values_mut() {
            of_row.sort_by_key(|revision| Reverse((revision.replaced_at, revision.fetched_at)));
        }
        Self(all)
    }

    /// Returns rows of a series as they were known at a time, without those that were fetched later.
    fn rows(&self, path: &str, time: &str, rows: &RecordBatch, as_of: i64) -> Result<RecordBatch, Error> {
        let fetched = fetched_at_index(rows.schema_ref()).map(|index| rows.column(index));
        let fetched = fetched.and_then(|column| column.as_primitive_opt::<TimestampMicrosecondType>());
        let Some(fetched) = fetched else { return Ok(rows.clone()) };
        let is_known = |row: usize| fetched.is_null(row) || fetched.value(row) <= as_of;
        if (0..rows.num_rows()).all(is_known) {
            return Ok(rows.clone());
        }
        let all_times = times(rows, time)?;
        let mut known = Vec::new();
        let mut start = 0;
        for row in (0..rows.num_rows()).filter(|row| !is_known(*row)) {
            known.push(rows.slice(start, row - start));
            start = row + 1;
            let key = (path.to_owned(), all_times.get(row).copied().unwrap_or_default());
            let earlier = self.0.get(&key).map_or(&[][..], Vec::as_slice);
            known.extend(earlier_row(&rows.slice(row, 1), earlier, as_of)?);
        }
        known.push(rows.slice(start, rows.num_rows() - start));
        concat_batches(rows.schema_ref(), &known).map_err(Error::invalid_input)
    }
}

/// Returns a row as it was known at a time; `None` if it was not fetched yet.
fn earlier_row(row: &RecordBatch, revisions: &[Revision], as_of: i64) -> Result<Option<RecordBatch>, Error> {
    let schema = row.schema();
    let mut columns = row.columns().to_vec();
    for revision in revisions {
        for (index, field) in schema.fields().iter().enumerate() {
            if let (Some(text), Some(column)) = (revision.old.get(field.name()), columns.get_mut(index)) {
                *column = value(field.data_type(), text.as_deref())?;
            }
        }
        if revision.fetched_at.is_none_or(|fetched| fetched <= as_of) {
            if let Some(column) = fetched_at_index(&schema).and_then(|index| columns.get_mut(index)) {
                *column = time(revision.fetched_at);
            }
            return RecordBatch::try_new(schema, columns).map(Some).map_err(Error::invalid_input);
        }
    }
    Ok(None)
}

/// Returns a column with one value, which is written as in CSV.
fn value(ty: &DataType, text: Option<&str>) -> Result<ArrayRef, Error> {
    let unreadable =
        || Error::invalid_input(format!("{:?} in the revisions is not a value of {ty}", text.unwrap_or("")));
    Ok(match (ty, text) {
        (DataType::Int64, text) => {
            let number = text.map(str::parse::<i64>).transpose().map_err(|_| unreadable())?;
            Arc::new(Int64Array::from(vec![number]))
        }
        (DataType::Float64, text) => {
            let number = text.map(str::parse::<f64>).transpose().map_err(|_| unreadable())?;
            Arc::new(Float64Array::from(vec![number]))
        }
        (DataType::Boolean, text) => {
            let flag = text.map(str::parse::<bool>).transpose().map_err(|_| unreadable())?;
            Arc::new(BooleanArray::from(vec![flag]))
        }
        (DataType::Utf8, text) => Arc::new(StringArray::from(vec![text])),
        (DataType::Timestamp(..), text) => {
            let at = text.map(str::parse::<Timestamp>).transpose().map_err(|_| unreadable())?;
            time(at.and_then(microseconds))
        }
        (_, None) => arrow_array::new_null_array(ty, 1),
        _ => return Err(unreadable()),
    })
}

fn time(microseconds: Option<i64>) -> ArrayRef {
    Arc::new(TimestampMicrosecondArray::from(vec![microseconds]).with_timezone("UTC"))
}
