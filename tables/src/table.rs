//! An open table: its state, its data files, and its journal.
//!
//! The stored state describes the data files. In memory, there is also the state that it will have after the journal has
//! been merged into the data files.

use std::collections::BTreeMap;
use std::time::Duration;

use arrow_array::RecordBatch;

use crate::columns::Columns;
use crate::error::Error;
use crate::file_storage::FileStorage;
use crate::journal::{self, JournalFile};
use crate::parquet_input::{ParquetInput, take};
use crate::partition::{MAX_ROWS, Partition};
use crate::place::{Place, not_a_part};
use crate::saved_state::{self, Fetched, Known, RowFacts, Section, SeriesState, TableState, VERSION};

/// Maximum number of stored checksums of dropped records per series. Every later run reports the dropped records beyond
/// this number again.
const MAX_DROPPED: usize = 1000;

pub(crate) struct Table {
    pub(crate) storage: FileStorage,
    pub(crate) place: Place,
    /// The state with the rows of the journal.
    pub(crate) state: TableState,
    /// The state without the rows of the journal.
    pub(crate) base: TableState,
    /// The state in the storage, and the version of its file.
    pub(crate) stored: (Option<TableState>, Option<String>),
    pub(crate) journal: Vec<JournalFile>,
    /// What the journal has of each series.
    fetched: BTreeMap<String, Fetched>,
    /// The range of the records of each series when the table was opened, without the journal.
    pub(crate) known: BTreeMap<String, Known>,
    /// Data files that the state lists and that do not exist.
    pub(crate) lost: Vec<String>,
    /// Whether a data file is not the one that the state describes.
    pub(crate) has_changed: bool,
}

impl Table {
    /// Opens a table, which need not exist yet.
    pub(crate) async fn open(storage: &FileStorage, place: Place) -> Result<Self, Error> {
        let location = place.location(storage);
        let stored = storage.find(&place.state()).await?;
        let (text, version) = stored.map_or((None, None), |(text, version)| (Some(text), Some(version)));
        let parsed = text.map(|text| saved_state::parse::<TableState>(&text)).transpose();
        let stored = parsed.map_err(|why| Error::rebuild(&location, why))?;
        let base = stored.clone().unwrap_or(TableState { version: VERSION, ..TableState::default() });
        let journal = JournalFile::open_all(storage, &place.journal(), &location).await?;
        let mut this = Self {
            storage: storage.clone(),
            place,
            state: TableState::default(),
            base,
            stored: (stored, version),
            journal: Vec::new(),
            fetched: BTreeMap::new(),
            known: BTreeMap::new(),
            lost: Vec::new(),
            has_changed: false,
        };
        this.compare(&location).await?;
        if let Some(file) = journal.first().filter(|_| this.base.origin.is_empty()) {
            this.base.origin.clone_from(&file.input.state(&location)?.origin);
        }
        this.known = this.base.series.iter().map(|(path, series)| (path.clone(), series.rows.known())).collect();
        this.state = this.base.clone();
        for file in journal {
            this.replay(&file.sections);
            this.journal.push(file);
        }
        Ok(this)
    }

    /// Adapts the state to the data files, which may have been replaced or removed.
    async fn compare(&mut self, location: &str) -> Result<(), Error> {
        let found = self.place.files(&self.storage).await?;
        let is_lost = |path: &&String| found.iter().all(|(known, _)| known != *path);
        self.lost = self.base.files.keys().filter(is_lost).cloned().collect();
        for path in self.lost.clone() {
            self.base.files.remove(&path);
            self.place.period_of(&path).into_iter().for_each(|(_, range)| self.base.replace(&range, &[]));
        }
        for (path, version) in found {
            let Some((partition, range)) = self.place.period_of(&path) else { continue };
            if self.base.files.is_empty() && self.stored.0.is_none() {
                self.base.partition = partition;
            }
            if partition != self.base.partition {
                return Err(not_a_part(&self.storage, &path));
            }
            if self.base.files.get(&path) == Some(&version) {
                continue;
            }
            let Some(input) = self.input(&path).await? else { continue };
            let state = input.state(location)?;
            // The file of a table with one file also has the state, so that the file can be moved.
            if let Some(table) = state.table.filter(|_| self.stored.0.is_none()) {
                self.base = table;
            } else {
                self.base.replace(&range, &state.sections);
                self.has_changed = true;
            }
            if self.base.origin.is_empty() {
                self.base.origin = state.origin;
            }
            self.base.set_schema(&input.schema());
            self.base.files.insert(path, version);
        }
        self.has_changed |= !self.lost.is_empty();
        Ok(())
    }

    /// Opens a data file, if it exists.
    pub(crate) async fn input(&self, path: &str) -> Result<Option<ParquetInput>, Error> {
        let Some((source, _)) = self.storage.open(path).await? else { return Ok(None) };
        ParquetInput::open(self.storage.name(path), source).map(Some)
    }

