//! Merges the journal of a table into its data files, period by period.
//!
//! First every data file is written, then the state, and then the journal is deleted. If a run is killed in between,
//! the next run merges the same rows again, which changes nothing. Row groups whose rows do not change are copied
//! without decoding them. All other rows are read once, in batches.

use std::collections::{BTreeMap, BTreeSet, btree_map};
use std::iter::Peekable;
use std::ops::Range;

use arrow_schema::SchemaRef;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::statistics::Statistics;
use runtime::Timestamp;

use crate::columns::Columns;
use crate::error::{Error, Failure};
use crate::journal::{self, Part, Parts};
use crate::merge_rows::{Changes, Cursor, Merge, Rows};
use crate::parquet_file::{Out, ParquetFile, ROW_GROUP};
use crate::parquet_input::{ParquetInput, group_ends};
use crate::partition::period;
use crate::saved_state::{FileState, Known, Section, SeriesState, TableState};
use crate::table::Table;
use crate::text_file::TextState;
use crate::timestamps::timestamp;

/// A file that was written, and the changes of each series with new rows in it.
pub(crate) struct Written {
    pub(crate) file: String,
    pub(crate) changes: Vec<(String, Changes)>,
}

/// A new data file: its version, its sections, and its changes.
type Rewritten = (String, Vec<Section>, Written);

impl Table {
    /// Merges the journal into the data files, without the series `removed`, writes the text file, if there is one, and
    /// the state, and deletes the journal. Returns the written files, and whether the text file had been changed by
    /// something else.
    pub(crate) async fn commit(&mut self, removed: &BTreeSet<String>) -> Result<(Vec<Written>, bool), Error> {
        let text = self.text_state()?;
        let mut written = self.compact(removed).await?;
        let is_outdated = !written.is_empty() || !removed.is_empty() || text != TextState::Current;
        if is_outdated && let Some((name, format)) = self.place.text.clone() {
            self.state.text = None;
            self.save().await?;
            match self.input(&self.place.file(None, Timestamp::from_unix_seconds(0))).await? {
                Some(rows) => self.state.text = Some(self.write_text(format, &rows)?),
                None => self.storage.delete(&name).await?,
            }
            let changes = written.pop().map(|written| written.changes).unwrap_or_default();
            written.push(Written { file: self.storage.name(&name), changes });
        }
        if self.place.is_single && self.place.text.is_none() && !written.is_empty() {
            // A single Parquet file has the state in its metadata. The other state is deleted before the journal, because
            // without the journal it would count as newer.
            self.storage.delete(&self.place.state).await?;
            self.stored = (Some(self.state.clone()), None);
        } else {
            self.save().await?;
        }
        self.clear_journal().await?;
        Ok((written, text == TextState::Changed))
    }

    /// Merges the journal into the data files, without the series `removed`. If the job has columns that the files do
    /// not have, all files are written again.
    async fn compact(&mut self, removed: &BTreeSet<String>) -> Result<Vec<Written>, Error> {
        self.journal.iter().try_for_each(|file| file.input.verify())?;
        let (columns, partition) = (self.all_columns()?, self.state.partition);
        // The state with the journal becomes that of the files, but for its rows, which are those of the files.
        for (path, series) in std::mem::take(&mut self.pending) {
            let rows = self.state.series.get(&path).map_or_else(|| series.rows.emptied(), |known| known.rows.clone());
            self.state.series.insert(path, SeriesState { rows, ..series });
        }
        self.state.series.retain(|path, _| !removed.contains(path));
        let mut parts = journal::parts(&self.journal, partition);
        for parts in parts.values_mut() {
            parts.retain(|path, _| !removed.contains(*path));
        }
        let mut starts: BTreeSet<_> = parts.keys().copied().collect();
        if !removed.is_empty() || self.state.columns.as_ref().is_some_and(|known| !columns.are_of(known)) {
            let periods = self.state.files.keys().filter_map(|path| self.place.period_of(path));
            starts.extend(periods.map(|(_, range)| range.start));
        }
        self.state.columns = Some(columns.schema());
        let (mut all, none) = (Vec::new(), Parts::new());
        for start in starts {
            let (path, range) = (self.place.file(partition, start), period(partition, start));
            let parts = parts.get(&start).unwrap_or(&none);
            if let Some((version, sections, written)) = self.rewrite(&path, &range, parts, &columns, removed).await? {
                replace(&mut self.state, &range, &sections, &written.changes);
                self.state.files.insert(path, version);
                all.push(written);
            } else {
                self.storage.delete(&path).await?;
                self.state.files.remove(&path);
            }
        }
        self.state.columns.take_if(|_| self.state.files.is_empty());
        Ok(all)
    }

