//! Reads and writes Parquet files.
//!
//! Several complete series share a row group, until it has enough rows. A long series is divided into sections, each
//! with its own row group, so a row group has complete sections. The metadata of a file lists its sections, and has a
//! checksum of the bytes of each row group. The size of row groups and the compression were chosen by measurements; the
//! crate's README contains the figures.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::RangeBounds;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema, SchemaRef};
use arrow_select::concat::concat_batches;
use crc32fast::Hasher;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::arrow::arrow_writer::{ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::{ColumnChunkMetaData, KeyValue, ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::ChunkReader;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};

use crate::column_storage::{Purpose, properties};
use crate::error::{Error, Failure, quoted};
use crate::file_storage::{FileStorage, Out};
use crate::merge_rows::Rows;
use crate::parquet_footer;
use crate::saved_state::{self, FileState, OLDEST, Section, Unusable, VERSION};
use crate::series::read_param;
use crate::series_columns::identifying;
use crate::table_schema::ENDPOINT;

/// Number of rows after which a row group ends. Readers and writers keep one row group in memory.
pub(crate) const ROW_GROUP: usize = 128 * 1024;

/// Number of rows per batch when reading. Larger batches need more memory, and are not faster.
const BATCH: usize = 2048;

/// The metadata key of the state.
const STATE: &str = "backfill";

/// A writer that computes a checksum of the bytes that are written.
pub(crate) struct Checked<W> {
    out: W,
    length: u64,
    hash: Hasher,
    /// The bytes that are kept instead of written, if there are any.
    held: Option<Vec<u8>>,
}

impl<W> Checked<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, length: 0, hash: Hasher::new(), held: None }
    }

    /// Returns the length and the checksum of the bytes since the last call, as `LENGTH:CRC32`.
    pub(crate) fn entry(&mut self) -> String {
        let sum = std::mem::take(&mut self.hash).finalize();
        format!("{:x}:{sum:08x}", std::mem::take(&mut self.length))
    }
}

impl<W: Write> Write for Checked<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(held) = &mut self.held {
            held.extend_from_slice(bytes);
            return Ok(bytes.len());
        }
        let written = self.out.write(bytes)?;
        self.hash.update(bytes.get(..written).unwrap_or_default());
        self.length += u64::try_from(written).unwrap_or_default();
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

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
    pub(crate) source: File,
    metadata: ArrowReaderMetadata,
    pub(crate) state: FileState,
}

impl ParquetInput {
    /// Opens this version of a file. Errors contain `name`. If a backfill `is_known` to have written the file, but not
    /// this version, the file is damaged. `columns` are those of a file of format 5, if they are known.
    pub(crate) fn open(
        path: &str,
        name: String,
        (source, version): (File, String),
        is_known: bool,
        columns: Option<&SchemaRef>,
    ) -> Result<Self, Error> {
        let footer = parquet_footer::read(&source, &name)?;
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
        let known = state.columns.as_ref().or_else(|| state.table.as_ref()?.columns.as_ref()).or(columns);
        let metadata = with_columns(footer.metadata, known, &state.sections);
        let metadata =
            metadata.map_err(|error| Error::damaged(&name, format!("its footer is not readable: {error}")))?;
        Ok(Self { last_group: Mutex::default(), path: path.to_owned(), name, version, source, metadata, state })
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
        let Some(source) = storage.open(path).await? else { return Ok(None) };
        Self::open(path, storage.name(path), source, is_known, columns).map(Some)
    }

    /// Opens a damaged file as far as its footer can be read.
    pub(crate) fn open_damaged(
        path: &str,
        name: String,
        (source, version): (File, String),
        columns: Option<&SchemaRef>,
    ) -> Result<Option<Self>, Error> {
        let Some(metadata) = parquet_footer::find(&source, &name)? else { return Ok(None) };
        let Some(Ok(state)) = state_of(&metadata).map(saved_state::parse::<FileState>) else { return Ok(None) };
        let known = state.columns.as_ref().or_else(|| state.table.as_ref()?.columns.as_ref()).or(columns);
        let Ok(metadata) = with_columns(metadata, known, &state.sections) else { return Ok(None) };
        Ok(Some(Self { last_group: Mutex::default(), path: path.to_owned(), name, version, source, metadata, state }))
    }

    /// Compares the row groups with their checksums.
    pub(crate) fn verify(&self) -> Result<(), Error> {
        (0..self.groups().len()).try_for_each(|group| self.verify_group(group))
    }

