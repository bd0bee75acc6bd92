//! Reads Parquet files.
//!
//! The metadata of a file has a checksum of the bytes of each row group, and lists the sections of the file.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

use arrow_schema::{Schema, SchemaRef};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};

use crate::error::{Error, quoted};
use crate::file_storage::FileStorage;
use crate::merge_rows::Rows;
use crate::parquet_file::Checked;
use crate::saved_state::{self, FileState, Section};

/// First and last bytes of a Parquet file.
const MAGIC: &[u8] = b"PAR1";

/// Number of rows per batch when reading. Larger batches need more memory, and are not faster.
const BATCH: usize = 2048;

/// The metadata key of the sections.
pub(crate) const STATE: &str = "backfill";

/// The metadata key of the checksums: `LENGTH:CRC32` in hexadecimal digits for each row group.
pub(crate) const CHECKSUMS: &str = "checksums";

/// Creates the error for a Parquet file without a state.
pub(crate) fn foreign(name: &str) -> Error {
    Error::invalid_input(format!(
        "{}: no backfill has written it, or another program has changed it; move it away and run the backfill again \
         for its whole range",
        quoted(name)
    ))
}

/// A Parquet file that is open for reading.
#[derive(Debug)]
pub(crate) struct ParquetInput {
    pub(crate) name: String,
    pub(crate) source: File,
    metadata: ArrowReaderMetadata,
    pub(crate) state: FileState,
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
        let metadata = ArrowReaderMetadata::load(&source, ArrowReaderOptions::default())
            .map_err(|error| Error::damaged(&name, format!("its footer is not readable: {error}")))?;
        let Some(state) = entry(&metadata, STATE) else {
            return Err(foreign(&name));
        };
        let state = saved_state::parse(state).map_err(|why| Error::rebuild(quoted(&name), why))?;
        Ok(Self { name, source, metadata, state })
    }

    /// Opens a file of a storage, if it exists, and returns its version.
    pub(crate) async fn find(storage: &FileStorage, path: &str) -> Result<Option<(Self, String)>, Error> {
        let Some((source, version)) = storage.open(path).await? else { return Ok(None) };
        Ok(Some((Self::open(storage.name(path), source)?, version)))
    }

    /// Opens a file, unless it is damaged. The error of a damaged file is added to a list.
    pub(crate) async fn find_intact(
        storage: &FileStorage,
        path: &str,
        damaged: &mut Vec<Error>,
    ) -> Result<Option<Self>, Error> {
        match Self::find(storage, path).await {
            Err(damage @ Error::Damaged { .. }) => damaged.push(damage),
            found => return Ok(found?.map(|(input, _)| input)),
        }
        Ok(None)
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
        entry(&self.metadata, CHECKSUMS)?.split_whitespace().nth(group)
    }

    /// Returns the columns, without the metadata of the file.
    pub(crate) fn schema(&self) -> SchemaRef {
        Arc::new(Schema::new(self.metadata.schema().fields().clone()))
    }

    /// Returns the sections of each row group.
    pub(crate) fn sections(&self) -> Vec<&[Section]> {
        let mut rest = &*self.state.sections;
        let of_group = |group: &RowGroupMetaData| {
            let mut left = usize::try_from(group.num_rows()).unwrap_or_default();
            let is_in_group = |section: &&Section| {
                let is_in_group = left > 0;
                left = left.saturating_sub(section.count);
                is_in_group
            };
            let (sections, after) = rest.split_at(rest.iter().take_while(is_in_group).count());
            rest = after;
            sections
        };
        self.groups().iter().map(of_group).collect()
    }

    pub(crate) fn groups(&self) -> &[RowGroupMetaData] {
        self.metadata.metadata().row_groups()
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

/// Returns an entry of the metadata of a file.
fn entry<'m>(metadata: &'m ArrowReaderMetadata, key: &str) -> Option<&'m str> {
    let all = metadata.metadata().file_metadata().key_value_metadata()?;
    all.iter().find(|entry| entry.key == key)?.value.as_deref()
}

/// Returns the numbers of rows up to the end of each row group.
fn group_ends(groups: &[RowGroupMetaData]) -> Vec<usize> {
    let mut end = 0;
    let count = |group: &RowGroupMetaData| {
        end += usize::try_from(group.num_rows()).unwrap_or_default();
        end
    };
    groups.iter().map(count).collect()
}