    /// Compares the checksums of a data file, and its rows with the facts in its metadata.
    pub(crate) async fn verify(&self, path: &str) -> Result<(), Error> {
        let Some(input) = self.input(path).await? else { return Ok(()) };
        input.verify()?;
        let (schema, mut rows, mut rest) = (input.schema(), input.rows(0..input.groups().len(), 0)?, None);
        for section in input.state(&input.name)?.sections {
            let (mut found, mut left) = (RowFacts::new(&section.rows.time, section.rows.step), section.count);
            while let Some(batch) = take(&mut rows, &mut rest, &mut left) {
                found.add(&batch?, &schema)?;
            }
            if found != section.rows {
                return Err(Error::damaged(&input.name, format!("its rows of {} are not as listed", section.path)));
            }
        }
        Ok(())
    }

    /// Adds the rows and the fetched ranges of a journal file to the state.
    fn replay(&mut self, sections: &[Section]) {
        for Section { path, rows, fetched, .. } in sections {
            let empty = || SeriesState { rows: RowFacts::new(&rows.time, rows.step), ..SeriesState::default() };
            let series = self.state.series.entry(path.clone()).or_insert_with(empty);
            series.rows.add_all(rows);
            let Some(fetched) = fetched else { continue };
            fetched.ranges.ranges().iter().for_each(|range| series.unfetched.remove(range));
            let left = MAX_DROPPED.saturating_sub(series.dropped.len());
            series.dropped.extend(fetched.dropped.iter().take(left));
            let all = self.fetched.entry(path.clone()).or_default();
            all.ranges.extend(&fetched.ranges);
            all.refetch = all.refetch.max(fetched.refetch);
            // A range counts as fetched only if it is older than the newest record by the refetch time. In younger
            // ranges, values may still change, and missing records may still be published.
            if let Some(last) = series.rows.last {
                series.settled.extend(&all.ranges.until(last - Duration::from_secs(all.refetch)));
            }
        }
    }

    /// Writes a file of the journal.
    pub(crate) async fn journal(
        &mut self,
        columns: &Columns,
        sections: Vec<(Section, Vec<RecordBatch>)>,
    ) -> Result<(), Error> {
        let path = journal::next_path(&self.place.journal(), self.journal.last());
        let file = JournalFile::write(&self.storage, path, columns, &self.base.origin, sections).await?;
        self.replay(&file.sections);
        self.journal.push(file);
        Ok(())
    }

    /// Changes the state of a series, which is created if it is missing.
    pub(crate) fn edit(&mut self, path: &str, new: &SeriesState, change: impl Fn(&mut SeriesState)) {
        for state in [&mut self.base, &mut self.state] {
            change(state.series.entry(path.to_owned()).or_insert_with(|| new.clone()));
        }
    }

    /// Returns the number of rows in the journal.
    pub(crate) fn pending(&self) -> u64 {
        self.journal.iter().flat_map(|file| &file.sections).map(|section| section.count as u64).sum()
    }

    /// Returns a message if a file is expected to have much more rows than is good for readers and for updates.
    pub(crate) fn outgrown(&self, step: Duration, series: usize) -> Option<String> {
        let partition = self.base.partition.filter(|_| !self.base.files.is_empty())?;
        let best = Partition::for_rows(step, series.max(self.state.series.len()));
        let rows = partition.rows(step, series.max(self.state.series.len()));
        (best != partition && rows > 2 * MAX_ROWS).then(|| {
            let location = self.place.location(&self.storage);
            format!(
                "{location}: a file of a {partition} will have {rows} rows; for files of a {best}, move them away and run \
                 the same command again"
            )
        })
    }

    /// Creates the error for several endpoints that have a column of the same name with different types.
    pub(crate) fn mismatch(&self, why: &str) -> Error {
        Error::invalid_input(format!(
            "{}: {why}; write the endpoints to a folder, which has separate files for each endpoint",
            self.place.location(&self.storage)
        ))
    }

    /// Writes the state without the journal, if it has changed.
    pub(crate) async fn save(&mut self) -> Result<(), Error> {
        if self.stored.0.as_ref() == Some(&self.base) {
            return Ok(());
        }
        let text = saved_state::to_json(&self.base);
        let path = self.place.state();
        let fails = |error| Error::storage(self.storage.name(&path), error);
        let content = |out: crate::parquet_file::Out<'_>| out.write_all(text.as_bytes()).map_err(fails);
        let version = self.storage.put(&path, self.stored.1.as_deref(), content).await?;
        self.stored = (Some(self.base.clone()), Some(version));
        Ok(())
    }

    /// Deletes the journal after its rows were merged into the data files.
    pub(crate) async fn clear_journal(&mut self) -> Result<(), Error> {
        for file in std::mem::take(&mut self.journal) {
            self.storage.delete(&file.path).await?;
        }
        let left = self.storage.list(&self.place.journal()).await?;
        for (path, _) in left.iter().filter(|(path, _)| path.ends_with(".unfinished")) {
            self.storage.delete(path).await?;
        }
        Ok(())
    }
}
