//! Rebuilds the state of a target from the metadata of its files.

use crate::error::{Error, quoted};
use crate::file_storage::FileStorage;
use crate::locked_tables::LockedTables;
use crate::lost_rows::{self, LostRows};
use crate::place::Place;
use crate::table::Table;
use crate::target::Target;

/// The result of [`adopt`].
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Adopted {
    /// The paths of the series of the rebuilt states.
    pub series: Vec<String>,
    /// A message for each damaged file, which was moved aside.
    pub repairs: Vec<String>,
    /// The rows that could not be read.
    pub lost_rows: Vec<LostRows>,
    /// A message for each Parquet file that is not part of the data set, although readers would read it.
    pub strays: Vec<String>,
    /// The errors of the tables whose states were not rebuilt. A second call rebuilds only these.
    pub failed: Vec<Error>,
}

/// Rebuilds the states of the tables of a data set that have none, for example after its folder was copied without
/// `.backfill`. Damaged files are moved aside, and their readable rows are kept.
///
/// The files do not list the times that were requested and have no record; a run requests them again.
pub async fn adopt(target: &Target) -> Result<Adopted, Error> {
    let storage = FileStorage::of(target)?;
    if let Target::File { path, .. } = target {
        let why = "a single file needs no other state; run the backfill again to continue it";
        return Err(Error::invalid_input(format!("{}: {why}", quoted(path))));
    }
    let mut adopted = Adopted::default();
    // No run can write a state after the tables are locked.
    let locked = LockedTables::of_places(target, Place::with_data(&storage).await?).await?;
    adopted.failed.extend(locked.failed);
    for table in &locked.tables {
        table.add_stray_messages(&mut adopted.strays);
    }
    for mut table in locked.tables.into_iter().filter(|table| table.stored.is_none()) {
        if let Err(error) = adopted.add(&mut table).await {
            adopted.failed.push(error);
        }
    }
    Ok(adopted)
}

impl Adopted {
    async fn add(&mut self, table: &mut Table) -> Result<(), Error> {
        table.note_damaged_rows().await?;
        self.repairs.extend(table.repair().await?);
        table.adopt();
        table.save().await?;
        self.series.extend(table.state.series.keys().cloned());
        self.lost_rows.extend(lost_rows::unacknowledged(&table.state));
        Ok(())
    }
}
