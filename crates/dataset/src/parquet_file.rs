//! Writes Parquet files.
//!
//! Several complete series share a row group, until it has enough rows. A long series is divided into sections, each
//! with its own row group, so a row group has complete sections. The metadata of a file lists its sections, and has a
//! checksum of the bytes of each row group. The size of row groups and the compression were chosen by measurements; the
//! crate's README contains the figures.

use std::collections::BTreeSet;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::{ColumnChunkMetaData, KeyValue};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};

use crate::checked_writer::Checked;
use crate::column_storage::{Purpose, properties};
use crate::error::Failure;
use crate::file_state::FileState;
use crate::file_storage::Out;
use crate::parquet_footer;
use crate::parquet_input::{ParquetInput, STATE};
use crate::partial_intervals::LastTimes;
use crate::saved_state::{self, VERSION};
use crate::section::Section;
use crate::time_ranges::TimeRanges;

/// Numbers of rows after which a row group of a file ends.
#[derive(Clone, Copy)]
pub(crate) struct RowGroupSizes {
    /// For a row group of several series.
    pub(crate) shared: usize,
    /// For a row group of one long series. A series with as many rows as a shared row group is long.
    pub(crate) long: usize,
}

impl RowGroupSizes {
    /// Readers and writers keep one row group in memory.
    pub(crate) const DATA: Self = Self { shared: 128 * 1024, long: 128 * 1024 };
    /// The shared row groups of the journal are small, so that a short section is found quickly.
    pub(crate) const JOURNAL: Self = Self { shared: 1024, ..Self::DATA };

    /// `true` if a row group has so many rows that it is copied instead of joined with others.
    pub(crate) fn is_large(self, rows: usize) -> bool {
        rows >= self.shared / 2
    }
}

/// Writes the sections of one file.
pub(crate) struct ParquetFile<'o> {
    writer: SerializedFileWriter<Checked<Out<'o>>>,
    factory: ArrowRowGroupWriterFactory,
    schema: SchemaRef,
    sizes: RowGroupSizes,
    /// The columns of the current row group, and its number of rows.
    group: Option<(Vec<ArrowColumnWriter>, usize)>,
    /// Whether the current section is part of a long series, which has row groups of its own.
    is_long: bool,
    checksums: Vec<String>,
    pub(crate) sections: Vec<Section>,
    /// The times of the last rows of the current section.
    last_times: LastTimes,
}

impl<'o> ParquetFile<'o> {
    pub(crate) fn new(
        out: Out<'o>,
        schema: SchemaRef,
        sizes: RowGroupSizes,
        purpose: Purpose<'_>,
    ) -> Result<Self, Failure> {
        let properties = properties(&schema, purpose);
        let writer = ArrowWriter::try_new(Checked::new(out), schema.clone(), Some(properties))?;
        let (mut writer, factory) = writer.into_serialized_writer()?;
        // The bytes before the first row group are not part of a checksum.
        writer.flush()?;
        writer.inner_mut().entry();
        Ok(Self {
            writer,
            factory,
            schema,
            sizes,
            group: None,
            is_long: false,
            checksums: Vec::new(),
            sections: Vec::new(),
            last_times: LastTimes::default(),
        })
    }

    /// `true` if a row group has so many rows that it is copied instead of joined with others.
    pub(crate) fn is_large(&self, rows: usize) -> bool {
        self.sizes.is_large(rows)
    }

    /// The number of rows in the current row group.
    fn rows(&self) -> usize {
        self.group.as_ref().map_or(0, |(_, rows)| *rows)
    }

    /// Begins a section of a series with at most `count` rows. A long series does not share row groups with others.
    pub(crate) fn begin_section(&mut self, section: Section, count: usize) -> Result<(), Failure> {
        let is_long = count >= self.sizes.shared;
        if is_long || self.is_long || self.rows() >= self.sizes.shared {
            self.end_group()?;
        }
        self.is_long = is_long;
        self.last_times = LastTimes::default();
        self.sections.push(Section { group: self.checksums.len(), skip: self.rows(), ..section });
        Ok(())
    }

