//! The tables of a job.

use std::collections::BTreeMap;

use runtime::Timestamp;
use tokio::time::Instant;

use super::job::Backfill;
use crate::error::{Error, quoted};
use crate::file_storage::FileStorage;
use crate::lock::Lock;
use crate::partition::Partition;
use crate::place::Place;
use crate::row_facts::RowFacts;
use crate::saved_state::VERSION;
use crate::series::SeriesRequest;
use crate::series_state::SeriesState;
use crate::table::Table;
use crate::table_state::TableState;

/// The open tables of a job.
pub(crate) struct JobTables {
    /// The tables by the folder of their state.
    pub(crate) tables: BTreeMap<String, Table>,
    /// The series of the job, each with the folder of its table.
    series: Vec<(SeriesRequest, String)>,
    /// Number of buffered rows of all tables, their size, and the time at which the first of them was buffered.
    pub(crate) buffered_rows: usize,
    pub(crate) buffered_bytes: usize,
    pub(crate) buffered_since: Option<Instant>,
    /// Number of times that the buffered rows were written.
    pub(crate) writes: u32,
    /// The time of the service in tests, at which rows are fetched.
    pub(crate) service_time: Option<Timestamp>,
    _lock: Lock,
}

impl JobTables {
    /// Opens the tables of a job. Returns an error if the rows of the target have another source or period than the
    /// job. If `is_locked`, no other run can write the tables.
    pub(crate) async fn open(job: &Backfill, is_locked: bool) -> Result<Self, Error> {
        job.check()?;
        let storage = FileStorage::of(&job.target)?;
        let mut places: BTreeMap<String, TableOfJob> = BTreeMap::new();
        let mut of_series = Vec::new();
        for series in &job.series {
            let place = Place::of_series(&storage, &job.target, series);
            let home = place.home.clone();
            of_series.push((series.clone(), home.clone()));
            let of_table = places.entry(home).or_insert(TableOfJob { place, series: Vec::new() });
            of_table.series.push(series.clone());
        }
        let mut locks = Vec::new();
        if is_locked {
            for of_job in places.values() {
                locks.extend(of_job.place.lock());
            }
        }
        // The target is read after locking, so that no other run changes its files in between.
        let lock = Lock::acquire(&job.target.to_string(), locks)?;
        let other = other_source(&storage, job, &places).await?;
        let mut tables = BTreeMap::new();
        for (home, TableOfJob { place, series }) in places {
            tables.insert(home, open_table(place, series, is_locked).await?);
        }
        let mut this = Self {
            tables,
            series: of_series,
            buffered_rows: 0,
            buffered_bytes: 0,
            buffered_since: None,
            writes: 0,
            service_time: job.service_time,
            _lock: lock,
        };
        for table in this.tables.values_mut() {
            table.check_text()?;
            begin(table, job, &other)?;
        }
        Ok(this)
    }

    /// The series with this index, and its table.
    pub(crate) fn table(&mut self, series: usize) -> Option<(&mut Table, &SeriesRequest)> {
        let (series, home) = self.series.get(series)?;
        Some((self.tables.get_mut(home)?, series))
    }

    /// A message for each file that was moved aside.
    pub(crate) fn repairs(&self) -> Vec<String> {
        self.tables.values().flat_map(|table| table.repairs.iter().cloned()).collect()
    }

    /// The number of files in the journals of all tables.
    pub(crate) fn journal_files(&self) -> usize {
        self.tables.values().map(|table| table.journal.len()).sum()
    }

    /// The states of all series, with the rows of the journal.
    pub(crate) fn states_with_journal(&self) -> Vec<SeriesState> {
        let mut known = BTreeMap::new();
        for table in self.tables.values() {
            known.extend(table.states_with_journal());
        }
        let mut states = Vec::with_capacity(self.series.len());
        for (series, _) in &self.series {
            states.push(match known.remove(series.path()) {
                Some(known) => SeriesState { row_facts: known.all_row_facts, ..known.state },
                None => SeriesState::new(&RowFacts::new(series)),
            });
        }
        states
    }
}

/// A table that is not open yet, and the series of the job in it.
struct TableOfJob {
    place: Place,
    series: Vec<SeriesRequest>,
}

/// The source of the rows of another table of the target; empty if there is none.
async fn other_source(
    storage: &FileStorage,
    job: &Backfill,
    places: &BTreeMap<String, TableOfJob>,
) -> Result<String, Error> {
    for place in Place::all(storage, &job.target).await? {
        if !places.contains_key(&place.home) {
            return Ok(match place.stored().await? {
                Some((state, _)) => state.source_label,
                None => String::new(),
            });
        }
    }
    Ok(String::new())
}

/// Opens a table. If it `is_locked`, it is also repaired; otherwise, only its state becomes that of the repaired table.
async fn open_table(place: Place, series: Vec<SeriesRequest>, is_locked: bool) -> Result<Table, Error> {
    let mut table = Table::open(place, series).await?;
    if is_locked {
        table.is_repaired = true;
        let messages = table.repair().await?;
        table.repairs.extend(messages);
    } else {
        table.assume_repaired().await?;
    }
    Ok(table)
}

/// Gives a new table the settings of the job, or compares them. `other` is the source of the rows of other tables.
fn begin(table: &mut Table, job: &Backfill, other: &str) -> Result<(), Error> {
    table.has_small_times = job.small_times;
    let interval = table.interval();
    let state = &mut table.state;
    if !table.place.is_single && state.partition.is_none() {
        state.partition = Some(job.partition.unwrap_or_else(|| Partition::for_rows(interval, table.series.len())));
    }
    let label = &job.source_label;
    // A single file without rows gets the source of the job, even if an earlier run with another source has failed or has
    // written a file that was deleted.
    let is_empty = state.files.is_empty() && table.journal.is_empty();
    if table.place.is_single && is_empty && !state.source_label.is_empty() && state.source_label != *label {
        *state = TableState { version: VERSION, ..TableState::default() };
    }
    if state.source_label.is_empty() {
        state.source_label.clone_from(label);
    }
    let target = quoted(job.target.to_string());
    for found in [state.source_label.as_str(), other] {
        if !found.is_empty() && found != label {
            return Err(Error::invalid_input(format!(
                "{target}: its rows are from `{found}`, but this job fetches from `{label}`; name another file or folder"
            )));
        }
    }
    if let (Some(known), Some(wanted)) = (state.partition, job.partition)
        && known != wanted
    {
        return Err(Error::invalid_input(format!(
            "{target}: the data set is partitioned by {known}, not by {wanted}; name another file or folder"
        )));
    }
    Ok(())
}
