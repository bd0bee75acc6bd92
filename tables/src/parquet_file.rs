//! Parquet: how files of it are written and read here.
//!
//! Batches come in and go out. Row groups and compression were chosen by measuring; the crate's README has the figures.

use std::io::Write;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema, SchemaRef};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::ChunkReader;
use parquet::schema::types::ColumnPath;
use runtime::Timestamp;

use crate::error::Error;
use crate::times::Times;

/// The most rows of a row group: what a reader takes at once, and a writer keeps in memory.
pub(crate) const ROW_GROUP: usize = 256 * 1024;

/// How many rows are read at once.
const BATCH: usize = 8192;

/// Writes batches as one file.
pub(crate) struct ParquetFile<W: Write + Send>(ArrowWriter<W>);

impl<W: Write + Send> ParquetFile<W> {
    pub(crate) fn new(out: W, schema: SchemaRef) -> Result<Self, Error> {
        let properties = properties(&schema);
        ArrowWriter::try_new(out, schema, Some(properties)).map(Self).map_err(|error| unfit(&error))
    }

    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        self.0.write(batch).map_err(|error| unfit(&error))
    }

    /// Adds an entry to the metadata of the file.
    pub(crate) fn say(&mut self, key: &str, value: String) {
        self.0.append_key_value_metadata(KeyValue::new(key.to_owned(), value));
    }

    /// Writes the remaining rows and the footer, and returns the inner writer.
    pub(crate) fn finish(self) -> Result<W, Error> {
        self.0.into_inner().map_err(|error| unfit(&error))
    }
}

/// Times are written as differences, since steps repeat. Numbers hardly repeat, so a dictionary of them saves nothing.
fn properties(schema: &Schema) -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(ROW_GROUP))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true);
    for field in schema.fields() {
        let path = ColumnPath::from(field.name().as_str());
        properties = match field.data_type() {
            DataType::Float64 => properties.set_column_dictionary_enabled(path, false),
            DataType::Timestamp(..) => properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED),
            _ => properties,
        };
    }
    properties.build()
}

/// A file that is read.
pub(crate) struct ParquetInput<T: ChunkReader + 'static> {
    name: String,
    builder: ParquetRecordBatchReaderBuilder<T>,
}

impl<T: ChunkReader + 'static> ParquetInput<T> {
    /// Opens a file, which errors call by its name.
    pub(crate) fn open(name: impl Into<String>, input: T) -> Result<Self, Error> {
        let name = name.into();
        match ParquetRecordBatchReaderBuilder::try_new(input) {
            Ok(builder) => Ok(Self { name, builder: builder.with_batch_size(BATCH) }),
            Err(error) => Err(Error::storage(name, error)),
        }
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        self.builder.schema().clone()
    }

    pub(crate) fn rows(&self) -> usize {
        usize::try_from(self.builder.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    /// An entry of the metadata of the file.
    pub(crate) fn said(&self, key: &str) -> Option<&str> {
        let all = self.builder.metadata().file_metadata().key_value_metadata()?;
        all.iter().find(|entry| entry.key == key)?.value.as_deref()
    }

    /// The times of `rows` rows, after the first `skip`.
    pub(crate) fn times(
        mut self,
        column: &str,
        skip: usize,
        rows: usize,
        each: &mut dyn FnMut(Timestamp),
    ) -> Result<(), Error> {
        let mask = ProjectionMask::columns(self.builder.parquet_schema(), [column]);
        self.builder = self.builder.with_projection(mask);
        let name = self.name.clone();
        for batch in self.batches(skip, rows)? {
            let batch = batch?;
            let times = times(&name, &batch, column)?;
            (0..batch.num_rows()).for_each(|row| each(times.get(row)));
        }
        Ok(())
    }

    /// `rows` rows, after the first `skip`.
    pub(crate) fn batches(self, skip: usize, rows: usize) -> Result<Batches, Error> {
        let Self { name, builder } = self;
        match builder.with_offset(skip).with_limit(rows).build() {
            Ok(reader) => Ok(Batches { name, reader }),
            Err(error) => Err(Error::storage(name, error)),
        }
    }
}

/// The rows of a file.
pub(crate) struct Batches {
    name: String,
    reader: ParquetRecordBatchReader,
}

impl Batches {
    /// The points in time of a batch of this file.
    pub(crate) fn times<'b>(&self, batch: &'b RecordBatch, column: &str) -> Result<Times<'b>, Error> {
        times(&self.name, batch, column)
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.reader.next().map(|batch| batch.map_err(|error| Error::storage(&self.name, error)))
    }
}

/// The points in time of a column.
fn times<'b>(file: &str, batch: &'b RecordBatch, column: &str) -> Result<Times<'b>, Error> {
    let times = batch.column_by_name(column).and_then(Times::of);
    times.ok_or_else(|| Error::unfit(format!("{file}: there is no column `{column}` of points in time")))
}

fn unfit(error: &dyn std::fmt::Display) -> Error {
    Error::unfit(format!("Parquet: {error}"))
}
