//! An open table: its state, its data files, and its journal.

use std::collections::{BTreeMap, BTreeSet};

use arrow_schema::{Schema, SchemaRef};
use runtime::Interval;

use crate::buffered_rows::BufferedRows;
use crate::columns::{self, Facts, joined};
use crate::damage::Damage;
use crate::data_set_paths::JOURNAL;
use crate::error::Error;
use crate::fetched_at::with_fetched_at;
use crate::field_marks::EndpointField;
use crate::file_state::FileState;
use crate::missing_fields::Earlier;
use crate::parquet_input::ParquetInput;
use crate::place::Place;
use crate::row_facts::RowFacts;
use crate::saved_state::{self, VERSION};
use crate::section::Section;
use crate::series::{SeriesRequest, endpoint_of};
use crate::series_state::SeriesState;
use crate::table_state::TableState;
use crate::vanished_rows::VanishedRows;

/// Maximum number of stored checksums of unreadable records per series. Every later run reports the unreadable records
/// beyond this number again.
const MAX_UNREADABLE: usize = 1000;

/// What is known about a series with the rows and the fetched ranges of the journal.
pub(crate) struct StateWithJournal {
    /// The state with the fetched ranges of the journal. Its facts are those of the rows in the data files.
    pub(crate) state: SeriesState,
    /// The facts of the rows in the data files and in the journal.
    pub(crate) all_row_facts: RowFacts,
}

pub(crate) struct Table {
    pub(crate) place: Place,
    /// The series of the job, and the columns of these series, of the journal and of the files.
    pub(crate) series: Vec<SeriesRequest>,
    pub(crate) columns: SchemaRef,
    /// The state of the data files.
    pub(crate) state: TableState,
    /// The state in the storage, and the version of its file, if it has its own file.
    pub(crate) stored: Option<TableState>,
    pub(crate) version: Option<String>,
    pub(crate) journal: Vec<ParquetInput>,
    pub(crate) buffered: BufferedRows,
    /// What was known about each series when the table was opened, without the journal.
    pub(crate) earlier: Earlier,
    /// Fields that the service no longer sends, as this run has noticed.
    pub(crate) noticed_missing: BTreeSet<EndpointField>,
    /// Fields of the catalogue that no record has ever had, as this run has noticed.
    pub(crate) noticed_unsent: BTreeSet<EndpointField>,
    /// Whether the times of the data files are stored as differences.
    pub(crate) has_small_times: bool,
    /// The rows that data files had, and have no longer, by file.
    pub(crate) vanished: BTreeMap<String, VanishedRows>,
    /// `true` if there is a file with the earlier values of rows.
    pub(crate) has_revisions: bool,
    /// Parquet files among the data files that are not part of the table. They are not read.
    pub(crate) strays: Vec<String>,
    /// Damaged files, whose rows are not in the table.
    pub(crate) damaged: Vec<Damage>,
    /// `true` if a merge moves damaged files aside.
    pub(crate) is_repaired: bool,
    /// A message for each file that a merge has moved aside.
    pub(crate) repairs: Vec<String>,
}

impl Table {
    /// Opens a table, which need not exist yet, for the series of a job. Collects the errors of damaged files.
    pub(crate) async fn open(place: Place, series: Vec<SeriesRequest>) -> Result<Self, Error> {
        let mut damaged = Vec::new();
        let (stored, version) = match place.stored().await {
            Ok(stored) => stored.unzip(),
            Err(Error::Damaged { path: name, why }) => {
                damaged.push(Damage { path: place.state(), name, why });
                (None, None)
            }
            Err(error) => return Err(error),
        };
        let mut this = Self {
            place,
            columns: Schema::empty().into(),
            series,
            state: TableState { version: VERSION, ..stored.clone().unwrap_or_default() },
            stored,
            version,
            journal: Vec::new(),
            buffered: BufferedRows::default(),
            earlier: Earlier::default(),
            noticed_missing: BTreeSet::new(),
            noticed_unsent: BTreeSet::new(),
            has_small_times: false,
            vanished: BTreeMap::new(),
            has_revisions: false,
            strays: Vec::new(),
            damaged,
            is_repaired: false,
            repairs: Vec::new(),
        };
        this.open_journal().await?;
        this.adapt_to_files().await?;
        this.note_run_of_journal();
        this.earlier = Earlier::of(&this.state);
        this.columns = this.all_columns()?;
        Ok(this)
    }

