//! Reads Parquet files that a backfill has written.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::ops::RangeBounds;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_schema::{DataType, Schema, SchemaRef};
use arrow_select::concat::concat_batches;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::ChunkReader;

use crate::checked_writer::Checked;
use crate::column_names::ENDPOINT;
use crate::cursor::Rows;
use crate::error::{Error, quoted};
use crate::file_state::FileState;
use crate::file_storage::FileStorage;
use crate::parquet_footer;
use crate::partial_intervals::LastTimes;
use crate::saved_state::{self, OLDEST, Unusable};
use crate::section::Section;
use crate::series::{endpoint_of, read_param};
use crate::series_columns::identifying;

/// Number of rows per batch when reading. Larger batches need more memory, and are not faster.
const BATCH: usize = 2048;

/// The metadata key of the state.
pub(crate) const STATE: &str = "backfill";

/// The rows of a row group.
#[derive(Debug)]
struct DecodedGroup {
    number: usize,
    rows: RecordBatch,
}

/// A Parquet file that is open for reading.
#[derive(Debug)]
pub(crate) struct ParquetInput {
    /// The row group of several sections that was decoded last.
    last_group: Mutex<Option<DecodedGroup>>,
    pub(crate) path: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) file: File,
    metadata: ArrowReaderMetadata,
    pub(crate) state: FileState,
}

impl ParquetInput {
    /// Opens this version of a file. Errors contain `name`. If a backfill `is_known` to have written the file, but not
    /// this version, the file is damaged. `columns` are those of a file of format 5, if they are known.
    pub(crate) fn open(
        path: &str,
        name: String,
        (file, version): (File, String),
        is_known: bool,
        columns: Option<&SchemaRef>,
    ) -> Result<Self, Error> {
        let footer = parquet_footer::read(&file, &name)?;
        let Some(text) = state_of(&footer.metadata) else {
            if is_known {
                return Err(Error::damaged(name, "another program has changed it since the last run"));
            }
            return Err(Error::invalid_input(format!(
                "{}: no backfill has written it, or another program has changed it; move it away and run the \
                 backfill again for its whole range",
                quoted(name)
            )));
        };
        let state: FileState = match saved_state::parse(text) {
            Ok(state) => state,
            Err(Unusable::Unreadable(why)) => return Err(Error::damaged(name, why)),
            Err(Unusable::Version(why)) => return Err(Error::rebuild(quoted(&name), why)),
        };
        if state.version > OLDEST && !footer.is_checked {
            return Err(Error::damaged(name, "the checksum of its footer is missing"));
        }
        let known = state.known_columns().or(columns);
        let metadata = with_columns(footer.metadata, known, &state.sections);
        let metadata =
            metadata.map_err(|error| Error::damaged(&name, format!("its footer is not readable: {error}")))?;
        Ok(Self { last_group: Mutex::default(), path: path.to_owned(), name, version, file, metadata, state })
    }

    /// Opens a file of a storage, if it exists.
    pub(crate) async fn find(storage: &FileStorage, path: &str, is_known: bool) -> Result<Option<Self>, Error> {
        Self::find_with(storage, path, is_known, None).await
    }

    /// Opens a file of a storage, if it exists. `columns` are those of a file of format 5, if they are known.
    pub(crate) async fn find_with(
        storage: &FileStorage,
        path: &str,
        is_known: bool,
        columns: Option<&SchemaRef>,
    ) -> Result<Option<Self>, Error> {
        let Some(opened) = storage.open(path).await? else { return Ok(None) };
        Self::open(path, storage.name(path), opened, is_known, columns).map(Some)
    }

