//! The journal of a table: files with fetched rows that are not in the data files yet.
//!
//! A run adds a file for about every 50,000 rows, and for every minute. The files of a killed run remain, and the next
//! run continues with them.

use std::collections::BTreeMap;
use std::ops::Range;

use arrow_array::RecordBatch;
use runtime::Timestamp;

use crate::columns::Columns;
use crate::error::Error;
use crate::file_storage::FileStorage;
use crate::merge_rows::{Merge, Rows};
use crate::parquet_file::{ParquetFile, ROW_GROUP};
use crate::parquet_input::ParquetInput;
use crate::saved_state::{self, FileState, RowFacts, Section};

/// The extension of the files, which no reader takes for data.
pub(crate) const EXTENSION: &str = ".rows";

/// Number of rows after which a row group of several sections ends, so that a short section is found quickly.
const GROUP: usize = 1024;

/// A file of the journal.
pub(crate) struct JournalFile {
    pub(crate) path: String,
    pub(crate) input: ParquetInput,
    pub(crate) sections: Vec<Section>,
}

/// A section of the journal: the index of its file, and its first row and its index in that file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    file: usize,
    skip: usize,
    section: usize,
}

impl JournalFile {
    /// Opens the files of a folder, in the order in which they were written.
    pub(crate) async fn open_all(storage: &FileStorage, folder: &str, location: &str) -> Result<Vec<Self>, Error> {
        let mut all = Vec::new();
        for (path, _) in storage.list(folder).await?.into_iter().filter(|(path, _)| path.ends_with(EXTENSION)) {
            // Another run may have merged and deleted the file meanwhile.
            let Some((source, _)) = storage.open(&path).await? else { continue };
            let input = ParquetInput::open(storage.name(&path), source)?;
            let sections = input.state(location)?.sections;
            all.push(Self { path, input, sections });
        }
        Ok(all)
    }

    /// Writes a file. Each section has rows in order of time, or none.
    pub(crate) async fn write(
        storage: &FileStorage,
        path: String,
        columns: &Columns,
        origin: &str,
        sections: Vec<(Section, Vec<RecordBatch>)>,
    ) -> Result<Self, Error> {
        let name = storage.name(&path);
        let mut written = Vec::new();
        let content = |out: crate::parquet_file::Out<'_>| {
            let mut file = ParquetFile::new(name.clone(), out, columns.schema(), [GROUP, ROW_GROUP])?;
            for (section, batches) in sections {
                file.begin(&section.path, section.rows, batches.iter().map(RecordBatch::num_rows).sum())?;
                batches.iter().try_for_each(|batch| file.write(batch))?;
                file.end()?;
                if let Some(last) = file.sections.last_mut() {
                    last.fetched = section.fetched;
                }
            }
            written.clone_from(&file.sections);
            let (version, sections) = (saved_state::VERSION, written.clone());
            file.finish(&FileState { version, origin: origin.to_owned(), sections, table: None })
        };
        storage.put(&path, None, content).await?;
        let source = storage.open(&path).await?.ok_or_else(|| Error::damaged(&name, "it was deleted"))?.0;
        Ok(Self { path, input: ParquetInput::open(name, source)?, sections: written })
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

/// Returns the sections that have rows, by the start of a period, which `period` returns for a time, and by series.
pub(crate) fn parts(
    journal: &[JournalFile],
    period: impl Fn(Timestamp) -> Range<Timestamp>,
) -> BTreeMap<Timestamp, BTreeMap<&str, Vec<Part>>> {
    let mut all: BTreeMap<_, BTreeMap<_, Vec<_>>> = BTreeMap::new();
    for (file, JournalFile { sections, .. }) in journal.iter().enumerate() {
        let mut skip = 0;
        for (section, Section { path, count, rows, .. }) in sections.iter().enumerate() {
            if let Some(first) = rows.first {
                let of_period = all.entry(period(first).start).or_default();
                of_period.entry(path.as_str()).or_default().push(Part { file, skip, section });
            }
            skip += count;
        }
    }
    all
}

/// Returns the number of rows and the time of the first row of these sections of a series.
pub(crate) fn size(journal: &[JournalFile], parts: &[Part]) -> (usize, Option<Timestamp>) {
    let sections = || parts.iter().filter_map(|part| journal.get(part.file)?.sections.get(part.section));
    (sections().map(|section| section.count).sum(), sections().filter_map(|section| section.rows.first).min())
}

/// Returns the facts of one of these sections of a series.
pub(crate) fn facts<'j>(journal: &'j [JournalFile], parts: &[Part]) -> Option<&'j RowFacts> {
    parts.first().and_then(|part| journal.get(part.file)?.sections.get(part.section)).map(|section| &section.rows)
}

/// Merges these sections of a series into rows in order of time. Of two rows of the same time, the one that was written
/// later is used.
pub(crate) fn rows<'j>(journal: &'j [JournalFile], parts: &[Part], columns: &'j Columns) -> Result<Rows<'j>, Error> {
    // Sections that do not overlap form a layer, which is in order of time. A later layer replaces rows of the layers
    // before it.
    let mut layers: Vec<BTreeMap<Timestamp, (Timestamp, Part)>> = Vec::new();
    let mut time = "";
    for part in parts {
        let Some(section) = journal.get(part.file).and_then(|file| file.sections.get(part.section)) else { continue };
        let Some((first, last)) = section.rows.first.zip(section.rows.last) else { continue };
        time = &section.rows.time;
        let is_free = |layer: &&mut BTreeMap<_, (Timestamp, Part)>| {
            layer.range(..=last).next_back().is_none_or(|(_, (other, _))| *other < first)
        };
        match layers.last_mut().filter(is_free) {
            Some(layer) => drop(layer.insert(first, (last, *part))),
            None => layers.push(BTreeMap::from([(first, (last, *part))])),
        }
    }
    let empty = RecordBatch::new_empty(columns.schema());
    let mut merged: Rows<'j> = Box::new(std::iter::empty());
    for layer in layers {
        // A file is not opened before its section is read, so that only one section is in memory.
        let section = move |(_, part): (_, Part)| -> Rows<'j> {
            let Some(file) = journal.get(part.file) else { return Box::new(std::iter::empty()) };
            let count = file.sections.get(part.section).map_or(0, |section| section.count);
            match file.input.section(part.skip, count) {
                Ok(rows) => Box::new(rows.map(|batch| columns.batch(&batch?))),
                Err(error) => Box::new(std::iter::once(Err(error))),
            }
        };
        let layer: Rows<'j> = Box::new(layer.into_values().flat_map(section));
        merged = Box::new(Merge::new([merged, layer], &empty, time, None)?);
    }
    Ok(merged)
}
