//! Reads Parquet files.
//!
//! The metadata of a file has a checksum of the bytes of each row group, and lists the sections of the file.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bytes::Bytes;
use crc32fast::Hasher;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReaderBuilder};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{ChunkReader, Length};

use crate::error::Error;
use crate::merge_rows::Rows;
use crate::saved_state::{self, FileState};

/// First and last bytes of a Parquet file.
const MAGIC: &[u8] = b"PAR1";

/// Number of rows per batch when reading. Larger batches need more memory, and are not faster.
const BATCH: usize = 2048;

/// The metadata key of the sections.
pub(crate) const STATE: &str = "backfill";

/// The metadata key of the checksums: `LENGTH:CRC32` in hexadecimal digits for each row group.
pub(crate) const CHECKSUMS: &str = "checksums";

/// The content of a file: an open file of the local disk, or bytes in memory.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    File(Arc<File>),
    #[cfg_attr(not(any(feature = "s3", test)), allow(dead_code, reason = "only object storage reads into memory"))]
    Bytes(Bytes),
}

impl Length for Source {
    fn len(&self) -> u64 {
        match self {
            Self::File(file) => Length::len(&**file),
            Self::Bytes(bytes) => Length::len(bytes),
        }
    }
}

impl ChunkReader for Source {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        Ok(match self {
            Self::File(file) => Box::new(file.get_read(start)?),
            Self::Bytes(bytes) => Box::new(bytes.get_read(start)?),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        match self {
            Self::File(file) => file.get_bytes(start, length),
            Self::Bytes(bytes) => bytes.get_bytes(start, length),
        }
    }
}

/// A Parquet file that is open for reading.
#[derive(Clone, Debug)]
pub(crate) struct ParquetInput {
    pub(crate) name: String,
    pub(crate) source: Source,
    metadata: ArrowReaderMetadata,
}

impl ParquetInput {
    /// Opens a file. Errors contain `name`.
    pub(crate) fn open(name: impl Into<String>, source: Source) -> Result<Self, Error> {
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
            let (start, length) = bytes_of(group);
            let mut hash = Hasher::new();
            let mut at = start;
            while at < start + length {
                let part = usize::try_from((start + length - at).min(1 << 20)).unwrap_or_default();
                let bytes = self.source.get_bytes(at, part);
                hash.update(&bytes.map_err(|error| Error::storage(&self.name, error))?);
                at += part as u64;
            }
            if self.checksum(index) != Some(&format!("{length:x}:{:08x}", hash.finalize())) {
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
        saved_state::parse(text.as_bytes()).map_err(|why| Error::rebuild(location, why))
    }

    /// Reads the rows of these row groups, after the first `skip`.
    pub(crate) fn rows(&self, groups: Range<usize>, skip: usize) -> Result<Rows<'static>, Error> {
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(self.source.clone(), self.metadata.clone());
        let reader = builder.with_row_groups(groups.collect()).with_batch_size(BATCH).with_offset(skip).build();
        let (name, fails) = (self.name.clone(), |error| Error::storage(&self.name, error));
        Ok(Box::new(reader.map_err(fails)?.map(move |batch| batch.map_err(|error| Error::storage(&name, error)))))
    }

    /// Reads `count` rows after the first `skip` rows of the file.
    pub(crate) fn section(&self, skip: usize, count: usize) -> Result<Rows<'static>, Error> {
        let ends = group_ends(self.groups());
        let first = ends.partition_point(|end| *end <= skip);
        let last = ends.partition_point(|end| *end < skip + count).min(ends.len().saturating_sub(1));
        let before = first.checked_sub(1).and_then(|group| ends.get(group)).copied().unwrap_or_default();
        let mut rows = self.rows(first..last + 1, skip - before)?;
        let mut left = count;
        Ok(Box::new(std::iter::from_fn(move || take(&mut rows, &mut None, &mut left))))
    }
}

/// Returns the position and the number of the bytes of a row group.
fn bytes_of(group: &RowGroupMetaData) -> (u64, u64) {
    let ranges = || group.columns().iter().map(parquet::file::metadata::ColumnChunkMetaData::byte_range);
    let start = ranges().map(|(start, _)| start).min().unwrap_or_default();
    (start, ranges().map(|(_, length)| length).sum())
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

/// Takes the next batch, of at most `left` rows. The rest of a batch is kept.
pub(crate) fn take(
    rows: &mut Rows<'_>,
    rest: &mut Option<RecordBatch>,
    left: &mut usize,
) -> Option<Result<RecordBatch, Error>> {
    if *left == 0 {
        return None;
    }
    let batch = match rest.take().map(Ok).or_else(|| rows.next())? {
        Ok(batch) => batch,
        Err(error) => return Some(Err(error)),
    };
    let count = batch.num_rows().min(*left);
    *left -= count;
    *rest = (count < batch.num_rows()).then(|| batch.slice(count, batch.num_rows() - count));
    Some(Ok(batch.slice(0, count)))
}