    /// Writes the file of a period again; returns `None` if it would have no series.
    async fn rewrite(
        &self,
        path: &str,
        range: &Range<Timestamp>,
        parts: &Parts<'_>,
        columns: &Columns,
        removed: &BTreeSet<String>,
    ) -> Result<Option<Rewritten>, Error> {
        let name = self.storage.name(path);
        let (source, version) = self.storage.open(path).await?.unzip();
        let old = source.map(|source| ParquetInput::open(name.clone(), source)).transpose()?;
        let sections = old.as_ref().map(|old| old.state(&name)).transpose()?.map_or(Vec::new(), |state| state.sections);
        if parts.is_empty() && sections.iter().all(|section| removed.contains(&section.path)) {
            return Ok(None);
        }
        old.as_ref().map_or(Ok(()), ParquetInput::verify)?;
        let content = |out: Out<'_>| {
            let file = ParquetFile::new(out, columns.schema(), [ROW_GROUP; 2])?;
            let mut rewrite = Rewrite::new(parts, columns, removed, &self.known, file);
            rewrite.write(old.as_ref().map(|old| (old, sections.as_slice())))?;
            let (changes, file) = (rewrite.changes, rewrite.file);
            let mut table = self.place.is_single.then(|| self.state.clone());
            if let Some(table) = &mut table {
                replace(table, range, &file.sections, &changes);
            }
            let of_table = FileState { origin: self.state.origin.clone(), table, ..FileState::default() };
            Ok((file.finish(of_table)?, changes))
        };
        let ((sections, changes), version) = self.storage.put(path, version.as_deref(), content).await?;
        Ok(Some((version, sections, Written { file: name, changes })))
    }

    /// Returns the columns of the files, of the journal, and of the job.
    fn all_columns(&self) -> Result<Columns, Error> {
        let journal = self.journal.iter().map(|file| file.input.schema());
        let files = self.state.columns.clone().into_iter();
        let sources: Vec<SchemaRef> = files.chain(journal).chain([self.columns.schema()]).collect();
        Columns::new(&sources).map_err(|why| Error::rebuild(self.place.location(&self.storage), why))
    }
}

/// Replaces the facts of a file by those of the new file, and counts the revised rows.
fn replace(state: &mut TableState, range: &Range<Timestamp>, sections: &[Section], changes: &[(String, Changes)]) {
    state.replace(range, sections);
    for (path, changes) in changes {
        state.series.get_mut(path).into_iter().for_each(|series| series.revised += changes.revised);
    }
}

/// The sources of a new file, and the file.
struct Rewrite<'r, 'o> {
    /// The new rows.
    parts: &'r Parts<'r>,
    /// The series with new rows that are not written yet, in order.
    left: Peekable<btree_map::Keys<'r, &'r str, Vec<Part<'r>>>>,
    columns: &'r Columns,
    /// Series that are omitted.
    removed: &'r BTreeSet<String>,
    known: &'r BTreeMap<String, Known>,
    file: ParquetFile<'o>,
    /// The changes of each series with new rows.
    changes: Vec<(String, Changes)>,
}

impl<'r, 'o> Rewrite<'r, 'o> {
    fn new(
        parts: &'r Parts<'r>,
        columns: &'r Columns,
        removed: &'r BTreeSet<String>,
        known: &'r BTreeMap<String, Known>,
        file: ParquetFile<'o>,
    ) -> Self {
        Self { parts, left: parts.keys().peekable(), columns, removed, known, file, changes: Vec::new() }
    }

    /// Writes all sections, in the order of their paths.
    fn write(&mut self, old: Option<(&ParquetInput, &[Section])>) -> Result<(), Failure> {
        if let Some((input, sections)) = old {
            let mut blocks = blocks(input.groups(), sections).into_iter();
            blocks.try_for_each(|(groups, sections)| self.block(input, groups, sections))?;
        }
        self.before(None)
    }

    /// Writes the new series that precede a series.
    fn before(&mut self, path: Option<&str>) -> Result<(), Failure> {
        while let Some(new) = self.left.next_if(|new| path.is_none_or(|path| **new < path)) {
            self.section(new, None, Box::new(std::iter::empty()))?;
        }
        Ok(())
    }