    /// Compares a row group with its checksum.
    pub(crate) fn verify_group(&self, index: usize) -> Result<(), Error> {
        let damaged = || Error::damaged(&self.name, format!("row group {index} does not match its checksum"));
        let group = self.groups().get(index).ok_or_else(damaged)?;
        let mut start = u64::MAX;
        let mut length = 0_u64;
        for column in group.columns() {
            // The offsets of a damaged footer may be negative, and `byte_range` would panic.
            let first = column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset());
            let sizes = (u64::try_from(first), u64::try_from(column.compressed_size()));
            let (Ok(first), Ok(size)) = sizes else { return Err(damaged()) };
            start = start.min(first);
            length = length.saturating_add(size);
        }
        let mut sum = Checked::new(io::sink());
        let bytes = self.source.get_read(start).map_err(|error| Error::storage(&self.name, error))?;
        io::copy(&mut bytes.take(length), &mut sum).map_err(|error| Error::storage(&self.name, error))?;
        if self.state.checksums.get(index) == Some(&sum.entry()) { Ok(()) } else { Err(damaged()) }
    }

    /// Returns whether the rows of a section have the listed facts.
    pub(crate) fn has_facts(&self, section: &Section) -> Result<bool, Error> {
        let schema = self.schema();
        let mut found = section.rows.emptied();
        let mut count = 0;
        for batch in self.section(section)? {
            let batch = batch?;
            count += batch.num_rows();
            found.add(&batch, &schema)?;
        }
        if self.state.version == OLDEST {
            found.out_of_range = section.rows.out_of_range.clone();
        }
        Ok(found == section.rows && count == section.count)
    }

    /// Returns the columns, without the metadata of the file.
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

    /// Returns the rows of a row group that fit into one batch, and keeps them until another row group is read.
    fn small_group(&self, number: usize) -> Result<RecordBatch, Error> {
        let mut last = self.last_group.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(group) = last.as_ref().filter(|group| group.number == number) {
            return Ok(group.rows.clone());
        }
        let batches = self.rows(number..=number)?.collect::<Result<Vec<_>, _>>()?;
        let rows = concat_batches(self.metadata.schema(), &batches).map_err(Error::invalid_input)?;
        *last = Some(DecodedGroup { number, rows: rows.clone() });
        Ok(rows)
    }

    /// Reads `count` rows after the first `skip` rows of these row groups.
    fn part(&self, groups: impl RangeBounds<usize>, skip: usize, count: usize) -> Result<Rows<'static>, Error> {
        let source = self.source.try_clone().map_err(|error| Error::storage(&self.name, error))?;
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(source, self.metadata.clone());
        let groups = (0..self.groups().len()).filter(|group| groups.contains(group)).collect();
        let builder = builder.with_row_groups(groups).with_batch_size(BATCH);
        let reader = builder.with_offset(skip).with_limit(count).build();
        let (name, reader) = (self.name.clone(), reader.map_err(|error| Error::storage(&self.name, error))?);
        Ok(Box::new(reader.map(move |batch| batch.map_err(|error| Error::storage(&name, error)))))
    }
}

/// Returns the state in the metadata of a file.
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
        names.extend(section.path.split('/').filter_map(read_param).map(|(name, _)| name));
    }
    let mut fields = Vec::new();
    for field in columns.fields() {
        let is_param = names.contains(field.name()) && *field.data_type() == DataType::Utf8;
        fields.push(if is_param { Arc::new(identifying(field.name())) } else { field.clone() });
    }
    Arc::new(Schema::new(fields))
}

/// Writes the sections of one file.
pub(crate) struct ParquetFile<'o> {
    writer: SerializedFileWriter<Checked<Out<'o>>>,
    factory: ArrowRowGroupWriterFactory,
    schema: SchemaRef,
    /// Number of rows after which a row group of several sections ends, and a row group of a long section.
    group_rows: [usize; 2],
    /// The columns of the current row group, and its number of rows.
    group: Option<(Vec<ArrowColumnWriter>, usize)>,
    /// Whether the current section is part of a long series, which has row groups of its own.
    is_long: bool,
    checksums: Vec<String>,
    pub(crate) sections: Vec<Section>,
}

