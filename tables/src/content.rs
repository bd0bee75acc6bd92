//! The tables of a job.

use crate::backfill::Backfill;
use crate::error::Error;
use crate::file_storage::FileStorage;
use crate::partition::Partition;
use crate::place::Place;
use crate::saved_state::{self, SeriesState, TableState};
use crate::series::SeriesRequest;
use crate::table::Table;
use crate::text_file::TextFile;

/// The open tables of a job.
pub(crate) struct Content {
    pub(crate) tables: Vec<Table>,
    /// The index of the table of each series.
    pub(crate) of_series: Vec<usize>,
}

impl Content {
    /// Opens the tables of a job. Returns an error if the rows of the target have another source or period than the job.
    pub(crate) async fn open(job: &Backfill) -> Result<Self, Error> {
        let (storage, places, of_series) = Place::of_series(&job.target, job.series())?;
        let all = Place::all(&storage, &job.target).await?;
        let mut tables = Vec::with_capacity(places.len());
        for place in places {
            tables.push(Table::open(&storage, place).await?);
        }
        let invalid_input =
            |why: String| Err(Error::invalid_input(format!("{}: {why}; name another file or folder", job.target)));
        let other = match all.iter().find(|place| tables.iter().all(|table: &Table| table.place != **place)) {
            Some(place) => origin(&storage, place).await?,
            None => String::new(),
        };
        for (index, table) in tables.iter_mut().enumerate() {
            TextFile::of(table).map_or(Ok(()), |text| text.check(table))?;
            // A single file without rows gets the settings of the job, even if an earlier run with other settings failed.
            let is_new = table.base.origin.is_empty();
            let is_empty = table.place.is_single() && table.base.files.is_empty() && table.pending() == 0;
            if is_new {
                let of_table = of_series.iter().zip(job.series()).filter(|(table, _)| **table == index);
                let steps: Vec<_> = of_table.map(|(_, series)| series.step()).collect();
                let step = steps.iter().copied().min().unwrap_or_default();
                let partition = job.partition.unwrap_or_else(|| Partition::for_rows(step, steps.len()));
                table.base.partition = (!table.place.is_single()).then_some(table.base.partition.unwrap_or(partition));
            }
            if is_new || is_empty {
                table.base.origin.clone_from(&job.source_label);
            }
            for known in [&table.base.origin, &other].into_iter().filter(|known| !known.is_empty()) {
                if *known != job.source_label {
                    let own = &job.source_label;
                    return invalid_input(format!("its rows are from `{known}`, but this job fetches from `{own}`"));
                }
            }
            if let Some((known, other)) = table.base.partition.zip(job.partition).filter(|(known, own)| known != own) {
                return invalid_input(format!("the data set is partitioned by {known}, not by {other}"));
            }
            table.state.origin.clone_from(&table.base.origin);
            table.state.partition = table.base.partition;
        }
        Ok(Self { tables, of_series })
    }

    /// Returns the table of a series.
    pub(crate) fn table(&self, series: usize) -> Option<&Table> {
        self.tables.get(*self.of_series.get(series)?)
    }

    /// Returns the state of a series with the rows of the journal.
    pub(crate) fn state(&self, series: usize, request: &SeriesRequest) -> SeriesState {
        let known = self.table(series).and_then(|table| table.state.series.get(request.path()));
        known.cloned().unwrap_or_else(|| SeriesState::new(request))
    }
}

/// Returns the source of the rows of another table.
async fn origin(storage: &FileStorage, place: &Place) -> Result<String, Error> {
    let Some((text, _)) = storage.find(&place.state()).await? else { return Ok(String::new()) };
    let state = saved_state::parse::<TableState>(&text);
    state.map(|state| state.origin).map_err(|why| Error::rebuild(place.location(storage), why))
}
