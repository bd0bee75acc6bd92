//! Reads the rows of a target from its files, also as they were known at an earlier time.

use std::collections::BTreeSet;
use std::ops::Range;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, SchemaRef};
use runtime::Timestamp;
use runtime::registry::EndpointInfo;

use crate::column_names::UNKNOWN_FIELDS;
use crate::columns::{Facts, converted, joined};
use crate::earlier_rows::EarlierRows;
use crate::error::Error;
use crate::fetched_at::{fetched_times, is_fetched_at, with_fetched_at};
use crate::interrupted_merges::completed;
use crate::other_members::{MemberColumns, has_other_members, numbers_of_members};
use crate::parquet_input::ParquetInput;
use crate::partition::ALWAYS;
use crate::revisions::{self, Revision};
use crate::row_facts::RowFacts;
use crate::series::{endpoint_of, have_several_endpoints};
use crate::series_columns::identifies;
use crate::stored_tables::{StoredTable, StoredTables};
use crate::table::Table;
use crate::table_schema::{TableSchema, is_decimal};
use crate::timestamps::{microseconds, times, timestamp};

/// The rows of a target, which no request changes.
#[allow(missing_debug_implementations, reason = "open files have nothing to show")]
pub struct StoredRows<'t> {
    tables: Vec<&'t Table>,
    schema: SchemaRef,
    as_of: Option<i64>,
    range: Range<Timestamp>,
    damaged: Vec<String>,
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

impl StoredTables {
    /// Returns the rows of these endpoints, by default of all. With `as_of`, the rows are those that had been fetched by
    /// then, with their values at that time. Rows that an earlier format has written without the time at which they were
    /// fetched are always included.
    ///
    /// Fails if the endpoints have different types for one column.
    pub fn rows(
        &self,
        endpoints: Option<&BTreeSet<String>>,
        as_of: Option<Timestamp>,
    ) -> Result<StoredRows<'_>, Error> {
        let mut tables = Vec::new();
        let mut columns = Vec::new();
        let mut damaged = self.damaged.clone();
        let mut stored = Vec::new();
        for StoredTable { table, .. } in &self.tables {
            let mut paths = table.state.series.keys();
            // The series of a damaged table may be unknown.
            if endpoints.is_none_or(|all| paths.any(|path| all.contains(endpoint_of(path)))) {
                columns.extend(table.state.columns.clone());
                damaged.extend(left_out(table));
                stored.extend(table.state.series.keys().map(String::as_str));
                tables.push(table);
            }
        }
        let schema = joined(columns, Facts::of(stored.into_iter()));
        let target = &self.target;
        let schema = schema.map_err(|why| Error::invalid_input(format!("{target}: {why}; select one endpoint")))?;
        let as_of = as_of.and_then(microseconds);
        Ok(StoredRows { tables, schema: with_fetched_at(&schema), as_of, range: ALWAYS, damaged })
    }
}

/// Whether a column has a field of records that the catalogue knows.
fn is_of_record(field: &Field) -> bool {
    !identifies(field) && !is_fetched_at(field) && field.name() != UNKNOWN_FIELDS
}

/// Describes the damaged and missing files of a table, whose rows are not read.
fn left_out(table: &Table) -> Vec<String> {
    let mut all = Vec::new();
    let state = table.place.state();
    for damage in table.damaged.iter().filter(|damage| damage.path != state) {
        all.push(damage.error().to_string());
    }
    if let Err(error) = table.check_text() {
        all.push(error.to_string());
        return all;
    }
    for (path, vanished) in &table.vanished {
        all.push(vanished.message(&table.place.name(path)));
    }
    all
}