    /// Opens a damaged file as far as its footer can be read.
    pub(crate) fn open_damaged(
        path: &str,
        name: String,
        (file, version): (File, String),
        columns: Option<&SchemaRef>,
    ) -> Result<Option<Self>, Error> {
        let Some(metadata) = parquet_footer::find(&file, &name)? else { return Ok(None) };
        let Some(text) = state_of(&metadata) else { return Ok(None) };
        let Ok(state) = saved_state::parse::<FileState>(text) else { return Ok(None) };
        let known = state.known_columns().or(columns);
        let Ok(metadata) = with_columns(metadata, known, &state.sections) else { return Ok(None) };
        Ok(Some(Self { last_group: Mutex::default(), path: path.to_owned(), name, version, file, metadata, state }))
    }

    /// Compares the row groups with their checksums.
    pub(crate) fn verify(&self) -> Result<(), Error> {
        for group in 0..self.groups().len() {
            self.verify_group(group)?;
        }
        Ok(())
    }

    /// Compares a row group with its checksum.
    pub(crate) fn verify_group(&self, index: usize) -> Result<(), Error> {
        let Some(group) = self.groups().get(index) else { return Err(self.wrong_checksum(index)) };
        let mut start = u64::MAX;
        let mut length = 0_u64;
        for column in group.columns() {
            // The offsets of a damaged footer may be negative, and `byte_range` would panic.
            let first = column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset());
            let sizes = (u64::try_from(first), u64::try_from(column.compressed_size()));
            let (Ok(first), Ok(size)) = sizes else { return Err(self.wrong_checksum(index)) };
            start = start.min(first);
            length = length.saturating_add(size);
        }
        let mut sum = Checked::new(io::sink());
        let bytes = self.file.get_read(start).map_err(|error| Error::storage(&self.name, error))?;
        io::copy(&mut bytes.take(length), &mut sum).map_err(|error| Error::storage(&self.name, error))?;
        if self.state.checksums.get(index) == Some(&sum.entry()) { Ok(()) } else { Err(self.wrong_checksum(index)) }
    }

    fn wrong_checksum(&self, group: usize) -> Error {
        Error::damaged(&self.name, format!("row group {group} does not match its checksum"))
    }

    /// `true` if the rows of a section are of its series, and have the listed facts.
    pub(crate) fn has_facts(&self, section: &Section) -> Result<bool, Error> {
        let schema = self.schema();
        let mut found = section.row_facts.emptied();
        let mut last_times = LastTimes::default();
        let mut count = 0;
        for batch in self.section(section)? {
            let batch = batch?;
            if !are_of_series(&batch, &section.path) {
                return Ok(false);
            }
            count += batch.num_rows();
            found.add(&batch, &schema, &mut last_times)?;
        }
        // Files of an earlier version list neither, or other parts of intervals.
        found.partial = section.row_facts.partial.clone();
        found.last_seen = section.row_facts.last_seen.clone();
        if self.state.version == OLDEST {
            found.out_of_range = section.row_facts.out_of_range.clone();
        }
        Ok(found == section.row_facts && count == section.count)
    }

    /// The columns, without the metadata of the file.
    pub(crate) fn schema(&self) -> SchemaRef {
        Arc::new(Schema::new(self.metadata.schema().fields().clone()))
    }

    pub(crate) fn groups(&self) -> &[RowGroupMetaData] {
        self.metadata.metadata().row_groups()
    }

    /// Reads the rows of these row groups.
    pub(crate) fn rows(&self, groups: impl RangeBounds<usize>) -> Result<Rows<'static>, Error> {
        self.part(groups, 0, usize::MAX)
    }

    /// Reads the rows of a section. A small row group of several sections is decoded only once if its sections are read
    /// one after the other.
    pub(crate) fn section(&self, section: &Section) -> Result<Rows<'static>, Error> {
        let count = self.groups().get(section.group).map_or(0, RowGroupMetaData::num_rows);
        let is_shared = usize::try_from(count).is_ok_and(|count| section.count < count && count <= BATCH);
        if !is_shared {
            return self.part(section.group..=section.group, section.skip, section.count);
        }
        let rows = self.small_group(section.group)?;
        if section.skip.saturating_add(section.count) > rows.num_rows() {
            return Err(Error::damaged(&self.name, format!("it has fewer rows of {} than listed", section.path)));
        }
        Ok(Box::new(std::iter::once(Ok(rows.slice(section.skip, section.count)))))
    }

    /// The rows of a row group that fit into one batch. They are kept until another row group is read.
    fn small_group(&self, number: usize) -> Result<RecordBatch, Error> {
        let mut last = self.last_group.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(group) = &*last
            && group.number == number
        {
            return Ok(group.rows.clone());
        }
        let batches = self.rows(number..=number)?.collect::<Result<Vec<_>, _>>()?;
        let rows = concat_batches(self.metadata.schema(), &batches).map_err(Error::invalid_input)?;
        *last = Some(DecodedGroup { number, rows: rows.clone() });
        Ok(rows)
    }

    /// Reads `count` rows after the first `skip` rows of these row groups.
    fn part(&self, groups: impl RangeBounds<usize>, skip: usize, count: usize) -> Result<Rows<'static>, Error> {
        let file = self.file.try_clone().map_err(|error| Error::storage(&self.name, error))?;
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone());
        let groups = (0..self.groups().len()).filter(|group| groups.contains(group)).collect();
        let builder = builder.with_row_groups(groups).with_batch_size(BATCH);
        let reader = builder.with_offset(skip).with_limit(count).build();
        let reader = reader.map_err(|error| Error::storage(&self.name, error))?;
        let name = self.name.clone();
        Ok(Box::new(reader.map(move |batch| batch.map_err(|error| Error::storage(&name, error)))))
    }
}

