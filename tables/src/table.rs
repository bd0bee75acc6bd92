//! An open table: its state, its data files, and its journal.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use arrow_array::RecordBatch;

use crate::error::Error;
use crate::file_storage::FileStorage;
use crate::journal::{self, JournalFile};
use crate::merge_rows::Cursor;
use crate::parquet_file::Out;
use crate::parquet_input::ParquetInput;
use crate::partition::{MAX_ROWS, Partition};
use crate::place::{Place, not_a_part};
use crate::saved_state::{self, Fetched, FileState, Known, RowFacts, Section, SeriesState, TableState, VERSION};
use crate::series::SeriesRequest;
use crate::series_columns::SeriesTable;

/// Maximum number of stored checksums of dropped records per series. Every later run reports the dropped records beyond
/// this number again.
const MAX_DROPPED: usize = 1000;

pub(crate) struct Table {
    pub(crate) storage: FileStorage,
    pub(crate) place: Place,
    /// The series of the job, and the columns of these series and of the files.
    pub(crate) series: Vec<SeriesRequest>,
    pub(crate) columns: SeriesTable,
    /// The state of the data files.
    pub(crate) state: TableState,
    /// The state in the storage, and the version of its file.
    pub(crate) stored: (Option<TableState>, Option<String>),
    pub(crate) journal: Vec<JournalFile>,
    /// The states of the series in the journal, with the rows of the journal.
    pub(crate) pending: BTreeMap<String, SeriesState>,
    /// The range of the records of each series when the table was opened, without the journal.
    pub(crate) known: BTreeMap<String, Known>,
    /// Data files that the state lists and that do not exist.
    pub(crate) lost: Vec<String>,
    /// The errors of damaged files, whose rows are not in the table.
    pub(crate) damaged: Vec<Error>,
    /// Whether a data file is not the one that the state describes.
    pub(crate) has_changed: bool,
}

impl Table {
    /// Opens a table, which need not exist yet. Fails if a file is damaged.
    pub(crate) async fn open(storage: &FileStorage, place: Place, series: Vec<SeriesRequest>) -> Result<Self, Error> {
        let mut this = Self::open_damaged(storage, place).await?;
        if let Some(damage) = this.damaged.pop() {
            return Err(damage);
        }
        let location = this.place.location(storage);
        this.add_series(series, &location)?;
        Ok(this)
    }

    /// Opens a table, and collects the errors of damaged files.
    pub(crate) async fn open_damaged(storage: &FileStorage, place: Place) -> Result<Self, Error> {
        let location = place.location(storage);
        let stored = storage.find(&place.state).await?;
        let (text, version) = stored.map_or((None, None), |(text, version)| (Some(text), Some(version)));
        let parsed = text.map(|text| saved_state::parse::<TableState>(&text)).transpose();
        let stored = parsed.map_err(|why| Error::rebuild(&location, why))?;
        let (journal, damaged) = JournalFile::open_all(storage, &place.journal, &location).await?;
        let mut this = Self {
            storage: storage.clone(),
            place,
            series: Vec::new(),
            columns: SeriesTable::new(&[])?,
            state: stored.clone().unwrap_or(TableState { version: VERSION, ..TableState::default() }),
            stored: (stored, version),
            journal: Vec::new(),
            pending: BTreeMap::new(),
            known: BTreeMap::new(),
            lost: Vec::new(),
            damaged,
            has_changed: false,
        };
        this.compare(&location).await?;
        // The state is missing if the runs were for new records only, or if a user has moved it away.
        if let Some(file) = journal.first().filter(|_| this.state.origin.is_empty()) {
            let known = file.input.state(&location)?;
            (this.state.origin, this.state.partition) = (known.origin, known.partition);
        }
        this.known = this.state.series.iter().map(|(path, series)| (path.clone(), series.rows.known())).collect();
        for file in &journal {
            this.replay(&file.sections);
        }
        this.journal = journal;
        Ok(this)
    }

