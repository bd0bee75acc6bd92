//! Merges the journal of a table into its data files, period by period.
//!
//! First every data file is written, then the state, and then the journal is deleted. If a run is killed in between,
//! the next run merges the same rows again, which changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use arrow_schema::SchemaRef;
use runtime::Timestamp;

use crate::column_storage::{DataStorage, Purpose};
use crate::columns::are_same;
use crate::damage::Damage;
use crate::error::{Error, quoted};
use crate::file_rewrite::{FileRewrite, first_rows, has_shared_row_groups};
use crate::file_state::FileState;
use crate::journal::{self, SectionsBySeries};
use crate::merge_rules::MergeRanges;
use crate::parquet_file::{ParquetFile, RowGroupSizes};
use crate::parquet_input::ParquetInput;
use crate::partition::period;
use crate::revisions::{GenerationChange, RevisionLog};
use crate::section::Section;
use crate::series_writer::SeriesWriter;
use crate::table::Table;
use crate::table_state::TableState;
use crate::text_file::TextState;
use crate::unsent_fields::CatalogueFields;

/// A file that was written, as a user sees it: its name, and the sections of its rows.
pub(crate) struct WrittenFile {
    pub(crate) file: String,
    pub(crate) sections: Vec<Section>,
}

/// The new data file of a period.
struct RewrittenFile {
    sections: Vec<Section>,
    version: String,
    /// Whether rows were replaced, whose earlier values are kept.
    has_replaced: bool,
}

/// What a merge of the journal has written.
#[derive(Default)]
pub(crate) struct MergedJournal {
    pub(crate) files: Vec<WrittenFile>,
    /// `true` if the text file was missing.
    pub(crate) is_text_restored: bool,
}

/// What the file of a period is written from, in addition to its existing rows.
#[derive(Clone, Copy)]
struct NewContent<'c> {
    sections: &'c SectionsBySeries<'c>,
    columns: &'c SchemaRef,
    /// Series that are omitted.
    removed: &'c BTreeSet<String>,
    /// The ranges of each series, by its path.
    ranges: &'c BTreeMap<String, MergeRanges>,
    catalogue: &'c CatalogueFields,
}

impl Table {
    /// Merges the journal into the data files, as [`Self::merge_journal_once`] does. If a file is damaged, repairs it and
    /// begins again or, if the table must not be repaired, notes the damage in the state and keeps the journal. A table
    /// that is known to be damaged is not changed.
    pub(crate) async fn merge_journal(&mut self, removed: &BTreeSet<String>) -> Result<MergedJournal, Error> {
        if !self.damaged.is_empty() {
            return Ok(MergedJournal::default());
        }
        loop {
            // The rows of the journal are not in the files yet, so the state does not list them.
            let before = self.state.clone();
            let merged = self.merge_journal_once(removed).await;
            let Err(Error::Damaged { path: name, why }) = merged else { return merged };
            self.state = before;
            self.note_damage(name.clone(), why.clone());
            if self.damaged.is_empty() {
                return Err(Error::damaged(name, why));
            }
            if !self.is_repaired {
                self.save().await?;
                return Ok(MergedJournal::default());
            }
            let messages = self.repair().await?;
            self.repairs.extend(messages);
        }
    }

    /// Notes that a file is damaged, also in the state, so that the next run compares its checksums.
    pub(crate) fn note_damage(&mut self, name: String, why: String) {
        let Some(path) = self.path_named(&name) else { return };
        if let Some(version) = self.state.files.get_mut(&path) {
            version.clear();
        }
        self.damaged.push(Damage { path, name, why });
    }

    /// The path of the data file or the file of the journal that has this name in messages.
    fn path_named(&self, name: &str) -> Option<String> {
        for path in self.state.files.keys() {
            if self.place.name(path) == name {
                return Some(path.clone());
            }
        }
        for file in &self.journal {
            if self.place.name(&file.path) == name {
                return Some(file.path.clone());
            }
        }
        None
    }

