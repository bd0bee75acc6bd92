//! Writes a data file again with the rows of the journal.
//!
//! Row groups whose rows do not change are copied without decoding them. All other rows are read once, in batches.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::Peekable;
use std::ops::Range;

use arrow_array::RecordBatch;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::statistics::Statistics;
use runtime::Timestamp;

use crate::columns::Columns;
use crate::error::Error;
use crate::journal::{self, JournalFile, Part};
use crate::merge_rows::{Changes, Merge, Rows};
use crate::parquet_file::{ParquetFile, ROW_GROUP};
use crate::parquet_input::{ParquetInput, group_ends, take};
use crate::saved_state::{Known, RowFacts, Section};
use crate::timestamps::timestamp;

/// The parts of the journal with new rows of a file, by series.
pub(crate) type Parts<'j> = BTreeMap<&'j str, Vec<Part>>;

/// The sources of a new file, and the file.
pub(crate) struct Rewrite<'r, 'o> {
    pub(crate) journal: &'r [JournalFile],
    pub(crate) parts: &'r Parts<'r>,
    pub(crate) columns: &'r Columns,
    /// Series that are omitted.
    pub(crate) removed: &'r BTreeSet<String>,
    pub(crate) known: &'r BTreeMap<String, Known>,
    pub(crate) file: ParquetFile<'o>,
    /// The changes of each series with new rows.
    pub(crate) changes: Vec<(String, Changes)>,
}

/// Row groups and sections that begin and end together.
struct Block {
    groups: Range<usize>,
    sections: Range<usize>,
}

/// The new series that are not written yet, in order.
type Pending<'r> = Peekable<std::collections::btree_map::Keys<'r, &'r str, Vec<Part>>>;

