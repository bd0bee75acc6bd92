//! Removes series from a target.

use std::collections::BTreeSet;

use crate::error::Error;
use crate::lock;
use crate::locked_tables::LockedTables;
use crate::merge_journal::MergedJournal;
use crate::table::Table;
use crate::target::Target;
use crate::text_file::TextState;

/// The result of [`remove`].
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Removed {
    /// The paths of the removed series.
    pub series: Vec<String>,
    /// The files that were written again.
    pub files: Vec<String>,
    /// A message for each text file that something else had changed, which was moved aside.
    pub repairs: Vec<String>,
    /// The errors of the tables whose series were not removed. A second call removes only these.
    pub failed: Vec<Error>,
}

/// A table, and the paths of its series that are removed.
struct Removal {
    table: Table,
    paths: BTreeSet<String>,
}

/// Removes series from the files and the states of a target. `is_removed` gets the [path](crate::SeriesStatus::path) of
/// each series, such as `weather.levels/site=dover/interval=1h`.
///
/// A file without remaining series is deleted or, in a bucket, stays without rows. If the process is killed, a second
/// call removes the rest. If another run is writing the target, or a process [follows](crate::Backfill::follow) one of the
/// series, nothing is removed, and [`Error::InUse`] names that process.
pub async fn remove(target: &Target, is_removed: impl Fn(&str) -> bool) -> Result<Removed, Error> {
    let LockedTables { tables, failed, lock: _lock } = LockedTables::open(target).await?;
    let mut removals = Vec::new();
    for table in tables {
        let paths: BTreeSet<_> = table.states_with_journal().into_keys().filter(|path| is_removed(path)).collect();
        // A removal that was interrupted before the text file was written is finished.
        if !paths.is_empty() || table.text_state()? == TextState::Outdated {
            removals.push(Removal { table, paths });
        }
    }
    // A process that follows a series would add it again.
    for Removal { table, paths } in &removals {
        if let Some(by) = table.place.lock().and_then(|path| lock::follower(&path, paths)) {
            return Err(Error::InUse { target: target.to_string(), by: by.to_string() });
        }
    }
    let mut removed = Removed { failed, ..Removed::default() };
    for mut removal in removals {
        match removal.run().await {
            Ok(merged) => {
                removed.files.extend(merged.files.into_iter().map(|written| written.file));
                removed.series.extend(removal.paths);
            }
            Err(error) => removed.failed.push(error),
        }
        removed.repairs.extend(removal.table.repairs);
    }
    Ok(removed)
}

impl Removal {
    async fn run(&mut self) -> Result<MergedJournal, Error> {
        let merged = self.table.merge_journal(&self.paths).await?;
        if let Some(error) = self.table.damage() {
            return Err(error);
        }
        Ok(merged)
    }
}