    /// Merges the journal into the data files, without the series `removed`, writes the text file, if there is one, and
    /// the state, and deletes the journal.
    async fn merge_journal_once(&mut self, removed: &BTreeSet<String>) -> Result<MergedJournal, Error> {
        let text = self.text_state()?;
        let mut files = self.write_data_files(removed).await?;
        let is_outdated = !files.is_empty() || text != TextState::Current;
        if is_outdated && let Some((name, format)) = self.place.text.clone() {
            if text == TextState::Changed {
                self.keep_edit(&name).await?;
            }
            self.state.text = None;
            self.save().await?;
            match ParquetInput::find(&self.place.storage, &self.place.data, true).await? {
                Some(rows) => self.state.text = Some(self.write_text(&name, format, &rows).await?),
                None => self.place.storage.delete(&name).await?,
            }
            // A user sees the text file, and not the file with its rows.
            let sections = match files.pop() {
                Some(rows) => rows.sections,
                None => Vec::new(),
            };
            files.push(WrittenFile { file: self.place.name(&name), sections });
        }
        self.save().await?;
        self.delete_journal().await?;
        Ok(MergedJournal { files, is_text_restored: text == TextState::Missing })
    }

    /// Moves a text file aside that something else has changed, and adds a message about it to the list of repairs.
    async fn keep_edit(&mut self, text: &str) -> Result<(), Error> {
        if let Some(kept) = self.move_text_aside("changed").await? {
            let [file, kept] = [self.place.name(text), kept].map(quoted);
            self.repairs.push(format!("{file}: changed since a backfill wrote it; moved to {kept}"));
        }
        Ok(())
    }

    /// Writes the data file of each period of the journal, without the series `removed`. If the job has columns that the
    /// files do not have, all files are written again.
    async fn write_data_files(&mut self, removed: &BTreeSet<String>) -> Result<Vec<WrittenFile>, Error> {
        for file in &self.journal {
            file.verify()?;
        }
        let columns = self.columns.clone();
        let partition = self.state.partition;
        self.take_fetched_ranges(removed);
        let mut periods = journal::by_period(&self.journal, partition, removed);
        if !removed.is_empty() || self.has_other_columns(&columns) {
            for start in self.periods() {
                periods.entry(start).or_default();
            }
        }
        self.state.columns = Some(columns.clone());
        let ranges = self.merge_ranges();
        let catalogue = CatalogueFields::of(&self.series);
        let now = Timestamp::now();
        let mut all = Vec::new();
        for (start, sections) in periods {
            let path = self.place.file(partition, start);
            let range = period(partition, start);
            let new =
                NewContent { sections: &sections, columns: &columns, removed, ranges: &ranges, catalogue: &catalogue };
            let RewrittenFile { sections, version, has_replaced } =
                self.write_data_file(&path, &range, new, now).await?;
            self.has_revisions |= has_replaced;
            self.state.revisions.has_file |= has_replaced;
            self.state.replace_row_facts(&range, &sections);
            self.noticed_missing.extend(self.state.note_missing_fields(&sections, &self.earlier, now));
            self.noticed_unsent.extend(self.state.note_unsent_fields(&sections, &catalogue, &self.earlier, now));
            self.state.note_values(&self.series);
            let storage = &self.place.storage;
            let file = storage.name(&path);
            if sections.is_empty() && storage.local().is_some() {
                storage.delete(&path).await?;
                self.state.files.remove(&path);
            } else {
                // Object storage cannot delete only the version that was read, so an empty file remains.
                self.state.files.insert(path, version);
            }
            all.push(WrittenFile { file, sections });
        }
        self.state.columns.take_if(|_| self.state.files.is_empty());
        Ok(all)
    }

    /// `true` if the files have other columns than these.
    fn has_other_columns(&self, columns: &SchemaRef) -> bool {
        match &self.state.columns {
            Some(known) => !are_same(columns, known),
            None => false,
        }
    }

    /// The starts of the periods of all data files.
    fn periods(&self) -> Vec<Timestamp> {
        let mut starts = Vec::new();
        for path in self.state.files.keys() {
            if let Some((_, range)) = self.place.period_of(path) {
                starts.push(range.start);
            }
        }
        starts
    }

    /// Adds the fetched ranges of the journal to the state of each series, and removes the series `removed`.
    fn take_fetched_ranges(&mut self, removed: &BTreeSet<String>) {
        let mut series = BTreeMap::new();
        for (path, known) in self.states_with_journal() {
            if !removed.contains(&path) {
                series.insert(path, known.state);
            }
        }
        self.state.series = series;
        for section in journal::sections(&self.journal) {
            let present = &section.row_facts.present;
            // Of the sections of one response, only the first has the fetched range.
            if self.state.marks.has_lost(&section.path, present) {
                // The rows that are fetched again do not show what was known before the loss.
                self.state.revisions.since = Some(Timestamp::now());
            }
            if !section.row_facts.interval.has_steps() {
                let fetched = section.fetched.intersection(present);
                self.state.marks.note_fetched(&section.path, &fetched);
            }
        }
        for path in removed {
            self.state.marks.remove_series(path);
        }
    }

