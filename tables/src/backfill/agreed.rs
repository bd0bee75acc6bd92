//! The columns of endpoints whose fields are unknown: the same for all series and runs.
//!
//! The first run that fetches a page of any series of an endpoint records its columns, in a file next to the series and
//! before any of its rows; all other series use them. Values that do not fit these columns are among the unknown fields
//! of a row.

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

/// The agreed columns by endpoint, as far as this run has read them.
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

    /// The columns of a series: those already recorded, or else those inferred from `records`, which this call records.
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