impl<'o> ParquetFile<'o> {
    pub(crate) fn new(
        out: Out<'o>,
        schema: SchemaRef,
        group_rows: [usize; 2],
        purpose: Purpose<'_>,
    ) -> Result<Self, Failure> {
        let properties = properties(&schema, purpose);
        let writer = ArrowWriter::try_new(Checked::new(out), schema.clone(), Some(properties))?;
        let (mut writer, factory) = writer.into_serialized_writer()?;
        // The bytes before the first row group are not part of a checksum.
        writer.flush()?;
        writer.inner_mut().entry();
        let (checksums, sections) = (Vec::new(), Vec::new());
        Ok(Self { writer, factory, schema, group_rows, group: None, is_long: false, checksums, sections })
    }

    /// Returns whether a row group has so many rows that it is copied instead of joined with others.
    pub(crate) fn is_large(&self, rows: usize) -> bool {
        rows >= self.group_rows[0] / 2
    }

    /// Returns the number of rows in the current row group.
    fn rows(&self) -> usize {
        self.group.as_ref().map_or(0, |(_, rows)| *rows)
    }

    /// Begins a section of a series with at most `count` rows. A long series does not share row groups with others.
    pub(crate) fn begin(&mut self, section: Section, count: usize) -> Result<(), Failure> {
        let is_long = count >= self.group_rows[0];
        if is_long || self.is_long || self.rows() >= self.group_rows[0] {
            self.end_group()?;
        }
        self.is_long = is_long;
        self.sections.push(Section { group: self.checksums.len(), skip: self.rows(), ..section });
        Ok(())
    }