/// `true` if all rows have the endpoint and the params in the path of a series.
fn are_of_series(rows: &RecordBatch, path: &str) -> bool {
    let params = path.split('/').skip(1).map(read_param);
    let mut is_of_series = have(rows, ENDPOINT, endpoint_of(path));
    for param in params {
        is_of_series &= param.is_some_and(|(name, value)| have(rows, &name, &value));
    }
    is_of_series
}

/// `true` if all rows have this value in a column.
fn have(rows: &RecordBatch, column: &str, value: &str) -> bool {
    let column = rows.column_by_name(column).and_then(|column| column.as_string_opt::<i32>());
    column.is_some_and(|texts| texts.iter().all(|text| text == Some(value)))
}

/// The state in the metadata of a file.
fn state_of(metadata: &ParquetMetaData) -> Option<&str> {
    let entries = metadata.file_metadata().key_value_metadata()?;
    entries.iter().find(|entry| entry.key == STATE)?.value.as_deref()
}

/// Adds the columns to the metadata of a file. The schema that Arrow has written is not decoded. If no columns are known,
/// as for a file of format 5 without the state of its table, their types and the sections describe them.
fn with_columns(
    metadata: ParquetMetaData,
    known: Option<&SchemaRef>,
    sections: &[Section],
) -> ParquetResult<ArrowReaderMetadata> {
    let metadata = Arc::new(metadata);
    if let Some(known) = known {
        let options = ArrowReaderOptions::new().with_schema(known.clone());
        if let Ok(found) = ArrowReaderMetadata::try_new(metadata.clone(), options) {
            return Ok(found);
        }
    }
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let found = ArrowReaderMetadata::try_new(metadata.clone(), options)?;
    let described = described(found.schema(), sections);
    ArrowReaderMetadata::try_new(metadata, ArrowReaderOptions::new().with_schema(described))
}

/// Marks the columns that identify the series of these sections.
fn described(columns: &Schema, sections: &[Section]) -> SchemaRef {
    let mut names = BTreeSet::from([ENDPOINT.to_owned()]);
    for section in sections {
        for part in section.path.split('/') {
            if let Some((name, _)) = read_param(part) {
                names.insert(name);
            }
        }
    }
    let mut fields = Vec::new();
    for field in columns.fields() {
        let is_param = names.contains(field.name()) && *field.data_type() == DataType::Utf8;
        fields.push(if is_param { Arc::new(identifying(field.name())) } else { field.clone() });
    }
    Arc::new(Schema::new(fields))
}