impl<'r> Rewrite<'r, '_> {
    /// Writes all sections, in the order of their paths.
    pub(crate) fn write(&mut self, old: Option<(&'r ParquetInput, &'r [Section])>) -> Result<(), Error> {
        let mut pending = self.parts.keys().peekable();
        if let Some((input, sections)) = old {
            for block in blocks(input.groups(), sections) {
                self.block(input, block.groups, sections.get(block.sections).unwrap_or_default(), &mut pending)?;
            }
        }
        self.before(None, &mut pending)
    }

    /// Writes the pending series that precede a series.
    fn before(&mut self, path: Option<&str>, pending: &mut Pending<'r>) -> Result<(), Error> {
        while let Some(new) = pending.next_if(|new| path.is_none_or(|path| **new < path)) {
            self.section(new, None, Box::new(std::iter::empty()))?;
        }
        Ok(())
    }

    /// Writes the sections of a block.
    fn block(
        &mut self,
        input: &'r ParquetInput,
        groups: Range<usize>,
        sections: &'r [Section],
        pending: &mut Pending<'r>,
    ) -> Result<(), Error> {
        let (Some(first), Some(last)) = (sections.first(), sections.last()) else { return Ok(()) };
        self.before(Some(&first.path), pending)?;
        let count = sections.iter().map(|section| section.count).sum::<usize>();
        let is_new = pending.peek().is_some_and(|path| **path <= last.path.as_str());
        let is_removed = sections.iter().any(|section| self.removed.contains(&section.path));
        let has_columns = input.schema() == self.columns.schema();
        // A small block is decoded, so that its series share a row group with new series.
        if has_columns && !is_new && !is_removed && count >= ROW_GROUP / 2 {
            groups.clone().try_for_each(|group| self.file.copy(input, group))?;
            self.file.sections.extend_from_slice(sections);
            return Ok(());
        }
        if let [section] = sections
            && has_columns
            && !is_removed
        {
            pending.next_if(|path| **path == section.path);
            return self.long_section(input, groups, section);
        }
        let (mut rows, mut rest) = (input.rows(groups, 0)?, None);
        for section in sections {
            self.before(Some(&section.path), pending)?;
            pending.next_if(|path| **path == section.path);
            let (mut left, columns) = (section.count, self.columns);
            let old = std::iter::from_fn(|| take(&mut rows, &mut rest, &mut left));
            let mut old: Rows<'_> = Box::new(old.map(|batch| columns.batch(&batch?)));
            if self.removed.contains(&section.path) {
                old.try_for_each(|batch| batch.map(drop))?;
            } else {
                self.section(&section.path, Some((&section.rows, section.count)), old)?;
            }
        }
        Ok(())
    }

    /// Writes a section that has row groups of its own, and copies the row groups before the first new row.
    fn long_section(&mut self, input: &ParquetInput, groups: Range<usize>, section: &Section) -> Result<(), Error> {
        let parts = self.parts.get(section.path.as_str()).map(Vec::as_slice).unwrap_or_default();
        let (more, first) = journal::size(self.journal, parts);
        let is_before = |group: &RowGroupMetaData| {
            newest(group, &section.rows.time).zip(first).is_some_and(|(newest, first)| newest < first)
        };
        let all = input.groups().get(groups.clone()).unwrap_or_default();
        let copied = all.iter().take_while(|group| is_before(group)).count();
        let (path, columns) = (&section.path, self.columns);
        if copied == 0 {
            let rows = input.rows(groups, 0)?.map(|batch| columns.batch(&batch?));
            return self.section(path, Some((&section.rows, section.count)), Box::new(rows));
        }
        let mut facts = section.rows.clone();
        let step = section.rows.step();
        if let Some((first, last)) = first.zip(section.rows.last.max(first)) {
            facts.remove(&(first.floor(step)..last + step));
        }
        (groups.start..groups.start + copied).try_for_each(|group| self.file.copy(input, group))?;
        self.file.begin(path, facts, section.count + more)?;
        let count = group_ends(all).get(copied - 1).copied().unwrap_or_default();
        self.file.sections.iter_mut().next_back().into_iter().for_each(|section| section.count = count);
        let rest = input.rows(groups.start + copied..groups.end, 0)?.map(|batch| columns.batch(&batch?));
        self.merge(path, &section.rows.time, Box::new(rest))
    }

    /// Writes a section with the existing and the new rows of a series.
    fn section(&mut self, path: &str, old: Option<(&RowFacts, usize)>, rows: Rows<'_>) -> Result<(), Error> {
        let parts = self.parts.get(path).map(Vec::as_slice).unwrap_or_default();
        let known = old.map(|(facts, _)| facts).or(journal::facts(self.journal, parts));
        let Some(RowFacts { time, step, .. }) = known else { return Ok(()) };
        let count = old.map_or(0, |(_, count)| count) + journal::size(self.journal, parts).0;
        self.file.begin(path, RowFacts::new(time, *step), count)?;
        self.merge(path, time, rows)
    }

    /// Merges the existing and the new rows of a series.
    fn merge(&mut self, path: &str, time: &str, old: Rows<'_>) -> Result<(), Error> {
        let parts = self.parts.get(path).map(Vec::as_slice).unwrap_or_default();
        let new = journal::rows(self.journal, parts, self.columns)?;
        let empty = RecordBatch::new_empty(self.columns.schema());
        let known = self.known.get(path).cloned().flatten();
        let mut merge = Merge::new([old, new], &empty, time, known)?;
        for batch in merge.by_ref() {
            self.file.write(&batch?)?;
        }
        if !parts.is_empty() {
            self.changes.push((path.to_owned(), merge.changes));
        }
        self.file.end()
    }
}

/// Divides a file at the ends of row groups that are ends of sections.
fn blocks(groups: &[RowGroupMetaData], sections: &[Section]) -> Vec<Block> {
    let (ends, mut all) = (group_ends(groups), Vec::new());
    let (mut group, mut first, mut rows) = (0, 0, 0);
    for (index, section) in sections.iter().enumerate() {
        rows += section.count;
        if let Ok(end) = ends.binary_search(&rows) {
            all.push(Block { groups: group..end + 1, sections: first..index + 1 });
            (group, first) = (end + 1, index + 1);
        }
    }
    all
}

/// Returns the newest time in a row group.
fn newest(group: &RowGroupMetaData, time: &str) -> Option<Timestamp> {
    let column = group.columns().iter().find(|column| column.column_path().string() == time)?;
    let Some(Statistics::Int64(times)) = column.statistics() else { return None };
    times.max_opt().copied().map(timestamp)
}
