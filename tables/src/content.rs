//! The tables of a job.

use crate::backfill::Backfill;
use crate::error::{Error, quoted};
use crate::file_storage::FileStorage;
use crate::lock::Lock;
use crate::partition::Partition;
use crate::place::Place;
use crate::saved_state::{RowFacts, SeriesState};
use crate::series::SeriesRequest;
use crate::table::Table;

/// The open tables of a job.
pub(crate) struct Content {
    pub(crate) tables: Vec<Table>,
    /// The index of the table of each series, and the index of the series in that table.
    pub(crate) of_series: Vec<(usize, usize)>,
    _lock: Lock,
}

impl Content {
    /// Opens the tables of a job. Returns an error if the rows of the target have another source or period than the
    /// job. If `is_locked`, no other run can write the tables.
    pub(crate) async fn open(job: &Backfill, is_locked: bool) -> Result<Self, Error> {
        job.check()?;
        let storage = FileStorage::of(&job.target)?;
        let (mut places, mut of_series) = (Vec::<(Place, Vec<SeriesRequest>)>::new(), Vec::new());
        for series in &job.series {
            let place = Place::of_series(&storage, &job.target, series);
            let table = places.iter().position(|(known, _)| known.home == place.home).unwrap_or_else(|| {
                places.push((place, Vec::new()));
                places.len() - 1
            });
            if let Some((_, all)) = places.get_mut(table) {
                of_series.push((table, all.len()));
                all.push(series.clone());
            }
        }
        let locks = places.iter().filter(|_| is_locked).filter_map(|(place, _)| place.lock()).collect();
        // The target is read after locking, so that no other run changes its files in between.
        let lock = Lock::acquire(&job.target.to_string(), locks)?;
        let all = Place::all(&storage, &job.target).await?;
        let other = match all.iter().find(|other| places.iter().all(|(place, _)| place.home != other.home)) {
            Some(place) => place.stored().await?.map_or(String::new(), |(state, _)| state.origin),
            None => String::new(),
        };
        let mut tables = Vec::with_capacity(places.len());
        for (place, series) in places {
            let mut table = Table::open(place, series).await?.intact()?;
            table.check_text()?;
            begin(&mut table, job, &other)?;
            tables.push(table);
        }
        Ok(Self { tables, of_series, _lock: lock })
    }

    /// Returns the table of a series, and the index of the series in it.
    pub(crate) fn table(&mut self, series: usize) -> Option<(&mut Table, usize)> {
        let (table, index) = *self.of_series.get(series)?;
        Some((self.tables.get_mut(table)?, index))
    }

    /// Returns the number of files in the journals of all tables.
    pub(crate) fn journal_files(&self) -> usize {
        self.tables.iter().map(|table| table.journal.len()).sum()
    }

    /// Returns the states of the series of a job, with the rows of the journal.
    pub(crate) fn states(&self, job: &Backfill) -> Vec<SeriesState> {
        let mut known: Vec<_> = self.tables.iter().map(Table::current).collect();
        let state = |(series, (table, _)): (&SeriesRequest, &(usize, usize))| {
            let known = known.get_mut(*table).and_then(|table| table.remove(series.path()));
            known.unwrap_or_else(|| SeriesState::new(&RowFacts::new(series)))
        };
        job.series.iter().zip(&self.of_series).map(state).collect()
    }
}

/// Gives a new table the settings of the job, or compares them. `other` is the source of the rows of other tables.
fn begin(table: &mut Table, job: &Backfill, other: &str) -> Result<(), Error> {
    let step = table.step();
    let state = &mut table.state;
    if !table.place.is_single && state.partition.is_none() {
        state.partition = Some(job.partition.unwrap_or_else(|| Partition::for_rows(step, table.series.len())));
    }
    // A single file without rows gets the source of the job, even if an earlier run with another source failed.
    let is_empty = state.files.is_empty() && table.journal.is_empty();
    if state.origin.is_empty() || table.place.is_single && is_empty {
        state.origin.clone_from(&job.source_label);
    }
    let own = &job.source_label;
    let known = [&*state.origin, other].into_iter().find(|known| !known.is_empty() && known != own);
    let why = match (known, state.partition.zip(job.partition)) {
        (Some(known), _) => format!("its rows are from `{known}`, but this job fetches from `{own}`"),
        (_, Some((known, own))) if known != own => format!("the data set is partitioned by {known}, not by {own}"),
        _ => return Ok(()),
    };
    Err(Error::invalid_input(format!("{}: {why}; name another file or folder", quoted(job.target.to_string()))))
}