    /// Writes the sections of a block. Row groups before the first new or removed row are copied.
    fn block(&mut self, input: &ParquetInput, groups: Range<usize>, sections: &[Section]) -> Result<(), Failure> {
        let (Some(first), Some(last)) = (sections.first(), sections.last()) else { return Ok(()) };
        self.before(Some(&first.path))?;
        let count = sections.iter().map(|section| section.count).sum::<usize>();
        let is_new = self.left.peek().is_some_and(|path| **path <= last.path.as_str());
        let can_copy = self.columns.are_of(&input.schema())
            && !sections.iter().any(|section| self.removed.contains(&section.path));
        // A small block is decoded, so that its series share a row group with new series.
        if can_copy && !is_new && count >= ROW_GROUP / 2 {
            self.file.copy(input, groups)?;
            self.file.sections.extend_from_slice(sections);
            return Ok(());
        }
        let mut groups = groups;
        let mut copied = 0;
        if can_copy && sections.len() == 1 {
            let all = input.groups().get(groups.clone()).unwrap_or_default();
            let new = self.parts.get(first.path.as_str()).and_then(|parts| first_time(parts));
            let is_before = |group: &&RowGroupMetaData| {
                newest(group, &first.rows.time).zip(new).is_some_and(|(newest, new)| newest < new)
            };
            let unchanged = all.iter().take_while(is_before).count();
            copied = unchanged.checked_sub(1).and_then(|last| group_ends(all).get(last).copied()).unwrap_or_default();
            self.file.copy(input, groups.start..groups.start + unchanged)?;
            groups.start += unchanged;
        }
        let mut rows = Cursor::new(input.rows(groups)?)?;
        for section in sections {
            self.before(Some(&section.path))?;
            self.left.next_if(|path| **path == section.path);
            let columns = self.columns;
            let mut old = rows.part(section.count - copied).map(|batch| columns.batch(&batch?));
            if self.removed.contains(&section.path) {
                old.try_for_each(|batch| batch.map(drop))?;
            } else {
                self.section(&section.path, Some((section, copied)), Box::new(old))?;
            }
        }
        Ok(())
    }

    /// Writes a section with the existing and the new rows of a series. The first rows of an existing section may have
    /// been copied; `rows` are the others.
    fn section(&mut self, path: &str, old: Option<(&Section, usize)>, rows: Rows<'_>) -> Result<(), Failure> {
        let parts = self.parts.get(path).map(Vec::as_slice).unwrap_or_default();
        let Some(known) = old.map(|(section, _)| section).or(parts.first().map(|part| part.section)) else {
            return Ok(());
        };
        let mut section = Section { path: path.to_owned(), rows: known.rows.emptied(), ..Section::default() };
        if let Some((old, copied)) = old.filter(|(_, copied)| *copied > 0) {
            (section.rows, section.count) = (old.rows.clone(), copied);
            if let Some((first, last)) = first_time(parts).zip(old.rows.last.max(first_time(parts))) {
                section.rows.remove(&(first.floor(old.rows.step())..last + old.rows.step()));
            }
        }
        let count = parts.iter().map(|part| part.section.count).sum::<usize>();
        self.file.begin(section, count + old.map_or(0, |(section, _)| section.count))?;
        let new = journal::rows(parts, self.columns)?;
        let mut merge = Merge::new(rows, new, &known.rows.time, self.known.get(path).cloned().flatten())?;
        merge.by_ref().try_for_each(|batch| self.file.write(&batch?))?;
        if !parts.is_empty() {
            self.changes.push((path.to_owned(), merge.changes));
        }
        self.file.end()
    }
}

/// Returns the time of the first row of these parts of a series.
fn first_time(parts: &[Part<'_>]) -> Option<Timestamp> {
    parts.iter().filter_map(|part| part.section.rows.first).min()
}

/// Divides a file into blocks: row groups and sections that begin and end together.
fn blocks<'s>(groups: &[RowGroupMetaData], sections: &'s [Section]) -> Vec<(Range<usize>, &'s [Section])> {
    let (ends, mut all) = (group_ends(groups), Vec::new());
    let (mut group, mut first, mut rows) = (0, 0, 0);
    for (index, section) in sections.iter().enumerate() {
        rows += section.count;
        if let Ok(end) = ends.binary_search(&rows) {
            all.push((group..end + 1, sections.get(first..=index).unwrap_or_default()));
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