    /// Writes rows of the section, or of the next section if the row group of a long series is full.
    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), Failure> {
        if self.is_long
            && self.rows() >= self.group_rows[1]
            && let Some(next) = self.sections.last().map(Section::emptied)
        {
            self.begin(next, usize::MAX)?;
        }
        if let Some(section) = self.sections.last_mut() {
            section.count += batch.num_rows();
            section.rows.add(batch, &self.schema)?;
        }
        if self.group.is_none() {
            self.group = Some((self.factory.create_column_writers(self.checksums.len())?, 0));
        }
        let Some((columns, rows)) = &mut self.group else { return Ok(()) };
        *rows += batch.num_rows();
        for ((field, values), column) in self.schema.fields().iter().zip(batch.columns()).zip(columns) {
            compute_leaves(field, values)?.iter().try_for_each(|leaf| column.write(leaf))?;
        }
        Ok(())
    }

    /// Ends the row group.
    fn end_group(&mut self) -> Result<(), Failure> {
        let Some((columns, _)) = self.group.take() else { return Ok(()) };
        let columns = columns.into_iter().map(ArrowColumnWriter::close).collect::<ParquetResult<Vec<_>>>()?;
        self.add_group(|out| columns.into_iter().try_for_each(|column| column.append_to_row_group(out)))
    }

    /// Writes a row group, and adds its checksum to the list.
    fn add_group(
        &mut self,
        content: impl FnOnce(&mut SerializedRowGroupWriter<'_, Checked<Out<'o>>>) -> ParquetResult<()>,
    ) -> Result<(), Failure> {
        let mut out = self.writer.next_row_group()?;
        content(&mut out)?;
        out.close()?;
        // The remaining bytes of the group are passed to the inner writer, which computes the checksum.
        self.writer.flush()?;
        self.checksums.push(self.writer.inner_mut().entry());
        Ok(())
    }

    /// Copies the encoded row group with these sections from another file with the same columns.
    pub(crate) fn copy(&mut self, input: &ParquetInput, sections: &[Section]) -> Result<(), Failure> {
        let Some(group) = sections.first().and_then(|first| input.groups().get(first.group)) else { return Ok(()) };
        self.end_group()?;
        let number = self.checksums.len();
        self.sections.extend(sections.iter().map(|section| Section { group: number, ..section.clone() }));
        let closed = |column: &ColumnChunkMetaData| ColumnCloseResult {
            bytes_written: u64::try_from(column.compressed_size()).unwrap_or_default(),
            rows_written: u64::try_from(group.num_rows()).unwrap_or_default(),
            metadata: column.clone(),
            bloom_filter: None,
            column_index: None,
            offset_index: None,
        };
        self.add_group(|out| {
            group.columns().iter().try_for_each(|column| out.append_column(&input.source, closed(column)))
        })
    }

    /// Writes the remaining rows, and the footer with the facts of the table and the sections. Returns the sections.
    pub(crate) fn finish(mut self, of_table: FileState) -> Result<Vec<Section>, Failure> {
        self.end_group()?;
        let (checksums, sections) = (self.checksums, self.sections);
        let columns = Some(self.schema);
        let state = FileState { version: VERSION, columns, checksums, sections, ..of_table };
        self.writer.append_key_value_metadata(KeyValue::new(STATE.to_owned(), saved_state::to_json(&state)));
        self.writer.flush()?;
        self.writer.inner_mut().held = Some(Vec::new());
        let mut out = self.writer.into_inner()?;
        let end = out.held.take().unwrap_or_default();
        parquet_footer::write(&end, &mut out)?;
        Ok(state.sections)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column_storage::DataStorage;
    use crate::saved_state::RowFacts;
    use arrow_array::{Int64Array, TimestampMicrosecondArray};
    use arrow_schema::Field;

    fn schema() -> SchemaRef {
        let time = DataType::Timestamp(arrow_schema::TimeUnit::Microsecond, Some("UTC".into()));
        Arc::new(Schema::new(vec![Field::new("at", time, true), Field::new("n", DataType::Int64, true)]))
    }

    fn rows(count: usize) -> RecordBatch {
        let numbers = || (0..i64::try_from(count).unwrap()).map(|n| n * n % 1009);
        let times = (0..i64::try_from(count).unwrap()).map(|n| n * 60_000_000);
        let times = TimestampMicrosecondArray::from_iter_values(times).with_timezone("UTC");
        let numbers = Int64Array::from_iter_values(numbers());
        RecordBatch::try_new(schema(), vec![Arc::new(times), Arc::new(numbers)]).unwrap()
    }

    fn file(content: impl FnOnce(&mut ParquetFile<'_>)) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut file =
            ParquetFile::new(&mut bytes, schema(), [1000; 2], Purpose::Data(DataStorage::default())).unwrap();
        content(&mut file);
        file.finish(FileState::default()).unwrap();
        bytes
    }

    fn series(file: &mut ParquetFile<'_>, count: usize) {
        let facts = RowFacts { time: "at".to_owned(), step: 60, ..RowFacts::default() };
        file.begin(Section { rows: facts, ..Section::default() }, count).unwrap();
        let rows = rows(count);
        for from in (0..count).step_by(100) {
            file.write(&rows.slice(from, 100.min(count - from))).unwrap();
        }
    }

    fn open(bytes: &[u8]) -> Result<ParquetInput, Error> {
        let mut source = tempfile::tempfile().unwrap();
        source.write_all(bytes).unwrap();
        let input = ParquetInput::open("x.parquet", "x.parquet".to_owned(), (source, String::new()), true, None)?;
        input.verify().map(|()| input)
    }

    #[test]
    fn series_are_packed_and_row_groups_are_copied() {
        let bytes = file(|file| [400, 400, 400, 2500, 10].into_iter().for_each(|count| series(file, count)));
        let input = open(&bytes).unwrap();
        let counts: Vec<_> = input.groups().iter().map(RowGroupMetaData::num_rows).collect();
        assert_eq!(counts, [1200, 1000, 1000, 500, 10]);
        let counts: Vec<_> = input.state.sections.iter().map(|section| section.count).collect();
        assert_eq!(counts, [400, 400, 400, 1000, 1000, 500, 10]);
        assert_eq!(input.state.sections[5].rows.last, Some(runtime::Timestamp::from_unix_seconds(2499 * 60)));
        for (section, expected) in [(1, rows(400)), (3, rows(1000)), (5, rows(2500).slice(2000, 500))] {
            let found: Vec<_> = input.section(&input.state.sections[section]).unwrap().map(Result::unwrap).collect();
            assert_eq!(found, [expected]);
        }
        let missing = Section { group: usize::MAX, count: 1, ..Section::default() };
        assert!(input.section(&missing).unwrap().next().is_none());
        let copied = file(|file| {
            for sections in [3..4, 4..5, 5..6, 6..7, 0..3] {
                file.copy(&input, &input.state.sections[sections]).unwrap();
            }
        });
        let copied = open(&copied).unwrap();
        assert_eq!(copied.state.checksums[4], input.state.checksums[0]);
        for section in [0, 5] {
            let found = copied.section(&copied.state.sections[section]).unwrap().next().unwrap().unwrap();
            assert_eq!(found, rows([1000, 400][section / 5]));
        }
    }

    #[test]
    fn flipped_byte_in_a_row_group_is_detected() {
        let bytes = file(|file| series(file, 2500));
        open(&bytes).unwrap();
        let groups = open(&bytes).unwrap().groups().iter().map(RowGroupMetaData::compressed_size).sum::<i64>();
        let groups = usize::try_from(groups).unwrap();
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
