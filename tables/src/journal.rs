//! The journal of a table: files with fetched rows that are not in the data files yet.
//!
//! A run adds a file for about every 50,000 rows, and for every minute. The files of a killed run remain, and the next
//! run continues with them.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use runtime::Timestamp;

use crate::columns::Columns;
use crate::error::Error;
use crate::file_storage::FileStorage;
use crate::merge_rows::{Merge, Rows};
use crate::parquet_file::{Out, ParquetFile, ROW_GROUP};
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
    pub(crate) sections: Vec<Section>,
}

/// A section of the journal that has rows, and the number of rows before it in its file.
#[derive(Clone, Copy)]
pub(crate) struct Part<'j> {
    file: &'j JournalFile,
    skip: usize,
    pub(crate) section: &'j Section,
}

impl JournalFile {
    /// Opens the files of a folder, in the order in which they were written. Also returns the errors of damaged files.
    pub(crate) async fn open_all(
        storage: &FileStorage,
        folder: &str,
        location: &str,
    ) -> Result<(Vec<Self>, Vec<Error>), Error> {
        let (mut all, mut damaged) = (Vec::new(), Vec::new());
        for (path, _) in storage.list(folder).await?.into_iter().filter(|(path, _)| path.ends_with(EXTENSION)) {
            // Another run may have merged and deleted the file meanwhile.
            let Some((source, _)) = storage.open(&path).await? else { continue };
            match ParquetInput::open(storage.name(&path), source) {
                Ok(input) => {
                    let sections = input.state(location)?.sections;
                    all.push(Self { path, input, sections });
                }
                Err(damage) => damaged.push(damage),
            }
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
        let name = storage.name(&path);
        let content = |out: Out<'_>| {
            let mut file = ParquetFile::new(out, columns.schema(), [GROUP, ROW_GROUP])?;
            for (section, batches) in sections {
                file.begin(section, batches.iter().map(RecordBatch::num_rows).sum())?;
                batches.iter().try_for_each(|batch| file.write(batch))?;
                file.end()?;
            }
            file.finish(of_table)
        };
        let (sections, _) = storage.put(&path, None, content).await?;
        let source = storage.open(&path).await?.ok_or_else(|| Error::damaged(&name, "it was deleted"))?.0;
        Ok(Self { path, input: ParquetInput::open(name, source)?, sections })
    }
}

/// Returns the path of a new file after the last file. In object storage, two runs can write at the same time, so the name
/// also has the process and the time.
pub(crate) fn next_path(folder: &str, last: Option<&JournalFile>) -> String {
    let number = last.and_then(|last| last.path.rsplit('/').next()?.split('-').next()?.parse::<u64>().ok());
    let (next, now) =
        (number.map_or(0, |number| number + 1), Timestamp::now().abs_diff(Timestamp::from_unix_seconds(0)));
    format!("{folder}/{next:08}-{}-{:x}{EXTENSION}", std::process::id(), now.as_nanos())
}

/// The sections of a period, by series.
pub(crate) type Parts<'j> = BTreeMap<&'j str, Vec<Part<'j>>>;

/// Returns the sections that have rows, by the start of their period.
pub(crate) fn parts(journal: &[JournalFile], partition: Option<Partition>) -> BTreeMap<Timestamp, Parts<'_>> {
    let mut all: BTreeMap<_, Parts<'_>> = BTreeMap::new();
    for file in journal {
        let mut skip = 0;
        for section in &file.sections {
            if let Some(first) = section.rows.first {
                let of_period = all.entry(period(partition, first).start).or_default();
                of_period.entry(section.path.as_str()).or_default().push(Part { file, skip, section });
            }
            skip += section.count;
        }
    }
    all
}

impl Part<'_> {
    /// Reads the rows. The file is not opened before the first row is read, so that only one section is in memory.
    fn rows(self, columns: &Columns) -> Rows<'_> {
        match self.file.input.section(self.skip, self.section.count) {
            Ok(rows) => Box::new(rows.map(|batch| columns.batch(&batch?))),
            Err(error) => Box::new(std::iter::once(Err(error))),
        }
    }
}

/// Merges these sections of a series into rows in order of time. Of two rows of the same time, the one that was written
/// later is used.
pub(crate) fn rows<'j>(parts: &[Part<'j>], columns: &'j Columns) -> Result<Rows<'j>, Error> {
    // Sections that do not overlap form a layer, which is in order of time. A later layer replaces rows of the layers
    // before it.
    let mut layers: Vec<BTreeMap<Timestamp, (Timestamp, Part<'j>)>> = Vec::new();
    for part in parts {
        let Some((first, last)) = part.section.rows.first.zip(part.section.rows.last) else { continue };
        let is_free = |layer: &&mut BTreeMap<_, (Timestamp, Part<'j>)>| {
            layer.range(..=last).next_back().is_none_or(|(_, (other, _))| *other < first)
        };
        match layers.last_mut().filter(is_free) {
            Some(layer) => drop(layer.insert(first, (last, *part))),
            None => layers.push(BTreeMap::from([(first, (last, *part))])),
        }
    }
    let time = parts.first().map_or("", |part| &part.section.rows.time);
    let mut merged: Rows<'j> = Box::new(std::iter::empty());
    for layer in layers {
        let layer = layer.into_values().flat_map(|(_, part)| part.rows(columns));
        merged = Box::new(Merge::new(merged, Box::new(layer), time, None)?);
    }
    Ok(merged)
}