    /// Writes the last data file again, so that its metadata lists the retired series. Without a data file, only the
    /// state lists them.
    pub(crate) async fn write_retired(&mut self) -> Result<(), Error> {
        let Some(path) = self.state.files.keys().next_back().cloned() else { return self.save().await };
        let Some((_, range)) = self.place.period_of(&path) else { return self.save().await };
        let columns = self.state.columns.clone().unwrap_or_else(|| self.columns.clone());
        let unchanged = NewContent {
            sections: &SectionsBySeries::new(),
            columns: &columns,
            removed: &BTreeSet::new(),
            ranges: &BTreeMap::new(),
            catalogue: &CatalogueFields::default(),
        };
        let rewritten = self.write_data_file(&path, &range, unchanged, Timestamp::now()).await?;
        self.state.files.insert(path, rewritten.version);
        self.save().await
    }

    /// The state with the sections of a new file, which the file of a table with one file has; otherwise `None`.
    fn state_with(
        &self,
        range: &Range<Timestamp>,
        sections: &[Section],
        catalogue: &CatalogueFields,
        now: Timestamp,
    ) -> Option<TableState> {
        if !self.place.is_single {
            return None;
        }
        let mut table = self.state.clone();
        table.replace_row_facts(range, sections);
        table.note_missing_fields(sections, &self.earlier, now);
        table.note_unsent_fields(sections, catalogue, &self.earlier, now);
        table.note_values(&self.series);
        Some(table)
    }

    /// The ranges of each series that its merge needs, by its path.
    fn merge_ranges(&self) -> BTreeMap<String, MergeRanges> {
        let mut all: BTreeMap<String, MergeRanges> = BTreeMap::new();
        for (path, extent) in &self.earlier.extents {
            all.entry(path.clone()).or_default().existing.clone_from(extent);
        }
        for section in journal::sections(&self.journal) {
            all.entry(section.path.clone()).or_default().fetched.extend(&section.fetched);
        }
        for (path, ranges) in &mut all {
            ranges.lost = self.state.marks.counted(path);
        }
        all
    }

    /// Writes the data file of a period, with its existing rows and those of the journal, and the earlier values of its
    /// rows.
    async fn write_data_file(
        &self,
        path: &str,
        range: &Range<Timestamp>,
        new: NewContent<'_>,
        now: Timestamp,
    ) -> Result<RewrittenFile, Error> {
        let NewContent { sections: new_sections, columns, removed, ranges, catalogue } = new;
        let old = ParquetInput::find(&self.place.storage, path, true).await?;
        let mut version = None;
        let mut generation = None;
        if let Some(old) = &old {
            old.verify()?;
            version = Some(old.version.clone());
            generation.clone_from(&old.state.generation);
        }
        let next_generation = journal::unique_id();
        let revisions = RevisionLog::of_merge(GenerationChange::new(generation.as_deref(), &next_generation));
        let first = first_rows(old.as_ref(), new_sections, columns)?;
        let layout = DataStorage {
            first: first.as_ref(),
            has_small_times: self.has_small_times,
            has_shared_times: has_shared_row_groups(old.as_ref(), new_sections),
        };
        let storage = &self.place.storage;
        let (sections, file) = storage.prepare(path, |out| {
            let file = ParquetFile::new(out, columns.clone(), RowGroupSizes::DATA, Purpose::Data(layout))?;
            let writer =
                SeriesWriter { file, columns, ranges, revisions: &revisions, has_small_times: self.has_small_times };
            let mut new = FileRewrite { writer, new_sections: new_sections.iter().peekable(), removed };
            new.write_sections(old.as_ref())?;
            // Windows cannot replace a file that is open.
            drop(old);
            let mut table = self.state_with(range, &new.writer.file.sections, catalogue, now);
            if let Some(table) = &mut table {
                table.revisions.has_file |= !revisions.is_empty();
            }
            let generation = match generation {
                Some(generation) if revisions.is_empty() => generation,
                _ => next_generation,
            };
            new.writer.file.finish(FileState {
                generation: Some(generation),
                table,
                ..FileState::of_table(&self.state)
            })
        })?;
        // A run that is killed after the file is visible cannot know its earlier values.
        let has_replaced = !revisions.is_empty();
        revisions.append(storage, &self.place.revisions()).await?;
        let version = storage.finish(file, version.as_deref()).await?;
        Ok(RewrittenFile { sections, version, has_replaced })
    }
}