    /// Adapts the state to the data files, which may have been replaced or removed.
    async fn compare(&mut self, location: &str) -> Result<(), Error> {
        let found = self.place.files(&self.storage).await?;
        self.lost = self.state.files.keys().filter(|path| !found.contains_key(*path)).cloned().collect();
        for path in &self.lost {
            self.state.files.remove(path);
            self.place.period_of(path).into_iter().for_each(|(_, range)| self.state.replace(&range, &[]));
        }
        self.has_changed = !self.lost.is_empty();
        for (path, version) in found {
            let Some((partition, range)) = self.place.period_of(&path) else { continue };
            if self.state.files.is_empty() && self.stored.0.is_none() {
                self.state.partition = partition;
            }
            if partition != self.state.partition {
                return Err(not_a_part(&self.storage, &path));
            }
            if self.state.files.get(&path) == Some(&version) {
                continue;
            }
            let input = match self.input(&path).await {
                Ok(Some(input)) => input,
                Ok(None) => continue,
                Err(damage @ Error::Damaged { .. }) => {
                    self.damaged.push(damage);
                    continue;
                }
                Err(error) => return Err(error),
            };
            let file = input.state(location)?;
            // The file of a table with one file also has the state, so that the file can be moved.
            if let Some(table) = file.table.filter(|_| self.stored.0.is_none()) {
                self.state = table;
            } else {
                self.state.replace(&range, &file.sections);
                self.has_changed = true;
            }
            if self.state.origin.is_empty() {
                self.state.origin = file.origin;
            }
            self.state.columns = Some(input.schema());
            self.state.files.insert(path, version);
        }
        Ok(())
    }

    /// Adds the series of a job. Fails if a column has another type in the catalogue than in the existing files, or two
    /// types in the catalogue.
    fn add_series(&mut self, series: Vec<SeriesRequest>, location: &str) -> Result<(), Error> {
        let columns = |series: &[SeriesRequest]| SeriesTable::with(self.state.columns.clone(), series);
        self.columns = columns(&series).map_err(|why| match series.chunks(1).find_map(|one| columns(one).err()) {
            Some(why) => Error::rebuild(location, why),
            None => Error::invalid_input(format!(
                "{location}: {why}; write the endpoints to a folder, which has separate files for each endpoint"
            )),
        })?;
        self.series = series;
        Ok(())
    }

    /// Returns the interval between the records of the job, if it has several intervals, the shortest.
    pub(crate) fn step(&self) -> Duration {
        self.series.iter().map(SeriesRequest::step).min().unwrap_or_default()
    }

    /// Returns the state of a series with the rows of the journal.
    pub(crate) fn series(&self, path: &str) -> Option<&SeriesState> {
        self.pending.get(path).or_else(|| self.state.series.get(path))
    }

    /// Returns the paths of all series in the files, in the journal and in jobs.
    pub(crate) fn paths(&self) -> BTreeSet<String> {
        self.state.series.keys().chain(self.pending.keys()).cloned().collect()
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
        let (schema, mut rows) = (input.schema(), Cursor::new(input.rows(0..input.groups().len())?)?);
        for section in input.state(&input.name)?.sections {
            let mut found = section.rows.emptied();
            rows.part(section.count).try_for_each(|batch| found.add(&batch?, &schema))?;
            if found != section.rows {
                return Err(Error::damaged(&input.name, format!("its rows of {} are not as listed", section.path)));
            }
        }
        Ok(())
    }

    /// Returns the state with the rows of the journal, for changes that are saved with the journal. `rows` has the
    /// interval and the time column of a new series.
    fn pending(&mut self, path: &str, rows: &RowFacts) -> &mut SeriesState {
        let known = || self.state.series.get(path).cloned().unwrap_or_else(|| SeriesState::new(rows));
        self.pending.entry(path.to_owned()).or_insert_with(known)
    }

    /// Adds the checksum of a dropped record; returns `false` if an earlier one had the same.
    pub(crate) fn note_dropped(&mut self, series: &SeriesRequest, sum: u32) -> bool {
        let known = &mut self.pending(series.path(), &RowFacts::new(series)).dropped;
        if known.len() < MAX_DROPPED { known.insert(sum) } else { !known.contains(&sum) }
    }

