//! Reads and writes Parquet files.
//!
//! The size of row groups and the compression were chosen by measurements; the crate's README contains the figures. The
//! metadata of a file contains a checksum of the bytes of each row group.

use std::io::{self, Read, Write};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema, SchemaRef};
use crc32fast::Hasher;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::ChunkReader;
use parquet::schema::types::ColumnPath;

use crate::error::Error;

/// Number of rows after which a row group ends. Readers and writers keep one row group in memory.
pub(crate) const ROW_GROUP: usize = 128 * 1024;

/// First and last bytes of a Parquet file.
const MAGIC: &[u8] = b"PAR1";

/// Number of rows per batch when reading. Larger batches need more memory, and are not faster.
const BATCH: usize = 2048;

/// The metadata key of the checksums. The value contains `END:CRC32` in hexadecimal digits for each row group, where
/// `END` is the position after the last byte of the row group.
const CHECKSUMS: &str = "checksums";

/// Writes batches as one file.
pub(crate) struct ParquetFile<W: Write + Send> {
    writer: ArrowWriter<Checked<W>>,
    checksums: Vec<String>,
}

/// A writer that computes a checksum of the bytes that are written.
pub(crate) struct Checked<W> {
    out: W,
    position: u64,
    hash: Hasher,
}

impl<W> Checked<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, position: 0, hash: Hasher::new() }
    }

    /// Returns the current position and the checksum of the bytes since the last call, as `END:CRC32`.
    pub(crate) fn entry(&mut self) -> String {
        let sum = std::mem::take(&mut self.hash).finalize();
        format!("{:x}:{sum:08x}", self.position)
    }
}

impl<W: Write> Write for Checked<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hash.update(bytes.get(..written).unwrap_or_default());
        self.position += u64::try_from(written).unwrap_or_default();
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl<W: Write + Send> ParquetFile<W> {
    pub(crate) fn new(out: W, schema: SchemaRef) -> Result<Self, Error> {
        let properties = properties(&schema);
        let writer =
            ArrowWriter::try_new(Checked::new(out), schema, Some(properties)).map_err(|error| invalid_input(&error))?;
        Ok(Self { writer, checksums: Vec::new() })
    }

    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        self.writer.write(batch).map_err(|error| invalid_input(&error))?;
        if self.writer.in_progress_rows() >= ROW_GROUP { self.end_group() } else { Ok(()) }
    }

    /// Ends the row group, and adds its checksum to the list.
    fn end_group(&mut self) -> Result<(), Error> {
        self.writer.flush().map_err(|error| invalid_input(&error))?;
        // This call passes the remaining bytes of the group to the inner writer, which computes the checksum.
        self.writer.sync().map_err(|error| Error::storage("the file", error))?;
        self.checksums.push(self.writer.inner_mut().entry());
        Ok(())
    }

    /// Adds an entry to the metadata of the file.
    pub(crate) fn add_metadata(&mut self, key: &str, value: String) {
        self.writer.append_key_value_metadata(KeyValue::new(key.to_owned(), value));
    }

    /// Writes the remaining rows and the footer, and returns the inner writer.
    pub(crate) fn finish(mut self) -> Result<W, Error> {
        self.end_group()?;
        let checksums = self.checksums.join(" ");
        self.add_metadata(CHECKSUMS, checksums);
        Ok(self.writer.into_inner().map_err(|error| invalid_input(&error))?.out)
    }
}

/// Returns the compression and the encodings of columns. Timestamps are written as differences, because intervals
/// repeat, and floats without a dictionary, because they rarely repeat.
fn properties(schema: &Schema) -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        // There is no maximum here, because `ParquetFile::write` ends a row group after the batch that fills it.
        .set_max_row_group_row_count(None)
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

/// A Parquet file that is open for reading.
pub(crate) struct ParquetInput<T: ChunkReader + 'static> {
    name: String,
    builder: ParquetRecordBatchReaderBuilder<T>,
}

