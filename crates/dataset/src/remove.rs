//! Removes series from a target.

use std::collections::BTreeSet;

use crate::error::Error;
use crate::lock::Lock;
use crate::locked_tables::LockedTables;
use crate::target::Target;
use crate::text_file::TextState;

/// The result of [`remove`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Removed {
    /// The paths of the removed series.
    pub series: Vec<String>,
    /// The files that were written again.
    pub files: Vec<String>,
}

/// Removes series from the files and the states of a target. `is_removed` gets the [path](crate::SeriesStatus::path) of
/// each series, such as `weather.levels/site=dover/interval=1h`.
///
/// A file without remaining series is deleted or, in a bucket, stays without rows. If the process is killed, a second
/// call removes the rest. If another run is writing the target, or a process [follows](crate::Backfill::follow) series of
/// the same endpoint and interval, nothing is removed, and [`Error::InUse`] names that process.
pub async fn remove(target: &Target, is_removed: impl Fn(&str) -> bool) -> Result<Removed, Error> {
    let locked = LockedTables::open(target).await?;
    let LockedTables { tables: all, lock: _lock } = locked;
    let mut tables = Vec::new();
    for mut table in all {
        let paths: BTreeSet<_> = table.current().into_keys().filter(|path| is_removed(path)).collect();
        for path in &paths {
            table.state.marks.remove_series(path);
        }
        // A removal that was interrupted before the text file was written is finished.
        if !paths.is_empty() || table.text_state()? == TextState::Outdated {
            tables.push((table, paths));
        }
    }
    // A process that follows a series would add it again.
    let followed = tables.iter().filter_map(|(table, _)| table.place.follow_lock()).collect();
    let _followed = Lock::acquire(&target.to_string(), followed)?;
    let mut removed = Removed::default();
    for (mut table, paths) in tables {
        let (written, _) = table.commit(&paths).await?;
        table.damage().map_or(Ok(()), Err)?;
        removed.files.extend(written.into_iter().map(|written| written.file));
        removed.series.extend(paths);
    }
    Ok(removed)
}