    /// Adds the rows and the fetched ranges of a journal file to the states.
    fn replay(&mut self, sections: &[Section]) {
        for Section { path, rows, fetched, .. } in sections {
            let series = self.pending(path, rows);
            series.rows.add_all(rows);
            let Some(fetched) = fetched else { continue };
            series.unfetched.subtract(&fetched.ranges);
            let left = MAX_DROPPED.saturating_sub(series.dropped.len());
            series.dropped.extend(fetched.dropped.iter().take(left));
            if series.fetched.run != fetched.run {
                series.fetched = Fetched { run: fetched.run, ..Fetched::default() };
            }
            series.fetched.ranges.extend(&fetched.ranges);
            // A range counts as fetched only if, in its own run, it was older than the newest record by the refetch time.
            // In younger ranges, values may still change, and missing records may still be published.
            if let Some(last) = series.rows.last {
                let end = last - Duration::from_secs(fetched.refetch);
                series.settled.extend(&series.fetched.ranges.until(end));
            }
        }
    }

    /// Writes a file of the journal.
    pub(crate) async fn journal(&mut self, sections: Vec<(Section, Vec<RecordBatch>)>) -> Result<(), Error> {
        let path = journal::next_path(&self.place.journal, self.journal.last());
        let of_table =
            FileState { origin: self.state.origin.clone(), partition: self.state.partition, ..FileState::default() };
        let file = JournalFile::write(&self.storage, path, &self.columns.columns, of_table, sections).await?;
        self.replay(&file.sections);
        self.journal.push(file);
        Ok(())
    }

    /// Changes the state of a series, which is created if it is missing.
    pub(crate) fn edit(&mut self, path: &str, new: impl FnOnce() -> SeriesState, change: impl Fn(&mut SeriesState)) {
        change(self.state.series.entry(path.to_owned()).or_insert_with(new));
        self.pending.get_mut(path).into_iter().for_each(change);
    }

    /// Returns the number of rows in the journal.
    pub(crate) fn pending_rows(&self) -> u64 {
        self.journal.iter().flat_map(|file| &file.sections).map(|section| section.count as u64).sum()
    }

    /// Returns a message if a file is expected to have much more rows than is good for readers and for updates.
    pub(crate) fn outgrown(&self) -> Option<String> {
        let partition = self.state.partition.filter(|_| !self.state.files.is_empty())?;
        let (step, series) = (self.step(), self.state.series.len().max(self.series.len()));
        let (best, rows) = (Partition::for_rows(step, series), partition.rows(step, series));
        (best != partition && rows > 2 * MAX_ROWS).then(|| {
            let location = self.place.location(&self.storage);
            format!(
                "{location}: a file of a {partition} will have {rows} rows; for files of a {best}, move them away and run \
                 the same command again"
            )
        })
    }

    /// Writes the state of the data files, if it has changed.
    pub(crate) async fn save(&mut self) -> Result<(), Error> {
        if self.stored.0.as_ref() == Some(&self.state) {
            return Ok(());
        }
        let path = &self.place.state;
        let content = |out: Out<'_>| Ok(out.write_all(saved_state::to_json(&self.state).as_bytes())?);
        let ((), version) = self.storage.put(path, self.stored.1.as_deref(), content).await?;
        self.stored = (Some(self.state.clone()), Some(version));
        Ok(())
    }

    /// Deletes the journal after its rows were merged into the data files.
    pub(crate) async fn clear_journal(&mut self) -> Result<(), Error> {
        for file in std::mem::take(&mut self.journal) {
            self.storage.delete(&file.path).await?;
        }
        let left = self.storage.list(&self.place.journal).await?;
        for (path, _) in left.iter().filter(|(path, _)| path.ends_with(".unfinished")) {
            self.storage.delete(path).await?;
        }
        Ok(())
    }
}
