//! Reads Parquet files.
//!
//! The metadata of a file has a checksum of the bytes of each row group, and lists the sections of the file.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;

use arrow_schema::SchemaRef;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};

use crate::error::Error;
use crate::merge_rows::Rows;
use crate::parquet_file::Checked;
use crate::saved_state::{self, FileState};

/// First and last bytes of a Parquet file.
const MAGIC: &[u8] = b"PAR1";

/// Number of rows per batch when reading. Larger batches need more memory, and are not faster.
const BATCH: usize = 2048;

/// The metadata key of the sections.
pub(crate) const STATE: &str = "backfill";

/// The metadata key of the checksums: `LENGTH:CRC32` in hexadecimal digits for each row group.
pub(crate) const CHECKSUMS: &str = "checksums";

/// A Parquet file that is open for reading.
#[derive(Debug)]
pub(crate) struct ParquetInput {
    pub(crate) name: String,
    pub(crate) source: File,
    metadata: ArrowReaderMetadata,
}

impl ParquetInput {
    /// Opens a file. Errors contain `name`.
    pub(crate) fn open(name: impl Into<String>, source: File) -> Result<Self, Error> {
        let name = name.into();
        let length = Length::len(&source);
        let end = length.checked_sub(MAGIC.len() as u64).and_then(|end| source.get_bytes(end, MAGIC.len()).ok());
        let start = source.get_bytes(0, MAGIC.len()).ok();
        if start.is_none_or(|start| *start != *MAGIC) {
            return Err(Error::damaged(name, "it is not a Parquet file"));
        }
        if end.is_none_or(|end| *end != *MAGIC) {
            return Err(Error::damaged(name, format!("it is truncated at {length} bytes")));
        }
        match ArrowReaderMetadata::load(&source, parquet::arrow::arrow_reader::ArrowReaderOptions::default()) {
            Ok(metadata) => Ok(Self { name, source, metadata }),
            Err(error) => Err(Error::damaged(name, format!("its footer is not readable: {error}"))),
        }
    }

    /// Compares the row groups with their checksums.
    pub(crate) fn verify(&self) -> Result<(), Error> {
        for (index, group) in self.groups().iter().enumerate() {
            let ranges = || group.columns().iter().map(ColumnChunkMetaData::byte_range);
            let start = ranges().map(|(start, _)| start).min().unwrap_or_default();
            let mut sum = Checked::new(io::sink());
            let bytes = self.source.get_read(start).map_err(|error| Error::storage(&self.name, error))?;
            let read = io::copy(&mut bytes.take(ranges().map(|(_, length)| length).sum()), &mut sum);
            read.map_err(|error| Error::storage(&self.name, error))?;
            if self.checksum(index) != Some(&sum.entry()) {
                return Err(Error::damaged(&self.name, format!("row group {index} does not match its checksum")));
            }
        }
        Ok(())
    }

    /// Returns the entry of a row group in the list of checksums.
    pub(crate) fn checksum(&self, group: usize) -> Option<&str> {
        self.metadata_of(CHECKSUMS)?.split_whitespace().nth(group)
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        self.metadata.schema().clone()
    }

    pub(crate) fn groups(&self) -> &[RowGroupMetaData] {
        self.metadata.metadata().row_groups()
    }

    fn metadata_of(&self, key: &str) -> Option<&str> {
        let all = self.metadata.metadata().file_metadata().key_value_metadata()?;
        all.iter().find(|entry| entry.key == key)?.value.as_deref()
    }

    /// Reads the sections of a file; `location` names what to move away if another version has written the file.
    pub(crate) fn state(&self, location: &str) -> Result<FileState, Error> {
        let unknown = || {
            Error::invalid_input(format!(
                "{}: not written by a backfill, but readers would read it; move it",
                self.name
            ))
        };
        let text = self.metadata_of(STATE).ok_or_else(unknown)?;
        saved_state::parse(text).map_err(|why| Error::rebuild(location, why))
    }

    /// Reads the rows of these row groups.
    pub(crate) fn rows(&self, groups: Range<usize>) -> Result<Rows<'static>, Error> {
        self.part(groups, 0, usize::MAX)
    }

    /// Reads `count` rows after the first `skip` rows of the file.
    pub(crate) fn section(&self, skip: usize, count: usize) -> Result<Rows<'static>, Error> {
        let ends = group_ends(self.groups());
        let first = ends.partition_point(|end| *end <= skip);
        let last = ends.partition_point(|end| *end < skip + count).min(ends.len().saturating_sub(1));
        let before = first.checked_sub(1).and_then(|group| ends.get(group)).copied().unwrap_or_default();
        self.part(first..last + 1, skip - before, count)
    }

    /// Reads `count` rows after the first `skip` rows of these row groups.
    fn part(&self, groups: Range<usize>, skip: usize, count: usize) -> Result<Rows<'static>, Error> {
        let source = self.source.try_clone().map_err(|error| Error::storage(&self.name, error))?;
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(source, self.metadata.clone());
        let builder = builder.with_row_groups(groups.collect()).with_batch_size(BATCH);
        let reader = builder.with_offset(skip).with_limit(count).build();
        let (name, reader) = (self.name.clone(), reader.map_err(|error| Error::storage(&self.name, error))?);
        Ok(Box::new(reader.map(move |batch| batch.map_err(|error| Error::storage(&name, error)))))
    }
}

/// Returns the numbers of rows up to the end of each row group.
pub(crate) fn group_ends(groups: &[RowGroupMetaData]) -> Vec<usize> {
    let mut end = 0;
    let count = |group: &RowGroupMetaData| {
        end += usize::try_from(group.num_rows()).unwrap_or_default();
        end
    };
    groups.iter().map(count).collect()
}