    /// Writes rows of the section, or of the next section if the row group of a long series is full.
    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), Failure> {
        if self.is_long
            && self.rows() >= self.sizes.long
            && let Some(next) = self.sections.last().map(Section::continued)
        {
            self.begin_section(next, usize::MAX)?;
        }
        if let Some(section) = self.sections.last_mut() {
            section.count += batch.num_rows();
            section.row_facts.add(batch, &self.schema, &mut self.last_times)?;
            if let Some(encoded) = &mut section.encoded {
                encoded.note_fetched(batch, &section.row_facts.time)?;
                encoded.check(batch);
            }
        }
        if self.group.is_none() {
            self.group = Some((self.factory.create_column_writers(self.checksums.len())?, 0));
        }
        let Some((columns, rows)) = &mut self.group else { return Ok(()) };
        *rows += batch.num_rows();
        for (index, column) in columns.iter_mut().enumerate() {
            for leaf in compute_leaves(self.schema.field(index), batch.column(index))? {
                column.write(&leaf)?;
            }
        }
        Ok(())
    }

    /// Ends the row group.
    fn end_group(&mut self) -> Result<(), Failure> {
        let Some((columns, _)) = self.group.take() else { return Ok(()) };
        let mut chunks = Vec::with_capacity(columns.len());
        for column in columns {
            chunks.push(column.close()?);
        }
        self.add_group(|out| {
            for chunk in chunks {
                chunk.append_to_row_group(out)?;
            }
            Ok(())
        })
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
    pub(crate) fn copy_group(&mut self, input: &ParquetInput, sections: &[Section]) -> Result<(), Failure> {
        let Some(first) = sections.first() else { return Ok(()) };
        let Some(group) = input.groups().get(first.group) else { return Ok(()) };
        self.end_group()?;
        let number = self.checksums.len();
        for section in sections {
            // What only the journal has is left out.
            let section = section.clone();
            self.sections.push(Section {
                group: number,
                fetched: TimeRanges::default(),
                unsupported: BTreeSet::new(),
                encoded: None,
                ..section
            });
        }
        self.add_group(|out| {
            for column in group.columns() {
                out.append_column(&input.file, closed(column, group.num_rows()))?;
            }
            Ok(())
        })
    }

    /// Writes the remaining rows, and the footer with the facts of the table and the sections. Returns the sections.
    pub(crate) fn finish(mut self, of_table: FileState) -> Result<Vec<Section>, Failure> {
        self.end_group()?;
        let state = FileState {
            version: VERSION,
            columns: Some(self.schema),
            checksums: self.checksums,
            sections: self.sections,
            ..of_table
        };
        self.writer.append_key_value_metadata(KeyValue::new(STATE.to_owned(), saved_state::to_json(&state)));
        self.writer.flush()?;
        self.writer.inner_mut().held = Some(Vec::new());
        let mut out = self.writer.into_inner()?;
        let end = out.held.take().unwrap_or_default();
        parquet_footer::write(&end, &mut out)?;
        Ok(state.sections)
    }
}

/// An encoded column of another file with this many rows.
fn closed(column: &ColumnChunkMetaData, rows: i64) -> ColumnCloseResult {
    ColumnCloseResult {
        bytes_written: u64::try_from(column.compressed_size()).unwrap_or_default(),
        rows_written: u64::try_from(rows).unwrap_or_default(),
        metadata: column.clone(),
        bloom_filter: None,
        column_index: None,
        offset_index: None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::Arc;

    use super::*;
    use crate::column_storage::DataStorage;
    use crate::error::Error;
    use crate::row_facts::RowFacts;
    use arrow_array::{Int64Array, TimestampMicrosecondArray};
    use arrow_schema::{DataType, Field, Schema};
    use parquet::file::metadata::RowGroupMetaData;

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
        let sizes = RowGroupSizes { shared: 1000, long: 1000 };
        let mut file = ParquetFile::new(&mut bytes, schema(), sizes, Purpose::Data(DataStorage::default())).unwrap();
        content(&mut file);
        file.finish(FileState::default()).unwrap();
        bytes
    }

    fn series(file: &mut ParquetFile<'_>, count: usize) {
        let row_facts = RowFacts {
            time: "at".to_owned(),
            interval: std::time::Duration::from_secs(60).into(),
            ..RowFacts::default()
        };
        file.begin_section(Section { row_facts, ..Section::default() }, count).unwrap();
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
        assert_eq!(input.state.sections[5].row_facts.last, Some(runtime::Timestamp::from_unix_seconds(2499 * 60)));
        for (section, expected) in [(1, rows(400)), (3, rows(1000)), (5, rows(2500).slice(2000, 500))] {
            let found: Vec<_> = input.section(&input.state.sections[section]).unwrap().map(Result::unwrap).collect();
            assert_eq!(found, [expected]);
        }
        let missing = Section { group: usize::MAX, count: 1, ..Section::default() };
        assert!(input.section(&missing).unwrap().next().is_none());
        let copied = file(|file| {
            for sections in [3..4, 4..5, 5..6, 6..7, 0..3] {
                file.copy_group(&input, &input.state.sections[sections]).unwrap();
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
