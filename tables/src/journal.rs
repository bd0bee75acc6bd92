//! The journal of a table: files with fetched rows that are not in the data files yet.
//!
//! A run adds a file for about every 50,000 rows, and for every minute. The files of a killed run remain, and the next
//! run continues with them.

use std::collections::BTreeMap;
use std::time::Duration;

use arrow_array::RecordBatch;
use runtime::Timestamp;

use crate::columns::Columns;
use crate::error::Error;
use crate::file_storage::{FileStorage, Out};
use crate::merge_rows::{Cursor, Merge, Rows};
use crate::parquet_file::{ParquetFile, ROW_GROUP};
use crate::parquet_input::ParquetInput;
use crate::partition::{Partition, period};
use crate::saved_state::{FileState, Section};

/// The extension of the files, which no reader takes for data.
const EXTENSION: &str = ".rows";

/// Number of rows after which a row group of several sections ends, so that a short section is found quickly.
const GROUP: usize = 1024;

/// A file of the journal.
pub(crate) struct JournalFile {
    pub(crate) path: String,
    pub(crate) input: ParquetInput,
}

/// A section of the journal that has rows, and the number of rows before it in its file.
#[derive(Clone, Copy)]
pub(crate) struct Part<'j> {
    input: &'j ParquetInput,
    skip: usize,
    pub(crate) section: &'j Section,
}

impl JournalFile {
    /// Opens the files of a folder, in the order in which they were written. Also returns the errors of damaged files.
    pub(crate) async fn open_all(storage: &FileStorage, folder: &str) -> Result<(Vec<Self>, Vec<Error>), Error> {
        let (mut all, mut damaged) = (Vec::new(), Vec::new());
        for (path, _) in storage.list(folder).await?.into_iter().filter(|(path, _)| path.ends_with(EXTENSION)) {
            // Another run may have merged and deleted the file meanwhile.
            let input = ParquetInput::find_intact(storage, &path, &mut damaged).await?;
            all.extend(input.map(|input| Self { path, input }));
        }
        Ok((all, damaged))
    }

    /// Writes a file. Each section has rows in order of time, or none. `of_table` has the facts of the table.
    pub(crate) async fn write(
        storage: &FileStorage,
        path: String,
        columns: &Columns,
        of_table: FileState,
        sections: Vec<(Section, Vec<RecordBatch>)>,
    ) -> Result<Self, Error> {
        let content = |out: Out<'_>| {
            let mut file = ParquetFile::new(out, columns.schema(), [GROUP, ROW_GROUP])?;
            for (section, batches) in sections {
                file.begin(section, batches.iter().map(RecordBatch::num_rows).sum())?;
                batches.iter().try_for_each(|batch| file.write(batch))?;
                file.end()?;
            }
            file.finish(of_table)
        };
        storage.put(&path, None, content).await?;
        match ParquetInput::find(storage, &path).await? {
            Some((input, _)) => Ok(Self { path, input }),
            None => Err(Error::damaged(storage.name(&path), "it was deleted")),
        }
    }

    pub(crate) fn sections(&self) -> &[Section] {
        &self.input.state.sections
    }

    /// Returns the number of rows.
    pub(crate) fn rows(&self) -> u64 {
        self.sections().iter().map(|section| section.count as u64).sum()
    }

    /// Returns the number in the name of the file, and the time at which it was written.
    fn name(&self) -> Option<(u64, Timestamp)> {
        let name = self.path.rsplit('/').next()?.strip_suffix(EXTENSION)?;
        let (number, rest) = name.split_once('-')?;
        let elapsed = u64::from_str_radix(rest.split_once('-')?.0, 16).ok()?;
        Some((number.parse().ok()?, Timestamp::from_unix_seconds(0) + Duration::from_nanos(elapsed)))
    }

    /// Returns the time at which the file was written.
    pub(crate) fn written(&self) -> Option<Timestamp> {
        self.name().map(|(_, time)| time)
    }
}

/// Returns the path of a new file after the last file. In object storage, two runs can write at the same time, so the
/// name also has the time and the process.
pub(crate) fn next_path(folder: &str, last: Option<&JournalFile>) -> String {
    let number = last.and_then(JournalFile::name).map_or(0, |(number, _)| number + 1);
    let now = Timestamp::now().abs_diff(Timestamp::from_unix_seconds(0)).as_nanos();
    format!("{folder}/{number:08}-{now:x}-{}{EXTENSION}", std::process::id())
}

/// The sections of a period, by series.
pub(crate) type Parts<'j> = BTreeMap<&'j str, Vec<Part<'j>>>;

/// Returns the sections that have rows, by the start of their period.
pub(crate) fn parts(journal: &[JournalFile], partition: Option<Partition>) -> BTreeMap<Timestamp, Parts<'_>> {
    let mut all: BTreeMap<_, Parts<'_>> = BTreeMap::new();
    for JournalFile { input, .. } in journal {
        let mut skip = 0;
        for section in &input.state.sections {
            if let Some(first) = section.rows.first {
                let of_period = all.entry(period(partition, first).start).or_default();
                of_period.entry(section.path.as_str()).or_default().push(Part { input, skip, section });
            }
            skip += section.count;
        }
    }
    all
}

impl Part<'_> {
    /// Reads the rows. The file is not opened before the first row is read, so that only one section is in memory.
    fn rows(self, columns: &Columns) -> Rows<'_> {
        match self.input.section(self.skip, self.section.count) {
            Ok(rows) => Box::new(rows.map(|batch| columns.batch(&batch?))),
            Err(error) => Box::new(std::iter::once(Err(error))),
        }
    }
}

/// Merges these sections of a series into rows in order of time. Of two rows of the same time, the one that was written
/// later is used.
pub(crate) fn rows<'j>(parts: &'j [Part<'j>], columns: &'j Columns) -> Result<Cursor<'j>, Error> {
    let time = parts.first().map_or("", |part| &part.section.rows.time);
    let mut merged: Rows<'j> = Box::new(std::iter::empty());
    // Sections that follow each other in time are read one after the other.
    for layer in parts.chunk_by(|one, next| one.section.rows.last < next.section.rows.first) {
        let layer = layer.iter().copied().flat_map(|part| part.rows(columns));
        merged = Box::new(Merge::new(merged, Cursor::new(Box::new(layer))?, time, None)?);
    }
    Cursor::new(merged)
}
