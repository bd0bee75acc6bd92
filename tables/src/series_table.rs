//! Rows of several series as one Arrow table that no file stores, for example for a stream.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use runtime::Timestamp;
use runtime::record::AnyRecord;

use crate::columns::Columns;
use crate::error::Error;
use crate::series::SeriesRequest;
use crate::series_columns::SeriesColumns;

/// The columns that a file of these series has: the endpoint, the params, and the fields of the records.
pub struct SeriesTable {
    columns: Columns,
    series: Vec<SeriesColumns>,
}

impl SeriesTable {
    /// Creates the columns. Two series with different types for one column are an error that names both types.
    pub fn new(series: &[SeriesRequest]) -> Result<Self, Error> {
        let series: Vec<_> = series.iter().map(SeriesColumns::new).collect();
        let schemas: Vec<_> = series.iter().map(SeriesColumns::schema).collect();
        Ok(Self { columns: Columns::new(&schemas).map_err(Error::invalid_input)?, series })
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
