//! The journal of a table: files with fetched rows that are not in the data files yet.
//!
//! A run adds a file for about every 65,536 rows, and for every minute. The files of a killed run remain, and the next
//! run continues with them.

use std::collections::{BTreeMap, BTreeSet};

use arrow_schema::SchemaRef;
use runtime::Timestamp;

use crate::columns::converted;
use crate::cursor::Rows;
use crate::data_set_paths::JOURNAL;
use crate::parquet_input::ParquetInput;
use crate::partition::{Partition, period};
use crate::section::Section;

/// A section of the journal that has rows.
#[derive(Clone, Copy)]
pub(crate) struct JournalSection<'j> {
    pub(crate) input: &'j ParquetInput,
    pub(crate) section: &'j Section,
}

/// A text that no other call returns, also of another run that writes to object storage at the same time: the time and
/// the process.
pub(crate) fn unique_id() -> String {
    let now = Timestamp::now().abs_diff(Timestamp::from_unix_seconds(0)).as_nanos();
    format!("{now:x}-{}", std::process::id())
}

/// The path of a new file after the last file. In object storage, two runs can write at the same time.
pub(crate) fn next_path(folder: &str, last: Option<&ParquetInput>) -> String {
    let number = match last.and_then(number_of) {
        Some(last) => last + 1,
        None => 0,
    };
    format!("{folder}/{number:08}-{}{JOURNAL}", unique_id())
}

/// The number in the name of a file.
fn number_of(file: &ParquetInput) -> Option<u64> {
    let name = file.path.rsplit('/').next()?;
    let (number, _) = name.split_once('-')?;
    number.parse().ok()
}

/// The sections of all files.
pub(crate) fn sections(journal: &[ParquetInput]) -> impl Iterator<Item = &Section> {
    journal.iter().flat_map(|file| &file.state.sections)
}

/// The sections of a period, by series.
pub(crate) type SectionsBySeries<'j> = BTreeMap<&'j str, Vec<JournalSection<'j>>>;

/// The sections that have rows, by the start of their period, without those of the series `removed`.
pub(crate) fn by_period<'j>(
    journal: &'j [ParquetInput],
    partition: Option<Partition>,
    removed: &BTreeSet<String>,
) -> BTreeMap<Timestamp, SectionsBySeries<'j>> {
    let mut all: BTreeMap<_, SectionsBySeries<'_>> = BTreeMap::new();
    for input in journal {
        for section in input.state.sections.iter().filter(|section| !removed.contains(&section.path)) {
            let Some(first) = section.row_facts.first else { continue };
            let of_period = all.entry(period(partition, first).start).or_default();
            of_period.entry(section.path.as_str()).or_default().push(JournalSection { input, section });
        }
    }
    all
}

impl JournalSection<'_> {
    /// Reads the rows. The file is not opened before the first row is read, so that only one section is in memory.
    pub(crate) fn rows(self, columns: &SchemaRef) -> Rows<'_> {
        match self.input.section(self.section) {
            Ok(rows) => Box::new(rows.map(|batch| converted(&batch?, columns))),
            Err(error) => Box::new(std::iter::once(Err(error))),
        }
    }
}

/// The rows of a series in layers, each in order of time. The rows of a layer were fetched after those of the layers
/// before it. Sections that follow each other in time are in one layer.
pub(crate) fn layers<'j>(sections: &'j [JournalSection<'j>], columns: &'j SchemaRef) -> Vec<Rows<'j>> {
    let mut layers: Vec<Rows<'j>> = Vec::new();
    for layer in sections.chunk_by(|one, next| one.section.row_facts.last < next.section.row_facts.first) {
        layers.push(Box::new(layer.iter().flat_map(|section| section.rows(columns))));
    }
    layers
}