impl<T: ChunkReader + 'static> ParquetInput<T> {
    /// Opens a file. Errors contain `name`.
    pub(crate) fn open(name: impl Into<String>, input: T) -> Result<Self, Error> {
        let name = name.into();
        let length = input.len();
        let end = length.checked_sub(MAGIC.len() as u64).and_then(|end| input.get_bytes(end, MAGIC.len()).ok());
        let start = input.get_bytes(0, MAGIC.len()).ok();
        if start.is_none_or(|start| *start != *MAGIC) {
            return Err(Error::damaged(name, "it is not a Parquet file"));
        }
        if end.is_none_or(|end| *end != *MAGIC) {
            return Err(Error::damaged(name, format!("it is truncated at {length} bytes")));
        }
        match ParquetRecordBatchReaderBuilder::try_new(input) {
            Ok(builder) => Ok(Self { name, builder: builder.with_batch_size(BATCH) }),
            Err(error) => Err(Error::damaged(name, format!("its footer is not readable: {error}"))),
        }
    }

    /// Compares the row groups with their checksums; `bytes` is the content of the file. Files of the first version
    /// have no checksums.
    pub(crate) fn verify(&self, mut bytes: impl Read) -> Result<(), Error> {
        let mut sum = Checked::new(io::sink());
        for (index, entry) in self.metadata(CHECKSUMS).unwrap_or_default().split_whitespace().enumerate() {
            let end = entry.split(':').next().and_then(|end| u64::from_str_radix(end, 16).ok()).unwrap_or_default();
            let group = &mut bytes.by_ref().take(end.saturating_sub(sum.position));
            io::copy(group, &mut sum).map_err(|error| Error::storage(&self.name, error))?;
            if sum.entry() != entry {
                return Err(Error::damaged(&self.name, format!("row group {index} does not match its checksum")));
            }
        }
        Ok(())
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        self.builder.schema().clone()
    }

    pub(crate) fn rows(&self) -> usize {
        usize::try_from(self.builder.metadata().file_metadata().num_rows()).unwrap_or(0)
    }

    /// Returns an entry of the file's metadata.
    pub(crate) fn metadata(&self, key: &str) -> Option<&str> {
        let all = self.builder.metadata().file_metadata().key_value_metadata()?;
        all.iter().find(|entry| entry.key == key)?.value.as_deref()
    }

    /// Restricts reading to these columns.
    pub(crate) fn project(mut self, columns: &[&str]) -> Self {
        let mask = ProjectionMask::columns(self.builder.parquet_schema(), columns.iter().copied());
        self.builder = self.builder.with_projection(mask);
        self
    }

    /// Reads `rows` rows, after the first `skip`.
    pub(crate) fn batches(
        self,
        skip: usize,
        rows: usize,
    ) -> Result<impl Iterator<Item = Result<RecordBatch, Error>> + use<T>, Error> {
        let Self { name, builder } = self;
        let reader = builder.with_offset(skip).with_limit(rows).build();
        let reader = reader.map_err(|error| Error::storage(&name, error))?;
        Ok(reader.map(move |batch| batch.map_err(|error| Error::storage(&name, error))))
    }

    /// Reads all rows.
    pub(crate) fn all(self) -> Result<impl Iterator<Item = Result<RecordBatch, Error>> + use<T>, Error> {
        let rows = self.rows();
        self.batches(0, rows)
    }
}

fn invalid_input(error: &dyn std::fmt::Display) -> Error {
    Error::invalid_input(format!("Parquet: {error}"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::Int64Array;
    use arrow_schema::Field;
    use bytes::Bytes;

    use super::*;

    fn open(bytes: &[u8]) -> Result<(), Error> {
        let input = ParquetInput::open("x.parquet", Bytes::copy_from_slice(bytes))?;
        input.verify(bytes)
    }

    #[test]
    fn flipped_byte_in_a_row_group_is_detected() {
        let schema = Arc::new(Schema::new(vec![Field::new("n", DataType::Int64, false)]));
        let mut file = ParquetFile::new(Vec::new(), schema.clone()).unwrap();
        for start in 0..2 {
            let first = i64::try_from(start * ROW_GROUP).unwrap();
            let numbers = Int64Array::from_iter_values((first..).take(ROW_GROUP).map(|n| n * n % 1009));
            file.write(&RecordBatch::try_new(schema.clone(), vec![Arc::new(numbers)]).unwrap()).unwrap();
        }
        let bytes = file.finish().unwrap();
        open(&bytes).unwrap();
        let groups = bytes.len() - 2000;
        for at in [10, groups / 2, groups] {
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            let message = open(&damaged).unwrap_err().to_string();
            assert!(message.contains("does not match its checksum") && message.contains("x.parquet"), "{message}");
        }
        let truncated = open(&bytes[..bytes.len() - 9]).unwrap_err().to_string();
        assert!(truncated.contains("truncated"), "{truncated}");
        assert!(open(b"mine").unwrap_err().to_string().contains("not a Parquet file"));
    }
}