impl StoredRows<'_> {
    /// Selects the rows of a time range.
    #[must_use]
    pub fn within(self, range: Range<Timestamp>) -> Self {
        Self { range, ..self }
    }

    /// Adds the columns of an endpoint with these params, unless a file has columns: there is no file before the first row
    /// of a series.
    #[must_use]
    pub fn with_columns_before_first_row(
        self,
        endpoint: &EndpointInfo,
        params: impl IntoIterator<Item = String>,
    ) -> Self {
        if self.tables.iter().any(|table| table.state.columns.is_some()) {
            return self;
        }
        let added = TableSchema::of_params(endpoint, params).schema();
        match joined([self.schema.clone(), added], Facts::Newest) {
            Ok(schema) => Self { schema: with_fetched_at(&schema), ..self },
            // Without a row, the types of two endpoints do not matter.
            Err(_) => self,
        }
    }

    /// Returns the columns of the fields of a series' records. In a file of several endpoints, these are the fields of its
    /// endpoint in the catalogue, and the columns that have a value in its rows.
    pub fn fields_of(
        &self,
        path: &str,
        endpoint: Option<&EndpointInfo>,
        has_value: impl Fn(&str) -> bool,
    ) -> Vec<String> {
        let is_shared = self.tables.iter().any(|table| {
            let series = &table.state.series;
            series.contains_key(path) && have_several_endpoints(series.keys().map(String::as_str))
        });
        let catalogued = endpoint.map(|endpoint| TableSchema::of_params(endpoint, []).schema());
        let mut names = Vec::new();
        for field in self.schema.fields() {
            let name = field.name();
            let is_own = || catalogued.as_ref().is_some_and(|schema| schema.column_with_name(name).is_some());
            if is_of_record(field) && (!is_shared || is_own() || has_value(name)) {
                names.push(name.clone());
            }
        }
        names
    }

    /// Returns the time from which on all values are known that later runs have replaced; `None` if they always were. The
    /// folder with the earlier values may not have been copied with the files, or it was deleted.
    pub fn revisions_since(&self) -> Option<Timestamp> {
        self.tables.iter().filter_map(|table| table.revisions_since()).max()
    }

    /// Returns the columns of all rows.
    pub fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// The time column of a series.
    pub(crate) fn time_of(&self, path: &str) -> Option<String> {
        let table = self.tables.iter().find(|table| table.state.series.contains_key(path))?;
        Some(table.time_of(path).to_owned())
    }

    /// The fields that identify a record of a series in addition to its time.
    pub(crate) fn key_of(&self, path: &str) -> &[String] {
        for table in &self.tables {
            if let Some(series) = table.state.series.get(path) {
                return &series.row_facts.key;
            }
        }
        &[]
    }

    /// Returns the times of the first and the last of some rows of a series, as [`read`](Self::read) passes them.
    pub fn times(&self, path: &str, rows: &RecordBatch) -> Result<Option<(Timestamp, Timestamp)>, Error> {
        let Some(time) = self.time_of(path) else { return Ok(None) };
        let times = times(rows, &time)?;
        let (Some(first), Some(last)) = (times.first(), times.last()) else { return Ok(None) };
        Ok(Some((timestamp(*first), timestamp(*last))))
    }

    /// Returns the fields of the records that are numbers, each with its unit, which may be empty. Members that the
    /// catalogue does not list by name are found by reading all rows.
    pub async fn numeric_fields(&self) -> Result<Vec<NumericField>, Error> {
        let mut fields = Vec::new();
        for field in self.schema.fields() {
            let is_number = matches!(field.data_type(), DataType::Float64 | DataType::Int64) || is_decimal(field);
            if !identifies(field) && is_number {
                let unit = field.metadata().get("unit").cloned().unwrap_or_default();
                fields.push(NumericField { name: field.name().clone(), unit });
            }
        }
        for name in self.numeric_members().await? {
            fields.push(NumericField { name, unit: String::new() });
        }
        Ok(fields)
    }

    /// The names of the members that the catalogue does not list by name, if they are numbers.
    async fn numeric_members(&self) -> Result<BTreeSet<String>, Error> {
        let mut names = BTreeSet::new();
        if has_other_members(&self.schema) {
            // Whoever draws the fields reports the files that are left out.
            let add = |_: &str, rows: &RecordBatch| {
                names.extend(numbers_of_members(rows).into_keys());
                Ok::<(), Error>(())
            };
            self.read(|_| true, add).await?;
        }
        Ok(names)
    }

    /// Returns a column for each member of the selected series that the catalogue does not list by name. If the rows have such
    /// members, all of them are read.
    pub async fn member_columns(&self, is_selected: impl Fn(&str) -> bool) -> Result<MemberColumns, Error> {
        let mut columns = MemberColumns::default();
        if has_other_members(&self.schema) {
            // The caller reads the rows again, and then reports the files that are left out.
            let add = |_: &str, rows: &RecordBatch| {
                columns.add(rows);
                Ok::<(), Error>(())
            };
            self.read(is_selected, add).await?;
        }
        Ok(columns)
    }

    /// Passes the rows of the selected series to a function, file by file in the order of series and time, with the path
    /// of their series. Returns a message for each damaged or missing file, whose rows are left out. An error of the
    /// function ends the reading.
    pub async fn read<E: From<Error>>(
        &self,
        is_selected: impl Fn(&str) -> bool,
        mut each: impl FnMut(&str, &RecordBatch) -> Result<(), E>,
    ) -> Result<Vec<String>, E> {
        let mut damaged = self.damaged.clone();
        for table in &self.tables {
            let mut files = Vec::new();
            for path in table.state.files.keys() {
                match self.intact(table, path).await {
                    Ok(input) => files.extend(input),
                    Err(damage @ Error::Damaged { .. }) => damaged.push(damage.to_string()),
                    Err(error) => return Err(error.into()),
                }
            }
            // A merge that is in progress writes the earlier values of a file before the file. So the values that are read
            // after all files are opened include those of every row that these files no longer have.
            let generations = files.iter().filter_map(|file| file.state.generation.clone()).collect();
            let mut earlier = self.earlier(table, &generations).await?;
            for input in &files {
                self.read_file(input, earlier.as_mut(), &is_selected, &mut each)?;
            }
            let Some(mut earlier) = earlier else { continue };
            for series in earlier.series().iter().filter(|series| is_selected(series)) {
                let time = table.time_of(series);
                let rows = earlier.rest(series, &self.schema)?;
                self.pass(series, time, &rows, &mut each)?;
            }
        }
        damaged.sort();
        damaged.dedup();
        Ok(damaged)
    }

    /// Returns a number of rows of the selected series that [`read`](Self::read) passes at least, from the footers of the
    /// files: zero as of an earlier time, because later rows are left out.
    pub async fn least_count(&self, is_selected: impl Fn(&str) -> bool) -> Result<u64, Error> {
        let mut count = 0;
        for table in self.tables.iter().filter(|_| self.as_of.is_none()) {
            for path in table.state.files.keys() {
                let found = match ParquetInput::find(&table.place.storage, path, true).await {
                    Err(Error::Damaged { .. }) => None,
                    found => found?,
                };
                for section in found.iter().flat_map(|input| &input.state.sections) {
                    if is_selected(&section.path) && self.contains_all(&section.row_facts) {
                        count += section.count as u64;
                    }
                }
            }
        }
        Ok(count)
    }

    /// Whether all of these rows are in the range.
    fn contains_all(&self, rows: &RowFacts) -> bool {
        let (Some(first), Some(last)) = (rows.first, rows.last) else { return false };
        self.range.start <= first && last < self.range.end
    }

    /// Whether none of these rows is in the range.
    fn contains_none(&self, rows: &RowFacts) -> bool {
        let (Some(first), Some(last)) = (rows.first, rows.last) else { return false };
        last < self.range.start || self.range.end <= first
    }

    /// Opens a file and compares it with its checksums; `None` if it has no rows in the range.
    async fn intact(&self, table: &Table, path: &str) -> Result<Option<ParquetInput>, Error> {
        if let Some((_, period)) = table.place.period_of(path)
            && (period.end <= self.range.start || self.range.end <= period.start)
        {
            return Ok(None);
        }
        let place = &table.place;
        let Some(input) = ParquetInput::find(&place.storage, path, true).await? else {
            return Err(Error::damaged(place.name(path), "it was deleted"));
        };
        input.verify()?;
        Ok(Some(input))
    }

    fn read_file<E: From<Error>>(
        &self,
        input: &ParquetInput,
        mut earlier: Option<&mut EarlierRows>,
        is_selected: impl Fn(&str) -> bool,
        mut each: impl FnMut(&str, &RecordBatch) -> Result<(), E>,
    ) -> Result<(), E> {
        for section in input.state.sections.iter().filter(|section| is_selected(&section.path)) {
            if self.contains_none(&section.row_facts) {
                continue;
            }
            let time = &section.row_facts.time;
            for batch in input.section(section)? {
                let mut rows = converted(&batch?, &self.schema)?;
                if let Some(earlier) = &mut earlier {
                    rows = earlier.instead_of(&rows, &section.path, time)?;
                }
                self.pass(&section.path, time, &rows, &mut each)?;
            }
        }
        Ok(())
    }

    /// Passes on the rows that are in the range.
    fn pass<E: From<Error>>(
        &self,
        series: &str,
        time: &str,
        rows: &RecordBatch,
        mut each: impl FnMut(&str, &RecordBatch) -> Result<(), E>,
    ) -> Result<(), E> {
        if rows.num_rows() == 0 {
            return Ok(());
        }
        let times = times(rows, time)?;
        let start = times.partition_point(|time| timestamp(*time) < self.range.start);
        let end = times.partition_point(|time| timestamp(*time) < self.range.end);
        if start < end {
            each(series, &rows.slice(start, end - start))?;
        }
        Ok(())
    }

    /// The replaced rows of a table that were visible at the chosen time, if there is one.
    async fn earlier(&self, table: &Table, generations: &BTreeSet<String>) -> Result<Option<EarlierRows>, Error> {
        let Some(as_of) = self.as_of else { return Ok(None) };
        Ok(Some(EarlierRows::new(revisions_of(table, generations).await?, as_of)))
    }

    /// Returns the time at which the first values of the selected rows were fetched; `None` without a row.
    pub async fn first_fetched(&self, is_selected: impl Fn(&str) -> bool) -> Result<Option<Timestamp>, Error> {
        let mut first: Option<i64> = None;
        let reading = self.read(&is_selected, |_, rows| {
            let of_rows = fetched_times(rows).and_then(|times| times.iter().flatten().min());
            first = first.into_iter().chain(of_rows).min();
            Ok::<(), Error>(())
        });
        reading.await?;
        let mut first = first.map(timestamp);
        for revised in self.revisions(is_selected).await? {
            let is_read = self.range.contains(&revised.time);
            first = first.into_iter().chain(revised.fetched_at.filter(|_| is_read)).min();
        }
        Ok(first)
    }

    /// Returns the earlier values of the selected series, in the order of series and time.
    pub async fn revisions(&self, is_selected: impl Fn(&str) -> bool) -> Result<Vec<RevisedValue>, Error> {
        let mut all = Vec::new();
        for table in &self.tables {
            // The files are opened before the revisions are read, as for rows.
            let generations = generations_of(table).await?;
            for revision in revisions_of(table, &generations).await? {
                if is_selected(&revision.series) {
                    all.extend(values_of(revision));
                }
            }
        }
        Ok(all)
    }
}

/// The generations of the data files of a table that can be read.
async fn generations_of(table: &Table) -> Result<BTreeSet<String>, Error> {
    let mut generations = BTreeSet::new();
    for path in table.state.files.keys() {
        match ParquetInput::find(&table.place.storage, path, true).await {
            Ok(Some(file)) => generations.extend(file.state.generation),
            Ok(None) | Err(Error::Damaged { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(generations)
}

/// Reads the revisions of a table, without those of removed series and of merges that did not complete. `generations`
/// are those of its data files.
async fn revisions_of(table: &Table, generations: &BTreeSet<String>) -> Result<BTreeSet<Revision>, Error> {
    let revisions = revisions::read(&table.place.storage, &table.place.revisions()).await?;
    let mut revisions = completed(revisions, generations);
    revisions.retain(|revision| table.state.series.contains_key(&revision.series));
    Ok(revisions)
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