    /// `true` if the table has data files and no state, for example because its folder was copied without it. A run
    /// that was killed before it has written the first state leaves a journal.
    pub(crate) fn is_without_state(&self) -> bool {
        if self.place.is_single || self.stored.is_some() || !self.journal.is_empty() {
            return false;
        }
        let state = self.place.state();
        let mut has_files = !self.state.files.is_empty();
        for damage in &self.damaged {
            if damage.path == state {
                return false;
            }
            has_files |= !damage.path.ends_with(JOURNAL);
        }
        has_files
    }

    /// Adds a message for each Parquet file that is not part of the table. A file that is beside several tables has one.
    pub(crate) fn add_stray_messages(&self, all: &mut Vec<String>) {
        for path in &self.strays {
            let message = self.place.not_a_part(path);
            if !all.contains(&message) {
                all.push(message);
            }
        }
    }

    /// The error of a damaged file.
    pub(crate) fn damage(&self) -> Option<Error> {
        self.damaged.first().map(Damage::error)
    }

    /// The columns of the files, of the journal, and of the job. Fails if a column has another type in the
    /// catalogue than in the existing files, or two types in the catalogue.
    fn all_columns(&self) -> Result<SchemaRef, Error> {
        let mut existing = Vec::from_iter(self.state.columns.clone());
        for file in &self.journal {
            existing.push(file.schema());
        }
        let facts = self.facts_of_columns();
        let with_existing = |series: &[SeriesRequest]| {
            let of_job = columns::of_series(series)?;
            joined(existing.iter().cloned().chain([of_job]), facts)
        };
        let why = match with_existing(&self.series) {
            Ok(columns) => return Ok(with_fetched_at(&columns)),
            Err(why) => why,
        };
        let location = self.place.location();
        for one in self.series.chunks(1) {
            if let Err(why) = with_existing(one) {
                return Err(Error::rebuild(location, why));
            }
        }
        Err(Error::invalid_input(format!(
            "{location}: {why}; write the endpoints to a folder, which has separate files for each endpoint"
        )))
    }

    /// The facts of columns that the files and the job have. Those of the files are older, unless the job does not have an
    /// endpoint of the files.
    fn facts_of_columns(&self) -> Facts {
        let job: BTreeSet<&str> = self.series.iter().map(|series| endpoint_of(series.path())).collect();
        let stored: BTreeSet<&str> = self.state.series.keys().map(|path| endpoint_of(path)).collect();
        let has_several = job.union(&stored).count() > 1;
        if has_several && !stored.is_subset(&job) { Facts::Common } else { Facts::Newest }
    }

    /// The interval between the records of the job, if it has several intervals, the shortest.
    pub(crate) fn interval(&self) -> Interval {
        let intervals = self.series.iter().map(SeriesRequest::interval);
        intervals.min_by_key(|interval| interval.shortest()).unwrap_or_default()
    }

    /// Opens a file, if it exists and is not damaged. The error of a damaged file is added to the list.
    pub(crate) async fn open_file(&mut self, path: &str) -> Result<Option<ParquetInput>, Error> {
        let known = self.state.files.get(path);
        let columns = self.state.columns.as_ref();
        let found = ParquetInput::find_with(&self.place.storage, path, known.is_some(), columns).await;
        let verified = match &found {
            // A data file that was damaged may have been replaced since then.
            Ok(Some(file)) if known.is_some_and(String::is_empty) || path.ends_with(JOURNAL) => file.verify(),
            _ => Ok(()),
        };
        match verified.and(found) {
            Err(Error::Damaged { path: name, why }) => {
                self.damaged.push(Damage { path: path.to_owned(), name, why });
                Ok(None)
            }
            found => found,
        }
    }

