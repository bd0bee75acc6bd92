//! The tables of a job.

use tokio::time::Instant;

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
    /// The series of the job, each with the index of its table.
    series: Vec<(SeriesRequest, usize)>,
    /// Number of rows in the buffers of all tables, and the time of the first of them.
    pub(crate) rows: usize,
    pub(crate) since: Option<Instant>,
    _lock: Lock,
}

impl Content {
    /// Opens the tables of a job. Returns an error if the rows of the target have another source or period than the
    /// job. If `is_locked`, no other run can write the tables.
    pub(crate) async fn open(job: &Backfill, is_locked: bool) -> Result<Self, Error> {
        job.check()?;
        let storage = FileStorage::of(&job.target)?;
        let (mut places, mut of_series) = (Vec::<Place>::new(), Vec::new());
        for series in &job.series {
            let place = Place::of_series(&storage, &job.target, series);
            let table = places.iter().position(|known| known.home == place.home).unwrap_or_else(|| {
                places.push(place);
                places.len() - 1
            });
            of_series.push((series.clone(), table));
        }
        let locks = places.iter().filter(|_| is_locked).filter_map(Place::lock).collect();
        // The target is read after locking, so that no other run changes its files in between.
        let lock = Lock::acquire(&job.target.to_string(), locks)?;
        let all = Place::all(&storage, &job.target).await?;
        let other = match all.iter().find(|other| places.iter().all(|place| place.home != other.home)) {
            Some(place) => place.stored().await?.map_or(String::new(), |(state, _)| state.origin),
            None => String::new(),
        };
        let mut tables = Vec::with_capacity(places.len());
        for (index, place) in places.into_iter().enumerate() {
            let series = of_series.iter().filter(|(_, table)| *table == index).map(|(series, _)| series.clone());
            let mut table = Table::open(place, series.collect()).await?.intact()?;
            table.check_text()?;
            begin(&mut table, job, &other)?;
            tables.push(table);
        }
        Ok(Self { tables, series: of_series, rows: 0, since: None, _lock: lock })
    }

    /// Returns the series with this index, and its table.
    pub(crate) fn table(&mut self, series: usize) -> Option<(&mut Table, &SeriesRequest)> {
        let (series, table) = self.series.get(series)?;
        Some((self.tables.get_mut(*table)?, series))
    }

    /// Returns the number of files in the journals of all tables.
    pub(crate) fn journal_files(&self) -> usize {
        self.tables.iter().map(|table| table.journal.len()).sum()
    }

    /// Returns the states of all series, with the rows of the journal.
    pub(crate) fn states(&self) -> Vec<SeriesState> {
        let mut known: Vec<_> = self.tables.iter().map(Table::current).collect();
        let state = |(series, table): &(SeriesRequest, usize)| {
            let known = known.get_mut(*table).and_then(|table| table.remove(series.path()));
            known.unwrap_or_else(|| SeriesState::new(&RowFacts::new(series)))
        };
        self.series.iter().map(state).collect()
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
