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

/// The metadata key of the state.
pub(crate) const STATE: &str = "backfill";

/// A Parquet file that is open for reading.
#[derive(Debug)]
pub(crate) struct ParquetInput {
    pub(crate) path: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) source: File,
    metadata: ArrowReaderMetadata,
    pub(crate) state: FileState,
}

impl ParquetInput {
    /// Opens this version of a file. Errors contain `name`. If a backfill `is_known` to have written the file, but not
    /// this version, the file is damaged.
    pub(crate) fn open(
        path: &str,
        name: String,
        (source, version): (File, String),
        is_known: bool,
    ) -> Result<Self, Error> {
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
        let all = metadata.metadata().file_metadata().key_value_metadata();
        let state = all.and_then(|all| all.iter().find(|entry| entry.key == STATE)?.value.as_deref());
        let state = match state {
            Some(state) => saved_state::parse(state).map_err(|why| Error::rebuild(quoted(&name), why))?,
            None if is_known => return Err(Error::damaged(name, "another program has changed it since the last run")),
            None => {
                return Err(Error::invalid_input(format!(
                    "{}: no backfill has written it, or another program has changed it; move it away and run the \
                     backfill again for its whole range",
                    quoted(name)
                )));
            }
        };
        Ok(Self { path: path.to_owned(), name, version, source, metadata, state })
    }

    /// Opens a file of a storage, if it exists.
    pub(crate) async fn find(storage: &FileStorage, path: &str, is_known: bool) -> Result<Option<Self>, Error> {
        let found = storage.open(path).await?;
        found.map(|source| Self::open(path, storage.name(path), source, is_known)).transpose()
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
            if self.state.checksums.get(index) != Some(&sum.entry()) {
                return Err(Error::damaged(&self.name, format!("row group {index} does not match its checksum")));
            }
        }
        Ok(())
    }

    /// Returns the columns, without the metadata of the file.
    pub(crate) fn schema(&self) -> SchemaRef {
        Arc::new(Schema::new(self.metadata.schema().fields().clone()))
    }

    pub(crate) fn groups(&self) -> &[RowGroupMetaData] {
        self.metadata.metadata().row_groups()
    }

    /// Reads the rows of these row groups.
    pub(crate) fn rows(&self, groups: Range<usize>) -> Result<Rows<'static>, Error> {
        self.part(groups, 0, usize::MAX)
    }

    /// Reads the rows of a section.
    pub(crate) fn section(&self, section: &Section) -> Result<Rows<'static>, Error> {
        self.part(section.group..section.group + 1, section.skip, section.count)
    }

    /// Reads `count` rows after the first `skip` rows of these row groups.
    fn part(&self, groups: Range<usize>, skip: usize, count: usize) -> Result<Rows<'static>, Error> {
        let source = self.source.try_clone().map_err(|error| Error::storage(&self.name, error))?;
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(source, self.metadata.clone());
        let groups = groups.filter(|group| *group < self.groups().len()).collect();
        let builder = builder.with_row_groups(groups).with_batch_size(BATCH);
        let reader = builder.with_offset(skip).with_limit(count).build();
        let (name, reader) = (self.name.clone(), reader.map_err(|error| Error::storage(&self.name, error))?);
        Ok(Box::new(reader.map(move |batch| batch.map_err(|error| Error::storage(&name, error)))))
    }
}
