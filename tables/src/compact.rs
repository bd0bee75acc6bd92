//! Merges the journal of a table into its data files, period by period.
//!
//! First every data file is written, then the state, and then the journal is deleted. If a run is killed in between,
//! the next run merges the same rows again, which changes nothing.

use std::collections::BTreeSet;
use std::ops::Range;

use arrow_schema::SchemaRef;
use runtime::Timestamp;

use crate::columns::Columns;
use crate::error::Error;
use crate::journal::{self, JournalFile};
use crate::merge_rows::Changes;
use crate::parquet_file::{Out, ParquetFile, ROW_GROUP};
use crate::parquet_input::ParquetInput;
use crate::place::period;
use crate::rewrite::{Parts, Rewrite};
use crate::saved_state::{FileState, VERSION};
use crate::table::Table;
use crate::text_file::{TextFile, TextState};

/// A file that was written, and the changes of each series with new rows in it.
pub(crate) struct Written {
    pub(crate) file: String,
    pub(crate) changes: Vec<(String, Changes)>,
}

impl Table {
    /// Merges the journal into the data files, writes the text file, if there is one, and the state, and deletes the
    /// journal. Returns the written files, and whether the text file had been changed by something else.
    pub(crate) async fn commit(
        &mut self,
        schema: Option<SchemaRef>,
        removed: &BTreeSet<String>,
    ) -> Result<(Vec<Written>, bool), Error> {
        let text = TextFile::of(self);
        let text_state = text.as_ref().map_or(Ok(TextState::Current), |text| text.state(self))?;
        let mut written = self.compact(schema, removed).await?;
        let is_outdated = !written.is_empty() || !removed.is_empty() || text_state != TextState::Current;
        if let Some(text) = text.filter(|_| is_outdated) {
            self.set_text(None);
            self.save().await?;
            match self.input(&self.place.only_file()).await? {
                Some(rows) => {
                    rows.verify()?;
                    self.set_text(Some(text.write(&rows)?));
                }
                None => self.storage.delete(self.place.text().map_or("", |(name, _)| name)).await?,
            }
            let changes = written.pop().map(|written| written.changes).unwrap_or_default();
            written.push(Written { file: text.path.display().to_string(), changes });
        }
        // A single Parquet file has the state in its metadata.
        if self.place.is_single() && self.place.text().is_none() && !written.is_empty() {
            self.clear_journal().await?;
            self.storage.delete(&self.place.state()).await?;
            self.stored = (Some(self.base.clone()), None);
            return Ok((written, false));
        }
        self.save().await?;
        self.clear_journal().await?;
        Ok((written, text_state == TextState::Changed))
    }

    fn set_text(&mut self, checksum: Option<String>) {
        self.state.text.clone_from(&checksum);
        self.base.text = checksum;
    }

    /// Merges the journal into the data files, without the series `removed`. If `schema` has columns that the files do
    /// not have, all files are written again.
    async fn compact(&mut self, schema: Option<SchemaRef>, removed: &BTreeSet<String>) -> Result<Vec<Written>, Error> {
        let columns = self.columns(schema)?;
        let (journal, partition) = (std::mem::take(&mut self.journal), self.base.partition);
        let mut parts = journal::parts(&journal, |time| period(partition, time));
        for parts in parts.values_mut() {
            parts.retain(|path, _| !removed.contains(*path));
        }
        let mut starts: BTreeSet<_> = parts.keys().copied().collect();
        self.state.set_schema(&columns.schema());
        if self.base.columns != self.state.columns || !removed.is_empty() {
            let files = self.base.files.keys().filter_map(|path| self.place.period_of(path));
            starts.extend(files.map(|(_, range)| range.start));
        }
        self.base.series.retain(|path, _| !removed.contains(path));
        self.state.series.retain(|path, _| !removed.contains(path));
        let (mut written, none) = (Ok(Vec::new()), Parts::new());
        for start in starts {
            let sources = (journal.as_slice(), parts.get(&start).unwrap_or(&none));
            match (self.rewrite(&period(partition, start), sources, &columns, removed).await, &mut written) {
                (Ok(file), Ok(written)) => written.extend(file),
                (Err(error), _) => written = Err(error),
                _ => break,
            }
        }
        drop(parts);
        self.journal = journal;
        let written = written?;
        // The state with the journal is now that of the files.
        for (path, series) in &mut self.state.series {
            series.rows = self.base.series.get(path).map_or_else(|| series.rows.clone(), |base| base.rows.clone());
        }
        self.state.files.clone_from(&self.base.files);
        if self.state.files.is_empty() {
            self.state.columns.clear();
        }
        self.base = self.state.clone();
        Ok(written)
    }

    /// Writes the file of a period again; `None` if the file is not needed.
    async fn rewrite(
        &mut self,
        range: &Range<Timestamp>,
        (journal, parts): (&[JournalFile], &Parts<'_>),
        columns: &Columns,
        removed: &BTreeSet<String>,
    ) -> Result<Option<Written>, Error> {
        let path = self.place.file(self.base.partition, range.start);
        let name = self.storage.name(&path);
        let opened = self.storage.open(&path).await?;
        let (source, version) = opened.map_or((None, None), |(source, version)| (Some(source), Some(version)));
        let old = source.map(|source| ParquetInput::open(name.clone(), source)).transpose()?;
        let sections = old.as_ref().map(|old| old.state(&name)).transpose()?.map_or(Vec::new(), |state| state.sections);
        if parts.is_empty() && sections.iter().all(|section| removed.contains(&section.path)) {
            self.storage.delete(&path).await?;
            self.base.files.remove(&path);
            return Ok(None);
        }
        old.as_ref().map_or(Ok(()), ParquetInput::verify)?;
        let (known, place, state) = (&self.known, &self.place, &self.state);
        let (mut changes, mut new) = (Vec::new(), Vec::new());
        let content = |out: Out<'_>| {
            let file = ParquetFile::new(name.clone(), out, columns.schema(), [ROW_GROUP; 2])?;
            let mut rewrite = Rewrite { journal, parts, columns, removed, known, file, changes: Vec::new() };
            rewrite.write(old.as_ref().map(|old| (old, sections.as_slice())))?;
            (changes, new) = (rewrite.changes, rewrite.file.sections.clone());
            let mut table = place.is_single().then(|| state.clone());
            if let Some(table) = &mut table {
                table.replace(range, &new);
            }
            let (origin, sections) = (state.origin.clone(), new.clone());
            rewrite.file.finish(&FileState { version: VERSION, origin, sections, table })
        };
        let version = self.storage.put(&path, version.as_deref(), content).await?;
        self.base.replace(range, &new);
        self.base.files.insert(path, version);
        Ok(Some(Written { file: name, changes }))
    }

    /// Returns the columns of the files, of the journal, and of `schema`.
    fn columns(&self, schema: Option<SchemaRef>) -> Result<Columns, Error> {
        let journal = self.journal.iter().map(|file| file.input.schema());
        let sources: Vec<_> = self.base.schema().into_iter().chain(journal).chain(schema).collect();
        Columns::new(&sources).map_err(|why| Error::rebuild(self.place.location(&self.storage), why))
    }
}
