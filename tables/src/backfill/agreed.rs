//! The columns of endpoints whose fields are unknown: the same for all series and runs.
//!
//! The run that has the first page of any series of an endpoint writes down its columns, beside the series and before
//! any of its rows; all others use those. Values that do not fit them are among the unknown fields of a row.

use std::collections::BTreeMap;

use arrow_schema::SchemaRef;
use runtime::record::AnyRecord;

use crate::error::Error;
use crate::parquet_file::{ParquetFile, ParquetInput};
use crate::series::SeriesRequest;
use crate::storage::Storage;
use crate::table_schema::TableSchema;

/// A file without rows in the folder of an endpoint; its name hides it from readers of the data.
const COLUMNS: &str = ".columns";

/// The columns that were agreed on, by endpoint, as far as this run knows them.
#[derive(Debug, Default)]
pub(super) struct Agreed(BTreeMap<String, SchemaRef>);

impl Agreed {
    /// Notes the columns of a series.
    pub(super) fn note(&mut self, series: &SeriesRequest, schema: SchemaRef) {
        self.0.entry(series.endpoint().to_string()).or_insert(schema);
    }

    pub(super) fn get(&self, series: &SeriesRequest) -> Option<SchemaRef> {
        self.0.get(&series.endpoint().to_string()).cloned()
    }

    /// The columns of a series: as they are known, else as they were first written down, by this call at the latest.
    pub(super) async fn of(
        &mut self,
        storage: &Storage,
        series: &SeriesRequest,
        records: &[AnyRecord],
    ) -> Result<SchemaRef, Error> {
        if let Some(known) = self.get(series) {
            return Ok(known);
        }
        let mine = TableSchema::infer(series.request(), records).schema();
        let file = ParquetFile::new(Vec::new(), mine)?.finish()?;
        let path = path(series);
        let agreed = ParquetInput::open(storage.name(&path), storage.create(&path, file).await?)?.schema();
        self.note(series, agreed.clone());
        Ok(agreed)
    }
}

fn path(series: &SeriesRequest) -> String {
    format!("{}/{COLUMNS}", series.endpoint())
}
