//! Writes the rows of a series to a data file: its existing rows, and those of the journal.

use std::collections::BTreeMap;

use arrow_schema::SchemaRef;

use crate::changes::{Changes, SharedChanges};
use crate::cursor::{Cursor, Rows};
use crate::error::Failure;
use crate::journal::{self, JournalSection};
use crate::merge_rows::MergedRows;
use crate::merge_rules::{MergeRanges, MergeRules};
use crate::parquet_file::ParquetFile;
use crate::revisions::RevisionLog;
use crate::section::Section;

/// Writes series to a data file.
pub(crate) struct SeriesWriter<'r, 'o> {
    pub(crate) file: ParquetFile<'o>,
    pub(crate) columns: &'r SchemaRef,
    /// The ranges of each series, by its path.
    pub(crate) ranges: &'r BTreeMap<String, MergeRanges>,
    /// The values that are replaced.
    pub(crate) revisions: &'r RevisionLog,
    /// Whether the times of the file are stored as differences.
    pub(crate) has_small_times: bool,
}

impl SeriesWriter<'_, '_> {
    /// Writes at most `count` rows of the series of a section: existing ones, and those of the journal.
    pub(crate) fn merge(
        &mut self,
        section: &Section,
        count: usize,
        old: Rows<'_>,
        new_sections: &[JournalSection<'_>],
        changes: &SharedChanges,
    ) -> Result<(), Failure> {
        let mut section = section.emptied();
        if let Some(newest) = new_sections.last() {
            // The catalogue may have declared the key after the existing rows were written.
            section.row_facts.key.clone_from(&newest.section.row_facts.key);
        }
        self.file.begin_section(section.clone(), count)?;
        let rules = self.rules(&section);
        let mut rows = old;
        for layer in journal::layers(new_sections, self.columns) {
            rows = Box::new(MergedRows::new(rows, Cursor::new(layer)?, rules.clone(), changes.clone())?);
        }
        for batch in rows {
            self.file.write(&batch?)?;
        }
        Ok(())
    }

    /// The rules for the series of a section.
    pub(crate) fn rules(&self, section: &Section) -> MergeRules {
        let ranges = self.ranges.get(&section.path).cloned().unwrap_or_default();
        MergeRules::new(section, ranges, self.revisions.clone())
    }

    /// Notes what the new rows of a series have changed.
    pub(crate) fn note_changes(&mut self, changes: Changes) {
        if let Some(section) = self.file.sections.last_mut() {
            section.changes = Some(changes);
        }
    }
}