    /// Compares the checksums of a data file, and its rows with the facts in its metadata.
    pub(crate) async fn verify(&self, path: &str) -> Result<(), Error> {
        let Some(input) = ParquetInput::find(&self.place.storage, path, true).await? else { return Ok(()) };
        input.verify()?;
        for section in &input.state.sections {
            if !input.has_facts(section)? {
                return Err(Error::damaged(&input.name, format!("its rows of {} are not as listed", section.path)));
            }
        }
        Ok(())
    }

    /// The time column of a series.
    pub(crate) fn time_of(&self, path: &str) -> &str {
        self.state.series.get(path).map_or("", |series| &series.row_facts.time)
    }

    /// The state of a series, which is created if it is missing.
    pub(crate) fn series_state(&mut self, series: &SeriesRequest) -> &mut SeriesState {
        let entry = self.state.series.entry(series.path().to_owned());
        entry.or_insert_with(|| SeriesState::new(&RowFacts::new(series)))
    }

    /// Adds the checksum of an unreadable record; returns `false` if an earlier one had the same.
    pub(crate) fn note_unreadable(&mut self, series: &SeriesRequest, sum: u32) -> bool {
        let known = &mut self.series_state(series).unreadable;
        if known.len() < MAX_UNREADABLE { known.insert(sum) } else { !known.contains(&sum) }
    }

    /// Keeps the error with which the service has rejected a series.
    pub(crate) fn note_rejected(&mut self, series: &SeriesRequest, error: String) {
        let is_in_journal = self.is_in_journal(series);
        let state = self.series_state(series);
        state.rejected = Some(error);
        // A series that never had a record does not exist, so no record is missing.
        if state.row_facts.last.is_none() && !is_in_journal {
            let unfetched = std::mem::take(&mut state.unfetched);
            // A later run requests these ranges for the first time.
            state.requested = state.requested.without(&unfetched);
        }
    }

    /// The states of all series with the journal.
    pub(crate) fn states_with_journal(&self) -> BTreeMap<String, StateWithJournal> {
        let mut all = BTreeMap::new();
        for (path, state) in &self.state.series {
            let known = StateWithJournal { state: state.clone(), all_row_facts: state.row_facts.clone() };
            all.insert(path.clone(), known);
        }
        for file in &self.journal {
            let FileState { run, sections, .. } = &file.state;
            let run = run.as_ref();
            for Section { path, row_facts, fetched, unsupported, .. } in sections {
                let known = all.entry(path.clone()).or_insert_with(|| StateWithJournal {
                    state: SeriesState::new(row_facts),
                    all_row_facts: row_facts.emptied(),
                });
                known.all_row_facts.add_all(row_facts);
                let series = &mut known.state;
                series.requested.extend(fetched);
                series.unsupported.extend(unsupported.iter().cloned());
                series.unfetched = series.unfetched.without(fetched);
                let of_run = series.fetched_by_run.entry(run.map(|run| run.started)).or_default();
                of_run.extend(fetched);
                // A range counts as fetched only if, in its own run, it was older by the refetch time than the newest
                // record, or than the time of the service. In younger ranges, values may still change, and missing
                // records may still be published.
                if let Some(last) = known.all_row_facts.last {
                    let end = run.map_or(last, |run| run.settled_until(last));
                    series.settled.extend(&of_run.until(end));
                }
            }
        }
        all
    }

    /// Writes the state of the data files, if it has changed.
    pub(crate) async fn save(&mut self) -> Result<(), Error> {
        if self.stored.as_ref() == Some(&self.state) {
            return Ok(());
        }
        let text = saved_state::to_file(&self.state);
        let storage = &self.place.storage;
        let replaced = self.version.as_deref();
        let ((), version) =
            storage.put(&self.place.state(), replaced, |out| Ok(out.write_all(text.as_bytes())?)).await?;
        self.stored = Some(self.state.clone());
        self.version = Some(version);
        Ok(())
    }
}
